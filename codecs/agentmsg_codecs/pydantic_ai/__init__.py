"""pydantic-ai: messages of Pydantic AI, as ``ModelMessagesTypeAdapter`` dumps them.

A document is a list of messages, one message, or an object that holds the list under ``messages``.

Follows the Python package pydantic-ai 2.68. Dumps of older versions are read too.

| Pydantic AI | agentmsg |
| --- | --- |
| instructions of a request | a system message before it, unless they repeat the previous instructions |
| request: system-prompt; user-prompt; tool-return | a system, user, or tool message; one request again when written |
| retry-prompt with a tool; any other, retry-feedback | a tool message with the status "error"; a user's |
| other keys of a request | extras["pydantic-ai.request"] of its first message |
| content of a user: text, text-content; structured-content | TextBlock; DataBlock |
| image-url, audio-url, video-url, document-url; binary; uploaded-file | media at a URL; as data; a FileSource |
| cache-point | cache of the previous block |
| content of a result: a text; a list with media; any other JSON | content; content; structured |
| outcome: success; failed, retried; denied; interrupted | status: "success"; "error"; "denied"; "interrupted" |
| metadata of a result | artifact |
| response: text, thinking, tool-call, compaction | the blocks of one assistant message |
| speech; without audio, or of a user | AudioBlock; a text, its transcript |
| a call or result without tool_call_id | an id made by the reader; results are linked by name and order |
| a result without tool_name | the name of its call |
| builtin-tool-call; builtin-tool-return | call and result of kind "server" |
| thought_signature of provider_details; signature | signature by "google"; by the provider_name |
| provider_name of a response; google-gla, google-vertex, google-cloud | provider, with api by the id; "google" |
| usage, model_name, timestamp, finish_reason | usage, model, created_at, finish_reason |
| provider_response_id; provider_details of a response | id; response_metadata |
| vendor_id, vendor_details; request_tokens, response_tokens of usage | their names before 1.0 |
| a message without its kind | a request or a response, as its parts tell |
| role in place of kind and parts (to 0.0.12): see messages.py | the same messages |
| any other part; message | NativeBlock, or a message with the role "native" |
| unknown keys; those of an object inside a part | extras["pydantic-ai"]; a namespace of its own |

What an answer of Anthropic, OpenAI (Chat Completions, Responses), Google or Bedrock holds for its provider is written
as this provider's client of the library keeps it, and read as the provider's own blocks: see ``issuers``. Any other
message, and what a client has no place for, has the form of the table. Message objects (``result.all_messages()``) can
be read as they are.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs

from agentmsg.formats import ContainerCodec, Containers, is_list, is_object, speed
from agentmsg.formats import issuers as payloads
from agentmsg_codecs.pydantic_ai.issuers import Issuers
from agentmsg_codecs.pydantic_ai.messages import OWN_ROLES, Messages, kind_of, modern
from agentmsg_codecs.pydantic_ai.names import CONTAINERS, FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am
    from agentmsg.formats.forms import Described


__all__ = ["PydanticAICodec"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class PydanticAICodec(ContainerCodec):
    """Messages of Pydantic AI.

    Attributes:
        engine: reads and writes.
    """

    name: ClassVar[str] = "pydantic-ai"
    family: ClassVar[str] = FAMILY
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    fits_as_read: ClassVar[bool] = True
    title: ClassVar[str] = "Pydantic AI (ModelMessages)"
    containers: ClassVar[Containers] = CONTAINERS

    engine: ClassVar[Messages] = Messages()
    envelope: ClassVar[Issuers] = Issuers(engine)

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms."""
        return (self.engine.said, self.engine.described)

    def read(self, document: Any) -> am.History:
        """Read a list of messages, one message, or an object that holds messages."""
        contents = CONTAINERS.contents(document)
        self.engine.fill()
        messages = self.engine.read(contents.each(self.engine.group))
        return self.envelope.unwrapped(
            CONTAINERS.history(contents, payloads.with_issuers(messages, FAMILY, "anthropic"))
        )

    def read_held(self, document: Any, depth: int) -> am.History | None:
        """Read message objects as the library dumps them."""
        found = dumped(document)
        return None if found is None else self.read(speed.copy_document(found, depth))

    def write(self, history: am.History) -> Any:
        """Write the native messages, in the container that was read, else in that of the option."""
        self.engine.fill()
        return CONTAINERS.document(history, self.engine.write(self.envelope.wrapped(history).messages), self.container)

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles Pydantic AI."""
        return self.likeliest(document, sniff_message)


_DUMPED: set[type] = {dict}
_MODULE, _CLASSES = "pydantic_ai.messages", frozenset({"ModelRequest", "ModelResponse"})


def dumped(document: Any) -> Any:
    """Return a document of message objects as the library's own adapter dumps it; None if it holds none.

    The library is there if its objects are: nothing is imported.
    """
    if is_object(document):
        return _inside(document)
    messages: list[Any] = cast("list[Any]", document) if isinstance(document, (list, tuple)) else [document]
    if set(map(type, messages)) <= _DUMPED or not any(map(_is_message, messages)):
        return None
    adapter: Any = sys.modules[_MODULE].ModelMessagesTypeAdapter
    found = [adapter.dump_python([each], mode="json")[0] if _is_message(each) else each for each in messages]
    return found if messages is document or isinstance(document, tuple) else found[0]


def _is_message(value: Any) -> bool:
    classes: tuple[type[object], ...] = cast("Any", type(value)).__mro__
    return any(each.__name__ in _CLASSES and each.__module__ == _MODULE for each in classes)


def _inside(document: Mapping[str, Any]) -> Any:
    """Return an object that holds messages with them dumped."""
    for key in CONTAINERS.keys:
        found = dumped(document[key]) if isinstance(document.get(key), list) else None
        if found is not None:
            return {**document, key: found}
    return None


_KINDS = ("request", "response")
# A user's message and a system prompt of old versions say nothing of their format.
_OTHERS = frozenset({"role", "content", "timestamp"})
_PLAIN = 0.01


def _sniff_by_role(native: Any) -> float:
    """Return how much a message with a role looks like one of old versions."""
    if modern(native) is None:
        return 0.0
    if native["role"] in OWN_ROLES:
        return 1.0
    is_dated = native["role"] == "system" or type(native.get("timestamp")) is str
    return _PLAIN if is_dated and native.keys() <= _OTHERS and type(native.get("content")) is str else 0.0


def sniff_message(native: Any) -> float:
    """Return 1 for a message, 0 for anything else."""
    if not is_object(native):
        return 0.0
    if "role" in native:
        return _sniff_by_role(native)
    if not is_list(native.get("parts")):
        return 0.0
    if native.get("kind") not in _KINDS and ("kind" in native or kind_of(native) is None):
        return 0.0
    return 1.0 if all(is_object(part) and "part_kind" in part for part in native["parts"]) else 0.0
