"""The description: parts and results in the messages for models.

Follows the npm package ai 7.0.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import media
from agentmsg.formats.forms import Described, Form, Key, Link, Text
from agentmsg_codecs.vercel.calls import INPUT, KIND, output
from agentmsg_codecs.vercel.inner_media import inner_forms
from agentmsg_codecs.vercel.media import IMAGE, file_form, is_image
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.options import ALL_SIGNERS, options

_KEY = "providerOptions"
# What the options of a part say, by its class.
OPTIONS_OF = {
    am.TextBlock: options(_KEY, FAMILY, "cache", "item_id", "phase", signers=("google",)),
    am.ThinkingBlock: options(_KEY, FAMILY, "item_id", "redacted", signers=ALL_SIGNERS),
    am.ToolUseBlock: options(_KEY, FAMILY, "cache", "item_id", signers=("google",)),
    am.ToolResultBlock: options(_KEY, FAMILY, "cache", "item_id"),
    am.ImageBlock: options(_KEY, FAMILY, "cache", "detail", signers=("google",)),
    am.AudioBlock: options(_KEY, FAMILY, "cache", signers=("google",)),
    am.VideoBlock: options(_KEY, FAMILY, "cache", signers=("google",)),
    am.FileBlock: options(_KEY, FAMILY, "cache", "title", "context", signers=("google",)),
}
# Those of media inside results say less.
INNER_OPTIONS_OF = {**OPTIONS_OF, **dict.fromkeys(media.KINDS, OPTIONS_OF[am.AudioBlock])}
_OPTIONS = {cls: one.hatch for cls, one in OPTIONS_OF.items()}


def _some_name(value: str, _: Any) -> str | None:
    return value or None


_NAME = Key("toolName", "name", Link(), '""', lacks="unnamed", cell=_some_name)
_LINK = Key("toolCallId", "tool_call_id", Link())


def _media_forms() -> tuple[Form, ...]:
    forms: list[Form] = [Form("image", am.ImageBlock, "image", (IMAGE, _OPTIONS[am.ImageBlock]), when=is_image)]
    for kind, cls in media.CLASSES.items():
        others: dict[str, Any] = {"notes": {"file": True}} if kind == "image" else {}
        forms.append(file_form(kind, f"{kind}_file", _OPTIONS[cls], **others))
    forms.append(file_form("image", "said_image", _OPTIONS[am.ImageBlock], is_apart="said"))
    return tuple(forms)


def describe() -> Described:
    """Return the description."""

    def result(*, is_served: bool) -> tuple[Any, ...]:
        told = output(lambda: described.parts["inner"], FAMILY, is_served=is_served)
        return (_LINK, _NAME, told, _OPTIONS[am.ToolResultBlock])

    inner = inner_forms(INNER_OPTIONS_OF[am.ImageBlock].hatch)
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
        *inner,
    )  # fmt: skip
    files = ("audio_file", "video_file", "file_file")
    places = {
        "system": ("text",),
        "user": ("text", "image", "image_file", *files),
        "assistant": ("text", "said_image", *files, "reasoning", "call", "server_result"),
        "inner": ("text", *(form.name for form in inner)),
    }
    described = Described(FAMILY, forms, places)
    return described
