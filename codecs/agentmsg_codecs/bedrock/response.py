"""bedrock-response: responses of Converse of Amazon Bedrock. For requests, use ``bedrock``.

A document is one response, ``{"output": {"message": {...}}, "stopReason": ..., ...}``: a history of one assistant
message. Longer histories: only the first assistant message is written.

Follows the Python package botocore 1.43.

| Bedrock | agentmsg |
| --- | --- |
| output.message | one assistant message, as in requests |
| stopReason: end_turn, max_tokens, content_filtered; any other | "stop", "length", "content_filter"; the same word |
| usage | usage; its input includes cache reads and writes |
| metrics, trace, additionalModelResponseFields | response_metadata |
| unknown keys; those of the message | extras["bedrock.response"]; extras["bedrock"] |
| ``{}`` | a history without messages |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import attrs

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import (
    KEEP,
    Caps,
    Native,
    Unreadable,
    cells,
    excerpt,
    is_list,
    is_object,
    mark_of,
    natives,
    note_of,
)
from agentmsg.formats.bodies import ANSWER, Answers, answer_caps, completing, told
from agentmsg.formats.forms import Described, Form, Hatch, Key, Nested, Words
from agentmsg_codecs.bedrock.capabilities import assistant_rows, inner_rows, needs_id
from agentmsg_codecs.bedrock.format import USAGE
from agentmsg_codecs.bedrock.likeness import sniff_answer
from agentmsg_codecs.bedrock.messages import Bedrock, folded, text_if_one, unfolded
from agentmsg_codecs.bedrock.names import FAMILY, PROVIDER, RESPONSE
from agentmsg_codecs.bedrock.nulls import with_nulls, without_nulls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.bedrock.messages import Messages

_FINISH = {"end_turn": "stop", "max_tokens": "length", "content_filtered": "content_filter"}
_OTHERS = frozenset({
    "tool_use", "stop_sequence", "guardrail_intervened", "malformed_model_output", "malformed_tool_use",
    "model_context_window_exceeded",
})  # fmt: skip
_METADATA = ("additionalModelResponseFields", "metrics", "performanceConfig", "serviceTier", "trace")
_MESSAGE_KEYS = frozenset({"role", "content"})
_CACHED = ("cache_read", "cache_write")
# No count is negative, and the input includes what was cached.
_LEAST: Mapping[str, tuple[str, ...]] = {**dict.fromkeys((*_CACHED, "output", "total"), ()), "input": _CACHED}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class BedrockResponseCodec(Answers, Bedrock):
    """Responses of Bedrock's Converse; ``Bedrock`` has the options."""

    name: ClassVar[str] = "bedrock-response"
    title: ClassVar[str] = "Amazon Bedrock Converse (responses)"
    space: ClassVar[str] = RESPONSE
    provider: ClassVar[str] = PROVIDER

    answer: Described = ANSWER

    def make_answer(self) -> Described:
        """Return the form of responses."""
        form = Form("response", am.Msg, None, (
            _output(self.engine),
            Key("stopReason", "finish_reason", Words(_FINISH, known=frozenset({*_FINISH, *_OTHERS})), "may",
                lacks="partial", cell=_finish),
            Key("usage", "usage", Nested(("usage",)), "may", lacks="partial"),
            told(_METADATA),
        ), space=RESPONSE, fixed=self.answerer)  # fmt: skip
        return Described(FAMILY, (form, USAGE), {})

    def make_caps(self) -> Caps:
        """Return what responses support."""
        usage = self.answer.rows.row("usage").fields
        keys = self.answer.forms["response"].keys
        return answer_caps(
            self,
            fields={
                "usage": cells.usage(usage, needs=("input", "output", "total"), family=FAMILY, least=_LEAST),
                "extras": cells.beside((FAMILY, _MESSAGE_KEYS), (RESPONSE, keys)),
            },
            blocks=assistant_rows(self.engine, thinking=self.thinking),
            results=inner_rows(self.engine),
            lacking=completing(RESPONSE, partial=_INVENTED),
            needs_id=needs_id,
        )

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for an unreadable response."""
        output: Any = document.get("output")
        if not is_object(output) or not is_object(output.get("message")):
            return DecodeError("a response must have a message as its output", path=("output",))
        message = output["message"]
        if message.get("role") not in ("assistant", None):
            said = excerpt(message["role"])
            return DecodeError(f"the role of a response is assistant, not {said}", path=("output", "message", "role"))
        if not is_list(message.get("content")):
            return DecodeError("a response must have a list of content", path=("output", "message", "content"))
        return super().refusal(document)

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles a response."""
        return sniff_answer(document)


# -- reading and writing ----------------------------------------------------------------------------------------------


def _output(engine: Messages) -> Hatch:
    def read(native: Native) -> dict[str, Any]:
        output = native["output"]
        said: Any = output.get("message") if is_object(output) and len(output) == 1 else None
        content: Any = said.get("content") if is_object(said) else None
        bare = without_nulls(content)
        parts: Any = folded(content if bare is None else bare[0])
        notes: Native = {} if bare is None else {"/nulls": bare[1]}
        if type(parts) is str:
            parts, notes["/str"] = [{"text": parts}], True
        if is_list(parts) and said.get("role") is None:
            notes["/role"] = "null" if "role" in said else "absent"
        elif not is_list(parts) or said["role"] != "assistant":
            raise Unreadable
        return {"content": engine.blocks(parts), "notes": notes, "extras": natives.rest_of(said, _MESSAGE_KEYS, FAMILY)}

    def write(message: am.Msg) -> Native:
        parts: Any = unfolded(list(map(engine.places["assistant"].write, message.content)))
        note = note_of(message, RESPONSE)
        content = text_if_one(parts) if note.get("/str") is True else with_nulls(parts, note.get("/nulls"))
        word = note.get("/role")
        role = {} if word == "absent" else {"role": None if word == "null" else "assistant"}
        return {"output": {"message": {**role, "content": content, **natives.extras_copy(message, FAMILY)}}}

    schema = {"type": "object", "required": ["message"], "additionalProperties": False, "properties": {"message": {
        "type": "object", "required": ["content"], "properties": {
            "role": {"enum": ["assistant", None]},
            "content": {"type": "array", "items": {"$ref": "#/$defs/place_assistant"}},
        },
    }}}  # fmt: skip
    return Hatch(keys=("output",), cells={"content": KEEP}, get=read, put=write, must=("output",),
                 schema={"output": schema}, spaces=(FAMILY,), about="content")  # fmt: skip


def _finish(word: str, message: am.Msg) -> str:
    """Keep the words of the schema, and those that were read."""
    word = _FINISH.get(word, word)
    if word in _FINISH.values() or word in _OTHERS or mark_of(message, RESPONSE, "/word") is True:
        return word
    return "stop"


# -- what is supported -------------------------------------------------------------------------------------------------


def _ended(message: am.Msg) -> str:
    return natives.ended(message.content)


# What the schema requires of every response.
_INVENTED: Mapping[str, Any] = {"finish_reason": _ended, "usage": am.Usage(input=0, output=0, total=0)}
