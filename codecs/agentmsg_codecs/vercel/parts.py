"""Parts as earlier versions had them, and as applications write them: other spellings of today's.

| mark | spelling |
| --- | --- |
| ``/args`` | the input of a call under ``args``, before AI SDK 5 |
| ``/mime`` | the media type under ``mimeType``, in the same way ("null": beside a ``mediaType`` that is null) |
| ``/result`` | the output of a tool under ``result``, any JSON, and beside it ``isError`` if the tool failed |
| ``/bare`` | the same under ``output`` |
| ``/thought`` | a ``reasoning-file``: media of a thought of Google's, also a ``file`` with the option ``thought`` |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, Parts, is_mapping, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    Spelling = tuple[Callable[[Any], tuple[Native, Any] | None], Callable[[Native, Any], Native | None]]

# By today's tag, the tag of an output whose tool failed.
_FAILED = {"text": "error-text", "json": "error-json"}
_GOOGLE, _OPTIONS = "google", "providerOptions"
_TAGS = frozenset({*_FAILED, *_FAILED.values()})


def _renamed(native: Native, **names: str) -> Native:
    return {names.get(key, key): value for key, value in native.items()}


def _with_input(part: Any) -> tuple[Native, Any] | None:
    is_old = is_object(part) and "args" in part and "input" not in part
    return (_renamed(part, args="input"), True) if is_old else None


def _with_args(native: Native, _: Any) -> Native:
    return _renamed(native, input="args")


def _with_media_type(part: Any) -> tuple[Native, Any] | None:
    if not is_object(part) or type(part.get("mimeType")) is not str or part.get("mediaType") is not None:
        return None
    known = {key: value for key, value in part.items() if key != "mediaType"}
    return _renamed(known, mimeType="mediaType"), "null" if "mediaType" in part else True


def _with_mime_type(native: Native, how: Any) -> Native:
    return {**_renamed(native, mediaType="mimeType"), **({"mediaType": None} if how == "null" else {})}


def _outputs(key: str) -> Spelling:
    """Return the spelling of outputs under a key, as any JSON."""

    def usual(part: Any) -> tuple[Native, Any] | None:
        if not is_object(part) or part.get("type") != "tool-result" or part.keys() & {"result", "output"} != {key}:
            return None
        value: Any = part[key]
        if key == "output" and is_mapping(value) and "type" in value:
            return None
        tag, has_failed = "text" if type(value) is str else "json", part.get("isError") is True
        output = {"type": _FAILED[tag] if has_failed else tag, "value": value}
        rest = {name: part[name] for name in part if name != "isError" or not has_failed}
        return {**_renamed(rest, **{key: "output"}), "output": output}, True

    def other(native: Native, _: Any) -> Native | None:
        output = native.get("output")
        if not is_object(output) or output.keys() != {"type", "value"} or output["type"] not in _TAGS:
            return None
        failed = {"isError": True} if output["type"] in _FAILED.values() else {}
        return {**_renamed(native, output=key), key: output["value"], **failed}

    return usual, other


def _as_file(part: Any) -> tuple[Native, Any] | None:
    options: Any = part.get(_OPTIONS, {}) if is_object(part) and part.get("type") == "reasoning-file" else None
    own: Any = options.get(_GOOGLE, {}) if is_mapping(options) else None
    if not is_mapping(own):
        return None
    return {**part, "type": "file", _OPTIONS: {**options, _GOOGLE: {**own, "thought": True}}}, True


def _as_thought(native: Native, _: Any) -> Native | None:
    options: Any = native.get(_OPTIONS)
    own: Any = options.get(_GOOGLE) if is_mapping(options) else None
    if native.get("type") != "file" or not is_mapping(own) or own.get("thought") is not True:
        return None
    left = {name: value for name, value in own.items() if name != "thought"}
    said = {name: left if name == _GOOGLE else value for name, value in options.items() if left or name != _GOOGLE}
    rest = {name: value for name, value in native.items() if name != _OPTIONS}
    return {**rest, "type": "reasoning-file", **({_OPTIONS: said} if said else {})}


class VercelParts(Parts):
    """Parts in today's spelling, or in another."""

    other_spellings: ClassVar[Any] = {
        "args": (_with_input, _with_args), "mime": (_with_media_type, _with_mime_type), "result": _outputs("result"),
        "bare": _outputs("output"), "thought": (_as_file, _as_thought),
    }  # fmt: skip
