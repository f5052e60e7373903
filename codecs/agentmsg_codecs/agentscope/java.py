"""agentscope-java: messages of AgentScope for Java, 2.x and 1.x, as its JSON codec writes them.

A document is one message, a list of messages, or an object that holds the list under ``messages`` or ``context``. The
document shows its version. New messages take the version of the history they join.

Follows the sources of August 2026: 2.0.2 and later, branch 1.x, and 0.1.0.

| AgentScope for Java | agentmsg |
| --- | --- |
| role: USER, ASSISTANT, SYSTEM, TOOL | user, assistant, system, tool; developer becomes system |
| metadata | metadata, without the keys below |
| metadata: _structured_output | structured |
| metadata: agentscope_generate_reason MODEL_STOP; TOOL_CALLS | finish_reason "stop"; "tool_use" |
| metadata: agentscope_generate_reason, any other | the same word in lower case |
| timestamp (milliseconds, no zone) | created_at |
| usage; in 1.x _chat_usage of the metadata | usage; its total and cache_write only if they were read |
| thinking: metadata; its thoughtSignature | ThinkingBlock: metadata; Signature of Gemini |
| tool_use: metadata; its thoughtSignature; state (2.x) | metadata; Signature of Gemini; status |
| tool_use whose state is asking | ToolUseBlock, ApprovalRequestBlock |
| data (2.x): id, name | FileBlock, or the class of its media type: item_id, name |
| any other part or message | NativeBlock; a message with the role "native" |
| unknown keys; minPixels and similar; source of a hint; an invalid time | extras["agentscope-java"] |
| arguments beside input; result beside output; a second media type | extras["agentscope-java"] |

These are read, too, and written back unchanged: roles in any case, ``arguments`` for ``input``, ``result`` for
``output``, a text or one block as output, one block as content (0.1.0), and other names of media types. The metadata
``agentscope_suspended`` marks a suspended result.
"""

from __future__ import annotations

from typing import ClassVar

from agentmsg_codecs.agentscope.base import AgentScope
from agentmsg_codecs.agentscope.java_messages import JavaMessages
from agentmsg_codecs.agentscope.names import JAVA
from agentmsg_codecs.agentscope.sessions import Sessions


class AgentScopeJavaCodec(AgentScope):
    """Messages of AgentScope for Java; for its options see ``AgentScope``."""

    name: ClassVar[str] = "agentscope-java"
    family: ClassVar[str] = JAVA
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "AgentScope (Java)"
    containers: ClassVar[Sessions] = Sessions(
        family=JAVA, title="AgentScope for Java", keys=("messages", "context"), own=frozenset({"role"})
    )
    messages = JavaMessages
