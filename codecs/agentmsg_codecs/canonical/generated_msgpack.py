"""The readers and writers of MessagePack's arrays, as Python source; see generated_code.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentmsg import NativeBlock, NativeTool, TextBlock, ToolUseBlock
from agentmsg_codecs.canonical.fields import FAMILY, ROLES, Field, Spec
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
    from collections.abc import Sequence

_ROLE_MSGPACK = "type({v}) is str and {v} in ROLES or type({v}) is not str and type({v}) is not int"


def msgpack_reader(spec: Spec) -> list[str]:
    """Return the source of the reader of a class; arrays with more than usual fields are left to the rest."""
    name, usual = spec.cls.__name__, usual_count(spec)
    head = f"def read_{name}(a, level):"
    if spec.cls is TextBlock:
        lines = ["if type(a) is str:", "    return make_TextBlock(a)", "return rest_TextBlock(a, level, len(a))"]
        return [head, *indent(lines), ""]
    lines = [] if spec.number is not None else ["if type(a) is not list:", f"    return plain_read_{name}(a, level)"]
    lines += ["n = len(a)"]
    if usual < len(spec.fields):
        lines += [f"if n > {_place(spec, usual)}:", f"    return rest_{name}(a, level, n)"]
    return [head, *indent([*lines, *_array(spec, usual)]), ""]


def msgpack_rest(spec: Spec) -> list[str]:
    """Return the source of the function that reads an array with any number of fields."""
    return [f"def rest_{spec.cls.__name__}(a, level, n):", *indent(_array(spec, len(spec.fields))), ""]


def _place(spec: Spec, index: int) -> int:
    """Return the place of a field in an array, which may begin with a number."""
    return index if spec.number is None else index + 1


def _array(spec: Spec, count: int) -> list[str]:
    """Return the statements that read an array of at most so many fields."""
    fields, key = spec.fields[:count], "msgpack"
    plain = f"return plain_read_{spec.cls.__name__}(a, level)"
    size, first = _place(spec, count), _place(spec, 0)
    least = first + max([index + 1 for index, field in enumerate(fields) if must_stand(field)], default=0)
    if spec.cls is ToolUseBlock:
        least = first + 3
    long = f"n > {size} or " if count == len(spec.fields) else ""
    lines = [
        f"if n < {max(least, 1)} or {long}a[-1] is None:",
        "    " + plain,
        f"{'_, ' * first}{', '.join(local(field.name) for field in fields)}, = a + PADS[{size} - n]",
    ]
    if spec.cls is TextBlock:
        lines += ["if n == 2:", "    " + plain]
    for field in fields:
        lines += _msgpack_check(field, key, plain)
    if spec.cls in (NativeBlock, NativeTool):
        lines += [f"if codec_ == {FAMILY!r}:", "    " + plain]
    for field in fields:
        later = inside(field)
        lines += later if must_stand(field) or not later else [given(field), *indent(later)]
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
    v = local(field.name)
    if field.kind == "input":
        return [line.replace("return plain(a, level)", plain) for line in _CALL_MSGPACK]
    if field.name == "raw_input":
        return []
    test = _ROLE_MSGPACK.format(v=v) if field.kind == "role" else unusual(field, key)
    body = [f"if {test}:", "    " + plain] if test and field.kind not in {"json", "object"} else []
    if field.kind == "role":
        body += [
            f"if type({v}) is int:",
            f"    if not 0 <= {v} < {len(ROLES)}:",
            "        " + plain,
            f"    {v} = ROLES[{v}]",
        ]
    body += [line for line in [settled(field)] if line]
    if must_stand(field):
        return body
    absent = [] if field.default is None else [f"if {v} is None:", f"    {v} = {default(field)}"]
    if not body:
        return absent
    if absent:
        return [*absent, "else:", *indent(body)]
    return [f"if {v} is not None:", *indent(body)]


def msgpack_writer(spec: Spec) -> list[str]:
    """Return the source of the writer of a class."""
    usual = usual_count(spec)
    lines = unusual_object(spec, "msgpack")
    if usual < len(spec.fields):
        lines = [no_others(spec), *indent(_msgpack_array(spec, spec.fields[:usual])), *lines]
    lines += _msgpack_array(spec, spec.fields)
    return [f"def write_{spec.cls.__name__}(o):", *indent(lines), ""]


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
        lines += [f"if {mark}:", *indent([*cut, "return out"])]
    return [*lines, f"del out[{0 if spec.number is None else 1}:]", "return out"]


def _msgpack_item(field: Field) -> tuple[list[str], str, str]:
    """Return the statements that prepare an item, the item, and the condition under which it is present."""
    name, v = field.name, local(field.name)
    if name in {"extras", "notes"}:
        return [], f"{free_form(field)} or None", name
    if field.kind == "input":
        return ["raw_input_ = o.raw_input"], "o.input if raw_input_ is None else None", ""
    if name == "raw_input":
        return [], "raw_input_", "raw_input_ is not None"
    if field.kind == "role":
        return [], f"ROLE_NUMBERS.get(o.{name}, o.{name})", ""
    if must_stand(field):
        return [], written(field, f"o.{name}"), ""
    get, test = f"{v} = o.{name}", is_given(field, v)
    if field.kind == "text" and field.default is not None:
        return [get], f"None if {v} == {field.default!r} else {v}", test
    if field.kind == "mapping" and field.default is not None:
        return [get], f"{v} or None", test
    call = written(field, v)
    return [get], v if call == v else f"{call} if {test} else None", test
