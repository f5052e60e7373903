"""Parts as earlier versions had them, and as applications write them: other spellings of today's.

Before AI SDK 5, the input of a call was under ``args``, the media type under ``mimeType``, and the output of a tool
under ``result``, any JSON, and beside it ``isError`` if the tool failed. Applications write the same under ``output``.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, Parts, is_mapping, is_object

# By today's tag, the tag of an output whose tool failed.
_FAILED = {"text": "error-text", "json": "error-json"}


def _renamed(native: Native, old: str, new: str) -> Native:
    return {new if key == old else key: value for key, value in native.items() if key != new}


def _output(part: Native) -> Native:
    """Return a result with a typed output."""
    found = part.keys() & {"result", "output"}
    if part.get("type") != "tool-result" or len(found) != 1:
        return part
    (key,) = found
    value: Any = part[key]
    if key == "output" and is_mapping(value) and "type" in value:
        return part
    tag, has_failed = "text" if type(value) is str else "json", part.get("isError") is True
    rest = {name: part[name] for name in part if name not in (key, *(["isError"] if has_failed else ()))}
    return {**rest, "output": {"type": _FAILED[tag] if has_failed else tag, "value": value}}


class VercelParts(Parts):
    """Parts in today's spelling, or in another."""

    @staticmethod
    def usual(part: Any) -> Any:
        """Return a part in today's spelling."""
        if not is_object(part):
            return part
        if "args" in part and "input" not in part:
            part = _renamed(part, "args", "input")
        if type(part.get("mimeType")) is str and part.get("mediaType") is None:
            part = _renamed(part, "mimeType", "mediaType")
        return _output(part)
