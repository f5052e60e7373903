"""agentscope: messages of AgentScope for Python. For AgentScope for Java, use ``agentscope-java``.

A document is one message, a list of messages, or an object that holds the list. The object's key is ``messages``,
``context`` (the state of an agent) or ``content`` (a memory of 1.x, whose entries may be pairs of a message and marks).
A session file holds such an object under ``agent`` and ``state`` or ``memory``, or under one of these.

The document shows its version. New messages take the version of the history they join. Messages of 0.x are read and
written back; new ones are never written as 0.x.

Follows agentscope 2.0.11, 1.0.21, 0.1.6 and 0.1.1.

| AgentScope 2.x | 1.x | agentmsg |
| --- | --- | --- |
| name; without one: the role, or "system" for a result | the same | name; none |
| role: user, assistant, system | the same | the same; developer becomes system |
| hint: a list | | FileBlock made of blocks, with the phase "hint" |
| tool_result in an assistant message | tool_result in a system message | a tool message |
| tool_call whose state is asking | | ToolUseBlock, ApprovalRequestBlock |
| data, by its media type | image, audio, video | ImageBlock, AudioBlock, VideoBlock, FileBlock (with name) |
| | 0.x: url or urls of a message | the same, after its content |
| | 0.x: output of any JSON | a tool message: structured |
| | file with a source and a filename, of applications | FileBlock |
| | marks, in a memory | extras["agentscope.item"] |
| other keys of a session file | the same | extras["agentscope.session"] |
| any other part or message | the same | NativeBlock; a message with the role "native" |
| unknown keys; finished_at, error, suggested_rules, created_at of a block | the same | extras["agentscope"] |
| an invalid time; timestamp, url | an invalid time | extras["agentscope"] |

Of what an answer holds for its provider, 2.x keeps items of reasoning (OpenAI Responses), Gemini's signatures of calls
and Anthropic's of thinking; they are written as its clients keep them: see ``issuers``. Calls of a provider's own tools
are left out.

A reply of 2.x is one message with its calls and their results. Reading splits it, and writing joins it again. Its name,
id, time and metadata go to the first message. Its usage, finish reason and structured output go to the last.
"""

from __future__ import annotations

from typing import ClassVar

from agentmsg_codecs.agentscope.issuers import Issuers
from agentmsg_codecs.agentscope.messages import AgentScope, Sessions
from agentmsg_codecs.agentscope.names import FAMILY, MEMORY
from agentmsg_codecs.agentscope.python import PythonMessages

__all__ = ["AgentScopeCodec"]


class AgentScopeCodec(AgentScope):
    """Messages of AgentScope for Python; for its options see ``AgentScope``."""

    name: ClassVar[str] = "agentscope"
    family: ClassVar[str] = FAMILY
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "AgentScope (Python)"
    containers: ClassVar[Sessions] = Sessions(
        family=FAMILY, title="AgentScope", keys=("messages", "context", MEMORY), own=frozenset({"role"})
    )
    messages = PythonMessages
    envelope: ClassVar[Issuers] = Issuers()
