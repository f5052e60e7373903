"""agentscope-java: the messages of AgentScope for Java, 2.x and 1.x, as its own JSON codec writes them.

A document is a message, a list of them, or an object that holds such a list under ``messages`` or ``context``. The
version is told by the document; new messages are written in that of the history they join.

| AgentScope for Java | agentmsg |
| --- | --- |
| id, name | id, name |
| role USER, ASSISTANT, SYSTEM, TOOL | user, assistant, system, tool; developer is written as system |
| content: a list | content, a block a part |
| metadata; of it _structured_output | metadata; structured |
| ... agentscope_generate_reason: MODEL_STOP; TOOL_CALLS; others | finish_reason "stop"; "tool_use"; in lower case |
| timestamp (milliseconds, no zone) | created_at |
| usage; in 1.x _chat_usage of the metadata | usage |
| ... inputTokens, outputTokens, cachedTokens, time; totalTokens | input, output, cache_read, seconds; total |
| text; hint (2.x) | TextBlock; with phase "hint" |
| thinking; its metadata; of them thoughtSignature | ThinkingBlock; metadata; Signature of Gemini |
| tool_use: input; content | ToolUseBlock: input; raw_input |
| ... metadata; of them thoughtSignature; state (2.x) | metadata; Signature of Gemini; status |
| tool_result: output, metadata, state (2.x) | a tool message: content, metadata, status |
| image, audio, video | ImageBlock, AudioBlock, VideoBlock |
| data (2.x): id, name | FileBlock, or the class of its media type: item_id, name |
| source: url, mime_type; base64, media_type | URLSource; Base64Source |
| any other part; message | NativeBlock; a message with the role "native" |
| unknown keys; minPixels and the like, source of a hint | extras["agentscope-java"] |

Read as well, and returned where they were read: roles in any case, input as arguments, output as result, a text or one
block as output, media types under other names. A suspended result is one with metadata agentscope_suspended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from agentmsg.caps import Caps
from agentmsg.codec import Codec
from agentmsg_codecs.agentscope.caps import Table, make_caps
from agentmsg_codecs.agentscope.documents import history_cells, read_document, sniff_with, write_document
from agentmsg_codecs.agentscope.java_messages import (
    carried_fields,
    carried_metadata,
    make_messages,
    sniff_message,
)
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.words import JAVA, VERSIONS

if TYPE_CHECKING:
    import agentmsg as am

__all__ = ["AgentScopeJavaCodec"]


def _table(version: int | None) -> Table:
    return Table(
        signer="gemini",
        fields=carried_fields(),
        is_old=version == 1,
        has_ids=False,
        has_opaque=False,
        signs_calls=True,
        has_lists=False,
        metadata=carried_metadata(),
    )


@attrs.frozen(kw_only=True)
class AgentScopeJavaCodec(Codec):
    """Messages of AgentScope for Java.

    Attributes:
        version: that is written: 1 or 2; None: that of the document that the history was read from, else 2.
        engine: what reads and writes.
    """

    name: ClassVar[str] = "agentscope-java"
    family: ClassVar[str] = JAVA
    title: ClassVar[str] = "AgentScope (Java)"
    writes_plain: ClassVar[bool] = True

    version: Literal[1, 2] | None = attrs.field(default=None, validator=attrs.validators.in_((None, *VERSIONS)))
    engine: Messages = attrs.field(factory=make_messages, init=False, eq=False, repr=False)
    _caps: Caps = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(
            lambda self: make_caps(self.engine, _table(self.version), history=history_cells(JAVA)), takes_self=True
        ),
    )

    @property
    def caps(self) -> Caps:
        """What the messages carry; see caps.py."""
        return self._caps

    def read(self, document: Any) -> am.History:
        """Return the history of a message, a list of messages, or an object that holds one."""
        return read_document(self.engine, document, self.version or 2)

    def write(self, history: am.History) -> Any:
        """Return the document: in the version and container of the document that was read, else a list."""
        return write_document(self.engine, history, self.version)

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like AgentScope for Java: by its first messages."""
        return sniff_with(document, sniff_message)
