"""The fast path: one reader and one writer for each class, generated from the field table as Python source.

All the tricks for speed are here, in ``statements.py`` and in ``generated_msgpack.py``. A generated function handles
the common case in straight-line code: it counts the keys it knows, checks exact types, and makes the object. At the
first unusual thing (another type, an unknown key, an explicit default, notes of this codec) it passes the whole object
to the plain path (``plain_X``), which reads it again, notes odd spellings and raises the errors. Inner objects are read
last, when nothing can send the object to the plain path any more. So no object is read twice, however deep it is.

Each function is compiled on its first call, because most documents hold few classes. For the same reason the fields of
a class that few objects have are left to another function ("rest"). ``print(source("json",
"read_Msg"))`` shows the source; tracebacks show its lines.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from agentmsg import NativeBlock, NativeTool, ToolUseBlock
from agentmsg_codecs.canonical.fields import FAMILY, SPECS, Field, Spec
from agentmsg_codecs.canonical.generated_msgpack import msgpack_reader, msgpack_rest, msgpack_writer
from agentmsg_codecs.canonical.statements import (
    default,
    free_form,
    given,
    indent,
    inside,
    is_given,
    local,
    make,
    must_stand,
    no_others,
    settled,
    unusual,
    unusual_object,
    usual_count,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import CodeType


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
    must = [field for field in spec.fields if must_stand(field)]
    usual, others = _optional_fields(spec)
    lines = [] if spec.tag is not None else ["if type(d) is not dict:", "    " + plain]
    for field in must:
        v = local(field.name)
        if field.kind == "json":
            lines += [f"if {field.name!r} not in d:", "    " + plain]
        lines.append(f"{v} = d.get({field.name!r})")
        lines += [f"if {test}:", "    " + plain] if (test := unusual(field, key)) else []
    if any(field.kind == "source" for field in must):
        lines += ["if source_ is None:", "    " + plain]
    if spec.cls in (NativeBlock, NativeTool):
        lines += [f"if codec_ == {FAMILY!r}:", "    " + plain]
    lines += [line.replace("return plain(d, level)", plain) for line in _CALL_JSON] if is_call else []
    lines.append(f"left = len(d) - {len(must) + (spec.tag is not None) + is_call}")
    if must and not is_call:
        lines += ["if not left:", *indent([*_settled(must), *make(spec, [field.name for field in must])])]
    lines += _optional(usual, plain)
    known = [field for field in spec.fields if field not in others]
    lines += ["if left:", f"    return rest_{name}({_names_of(known)})" if others else "    " + plain]
    made = make(spec, [field.name for field in known])
    return [f"def read_{name}(d, level):", *indent([*lines, *_settled(must), *_inside(usual), *made]), ""]


def _json_rest(spec: Spec) -> list[str]:
    """Return the function that finishes what a reader began, for objects with other fields than usual ones."""
    name = spec.cls.__name__
    plain = f"return plain_read_{name}(d, level)"
    usual, others = _optional_fields(spec)
    lines = [*_optional(others, plain), "if left:", "    " + plain]
    lines += [*_settled(field for field in spec.fields if must_stand(field)), *_inside([*usual, *others])]
    known = _names_of(field for field in spec.fields if field not in others)
    return [f"def rest_{name}({known}):", *indent([*lines, *make(spec)]), ""]


def _optional_fields(spec: Spec) -> tuple[list[Field], list[Field]]:
    """Return the optional fields that usual objects have, and the others; calls read their input apart."""
    count, is_call = usual_count(spec), spec.cls is ToolUseBlock
    parts = spec.fields[:count], spec.fields[count:]
    usual, others = ([field for field in part if not must_stand(field)] for part in parts)
    return [field for field in usual if not (is_call and "input" in field.name)], others


def _names_of(fields: Iterable[Field]) -> str:
    return ", ".join(("d", "level", "left", *(local(field.name) for field in fields)))


def _optional(fields: list[Field], plain: str) -> list[str]:
    """Return the statements that look for optional fields while any key is left."""
    lines = [f"{local(field.name)} = {default(field)}" for field in fields]
    depth = 0
    for number, field in enumerate(fields):
        v = local(field.name)
        if number in _CHECKPOINTS:
            lines += indent(["if left:"], depth)
            depth += 1
        body = [f"{v} = d[{field.name!r}]", f"if {unusual(field, 'json')}:", "    " + plain]
        body += [line for line in [settled(field)] if line]
        lines += indent([f"if {field.name!r} in d:", *indent([*body, "left -= 1"])], depth)
    return lines


def _settled(must: Iterable[Field]) -> list[str]:
    """Return the statements that settle required fields."""
    return [line for field in must for line in [settled(field), *inside(field)] if line]


def _inside(fields: Iterable[Field]) -> list[str]:
    """Return the statements that read the objects inside optional fields."""
    lines: list[str] = []
    for field in fields:
        later = inside(field)
        lines += [given(field), *indent(later)] if later else []
    return lines


def _json_writer(spec: Spec) -> list[str]:
    usual = usual_count(spec)
    lines = unusual_object(spec, "json")
    if usual < len(spec.fields):
        lines = [no_others(spec), *indent(_json_object(spec, spec.fields[:usual])), *lines]
    return [f"def write_{spec.cls.__name__}(o):", *indent([*lines, *_json_object(spec, spec.fields)]), ""]


def _json_object(spec: Spec, some: Iterable[Field]) -> list[str]:
    """Return the statements that write the first fields of a class."""
    fields = list(some)
    lead: list[str] = [] if spec.tag is None else [f"{spec.key!r}: {spec.tag!r}"]
    while fields and must_stand(fields[0]):
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
        return [f"if {name}:", f"    d[{name!r}] = {free_form(field)}"]
    if field.kind == "input":
        return ["raw_input = o.raw_input", "if raw_input is None:", "    d['input'] = o.input"]
    if name == "raw_input":
        return ["else:", "    d['raw_input'] = raw_input"]
    if must_stand(field):
        return [f"d[{name!r}] = {written(field, f'o.{name}')}"]
    return [f"v = o.{name}", f"if {is_given(field, 'v')}:", f"    d[{name!r}] = {written(field, 'v')}"]


def _timed_writer(spec: Spec) -> list[str]:
    """Return the writer of messages or histories that leaves times to orjson if it writes them as we do."""
    lines = [line.replace("time_text(v)", _RAW_TIME) for line in _json_writer(spec)]
    return [re.sub(_TIMED, r"timed_\1", line) for line in lines]


# The names of writers of times: one calls the other.
_TIMED = r"\bwrite_(History|Msg)\b"
_MAKERS: Mapping[str, Mapping[str, Callable[[Spec], list[str]]]] = {
    "json": {"read": _json_reader, "rest": _json_rest, "write": _json_writer, "timed": _timed_writer},
    "msgpack": {"read": msgpack_reader, "rest": msgpack_rest, "write": msgpack_writer},
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
