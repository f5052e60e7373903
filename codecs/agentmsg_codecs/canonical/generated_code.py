"""The fast path: one reader and one writer for each class, generated from the field table as Python source.

All the tricks for speed are here. A generated function does what is usual in a straight line: it counts the keys it
knows, checks exact types, and makes the object; at the first thing that is unusual (another type, an unknown key, a
default written out, notes of this codec) it hands the whole object to the plain path (``plain_X``), which reads it
again, notes what is odd and raises the errors. What is inside an object is read last, when nothing can send the
object to the plain path any more: so nothing is read twice, however deeply it is nested.

To look at the source: ``print(source("json"))``. Tracebacks show its lines.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import attrs

from agentmsg import History, Msg, NativeBlock, NativeTool, TextBlock, ToolUseBlock
from agentmsg.formats import EMPTY
from agentmsg_codecs.canonical.fields import FAMILY, REQUIRED, ROLES, SPECS, Field, Spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType


# Conditions under which a given value is unusual.
_UNUSUAL = {
    "blocks": "type({v}) is not list",
    "citations": "type({v}) is not list",
    "embedding": "type({v}) is not list or ({v} := floats({v})) is None",
    "mapping": "type({v}) is not dict",
    "messages": "type({v}) is not list",
    "number": "type({v}) is not int and (type({v}) is not float or not isfinite({v}))",
    "role": "type({v}) is not str",
    "text": "type({v}) is not str",
    "time": "type({v}) is not str or ({v} := moment({v})) is None",
    "tools": "type({v}) is not list",
    "truth": "type({v}) is not bool",
    "whole": "type({v}) is not int",
}
_READ_LATER = {
    "blocks": "read_blocks({v}, level + 1)",
    "citations": "read_all_Citation({v}, -1)",
    "messages": "read_all_Msg({v}, -1)",
    "source": "read_source({v}, level)",
    "tools": "read_tools({v}, level)",
}
_WRITE = {
    "blocks": "[writers[type(each)](each) for each in {v}]",
    "citations": "[write_Citation(each) for each in {v}]",
    "embedding": "list({v})",
    "messages": "[write_Msg(each) for each in {v}]",
    "source": "writers[type({v})]({v})",
    "time": "time_text({v})",
    "tools": "[writers[type(each)](each) for each in {v}]",
}


def _local(name: str) -> str:
    return f"{name}_"


def _unusual(field: Field, key: str) -> str:
    """Return the condition that a value given for a field is unusual, or no condition."""
    v = _local(field.name)
    test = _UNUSUAL.get(field.kind, "").format(v=v)
    if field.default is None:
        return test or (f"{v} is None" if field.kind in {"json", "object"} else "")
    if field.name == "extras":
        return f"{test} or not {v} or {FAMILY!r} in {v}"
    if field.name == "notes":
        return f"{test} or not {v} or {key!r} in {v}"
    if field.default is not REQUIRED and not field.always:
        return f"{test} or not {v}" if field.kind != "text" else f"{test} or {v} == {field.default!r}"
    return test


def _default(field: Field) -> str:
    return "EMPTY" if field.kind == "mapping" and field.default is not None else repr(field.default)


def _settled(field: Field) -> str:
    """Return the statement that makes a checked value one of the model's, for what is free-form JSON."""
    v = _local(field.name)
    if field.kind == "mapping":
        return f"{v} = adopt({v})"
    if field.kind == "json":
        return f"{v} = adopt({v}) if type({v}) is dict or type({v}) is list else {v}"
    return ""


def _later(field: Field) -> list[str]:
    """Return the statements that read what is inside an object."""
    v = _local(field.name)
    call = f"read_{field.of.__name__}({v}, level)" if field.kind == "object" else _READ_LATER.get(field.kind, "")
    if not call:
        return []
    return [
        "try:",
        f"    {v} = {call.format(v=v)}",
        "except AgentMsgError as error:",
        f"    raise error.at({field.name!r})",
    ]


def _given(field: Field) -> str:
    test = "" if field.default == () else " is not None"
    return f"if {_local(field.name)}{test}:"


def _must_stand(field: Field) -> bool:
    return field.default is REQUIRED or (field.always and field.kind != "input")


def _make(spec: Spec, names: list[str] | None = None) -> list[str]:
    """Return the statements that fill a draft (see ``maker``), spelt out: a call is not free."""
    given = names if names is not None else [field.name for field in spec.fields]
    lines = [f"o = new(draft_{spec.cls.__name__})"]
    for field in attrs.fields(spec.cls):
        alias = field.alias or field.name
        absent = "EMPTY" if field.default is EMPTY else repr(field.default)
        # Ids and times, which a factory makes, and what the class insists on being told: readers leave both empty.
        empty = field.default is attrs.NOTHING or isinstance(field.default, attrs.Factory)  # type: ignore[arg-type] # a class
        value = _local(alias) if alias in given else "None" if empty else absent
        lines.append(f"o.{field.name} = {value}")
    return [*lines, f"o.__class__ = {spec.cls.__name__}", "return o"]


def _indent(lines: list[str], by: int = 1) -> list[str]:
    return ["    " * by + line for line in lines]


# -- JSON ------------------------------------------------------------------------------------------------------

_CALL_JSON = [
    "if (raw_input_ := d.get('raw_input')) is None:",
    "    if 'input' not in d:",
    "        return plain(d, level)",
    "    input_ = d['input']",
    "    if type(input_) is dict or type(input_) is list:",
    "        input_ = adopt(input_)",
    "elif type(raw_input_) is not str or 'input' in d:",
    "    return plain(d, level)",
    "else:",
    "    input_ = UNSET",
]


# Before which optional fields to ask whether any key is left: most objects have only the first few of them.
_CHECKPOINTS = {1, 2, 4, 8}


def _json_reader(spec: Spec) -> list[str]:
    name, fields, key = spec.cls.__name__, spec.fields, "json"
    plain = f"return plain_read_{name}(d, level)"
    is_call = spec.cls is ToolUseBlock
    must = [field for field in fields if _must_stand(field)]
    may = [field for field in fields if not _must_stand(field) and not (is_call and "input" in field.name)]
    lines = [] if spec.tag is not None else ["if type(d) is not dict:", "    " + plain]
    for field in must:
        v = _local(field.name)
        if field.kind == "json":
            lines += [f"if {field.name!r} not in d:", "    " + plain]
        lines.append(f"{v} = d.get({field.name!r})")
        lines += [f"if {test}:", "    " + plain] if (test := _unusual(field, key)) else []
    if any(field.kind == "source" for field in must):
        lines += ["if source_ is None:", "    " + plain]
    if spec.cls in (NativeBlock, NativeTool):
        lines += [f"if codec_ == {FAMILY!r}:", "    " + plain]
    lines += [line.replace("return plain(d, level)", plain) for line in _CALL_JSON] if is_call else []
    lines.append(f"left = len(d) - {len(must) + (spec.tag is not None) + is_call}")
    settle = [line for field in must for line in [_settled(field), *_later(field)] if line]
    if must and not is_call:
        lines += ["if not left:", *_indent([*settle, *_make(spec, [field.name for field in must])])]
    lines += [f"{_local(field.name)} = {_default(field)}" for field in may]
    depth = 0
    for number, field in enumerate(may):
        v = _local(field.name)
        if number in _CHECKPOINTS:
            lines += _indent(["if left:"], depth)
            depth += 1
        body = [f"{v} = d[{field.name!r}]", f"if {_unusual(field, key)}:", "    " + plain]
        body += [line for line in [_settled(field)] if line]
        lines += _indent([f"if {field.name!r} in d:", *_indent([*body, "left -= 1"])], depth)
    lines += ["if left:", "    " + plain, *settle]
    for field in may:
        later = _later(field)
        lines += [_given(field), *_indent(later)] if later else []
    return [f"def read_{name}(d, level):", *_indent([*lines, *_make(spec)]), ""]


def _simple_write(field: Field) -> str:
    v = f"o.{field.name}"
    if field.kind == "object":
        return f"write_{field.of.__name__}(v)"
    return _WRITE.get(field.kind, "{v}").format(v="v" if not _must_stand(field) else v)


def _unusual_object(spec: Spec, key: str) -> list[str]:
    plain = f"    return plain_write_{spec.cls.__name__}(o)"
    lines = [
        "extras = o.extras",
        "notes = o.notes",
        f"if (extras and {FAMILY!r} in extras) or (notes and {key!r} in notes):",
        plain,
    ]
    return [*lines, f"if o.codec == {FAMILY!r}:", plain] if spec.cls in (NativeBlock, NativeTool) else lines


def _json_writer(spec: Spec) -> list[str]:
    name = spec.cls.__name__
    lines = _unusual_object(spec, "json")
    fields = list(spec.fields)
    lead: list[str] = [] if spec.tag is None else [f"{spec.key!r}: {spec.tag!r}"]
    while fields and _must_stand(fields[0]):
        lead.append(f"{fields[0].name!r}: {_simple_write(fields.pop(0))}")
    lines.append(f"d = {{{', '.join(lead)}}}")
    for field in fields:
        lines += _json_field(field)
    return [f"def write_{name}(o):", *_indent([*lines, "return d"]), ""]


_RAW_TIME = "v if type(v) is datetime and ((zone := v.tzinfo) is None or zone is utc) else v.isoformat()"


def _timed_source() -> str:
    """Return the writers of messages and histories that leave times to orjson, where it writes them as we do."""
    lines = [line for cls in (Msg, History) for line in _json_writer(SPECS[cls])]
    return "\n".join(lines).replace("time_text(v)", _RAW_TIME)


def _json_field(field: Field) -> list[str]:
    name = field.name
    if name in {"extras", "notes"}:
        return [f"if {name}:", f"    d[{name!r}] = {name}"]
    if field.kind == "input":
        return ["raw_input = o.raw_input", "if raw_input is None:", "    d['input'] = o.input"]
    if name == "raw_input":
        return ["else:", "    d['raw_input'] = raw_input"]
    if _must_stand(field):
        return [f"d[{name!r}] = {_simple_write(field)}"]
    test = "v is not None" if field.default is None else "v" if field.kind != "text" else f"v != {field.default!r}"
    return [f"v = o.{name}", f"if {test}:", f"    d[{name!r}] = {_simple_write(field)}"]


# -- MessagePack -----------------------------------------------------------------------------------------------

_ROLE_MSGPACK = "type({v}) is str and {v} in ROLES or type({v}) is not str and type({v}) is not int"


def _msgpack_reader(spec: Spec) -> list[str]:
    name, fields, key = spec.cls.__name__, spec.fields, "msgpack"
    plain = f"return plain_read_{name}(a, level)"
    first = 0 if spec.number is None else 1
    size = first + len(fields)
    must = [field for field in fields if _must_stand(field)]
    least = first + max([index + 1 for index, field in enumerate(fields) if _must_stand(field)], default=0)
    lines: list[str] = []
    if spec.cls is TextBlock:
        lines += ["if type(a) is str:", "    return make_TextBlock(a)"]
    if not first:
        lines += ["if type(a) is not list:", "    " + plain]
    if spec.cls is ToolUseBlock:
        least = first + 3
    lines += [
        "n = len(a)",
        f"if n < {max(least, 1)} or n > {size} or a[-1] is None:",
        "    " + plain,
        f"{'_, ' * first}{', '.join(_local(field.name) for field in fields)}, = a + PADS[{size} - n]",
    ]
    if spec.cls is TextBlock:
        lines += ["if n == 2:", "    " + plain]
    for field in fields:
        lines += _msgpack_check(field, key, plain)
    if spec.cls in (NativeBlock, NativeTool):
        lines += [f"if codec_ == {FAMILY!r}:", "    " + plain]
    for field in fields:
        later = _later(field)
        must_read = field in must
        lines += later if must_read or not later else [_given(field), *_indent(later)]
    return [f"def read_{name}(a, level):", *_indent([*lines, *_make(spec)]), ""]


_CALL_MSGPACK = [
    "if raw_input_ is None:",
    "    if type(input_) is dict or type(input_) is list:",
    "        input_ = adopt(input_)",
    "elif type(raw_input_) is not str or input_ is not None:",
    "    return plain(a, level)",
    "else:",
    "    input_ = UNSET",
]


def _msgpack_check(field: Field, key: str, plain: str) -> list[str]:
    v = _local(field.name)
    if field.kind == "input":
        return [line.replace("return plain(a, level)", plain) for line in _CALL_MSGPACK]
    if field.name == "raw_input":
        return []
    test = _ROLE_MSGPACK.format(v=v) if field.kind == "role" else _unusual(field, key)
    body = [f"if {test}:", "    " + plain] if test and field.kind not in {"json", "object"} else []
    if field.kind == "role":
        body += [
            f"if type({v}) is int:",
            f"    if not 0 <= {v} < {len(ROLES)}:",
            "        " + plain,
            f"    {v} = ROLES[{v}]",
        ]
    body += [line for line in [_settled(field)] if line]
    if _must_stand(field):
        return body
    absent = [] if field.default is None else [f"if {v} is None:", f"    {v} = {_default(field)}"]
    if not body:
        return absent
    if absent:
        return [*absent, "else:", *_indent(body)]
    return [f"if {v} is not None:", *_indent(body)]


def _msgpack_writer(spec: Spec) -> list[str]:
    name, fields = spec.cls.__name__, spec.fields
    lines = _unusual_object(spec, "msgpack")
    items: list[str] = [] if spec.number is None else [str(spec.number)]
    cuts: list[tuple[str, int]] = []
    for field in fields:
        statements, item, mark = _msgpack_item(field)
        lines += statements
        items.append(item)
        cuts.append((mark, len(items)))
    lines.append(f"out = [{', '.join(items)}]")
    for mark, length in reversed(cuts):
        cut = [] if length == len(items) else [f"del out[{length}:]"]
        if not mark:
            lines += [*cut, "return out[1]" if spec.cls is TextBlock else "return out"]
            break
        lines += [f"if {mark}:", *_indent([*cut, "return out"])]
    else:
        lines += [f"del out[{0 if spec.number is None else 1}:]", "return out"]
    return [f"def write_{name}(o):", *_indent(lines), ""]


def _msgpack_item(field: Field) -> tuple[list[str], str, str]:
    """Return the statements that prepare an item, the item, and the condition that it is not absent."""
    name, v = field.name, _local(field.name)
    if name in {"extras", "notes"}:
        return [], f"{name} or None", name
    if field.kind == "input":
        return ["raw_input_ = o.raw_input"], "o.input if raw_input_ is None else None", ""
    if name == "raw_input":
        return [], "raw_input_", "raw_input_ is not None"
    if field.kind == "role":
        return [], f"ROLE_NUMBERS.get(o.{name}, o.{name})", ""
    if _must_stand(field):
        return [], _simple_write(field), ""
    get = f"{v} = o.{name}"
    if field.kind == "text" and field.default is not None:
        return [get], f"None if {v} == {field.default!r} else {v}", f"{v} != {field.default!r}"
    test = f"{v} is not None" if field.default is None else v
    if field.kind == "mapping" and field.default is not None:
        return [get], f"{v} or None", test
    call = f"write_{field.of.__name__}({v})" if field.kind == "object" else _WRITE.get(field.kind, "{v}").format(v=v)
    return [get], v if call == v else f"{call} if {test} else None", test


_PARTS = {"json": (_json_reader, _json_writer), "msgpack": (_msgpack_reader, _msgpack_writer)}


def _lines(key: str) -> Iterator[str]:
    for spec in SPECS.values():
        for part in _PARTS[key]:
            yield from part(spec)


@cache
def source(key: str) -> str:
    """Return the Python source of all readers and writers of "json" or "msgpack", or of those of "timed" JSON."""
    return _timed_source() if key == "timed" else "\n".join(_lines(key))


@cache
def code(key: str) -> CodeType:
    """Return the compiled source, known to tracebacks."""
    import linecache  # noqa: PLC0415 - loaded already wherever attrs is

    text, filename = source(key), f"<agentmsg canonical {key}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    return compile(text, filename, "exec")
