"""The form of an object in each spelling of the canonical form.

``JsonShape``: ``{"type": "text", "text": "hi", ...}``: the tag (of blocks, sources and tools), then the fields by name;
unknown keys are beyond the table.

``MsgpackShape``: ``[1, "hi", ...]``: the number (of blocks, sources and tools), then the fields by position; absent
fields are nil, absent ones at the end are cut; items after the last known position are beyond the table. A TextBlock
that has only its text is that text. A user's block class is ``[tag, {field: value}]``.

``open`` takes an object apart into its fields, those beyond the table, and a note of odd spellings; ``close`` puts it
together again.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from agentmsg import DecodeError, TextBlock, ToolUseBlock
from agentmsg.formats import excerpt, is_list, is_mapping, is_object, is_sequence
from agentmsg_codecs.canonical.fields import REQUIRED, Spec

if TYPE_CHECKING:
    from collections.abc import Mapping

ABSENT: Any = object()
# The key, under extras["agentmsg"], of the items after the last known position of an array.
BEYOND = "+"

Opened = tuple[dict[str, Any], Any, dict[str, Any]]


def wrong(raw: Any, wanted: str) -> DecodeError:
    """Return the error for a value of another type."""
    return DecodeError(f"{wanted} is needed, not {excerpt(raw)}", code="type")


def object_of(raw: Any) -> dict[str, Any]:
    """Return a value that must be an object."""
    if is_object(raw):
        return raw
    raise wrong(raw, "an object")


def list_of(raw: Any) -> list[Any]:
    """Return a value that must be an array."""
    if is_list(raw):
        return raw
    raise wrong(raw, "an array")


def parse_time(raw: Any) -> datetime:
    """Parse an ISO 8601 time exactly.

    Raises:
        DecodeError: code "type" if it isn't a text; "schema" if that isn't a time, or has more digits than a datetime
            holds.
    """
    if type(raw) is not str:
        raise wrong(raw, "a time")
    import re  # noqa: PLC0415 - loaded already wherever attrs is

    try:
        value = datetime.fromisoformat(raw)
    except ValueError as error:
        raise DecodeError(f"not an ISO 8601 time: {excerpt(raw)} ({error})", code="schema") from None
    if any(digits.strip("0") for digits in re.findall(r"[.,]\d{6}(\d+)", raw)):
        raise DecodeError(f"a time with more than six digits of a second: {excerpt(raw)}", code="schema")
    return value


class JsonShape:
    """Tagged objects with named fields."""

    key = "json"

    def tag(self, native: Any) -> str:
        """Return the value of "type"."""
        fields = object_of(native)
        if "type" not in fields:
            raise DecodeError("type is missing", code="required", path=("type",))
        tag = fields["type"]
        if type(tag) is not str:
            raise DecodeError(f"type must be a string, not {excerpt(tag)}", code="type", path=("type",))
        return tag

    def spec_tag(self, spec: Spec) -> Any:
        """Return the tag as text."""
        return spec.tag

    def open(self, spec: Spec, native: Any) -> Opened:
        """Split an object into known fields and others."""
        fields = object_of(native)
        names = spec.names
        given = {key: value for key, value in fields.items() if key in names}
        if spec.tag is not None:
            given.pop(spec.key, None)
        others = {key: value for key, value in fields.items() if key not in names}
        return given, others or None, {}

    def close(self, spec: Spec, fields: dict[str, Any], beyond: Any, note: Mapping[str, Any]) -> Any:
        """Return the tag, the fields and the unknown keys as one object."""
        native = fields if spec.tag is None else {spec.key: spec.tag, **fields}
        return {**native, **beyond} if beyond else native

    def beyond(self, spec: Spec, own: Any) -> Any:
        """Return a mapping if none of its keys is known."""
        return own if is_mapping(own) and own and spec.names.isdisjoint(own) else None

    def as_extras(self, beyond: dict[str, Any]) -> dict[str, Any]:
        """Return the unknown keys."""
        return beyond


class MsgpackShape:
    """Arrays with positions."""

    key = "msgpack"

    def __init__(self) -> None:
        self._inner = JsonShape()

    def tag(self, native: Any) -> Any:
        """Return the first item of an array: a number, or the text of a user's class."""
        if not is_list(native) or not native:
            raise wrong(native, "an array with a tag")
        tag = native[0]
        if type(tag) is not int and type(tag) is not str:
            raise DecodeError(f"a tag must be a number or a string, not {excerpt(tag)}", code="type", path=("type",))
        return tag

    def spec_tag(self, spec: Spec) -> Any:
        """Return the tag as a number, or as text for a user's class."""
        return spec.tag if spec.number is None else spec.number

    def open(self, spec: Spec, native: Any) -> Opened:
        """Take an array apart into fields by position."""
        if spec.cls is TextBlock and type(native) is str:
            return {"text": native}, None, {}
        items = list_of(native)
        if spec.is_named:
            return self._open_named(spec, items)
        first = 0 if spec.number is None else 1
        last = first + len(spec.fields)
        given = {
            field.name: item
            for field, item in zip(spec.fields, items[first:], strict=False)
            if item is not None or field.default is REQUIRED or field.kind == "input"
        }
        if spec.cls is ToolUseBlock and given.get("input") is None and "raw_input" in given:
            given.pop("input", None)
        note: dict[str, Any] = {}
        if len(items) <= last:
            if len(items) > first and items[-1] is None and spec.fields[len(items) - first - 1].name not in given:
                note["length"] = len(items)
            elif spec.cls is TextBlock and list(given) == ["text"]:
                note["type"] = "explicit"
        return given, items[last:] or None, note

    def _open_named(self, spec: Spec, items: list[Any]) -> Opened:
        if len(items) != 2:  # noqa: PLR2004 - the tag and the fields
            raise DecodeError(f"a tag and an object are needed, not {len(items)} items", code="schema")
        return self._inner.open(spec, items[1])

    def close(self, spec: Spec, fields: dict[str, Any], beyond: Any, note: Mapping[str, Any]) -> Any:
        """Return the number, the items and those beyond the table as one array."""
        if spec.is_named:
            return [spec.tag, {**fields, **(beyond or {})}]
        items = [fields.get(field.name, ABSENT) for field in spec.fields]
        if not beyond:
            while items and items[-1] is ABSENT:
                items.pop()
        native: list[Any] = [] if spec.number is None else [spec.number]
        if spec.cls is ToolUseBlock and len(items) > _INPUT and items[_INPUT] is ABSENT and "raw_input" not in fields:
            items[_INPUT] = {}
        native += [None if item is ABSENT else item for item in items]
        if beyond:
            return native + list(beyond)
        length = note.get("length")
        whole = len(spec.fields) + (spec.number is not None)
        if type(length) is int and len(native) < length <= whole and self._may_pad(spec, items, length):
            return native + [None] * (length - len(native))
        bare = spec.cls is TextBlock and len(items) == 1 and note.get("type") != "explicit"
        return items[0] if bare else native

    def _may_pad(self, spec: Spec, items: list[Any], length: int) -> bool:
        # For a call's input and for required fields nil is a value, so it can't pad.
        if spec.cls is ToolUseBlock:
            return len(items) > _INPUT or length <= _INPUT + 1
        return all(field.default is not REQUIRED for field in spec.fields[len(items) :])

    def beyond(self, spec: Spec, own: Any) -> Any:
        """Return the items of a mapping with the key "+" alone; for a user's class as in JSON."""
        if spec.is_named:
            return self._inner.beyond(spec, own)
        items: Any = own[BEYOND] if is_mapping(own) and list(own) == [BEYOND] else None
        return items if is_sequence(items) and items else None

    def as_extras(self, beyond: Any) -> dict[str, Any]:
        """Return the items under "+", or the unknown keys of a user's class."""
        return beyond if is_mapping(beyond) else {BEYOND: beyond}


_INPUT = 2  # the position of ToolUseBlock.input among its fields
Shape: TypeAlias = JsonShape | MsgpackShape
