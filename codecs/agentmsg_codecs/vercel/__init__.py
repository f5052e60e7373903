"""vercel: messages for models of the Vercel AI SDK (ModelMessage). For UIMessage, use ``vercel-ui``.

A document is a list of messages, one message, or an object that holds the list under ``messages`` or (as calls of
language models and of the AI Gateway do) under ``prompt``, and has no ``role``.

Follows the npm package ai 7.0; reads 5 and 6, too, and calls and results of 4.

| AI SDK | agentmsg |
| --- | --- |
| system beside the messages, a text | a system message in front, written there again |
| system, user, assistant | system, user, assistant; developer becomes system |
| tool: tool-approval-response | a user message with the decisions |
| tool: tool-result | a tool message for each result, its name that of the call |
| text | TextBlock |
| image; file: mediaType | ImageBlock; ImageBlock, AudioBlock, VideoBlock or FileBlock |
| data: base64, ``data:`` URL; URL; reference; text | Base64Source; URLSource; FileSource; TextSource |
| data: bytes as a list, Buffer or Uint8Array in JSON | Base64Source |
| reasoning | ThinkingBlock |
| tool-call; with providerExecuted | ToolUseBlock; of kind "server" |
| tool-result of an assistant | ToolResultBlock of kind "server" |
| output: text, content; json | content; structured |
| before 5: args; result; isError; mimeType | input; content or structured; status "error"; media type |
| output: a text or other JSON without a type | as result before 5 |
| tool-approval-request of an assistant; its signature | ApprovalRequestBlock; signature |
| isAutomatic, inputSchemaInput of a request | extras["vercel.approval"] |
| tool-approval-response of a tool message; with providerExecuted | ApprovalResponseBlock; of kind "server" |
| custom of an assistant, kind "openai.compaction": openai.encryptedContent | CompactionBlock: encrypted |
| output: error-text, error-json; execution-denied | the same with status "error"; "denied", its reason the error |
| providerOptions: anthropic.cacheControl | cache |
| anthropic.signature, google.thoughtSignature, openai.reasoningEncryptedContent, bedrock.signature | signature |
| anthropic.redactedData | redacted |
| openai.itemId; openai.phase; openai.imageDetail | item_id; phase; detail |
| anthropic.title; anthropic.context of a file | title; context |
| anthropic.citations, anthropic.containerUpload of a file; google.videoMetadata | extras of anthropic and gemini |
| custom in an output, anthropic.type "tool-reference" | NativeBlock of anthropic, tool_reference |
| other providerOptions | extras["vercel.options"] |
| providerOptions of a message whose content is a text | those of the text |
| any other part; message | NativeBlock; a message with the role "native" |
| unknown keys | extras["vercel"]; those of an output extras["vercel.output"] |

The id of a call tells which provider runs its tool (``srvtoolu_...``, ``ws_...``). A system prompt is one text.

An answer of Anthropic, of OpenAI's Responses API or of Google is kept as the SDK's client for it keeps it, so that it
goes back to its provider: citations, compactions, calls and results of server tools, MCP servers, several summaries,
custom tools, code execution (@ai-sdk/anthropic 4.0, @ai-sdk/openai 4.0, @ai-sdk/google 4.0; the tables are in
``issuers/``). The parts tell who answered, ``provider`` and ``api`` of the message; plain texts and calls don't.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg.formats import Containers, cells, is_list, is_marked, is_object, marked, natives, note_of
from agentmsg_codecs.vercel.envelope import VercelEnvelope
from agentmsg_codecs.vercel.messages import Messages
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.shared import Vercel

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Caps


__all__ = ["VercelCodec"]

CONTAINERS = Containers(
    family=FAMILY, title="the Vercel AI SDK", keys=("messages", "prompt"), own=frozenset({"role", "content"})
)
SYSTEM = "system"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class VercelCodec(Vercel):
    """Messages for models of the Vercel AI SDK.

    Attributes:
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "vercel"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Vercel AI SDK (ModelMessage)"
    containers: ClassVar[Containers] = CONTAINERS
    envelope: ClassVar[VercelEnvelope] = VercelEnvelope()

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    def make_caps(self) -> Caps:
        """Return the capability table, without the key of a system prompt beside the messages."""
        extras = cells.without(CONTAINERS.cells()["extras"], FAMILY, _of_prompt)
        return super().make_caps().evolve(history={"extras": extras})

    def read_all(self, contents: Any) -> list[am.Msg]:
        """Read the messages of a document; a system prompt beside them becomes the first."""
        messages = super().read_all(contents)
        if _is_prompt(contents.rest.get(SYSTEM)):
            (message,) = self.engine.container({"role": "system", "content": contents.rest.pop(SYSTEM)})
            messages.insert(0, marked(message, FAMILY, beside=True))
        return messages

    def write(self, history: am.History) -> Any:
        """Write a history that fits, in the container that it was read from, or as the option decides."""
        if _is_beside(history):
            beside = {**natives.extras_of(history, FAMILY), SYSTEM: history.messages[0].text}
            history = history.evolve(messages=history.messages[1:], extras={FAMILY: beside})
        return super().write(history)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like messages for models, judging by its first ones."""
        return sniff(self.first_natives(document))


# -- the system prompt beside the messages ----------------------------------------------------------------------------


def _is_prompt(value: Any) -> bool:
    """Whether the value of ``system`` is a system prompt; anything but a text is an extra."""
    return isinstance(value, str) and bool(value)


def _is_beside(history: am.History) -> bool:
    """Whether the first message is a system prompt that was read beside the messages, and can be written there."""
    first = history.messages[0] if history.messages else None
    if first is None or first.role != "system" or not is_marked(first, FAMILY, "/beside"):
        return False
    is_text = len(first.content) == 1 and natives.is_bare_text(first.content[0], FAMILY) and not first.extras
    return is_text and len(note_of(first, FAMILY)) == 1 and not natives.has_extra(history, FAMILY, SYSTEM)


def _of_prompt(own: Any, _: am.History) -> tuple[str, ...]:
    """Return the key of a system prompt among the keys beside the messages: it is a message."""
    return (SYSTEM,) if _is_prompt(own.get(SYSTEM)) else ()


_KEYS = frozenset({"role", "content", "providerOptions", "experimental_providerMetadata", "providerMetadata"})
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_SURE, _LIKELY, _PLAIN, _HARDLY = 0.98, 0.85, 0.6, 0.05
# The keys that a part must have, by its type: of parts that only this format has, and of others.
_OWN = {
    "tool-call": {"toolCallId", "toolName"}, "tool-result": {"toolCallId"},
    "reasoning": {"text"}, "redacted-reasoning": {"data"},
    "tool-approval-request": {"approvalId"}, "tool-approval-response": {"approvalId"}, "reasoning-file": {"mediaType"},
}  # fmt: skip
_SHARED = {"text": {"text"}, "image": {"image"}, "file": {"data"}, "custom": {"kind"}}


def sniff(native_messages: list[Any]) -> float:
    """Return the highest score of some messages; 0 if one can't be one for a model, or if all are just texts."""
    found = list(map(_sniff_message, native_messages))
    if not found or min(found) <= 0:
        return 0.0
    is_plain = all(type(native["content"]) is str for native in native_messages)
    return 0.0 if (is_plain and max(found) <= _PLAIN) or max(found) <= _HARDLY else max(found)


def _sniff_message(message: Any) -> float:
    """Return 0 to 1: most for a message that only this format has, less for one that others have, too."""
    if not is_object(message):
        return 0.0
    if not _KEYS.issuperset(message):
        # Applications store keys of their own beside; then only parts of tools tell.
        likeness = _sniff_message({key: value for key, value in message.items() if key in _KEYS})
        return _LIKELY if likeness == _SURE else min(likeness, _HARDLY)
    role, content = message.get("role"), message.get("content")
    if type(role) is not str or role not in _ROLES:
        return 0.0
    is_own = is_object(message.get("providerOptions"))
    if type(content) is str:
        return 0.0 if role == "tool" else _SURE if is_own else _PLAIN
    if not is_list(content):
        return 0.0
    found = [_sniff_part(part) for part in content]
    if 0.0 in found:
        return 0.0
    return max(_SURE if is_own else _PLAIN, *found) if found else _PLAIN


def _sniff_part(part: Any) -> float:
    tag: Any = part.get("type") if is_object(part) else None
    wanted = _OWN.get(tag, _SHARED.get(tag)) if type(tag) is str else None
    if wanted is None or not wanted <= part.keys():
        return 0.0
    if tag == "tool-result" and part.keys().isdisjoint(("output", "result")):
        return 0.0
    is_typed = "mediaType" in part or "mimeType" in part
    if tag in _OWN or "providerOptions" in part or (tag in ("file", "image") and is_typed):
        return _SURE
    if tag == "file":
        return 0.0
    return _LIKELY if tag == "image" and type(part["image"]) is str else _PLAIN
