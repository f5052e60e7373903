"""agentscope: the messages of AgentScope for Python, 2.x and 1.x. Java's are the codec ``agentscope-java``.

A document is a message, a list of them, or an object that holds such a list under ``messages`` or ``context`` (the
state of an agent). The version is told by the document; new messages are written in that of the history they join.
Shapes are those of agentscope 2.0.10 and 1.0.21.

| AgentScope 2.x | 1.x | agentmsg |
| --- | --- | --- |
| name; that of the role itself, or the system's for a result | the same | name; none |
| role user, assistant, system | the same | the same; developer is written as system |
| content: a list | a list, or a text | content, a block a part |
| id, metadata | the same | id, metadata |
| created_at (ISO) | timestamp (milliseconds) | created_at |
| usage: input_tokens, output_tokens | | usage: input, output |
| ... cache_input_tokens, cache_creation_input_tokens | | cache_read, cache_write |
| finished_reason: completed; interrupted, exceed_max_iters, error | | finish_reason "stop"; the same word |
| structured_output | | structured |
| text; its id | text | TextBlock; item_id |
| hint: a text; a list | | with phase "hint", TextBlock; FileBlock made of blocks |
| thinking; signature, redacted_thinking_data | thinking | ThinkingBlock; Signature of Anthropic, redacted |
| tool_call: input (a text) | tool_use: input (an object), raw_input | ToolUseBlock |
| tool_result in an assistant's message | tool_result in a system message | a tool message |
| ... output; metadata | output | content; metadata |
| state of a call or result | | status |
| data, by its media type | image, audio, video | ImageBlock, AudioBlock, VideoBlock, FileBlock (name) |
| source: url, base64 | the same | URLSource, Base64Source |
| any other part; message | the same | NativeBlock; a message with the role "native" |
| unknown keys; finished_at, error, created_at of a block, suggested_rules | the same | extras["agentscope"] |

A reply of 2.x is one message with its calls and their results: it is split, and joined again. Its name, id, time and
metadata are those of its first message, usage, finish reason and structured output those of its last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg.caps import KEEP, Caps
from agentmsg.codec import Codec
from agentmsg_codecs.agentscope.caps import Table, make_caps
from agentmsg_codecs.agentscope.documents import history_cells, read_document, sniff_with, write_document
from agentmsg_codecs.agentscope.messages import Messages
from agentmsg_codecs.agentscope.python import carried_fields, make_messages, sniff_message
from agentmsg_codecs.agentscope.words import FAMILY, SIGNER, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.caps import Cell

__all__ = ["AgentScopeCodec"]


def _table(version: int | None) -> Table:
    is_old = version == 1
    metadata: Mapping[type[Any], Cell] = {} if is_old else {am.ToolResultBlock: KEEP}
    return Table(
        signer=SIGNER,
        fields=carried_fields(is_old=is_old),
        is_old=is_old,
        has_ids=not is_old,
        has_opaque=not is_old,
        signs_calls=False,
        has_lists=not is_old,
        metadata=metadata,
    )


@attrs.frozen(kw_only=True)
class AgentScopeCodec(Codec):
    """Messages of AgentScope for Python.

    Attributes:
        version: that is written: 1 or 2; None: that of the document that the history was read from, else 2.
        engine: what reads and writes.
    """

    name: ClassVar[str] = "agentscope"
    family: ClassVar[str] = FAMILY
    title: ClassVar[str] = "AgentScope (Python)"
    writes_plain: ClassVar[bool] = True

    version: Literal[1, 2] | None = attrs.field(default=None, validator=attrs.validators.in_((None, *VERSIONS)))
    engine: Messages = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(lambda self: make_messages(keeps_kinds=self.version is None), takes_self=True),
    )
    _caps: Caps = attrs.field(
        init=False,
        eq=False,
        repr=False,
        default=attrs.Factory(
            lambda self: make_caps(self.engine, _table(self.version), history=history_cells(FAMILY)), takes_self=True
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
        """Return how much a document looks like AgentScope for Python: by its first messages."""
        return sniff_with(document, sniff_message)
