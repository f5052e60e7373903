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

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.formats import Containers
from agentmsg_codecs.vercel.envelope import UIEnvelope
from agentmsg_codecs.vercel.names import UI
from agentmsg_codecs.vercel.shared import Vercel
from agentmsg_codecs.vercel.ui.likeness import sniff_message
from agentmsg_codecs.vercel.ui.messages import Messages

if TYPE_CHECKING:
    from agentmsg.formats import Caps

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
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Vercel AI SDK (UIMessage)"
    containers: ClassVar[Containers] = CONTAINERS
    envelope: ClassVar[UIEnvelope] = UIEnvelope()
    kept: ClassVar[frozenset[str]] = frozenset({"approval"})
    joins_turns: ClassVar[bool] = True
    events: ClassVar[str | None] = "agentmsg_codecs.vercel.ui.events"

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    def make_caps(self) -> Caps:
        """Return the capability table; see capabilities.py."""
        from agentmsg_codecs.vercel.ui.capabilities import make_caps  # noqa: PLC0415 - readers need no table

        return make_caps(self.engine).evolve(history=CONTAINERS.cells())

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like messages for users, judging by its first ones."""
        return self.likeliest(document, sniff_message)
