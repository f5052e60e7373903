"""The fast path: one reader and one writer for each class, generated from the field table as Python source.

All the tricks for speed are here. A generated function handles the common case in straight-line code: it counts the
keys it knows, checks exact types, and makes the object. At the first unusual thing (another type, an unknown key, an
explicit default, notes of this codec) it passes the whole object to the plain path (``plain_X``), which reads it again,
notes odd spellings and raises the errors. Inner objects are read last, when nothing can send the object to the plain
path any more. So no object is read twice, however deep it is.

Each function is compiled on its first call, because most documents hold few classes. For the same reason the fields of
a class that few objects have are left to another function ("rest"). ``print(source("json",
"read_Msg"))`` shows the source; tracebacks show its lines.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import attrs

from agentmsg import NativeBlock, NativeTool, TextBlock, ToolUseBlock
from agentmsg.formats import EMPTY
from agentmsg_codecs.canonical.fields import FAMILY, LINKS, REQUIRED, ROLES, SPECS, Field, Spec
from agentmsg_codecs.canonical.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import CodeType


# -- statements of both spellings -------------------------------------------------------------------------------------


def _local(name: str) -> str:
    """Return the local variable of a field."""
    return f"{name}_"


def _unusual(field: Field, key: str) -> str:
    """Return the condition under which a field's value is unusual, or "" if none is."""
    v = _local(field.name)
    test = KINDS[field.kind].unusual.format(v=v)
    if field.default is None:
        return test or (f"{v} is None" if field.kind in {"json", "object"} else "")
    if field.name in {"extras", "notes"}:
        spaces = (FAMILY if field.name == "extras" else key, *(field.of or ()))
        return " or ".join((test, f"not {v}", *(f"{space!r} in {v}" for space in dict.fromkeys(spaces))))
    if field.default is not REQUIRED and not field.always:
        return f"{test} or not {v}" if field.kind != "text" else f"{test} or {v} == {field.default!r}"
    return test


def default(field: Field) -> str:
    """Return an absent field's value as source."""
    return "EMPTY" if field.kind == "mapping" and field.default is not None else repr(field.default)


def settled(field: Field) -> str:
    """Return the statement that adopts free-form JSON into the model, or ""."""
    v = _local(field.name)
    # Scalars, too: an engine that copies what a caller still owns checks them there.
    return f"{v} = adopt({v})" if field.kind in ("mapping", "json") else ""


def inside(field: Field) -> list[str]:
    """Return the statements that read the objects inside a field."""
    v = _local(field.name)
    call = f"read_{field.of.__name__}({v}, level)" if field.kind == "object" else KINDS[field.kind].inside
    if not call:
        return []
    return [
        "try:",
        f"    {v} = {call.format(v=v)}",
        "except AgentMsgError as error:",
        f"    raise error.at({field.name!r})",
    ]


def given(field: Field) -> str:
    """Return the head of the statement for a field that was given, from its variable."""
    test = "" if field.default == () else " is not None"
    return f"if {_local(field.name)}{test}:"


def _must_stand(field: Field) -> bool:
    """Whether a field is always written."""
    return field.default is REQUIRED or (field.always and field.kind != "input")


def make(spec: Spec, names: list[str] | None = None) -> list[str]:
    """Return the statements that fill a draft (see ``maker``), one by one: a call costs time."""
    given = names if names is not None else [field.name for field in spec.fields]
    link = LINKS.get(spec.cls)
    again = [f"if notes_: {_local(link)} = made_again({_local(link)}, notes_)"] if link and "notes" in given else []
    lines = [*again, f"o = draft_{spec.cls.__name__}()"]
    for field in attrs.fields(spec.cls):
        alias = field.alias or field.name
        absent = "EMPTY" if field.default is EMPTY else repr(field.default)
        # Readers leave ids and times, which a factory makes, and required arguments empty.
        empty = field.default is attrs.NOTHING or isinstance(field.default, attrs.Factory)  # type: ignore[arg-type] # a class
        value = _local(alias) if alias in given else "None" if empty else absent
        lines.append(f"o.{field.name} = {value}")
    return [*lines, f"o.__class__ = {spec.cls.__name__}", "return o"]


def _indent(lines: list[str], by: int = 1) -> list[str]:
    """Indent statements by some levels."""
    return ["    " * by + line for line in lines]


def written(field: Field, value: str) -> str:
    """Return the expression that writes a value of a field."""
    if field.kind == "object":
        return f"write_{field.of.__name__}({value})"
    return KINDS[field.kind].written.format(v=value)


def _free_form(field: Field) -> str:
    """Return the expression that writes the extras or notes of an object; see ``unusual_object``."""
    return "o.sorted_extras" if field.name == "extras" else field.name


def _unusual_object(spec: Spec, key: str) -> list[str]:
    """Return the statements that pass an unusual object to the plain path."""
    plain = f"    return plain_write_{spec.cls.__name__}(o)"
    lines = [
        "extras = o.extras",
        "notes = o.notes",
        f"if (extras and {FAMILY!r} in extras) or (notes and {key!r} in notes):",
        plain,
    ]
    return [*lines, f"if o.codec == {FAMILY!r}:", plain] if spec.cls in (NativeBlock, NativeTool) else lines


# How many of its first fields a usual object has. One condition checks that there are no others; straight-line code
# then writes the object. Readers leave objects with other fields to a function of their own.
_USUAL = {
    "History": 3, "TextBlock": 1, "ImageBlock": 1, "ToolUseBlock": 4, "ToolResultBlock": 4, "Msg": 8, "Usage": 6,
}  # fmt: skip


def _usual_count(spec: Spec) -> int:
    """Return how many of the first fields of its class a usual object has."""
    return _USUAL.get(spec.cls.__name__, len(spec.fields))


def _is_given(field: Field, value: str) -> str:
    """Return the condition that the value of a field isn't absent."""
    if field.kind == "text" and field.default is not None:
        return f"{value} != {field.default!r}"
    return f"{value} is not None" if field.default is None else value


def _no_others(spec: Spec) -> str:
    """Return the head of the statement for objects with usual fields only."""
    others = [_is_given(field, f"o.{field.name}") for field in spec.fields[_usual_count(spec) :]]
    return f"if not ({' or '.join(others)}):"


# -- MessagePack: arrays ----------------------------------------------------------------------------------------------


_ROLE_MSGPACK = "type({v}) is str and {v} in ROLES or type({v}) is not str and type({v}) is not int"


def _msgpack_reader(spec: Spec) -> list[str]:
    """Return the source of the reader of a class; arrays with more than usual fields are left to the rest."""
    name, usual = spec.cls.__name__, _usual_count(spec)
    head = f"def read_{name}(a, level):"
    if spec.cls is TextBlock:
        lines = ["if type(a) is str:", "    return make_TextBlock(a)", "return rest_TextBlock(a, level, len(a))"]
        return [head, *_indent(lines), ""]
    lines = [] if spec.number is not None else ["if type(a) is not list:", f"    return plain_read_{name}(a, level)"]
    lines += ["n = len(a)"]
    if usual < len(spec.fields):
        lines += [f"if n > {_place(spec, usual)}:", f"    return rest_{name}(a, level, n)"]
    return [head, *_indent([*lines, *_array(spec, usual)]), ""]


def _msgpack_rest(spec: Spec) -> list[str]:
    """Return the source of the function that reads an array with any number of fields."""
    return [f"def rest_{spec.cls.__name__}(a, level, n):", *_indent(_array(spec, len(spec.fields))), ""]


def _place(spec: Spec, index: int) -> int:
    """Return the place of a field in an array, which may begin with a number."""
    return index if spec.number is None else index + 1


def _array(spec: Spec, count: int) -> list[str]:
    """Return the statements that read an array of at most so many fields."""
    fields, key = spec.fields[:count], "msgpack"
    plain = f"return plain_read_{spec.cls.__name__}(a, level)"
    size, first = _place(spec, count), _place(spec, 0)
    least = first + max([index + 1 for index, field in enumerate(fields) if _must_stand(field)], default=0)
    if spec.cls is ToolUseBlock:
        least = first + 3
    long = f"n > {size} or " if count == len(spec.fields) else ""
    lines = [
        f"if n < {max(least, 1)} or {long}a[-1] is None:",
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
        later = inside(field)
        lines += later if _must_stand(field) or not later else [given(field), *_indent(later)]
    return [*lines, *make(spec, [field.name for field in fields])]


_CALL_MSGPACK = [
    "if raw_input_ is None:",
    "    input_ = adopt(input_)",
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
    body += [line for line in [settled(field)] if line]
    if _must_stand(field):
        return body
    absent = [] if field.default is None else [f"if {v} is None:", f"    {v} = {default(field)}"]
    if not body:
        return absent
    if absent:
        return [*absent, "else:", *_indent(body)]
    return [f"if {v} is not None:", *_indent(body)]


def _msgpack_writer(spec: Spec) -> list[str]:
    """Return the source of the writer of a class."""
    usual = _usual_count(spec)
    lines = _unusual_object(spec, "msgpack")
    if usual < len(spec.fields):
        lines = [_no_others(spec), *_indent(_msgpack_array(spec, spec.fields[:usual])), *lines]
    lines += _msgpack_array(spec, spec.fields)
    return [f"def write_{spec.cls.__name__}(o):", *_indent(lines), ""]


def _msgpack_array(spec: Spec, fields: Sequence[Field]) -> list[str]:
    """Return the statements that write the first fields of a class, without absent ones at the end."""
    if spec.cls is TextBlock and len(fields) == 1:
        return ["return o.text"]
    lines: list[str] = []
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
            return [*lines, *cut, "return out[1]" if spec.cls is TextBlock else "return out"]
        lines += [f"if {mark}:", *_indent([*cut, "return out"])]
    return [*lines, f"del out[{0 if spec.number is None else 1}:]", "return out"]


def _msgpack_item(field: Field) -> tuple[list[str], str, str]:
    """Return the statements that prepare an item, the item, and the condition under which it is present."""
    name, v = field.name, _local(field.name)
    if name in {"extras", "notes"}:
        return [], f"{_free_form(field)} or None", name
    if field.kind == "input":
        return ["raw_input_ = o.raw_input"], "o.input if raw_input_ is None else None", ""
    if name == "raw_input":
        return [], "raw_input_", "raw_input_ is not None"
    if field.kind == "role":
        return [], f"ROLE_NUMBERS.get(o.{name}, o.{name})", ""
    if _must_stand(field):
        return [], written(field, f"o.{name}"), ""
    get, test = f"{v} = o.{name}", _is_given(field, v)
    if field.kind == "text" and field.default is not None:
        return [get], f"None if {v} == {field.default!r} else {v}", test
    if field.kind == "mapping" and field.default is not None:
        return [get], f"{v} or None", test
    call = written(field, v)
    return [get], v if call == v else f"{call} if {test} else None", test


_CALL_JSON = [
    "if (raw_input_ := d.get('raw_input')) is None:",
    "    if 'input' not in d:",
    "        return plain(d, level)",
    "    input_ = adopt(d['input'])",
    "elif type(raw_input_) is not str or 'input' in d:",
    "    return plain(d, level)",
    "else:",
    "    input_ = UNSET",
]


# Before these optional fields, check whether any key is left: most objects have only the first few fields.
_CHECKPOINTS = {1, 2, 4, 8}


def _json_reader(spec: Spec) -> list[str]:
    name, key = spec.cls.__name__, "json"
    plain = f"return plain_read_{name}(d, level)"
    is_call = spec.cls is ToolUseBlock
    must = [field for field in spec.fields if _must_stand(field)]
    usual, others = _optional_fields(spec)
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
    if must and not is_call:
        lines += ["if not left:", *_indent([*_settled(must), *make(spec, [field.name for field in must])])]
    lines += _optional(usual, plain)
    known = [field for field in spec.fields if field not in others]
    lines += ["if left:", f"    return rest_{name}({_names_of(known)})" if others else "    " + plain]
    made = make(spec, [field.name for field in known])
    return [f"def read_{name}(d, level):", *_indent([*lines, *_settled(must), *_inside(usual), *made]), ""]


def _json_rest(spec: Spec) -> list[str]:
    """Return the function that finishes what a reader began, for objects with other fields than usual ones."""
    name = spec.cls.__name__
    plain = f"return plain_read_{name}(d, level)"
    usual, others = _optional_fields(spec)
    lines = [*_optional(others, plain), "if left:", "    " + plain]
    lines += [*_settled(field for field in spec.fields if _must_stand(field)), *_inside([*usual, *others])]
    known = _names_of(field for field in spec.fields if field not in others)
    return [f"def rest_{name}({known}):", *_indent([*lines, *make(spec)]), ""]


def _optional_fields(spec: Spec) -> tuple[list[Field], list[Field]]:
    """Return the optional fields that usual objects have, and the others; calls read their input apart."""
    count, is_call = _usual_count(spec), spec.cls is ToolUseBlock
    parts = spec.fields[:count], spec.fields[count:]
    usual, others = ([field for field in part if not _must_stand(field)] for part in parts)
    return [field for field in usual if not (is_call and "input" in field.name)], others


def _names_of(fields: Iterable[Field]) -> str:
    return ", ".join(("d", "level", "left", *(_local(field.name) for field in fields)))


def _optional(fields: list[Field], plain: str) -> list[str]:
    """Return the statements that look for optional fields while any key is left."""
    lines = [f"{_local(field.name)} = {default(field)}" for field in fields]
    depth = 0
    for number, field in enumerate(fields):
        v = _local(field.name)
        if number in _CHECKPOINTS:
            lines += _indent(["if left:"], depth)
            depth += 1
        body = [f"{v} = d[{field.name!r}]", f"if {_unusual(field, 'json')}:", "    " + plain]
        body += [line for line in [settled(field)] if line]
        lines += _indent([f"if {field.name!r} in d:", *_indent([*body, "left -= 1"])], depth)
    return lines


def _settled(must: Iterable[Field]) -> list[str]:
    """Return the statements that settle required fields."""
    return [line for field in must for line in [settled(field), *inside(field)] if line]


def _inside(fields: Iterable[Field]) -> list[str]:
    """Return the statements that read the objects inside optional fields."""
    lines: list[str] = []
    for field in fields:
        later = inside(field)
        lines += [given(field), *_indent(later)] if later else []
    return lines


def _json_writer(spec: Spec) -> list[str]:
    usual = _usual_count(spec)
    lines = _unusual_object(spec, "json")
    if usual < len(spec.fields):
        lines = [_no_others(spec), *_indent(_json_object(spec, spec.fields[:usual])), *lines]
    return [f"def write_{spec.cls.__name__}(o):", *_indent([*lines, *_json_object(spec, spec.fields)]), ""]


def _json_object(spec: Spec, some: Iterable[Field]) -> list[str]:
    """Return the statements that write the first fields of a class."""
    fields = list(some)
    lead: list[str] = [] if spec.tag is None else [f"{spec.key!r}: {spec.tag!r}"]
    while fields and _must_stand(fields[0]):
        field = fields.pop(0)
        lead.append(f"{field.name!r}: {written(field, f'o.{field.name}')}")
    display = f"{{{', '.join(lead)}}}"
    if not fields:
        return [f"return {display}"]
    return [f"d = {display}", *(line for field in fields for line in _json_field(field)), "return d"]


_RAW_TIME = "v if type(v) is datetime and ((zone := v.tzinfo) is None or zone is utc) else v.isoformat()"


def _json_field(field: Field) -> list[str]:
    name = field.name
    if name in {"extras", "notes"}:
        return [f"if {name}:", f"    d[{name!r}] = {_free_form(field)}"]
    if field.kind == "input":
        return ["raw_input = o.raw_input", "if raw_input is None:", "    d['input'] = o.input"]
    if name == "raw_input":
        return ["else:", "    d['raw_input'] = raw_input"]
    if _must_stand(field):
        return [f"d[{name!r}] = {written(field, f'o.{name}')}"]
    return [f"v = o.{name}", f"if {_is_given(field, 'v')}:", f"    d[{name!r}] = {written(field, 'v')}"]


def _timed_writer(spec: Spec) -> list[str]:
    """Return the writer of messages or histories that leaves times to orjson if it writes them as we do."""
    lines = [line.replace("time_text(v)", _RAW_TIME) for line in _json_writer(spec)]
    return [re.sub(_TIMED, r"timed_\1", line) for line in lines]


# The names of writers of times: one calls the other.
_TIMED = r"\bwrite_(History|Msg)\b"
_MAKERS: Mapping[str, Mapping[str, Callable[[Spec], list[str]]]] = {
    "json": {"read": _json_reader, "rest": _json_rest, "write": _json_writer, "timed": _timed_writer},
    "msgpack": {"read": _msgpack_reader, "rest": _msgpack_rest, "write": _msgpack_writer},
}
_SPEC_OF = {cls.__name__: spec for cls, spec in SPECS.items()}


def source(key: str, name: str) -> str:
    """Return the Python source of a reader or writer.

    Args:
        key: "json" or "msgpack".
        name: "read_", "rest_" or "write_" and a class, as in "read_Msg"; in JSON also "timed_Msg" and
            "timed_History".
    """
    kind, _, cls = name.partition("_")
    return "\n".join(_MAKERS[key][kind](_SPEC_OF[cls]))


@cache
def code(key: str, name: str) -> CodeType:
    """Compile the source of a reader or writer, and show it to tracebacks; takes the arguments of ``source``."""
    import linecache  # noqa: PLC0415 - loaded already wherever attrs is

    text, filename = source(key, name), f"<agentmsg canonical {key}: {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    return compile(text, filename, "exec")
