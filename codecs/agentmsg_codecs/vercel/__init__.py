"""vercel: messages for models of the Vercel AI SDK (ModelMessage). For those of users (UIMessage), use ``vercel-ui``.

A document is a list of messages, one message, or an object that holds the list under ``messages`` and has no ``role``.

Follows the npm package ai 7.0; reads 5 and 6, too.

| AI SDK | agentmsg |
| --- | --- |
| system, user, assistant | system, user, assistant; developer becomes system |
| tool: tool-result | a tool message for each result, its name that of the call |
| text | TextBlock |
| image; file: mediaType | ImageBlock; ImageBlock, AudioBlock, VideoBlock or FileBlock |
| data: base64, ``data:`` URL; URL; reference; text | Base64Source; URLSource; FileSource; TextSource |
| reasoning | ThinkingBlock |
| tool-call; with providerExecuted | ToolUseBlock; of kind "server" |
| tool-result of an assistant | ToolResultBlock of kind "server" |
| output: text, content; json | content; structured |
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

from agentmsg.formats import ContainerCodec, Containers
from agentmsg_codecs.vercel.capabilities import make_caps
from agentmsg_codecs.vercel.likeness import sniff
from agentmsg_codecs.vercel.messages import Messages
from agentmsg_codecs.vercel.names import FAMILY
from agentmsg_codecs.vercel.shared import check_messages

if TYPE_CHECKING:
    import agentmsg as am
    from agentmsg.formats import Caps
    from agentmsg.formats.forms import Described

__all__ = ["VercelCodec"]

CONTAINERS = Containers(family=FAMILY, title="the Vercel AI SDK", own=frozenset({"role", "content"}))


@attrs.frozen(kw_only=True)
class VercelCodec(ContainerCodec):
    """Messages for models of the Vercel AI SDK.

    Attributes:
        engine: what reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    name: ClassVar[str] = "vercel"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "Vercel AI SDK (ModelMessage)"
    containers: ClassVar[Containers] = CONTAINERS
    writes_plain: ClassVar[bool] = True

    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of parts."""
        return (self.engine.described,)

    def make_caps(self) -> Caps:
        """Return what messages for models support; see capabilities.py."""
        caps = make_caps(self.engine)
        return attrs.evolve(caps, history=CONTAINERS.cells())

    def read(self, document: Any) -> am.History:
        """Return the history of a list of messages, one message, or an object that holds messages."""
        contents = CONTAINERS.contents(document)
        check_messages(contents)
        self.engine.fill()
        return CONTAINERS.history(contents, self.engine.read(contents.natives))

    def write(self, history: am.History) -> Any:
        """Return the native messages, in the container that the history was read from, or that is wanted."""
        self.engine.fill()
        return CONTAINERS.document(history, self.engine.write(history.messages), self.container)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like messages for models: by its first messages."""
        return sniff(self.first_natives(document))
