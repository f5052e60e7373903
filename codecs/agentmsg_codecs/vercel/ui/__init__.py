"""vercel-ui: messages for users of the Vercel AI SDK (UIMessage), as chats store them. For ModelMessage: ``vercel``.

A document is a list of messages, one message, or an object that holds the list under ``messages`` and has no ``role``.

Follows the npm package ai 7.0; reads 4 (``content``, ``toolInvocations``) to 6, too, and writes 4 back as 4.

| AI SDK | agentmsg |
| --- | --- |
| a system or user message | a message |
| an assistant message | for each step an assistant message, and a tool message for each result |
| id; metadata | id and metadata of the first |
| step-start; its other keys | the border between two steps; extras["vercel-ui.step"] of the step's message |
| text; reasoning | TextBlock; ThinkingBlock |
| file: mediaType | ImageBlock, AudioBlock, VideoBlock or FileBlock; a ``data:`` URL is base64 data |
| image, audio, video: mediaType | the same as a file |
| source-url; source-document | SourceBlock with a URL; without; its id may be missing |
| data-NAME | DataBlock |
| custom of an assistant, kind "openai.compaction": openai.encryptedContent | CompactionBlock: encrypted |
| tool-NAME, dynamic-tool: input-available, input-streaming, approval-... | ToolUseBlock |
| approval of such a part: id, requestReason, signature | ApprovalRequestBlock behind the call |
| its approved, reason | a user message with an ApprovalResponseBlock |
| its isAutomatic, inputSchemaInput, descriptor | extras["vercel.approval"] |
| output-available; output-error; output-denied | and its result; with status "error"; "denied" |
| with providerExecuted | ToolUseBlock and ToolResultBlock of kind "server" |
| output: a text; other JSON | content; structured |
| input; rawInput of an invalid call; neither | input; raw_input, or input; an empty input |
| without toolCallId | an id made from its place |
| tool-NAME with toolName, too; states and keys of version 4; tool-invocation or dynamic-tool without state | the same |
| providerMetadata, callProviderMetadata, resultProviderMetadata | as ``providerOptions`` of ``vercel`` |
| tool-NAME with any other state; any other part | NativeBlock |
| createdAt, with or without a zone | created_at; written only if it was read |
| version 4: tool-invocation, source, file with data, reasoning with a detail | as today's parts |
| version 4: content, reasoning, toolInvocations | they repeat the parts; without any, they are the parts |
| version 4: experimental_attachments | files at the end |
| version 4: reasoning whose text is only in its detail, or without details, or with providerMetadata | ThinkingBlock |
| as Mastra stores it: all but id, role, createdAt and the like under content, beside a format | the same |
| tool-invocation: providerMetadata beside the call | as callProviderMetadata |
| any other message | a message with the role "native" |
| unknown keys | extras["vercel-ui"] |

Answers of Anthropic, OpenAI's Responses API and Google have the same values in these keys as ``vercel`` has in
``providerOptions``; the error of a server tool is the JSON of its result in ``errorText``.

The UI message stream brings such a message; ``events.py`` says how.

Messages without an id get one made from their place. Adjacent steps and results of an assistant become one message.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from agentmsg.formats import Containers, is_list, is_object
from agentmsg_codecs.vercel.envelope import UIEnvelope
from agentmsg_codecs.vercel.names import UI
from agentmsg_codecs.vercel.shared import Vercel
from agentmsg_codecs.vercel.ui.messages import Messages
from agentmsg_codecs.vercel.ui.tool_parts import as_today
from agentmsg_codecs.vercel.ui.v4 import lifted

__all__ = ["VercelUICodec"]

CONTAINERS = Containers(family=UI, title="the Vercel AI SDK", own=frozenset({"role", "parts"}))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class VercelUICodec(Vercel):
    """Messages for users of the Vercel AI SDK.

    Attributes:
        engine: reads and writes.
    """

    name: ClassVar[str] = "vercel-ui"
    family: ClassVar[str] = UI
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Vercel AI SDK (UIMessage)"
    containers: ClassVar[Containers] = CONTAINERS
    envelope: ClassVar[UIEnvelope] = UIEnvelope()
    kept: ClassVar[frozenset[str]] = frozenset({"approval"})
    joins_turns: ClassVar[bool] = True
    events: ClassVar[str | None] = "agentmsg_codecs.vercel.ui.events"

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like messages for users, judging by its first ones."""
        return self.likeliest(document, sniff_message)


_ROLES = frozenset({"system", "user", "assistant"})
_WANTED = {
    "text": {"text"}, "reasoning": {"text"}, "file": {"mediaType", "url"}, "source-url": {"url"},
    "source-document": {"mediaType"}, "step-start": set[str](), "custom": set[str](),
    **{kind: {"mediaType", "url"} for kind in ("reasoning-file", "image", "audio", "video")},
}  # fmt: skip
# The same for parts that only version 4 has.
_OLDER = {"source": {"source"}, "file": {"data", "mimeType"}, "reasoning": {"reasoning"}}
_OWN = frozenset({"file", "source-url", "source-document", "step-start", "reasoning-file"})
_OLD = frozenset({"toolInvocations", "experimental_attachments", "revisionId"})
_OLD_PARTS = frozenset({"text", "reasoning", "tool-invocation", "source", "file", "step-start"})
# The keys of messages of early version 4, without parts.
_EARLY = frozenset({"id", "role", "content", "createdAt", "annotations", "data"})
_SURE, _LIKELY, _PLAIN, _RARELY, _HARDLY = 0.98, 0.93, 0.85, 0.5, 0.1


def sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only this format has, less for one that others have, too."""
    role: Any = message.get("role") if is_object(message) else None
    if type(role) is not str or role not in _ROLES or "kind" in message or "messageId" in message:
        return 0.0
    unwrapped = lifted(message)
    if unwrapped is not None:
        return _SURE if sniff_message(unwrapped[0]) else 0.0
    if type(message.get("content")) is str:
        return _sniff_old(message)
    parts = message.get("parts")
    if not is_list(parts):
        return 0.0
    found = [_sniff_part(part) for part in parts]
    if 0.0 in found:
        return 0.0
    likeliest = max(found, default=_RARELY)
    # Other formats may have texts and data without an id, too.
    return likeliest if "id" in message or likeliest == _SURE else min(likeliest, _PLAIN)


def _sniff_part(part: Any) -> float:
    tag: Any = part.get("type") if is_object(part) else None
    if type(tag) is not str:
        return 0.0
    if tag == "dynamic-tool" or tag.startswith("tool-"):
        return _sniff_tool(part)
    if tag.startswith("data-"):
        return _LIKELY if "data" in part else 0.0
    wanted, older = _WANTED.get(tag), _OLDER.get(tag)
    if older is not None and older <= part.keys():
        return _SURE
    if wanted is None or not wanted <= part.keys():
        return 0.0
    return _SURE if tag in _OWN or "state" in part else _LIKELY


def _sniff_tool(part: Any) -> float:
    """Return how much a part looks like a tool's; older ones have the call inside."""
    call: Any = part.get("toolInvocation", part)
    if not is_object(call) or ("state" not in call and as_today(part) is None):
        return 0.0
    return _SURE if "toolCallId" in call or call is not part else _LIKELY


def _sniff_old(message: Any) -> float:
    """Return how much a message looks like one of version 4, whose ``content`` repeats its text."""
    if not _OLD.isdisjoint(message):
        return _SURE if "id" in message else _LIKELY
    if "parts" not in message:
        if "id" not in message or not _EARLY.issuperset(message):
            return 0.0
        return _PLAIN if type(message.get("createdAt")) is str else _HARDLY
    parts = message["parts"]
    if not is_list(parts) or not all(map(_is_old_part, parts)):
        return 0.0
    return _RARELY if "id" not in message else _SURE if parts else _PLAIN


def _is_old_part(part: Any) -> bool:
    tag: Any = part.get("type") if is_object(part) else None
    return type(tag) is str and tag in _OLD_PARTS
