"""The statements that generated readers and writers of JSON and MessagePack share; see generated_code.py."""

from __future__ import annotations

import attrs

from agentmsg import NativeBlock, NativeTool
from agentmsg.formats import EMPTY
from agentmsg_codecs.canonical.fields import FAMILY, LINKS, REQUIRED, Field, Spec
from agentmsg_codecs.canonical.kinds import KINDS


def local(name: str) -> str:
    """Return the local variable of a field."""
    return f"{name}_"


def unusual(field: Field, key: str) -> str:
    """Return the condition under which a field's value is unusual, or "" if none is."""
    v = local(field.name)
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
    v = local(field.name)
    # Scalars, too: an engine that copies what a caller still owns checks them there.
    return f"{v} = adopt({v})" if field.kind in ("mapping", "json") else ""


def inside(field: Field) -> list[str]:
    """Return the statements that read the objects inside a field."""
    v = local(field.name)
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
    return f"if {local(field.name)}{test}:"


def must_stand(field: Field) -> bool:
    """Whether a field is always written."""
    return field.default is REQUIRED or (field.always and field.kind != "input")


def make(spec: Spec, names: list[str] | None = None) -> list[str]:
    """Return the statements that fill a draft (see ``maker``), one by one: a call costs time."""
    given = names if names is not None else [field.name for field in spec.fields]
    link = LINKS.get(spec.cls)
    again = [f"if notes_: {local(link)} = made_again({local(link)}, notes_)"] if link and "notes" in given else []
    lines = [*again, f"o = draft_{spec.cls.__name__}()"]
    for field in attrs.fields(spec.cls):
        alias = field.alias or field.name
        absent = "EMPTY" if field.default is EMPTY else repr(field.default)
        # Readers leave ids and times, which a factory makes, and required arguments empty.
        empty = field.default is attrs.NOTHING or isinstance(field.default, attrs.Factory)  # type: ignore[arg-type] # a class
        value = local(alias) if alias in given else "None" if empty else absent
        lines.append(f"o.{field.name} = {value}")
    return [*lines, f"o.__class__ = {spec.cls.__name__}", "return o"]


def indent(lines: list[str], by: int = 1) -> list[str]:
    """Indent statements by some levels."""
    return ["    " * by + line for line in lines]


def written(field: Field, value: str) -> str:
    """Return the expression that writes a value of a field."""
    if field.kind == "object":
        return f"write_{field.of.__name__}({value})"
    return KINDS[field.kind].written.format(v=value)


def free_form(field: Field) -> str:
    """Return the expression that writes the extras or notes of an object; see ``unusual_object``."""
    return "o.sorted_extras" if field.name == "extras" else field.name


def unusual_object(spec: Spec, key: str) -> list[str]:
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


def usual_count(spec: Spec) -> int:
    """Return how many of the first fields of its class a usual object has."""
    return _USUAL.get(spec.cls.__name__, len(spec.fields))


def is_given(field: Field, value: str) -> str:
    """Return the condition that the value of a field isn't absent."""
    if field.kind == "text" and field.default is not None:
        return f"{value} != {field.default!r}"
    return f"{value} is not None" if field.default is None else value


def no_others(spec: Spec) -> str:
    """Return the head of the statement for objects with usual fields only."""
    others = [is_given(field, f"o.{field.name}") for field in spec.fields[usual_count(spec) :]]
    return f"if not ({' or '.join(others)}):"
