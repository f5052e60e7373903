"""The description: parts and results in the messages for models.

Follows the npm package ai 7.0. Parts as earlier versions had them, and as applications write them, are other spellings:

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

import agentmsg as am
from agentmsg.formats import Native, Parts, is_mapping, is_object, media, natives
from agentmsg.formats.forms import Described, Form, Key, Link, Text
from agentmsg_codecs.vercel.calls import APPROVALS, INPUT, KIND, SLOTS, Options, compaction, output
from agentmsg_codecs.vercel.issuers.parts import renamed_keys
from agentmsg_codecs.vercel.media import IMAGE, file_form, inner_forms, is_image
from agentmsg_codecs.vercel.names import FAMILY, PROVIDER_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable


# -- other spellings ---------------------------------------------------------------------------------------------------

# By today's tag, the tag of an output whose tool failed.
_FAILED = {"text": "error-text", "json": "error-json"}
_GOOGLE = "google"
_TAGS = frozenset({*_FAILED, *_FAILED.values()})


def _with_input(part: Any) -> tuple[Native, Any] | None:
    is_old = is_object(part) and "args" in part and "input" not in part
    return (renamed_keys(part, {"args": "input"}), True) if is_old else None


def _with_args(native: Native, _: Any) -> Native:
    return renamed_keys(native, {"input": "args"})


def _with_mime_type(native: Native, how: Any) -> Native:
    return {**renamed_keys(native, {"mediaType": "mimeType"}), **({"mediaType": None} if how == "null" else {})}


def _with_media_type(part: Any) -> tuple[Native, Any] | None:
    if not is_object(part) or type(part.get("mimeType")) is not str or part.get("mediaType") is not None:
        return None
    known = {key: value for key, value in part.items() if key != "mediaType"}
    return renamed_keys(known, {"mimeType": "mediaType"}), "null" if "mediaType" in part else True


def _outputs(key: str) -> tuple[Callable[[Any], Any], Callable[[Native, Any], Any]]:
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
        return {**renamed_keys(rest, {key: "output"}), "output": output}, True

    def other(native: Native, _: Any) -> Native | None:
        output = native.get("output")
        if not is_object(output) or output.keys() != {"type", "value"} or output["type"] not in _TAGS:
            return None
        failed = {"isError": True} if output["type"] in _FAILED.values() else {}
        return {**renamed_keys(native, {"output": key}), key: output["value"], **failed}

    return usual, other


def _as_file(part: Any) -> tuple[Native, Any] | None:
    options: Any = part.get(PROVIDER_OPTIONS, {}) if is_object(part) and part.get("type") == "reasoning-file" else None
    own: Any = options.get(_GOOGLE, {}) if is_mapping(options) else None
    if not is_mapping(own):
        return None
    return {**part, "type": "file", PROVIDER_OPTIONS: {**options, _GOOGLE: {**own, "thought": True}}}, True


def _as_thought(native: Native, _: Any) -> Native | None:
    options: Any = native.get(PROVIDER_OPTIONS)
    own: Any = options.get(_GOOGLE) if is_mapping(options) else None
    if native.get("type") != "file" or not is_mapping(own) or own.get("thought") is not True:
        return None
    return {**natives.without(native, (PROVIDER_OPTIONS, _GOOGLE, "thought")), "type": "reasoning-file"}


class VercelParts(Parts):
    """Parts in today's spelling, or in another."""

    other_spellings: ClassVar[Any] = {
        "args": (_with_input, _with_args), "mime": (_with_media_type, _with_mime_type), "result": _outputs("result"),
        "bare": _outputs("output"), "thought": (_as_file, _as_thought),
    }  # fmt: skip


# -- forms -------------------------------------------------------------------------------------------------------------

# The options of a part, by its class.
_OPTIONS = {cls: Options(PROVIDER_OPTIONS, FAMILY, slots).hatch for cls, slots in SLOTS.items()}


_NAME = Key("toolName", "name", Link(), '""', lacks="unnamed", cell=lambda value, _: value or None)
_LINK = Key("toolCallId", "tool_call_id", Link())


def _media_forms() -> tuple[Form, ...]:
    image = _OPTIONS[am.ImageBlock]
    return (
        Form("image", am.ImageBlock, "image", (IMAGE, image), when=is_image),
        file_form("image", "image_file", image, notes={"file": True}),
        *(file_form(kind, f"{kind}_file", _OPTIONS[media.CLASSES[kind]]) for kind in ("audio", "video", "file")),
        file_form("image", "said_image", image, is_apart="said"),
    )


def describe() -> Described:
    """Return the description."""

    def result(*, is_served: bool) -> tuple[Any, ...]:
        hatch = output(lambda: described.parts["inner"], is_served=is_served)
        return (_LINK, _NAME, hatch, _OPTIONS[am.ToolResultBlock])

    # Media inside results have fewer fields there.
    inner = inner_forms(_OPTIONS[am.AudioBlock])
    forms = (
        Form("text", am.TextBlock, "text", (Key("text", "text", Text()), _OPTIONS[am.TextBlock])),
        *_media_forms(),
        Form("reasoning", am.ThinkingBlock, "reasoning", (
            Key("text", "thinking", Text()), _OPTIONS[am.ThinkingBlock],
        )),
        Form("call", am.ToolUseBlock, "tool-call", (
            Key("toolCallId", "id", Link()), Key("toolName", "name", Text()), INPUT, KIND, _OPTIONS[am.ToolUseBlock],
        )),
        Form("server_result", am.ToolResultBlock, "tool-result", result(is_served=True), fixed={"kind": "server"}),
        Form("result", am.ToolResultBlock, "tool-result", result(is_served=False), is_apart=True),
        *APPROVALS,
        compaction(PROVIDER_OPTIONS, _OPTIONS[am.CompactionBlock]),
        *inner,
    )  # fmt: skip
    files = ("audio_file", "video_file", "file_file")
    places = {
        "system": ("text",),
        "user": ("text", "image", "image_file", *files),
        "assistant": ("text", "said_image", *files, "reasoning", "call", "request", "server_result", "compaction"),
        "tool": ("result",),
        "decisions": ("response",),
        "inner": ("text", *(form.name for form in inner)),
    }
    described = Described(FAMILY, forms, places, table=VercelParts)
    return described
