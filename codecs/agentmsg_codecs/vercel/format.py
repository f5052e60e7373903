"""The description: parts and results in the messages for models.

Follows the npm package ai 7.0.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import media
from agentmsg.formats.forms import Described, Form, Key, Link, Text
from agentmsg_codecs.vercel.approvals import APPROVALS
from agentmsg_codecs.vercel.calls import INPUT, KIND
from agentmsg_codecs.vercel.inner_media import inner_forms
from agentmsg_codecs.vercel.media import IMAGE, file_form, is_image
from agentmsg_codecs.vercel.names import FAMILY, PROVIDER_OPTIONS
from agentmsg_codecs.vercel.options import SLOTS, Options, compaction
from agentmsg_codecs.vercel.outputs import output
from agentmsg_codecs.vercel.parts import VercelParts

# The options of a part, by its class.
_OPTIONS = {cls: Options(PROVIDER_OPTIONS, FAMILY, slots).hatch for cls, slots in SLOTS.items()}


def _some_name(value: str, _: Any) -> str | None:
    return value or None


_NAME = Key("toolName", "name", Link(), '""', lacks="unnamed", cell=_some_name)
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
