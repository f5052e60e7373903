"""Chunks of the AI SDK's UI message stream; follows the npm package ai 7.0.173.

| chunk | message |
| --- | --- |
| start | its id; one with another id begins anew |
| messageMetadata of start, finish, message-metadata | metadata, merged |
| start-step; reset-step | a part step-start; drops the parts behind it |
| text-start, -delta, -end; reasoning-... | a part, by id; providerMetadata and citations replace |
| tool-input-..., tool-approval-..., tool-output-... | the part of a tool, by toolCallId: the step's, else the last |
| data-NAME | a part; with an id that its name had before, the data of that one; none if transient |
| file, reasoning-file, source-url, source-document, custom, steering-message | a part, of the keys that it has |
| finish-step | nothing |
| finish | the end; its finishReason has no place in the message |
| error, abort | the stream has failed |
| any other | events, a list |

No chunk brings a text without a state, reasoning without an id, the name of a file, keys that the SDK doesn't know, or
what earlier versions had; an input that is no JSON comes as ``input``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, dump_json, is_object
from agentmsg.formats.events import Events, pieces_of
from agentmsg_codecs.vercel.ui.folding import (
    ANSWERED,
    ASKED,
    CALLED,
    META,
    OF_TOOLS,
    STAYS,
    STEP,
    WHOLE_PARTS,
    UIFold,
    given,
    is_data,
)
from agentmsg_codecs.vercel.ui.tool_parts import DYNAMIC, tool_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmsg.formats.events import Fold

_CHUNKS = frozenset({
    "start", "start-step", "finish-step", "reset-step", "finish", "abort", "message-metadata",
    *(f"{kind}-{step}" for kind in ("text", "reasoning") for step in ("start", "delta", "end")),
})  # fmt: skip
_REASONS = {"tool-calls": "tool_use", "content-filter": "content_filter"}


class VercelUIEvents(Events):
    """The UI message stream."""

    response: ClassVar[str] = "vercel-ui"
    live: ClassVar[str] = "agentmsg_codecs.vercel.ui.live"
    fold: ClassVar[type[Fold]] = UIFold
    brings_all: ClassVar[bool] = False
    tells_ends: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is a chunk, by its type."""
        kind = document.get("type")
        return type(kind) is str and (kind in _CHUNKS or kind in OF_TOOLS)

    def unfold(self, document: Any, size: int) -> Iterator[Native]:
        """Yield the chunks that bring the first message of an assistant."""
        message = answer_of(document)
        metadata = {"messageMetadata": message["metadata"]} if message.get("metadata") is not None else {}
        named = {"messageId": message["id"]} if message.get("id") else {}
        yield {"type": "start", **named, **metadata}
        in_step = False
        for number, part in enumerate(message.get("parts") or ()):
            if in_step and part.get("type") == STEP:
                yield {"type": "finish-step"}
            in_step = in_step or part.get("type") == STEP
            yield from chunks_of(part, str(number), size)
        if in_step:
            yield {"type": "finish-step"}
        yield from message.get("events") or ()
        yield {"type": "finish"}

    def reason(self, fold: Any) -> str | None:
        """Return why the message ended, which isn't in it."""
        return None if fold.reason is None else _REASONS.get(fold.reason, str(fold.reason))


def answer_of(document: Any) -> Native:
    """Return the first message of an assistant in a document."""
    messages: Any = document.get("messages", [document]) if is_object(document) else document
    nothing: Native = {}
    return next((message for message in messages if message.get("role") == "assistant"), nothing)


def chunks_of(part: Native, link: str, size: int) -> Iterable[Native]:
    """Yield the chunks that bring a part.

    Args:
        part: that of a message.
        link: the id of a text.
        size: of the pieces of texts.
    """
    kind: Any = part.get("type")
    tool = tool_of(part)
    if kind == STEP:
        yield {"type": "start-step"}
    elif kind in ("text", "reasoning") and type(part.get("text")) is str:
        link = part.get("id") or link if kind == "reasoning" else link
        told, is_open = given(part, ("citations", META)), part.get("state") == "streaming"
        yield {"type": f"{kind}-start", "id": link, **(told if is_open else given(part, (META,) * is_other(part)))}
        yield from ({"type": f"{kind}-delta", "id": link, "delta": piece} for piece in pieces_of(part["text"], size))
        if not is_open:
            yield {"type": f"{kind}-end", "id": link, **told}
    elif kind in WHOLE_PARTS:
        keys, more = WHOLE_PARTS[kind]
        made = {"sourceId": link} if "sourceId" in keys else {}
        if all(part.get(key) is not None for key in keys if key not in made):
            yield {"type": kind, **made, **given(part, (*keys, *more))}
    elif is_data(kind):
        yield part
    elif tool is not None and type(tool.get("toolCallId")) is str and type(tool.get("toolName")) is str:
        yield from _called(tool, part, size)
        yield from answered(tool)


def is_other(part: Native) -> bool:
    """Whether a provider says that a text is of another kind, such as a summary of what was said before."""
    meta = part.get(META)
    return is_object(meta) and any(is_object(told) and "type" in told for told in meta.values())


def _called(tool: Native, part: Native, size: int) -> Iterable[Native]:
    """Yield the chunks of a call's input."""
    named: Native = {"toolCallId": tool["toolCallId"]}
    dynamic: Native = {"dynamic": True} if part["type"] == DYNAMIC else {}
    call = {**named, "toolName": tool["toolName"], **dynamic, **given(tool, STAYS)}
    meta = {META: tool[CALLED]} if tool.get(CALLED) is not None else {}
    is_open, is_invalid = tool.get("state") == "input-streaming", _is_invalid(tool)
    value: Any = tool.get("rawInput") if is_open or is_invalid else None
    value = tool.get("input") if value is None else value
    text = value if type(value) is str else dump_json(value).decode()
    plain = {"inputEncoding": "text"} if type(value) is str and not (is_open or is_invalid) else {}
    yield {"type": "tool-input-start", **call, **given(tool, ("inputEncoding",)), **plain, **meta}
    if value is not None:
        deltas = pieces_of(text, size)
        yield from ({"type": "tool-input-delta", **named, "inputTextDelta": piece} for piece in deltas)
    if is_invalid:
        yield {"type": "tool-input-error", **call, "input": value, "errorText": tool.get("errorText") or ""}
    elif not is_open and "input" in tool:
        yield {"type": "tool-input-available", **call, "input": value}


def _is_invalid(tool: Native) -> bool:
    """Whether a call failed because its input isn't one: earlier versions have that under a key of its own."""
    return tool.get("state") == "output-error" and tool.get("input") is None and tool.get("rawInput") is not None


def answered(tool: Native) -> Iterable[Native]:
    """Yield the chunks of what follows a call: a request for approval, the decision, the result."""
    named: Native = {"toolCallId": tool["toolCallId"]}
    approval, state = tool.get("approval"), tool.get("state")
    if is_object(approval) and type(approval.get("id")) is str:
        asked = {name: approval[key] for key, name in ASKED.items() if key in approval}
        yield {"type": "tool-approval-request", "approvalId": approval["id"], **named, **asked}
        if "approved" in approval:
            told = {"approved": approval["approved"], **given(approval, ("reason",))}
            yield {"type": "tool-approval-response", "approvalId": approval["id"], **told}
    meta = {META: tool[ANSWERED]} if tool.get(ANSWERED) is not None else {}
    if state == "output-available":
        told = {"output": tool.get("output"), **given(tool, ("preliminary",))}
        yield {"type": "tool-output-available", **named, **told, **meta}
    elif state == "output-denied":
        yield {"type": "tool-output-denied", **named}
    elif state == "output-error" and not _is_invalid(tool):
        yield {"type": "tool-output-error", **named, "errorText": tool.get("errorText") or "", **meta}


EVENTS = VercelUIEvents()
