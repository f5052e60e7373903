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
| unknown keys; minPixels and the like, source of a hint, a time that is none | extras["agentscope-java"] |
| arguments beside input, result beside output, a second media type | extras["agentscope-java"] |

Read as well, and returned where they were read: roles in any case, input as arguments, output as result, a text or one
block as output, one block as content (0.1.0), media types under other names. A suspended result is one with metadata
agentscope_suspended.

Written after the library's own JSON codec, as its sources of 2026-08 (2.0.2 and later, branch 1.x, 0.1.0) have it.
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from agentmsg.formats import Containers
from agentmsg_codecs.agentscope.base import AgentScope, Language
from agentmsg_codecs.agentscope.capabilities import Table
from agentmsg_codecs.agentscope.java_messages import (
    carried_fields,
    carried_metadata,
    make_messages,
    sniff_message,
)
from agentmsg_codecs.agentscope.names import JAVA


def _table(version: int | None) -> Table:
    return Table(
        signer="gemini",
        fields=carried_fields(),
        is_old=version == 1,
        has_ids=False,
        has_opaque=False,
        signs_calls=True,
        has_lists=False,
        has_old=False,
        metadata=carried_metadata(),
    )


@attrs.frozen(kw_only=True)
class AgentScopeJavaCodec(AgentScope):
    """Messages of AgentScope for Java; for its options see ``AgentScope``."""

    name: ClassVar[str] = "agentscope-java"
    family: ClassVar[str] = JAVA
    title: ClassVar[str] = "AgentScope (Java)"
    containers: ClassVar[Containers] = Containers(
        family=JAVA, title="AgentScope for Java", keys=("messages", "context"), own=frozenset({"role"})
    )
    language: ClassVar[Language] = Language(make_messages, _table, sniff_message)
