"""vercel: messages for models of the Vercel AI SDK (ModelMessage). For those of users (UIMessage), use ``vercel-ui``.

A document is a list of messages, one message, or an object that holds the list under ``messages`` and has no ``role``.

Follows the npm package ai 7.0; reads 5 and 6, too, and calls and results of 4.

| AI SDK | agentmsg |
| --- | --- |
| system beside the messages, a text | a system message in front, written there again |
| system, user, assistant | system, user, assistant; developer becomes system |
| tool: tool-result | a tool message for each result, its name that of the call |
| text | TextBlock |
| image; file: mediaType | ImageBlock; ImageBlock, AudioBlock, VideoBlock or FileBlock |
| data: base64, ``data:`` URL; URL; reference; text | Base64Source; URLSource; FileSource; TextSource |
| reasoning | ThinkingBlock |
| tool-call; with providerExecuted | ToolUseBlock; of kind "server" |
| tool-result of an assistant | ToolResultBlock of kind "server" |
| output: text, content; json | content; structured |
| before 5: args; result; isError | input; content or structured; status "error" |
| output: error-text, error-json; execution-denied | the same of status "error"; of "denied", its reason the error |
| providerOptions: anthropic.cacheControl | cache |
| anthropic.signature, google.thoughtSignature, openai.reasoningEncryptedContent, bedrock.signature | signature |
| anthropic.redactedData | redacted |
| openai.itemId; openai.phase; openai.imageDetail | item_id; phase; detail |
| anthropic.title; anthropic.context of a file | title; context |
| the rest of providerOptions | extras["vercel.options"] |
| providerOptions of a message whose content is a text | those of the text |
| any other part; message | NativeBlock; a message with the role "native" |
| unknown keys | extras["vercel"]; those of an output extras["vercel.output"] |

Who runs a server tool is told by the id of its call (``srvtoolu_...``, ``ws_...``). A system prompt is one text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg import thaw
from agentmsg.formats import Containers, carried_extras, is_bare_text, is_marked, marked, natives, note_of
from agentmsg_codecs.vercel.capabilities import make_caps
from agentmsg_codecs.vercel.likeness import sniff
from agentmsg_codecs.vercel.messages import Messages
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.shared import Vercel

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Caps

__all__ = ["VercelCodec"]

CONTAINERS = Containers(family=FAMILY, title="the Vercel AI SDK", own=frozenset({"role", "content"}))
_IN_CONTAINERS = CONTAINERS.cells()["extras"]
SYSTEM = "system"


@attrs.frozen(kw_only=True)
class VercelCodec(Vercel):
    """Messages for models of the Vercel AI SDK.

    Attributes:
        engine: what reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "vercel"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "Vercel AI SDK (ModelMessage)"
    containers: ClassVar[Containers] = CONTAINERS
    kept: ClassVar[frozenset[str]] = frozenset({"tool-approval-request", "tool-approval-response"})

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    def make_caps(self) -> Caps:
        """Return what messages for models support; see capabilities.py."""
        return attrs.evolve(make_caps(self.engine), history={"extras": _beside_messages})

    def read_all(self, contents: Any) -> list[am.Msg]:
        """Return the messages of a document; a system prompt beside them is the first."""
        messages = super().read_all(contents)
        if _is_prompt(contents.rest.get(SYSTEM)):
            (message,) = self.engine.container({"role": "system", "content": contents.rest.pop(SYSTEM)})
            messages.insert(0, marked(message, FAMILY, beside=True))
        return messages

    def write(self, history: am.History) -> Any:
        """Return the native messages, in the container that the history was read from, or that is wanted."""
        if not _is_beside(history):
            return super().write(history)
        self.engine.fill()
        natives_behind = self.engine.write(history.messages[1:])
        rest = thaw(natives.extras_of(history, FAMILY))
        return {"messages": natives_behind, SYSTEM: history.messages[0].text, **rest}

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like messages for models: by its first messages."""
        return sniff(self.first_natives(document))


# -- the system prompt beside the messages ----------------------------------------------------------------------------


def _is_prompt(value: Any) -> bool:
    """Whether what stands as ``system`` is the system prompt: a text; else it is an extra."""
    return isinstance(value, str) and bool(value)


def _is_beside(history: am.History) -> bool:
    """Whether the first message is a system prompt that was read beside the others, and can be written there."""
    first = history.messages[0] if history.messages else None
    if first is None or first.role != "system" or not is_marked(first, FAMILY, "/beside"):
        return False
    is_text = len(first.content) == 1 and is_bare_text(first.content[0], FAMILY) and not first.extras
    return is_text and len(note_of(first, FAMILY)) == 1 and not natives.has_extra(history, FAMILY, SYSTEM)


def _taken(_: am.History) -> frozenset[str]:
    return frozenset({SYSTEM})


def _is_no_prompt(_: am.History, __: str, value: Any) -> bool:
    return not _is_prompt(value)


_OTHERS = carried_extras((FAMILY, _taken), odd=_is_no_prompt)


def _beside_messages(extras: Any, history: am.History) -> Any:
    """Keep what stands beside the messages: no text as the system prompt, which is a message."""
    kept = _IN_CONTAINERS(extras, history)
    return _OTHERS(kept, history) if kept else kept
