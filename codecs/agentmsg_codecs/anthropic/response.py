"""anthropic-response: responses of Anthropic's Messages API. For requests, use ``anthropic``.

A document is one response, ``{"type": "message", "role": "assistant", "content": [...], ...}``: a history of one
message. For a longer history, only the first assistant message is written.

Follows the Python package anthropic 2.12, beta blocks included.

| Anthropic | agentmsg |
| --- | --- |
| content | content, one block per part, as in requests |
| stop_reason, except for end_turn and max_tokens | finish_reason: the same word |
| other counters; of output_tokens_details | extras["anthropic"] of the usage; ["anthropic.output"] |
| unknown keys | extras["anthropic.response"] |
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
    Drop,
    MessageRow,
    Native,
    Unreadable,
    excerpt,
    is_list,
    is_marked,
    marked,
    read_as,
    restructure,
    rules,
)
from agentmsg.formats.bodies import ANSWER, Answers, completing, told
from agentmsg.formats.forms import Const, Described, Form, Key, Link, Nested, Text, Via, Words
from agentmsg_codecs.anthropic.capabilities import Rows, block_rows, needs_id, server_rows
from agentmsg_codecs.anthropic.cells import hint
from agentmsg_codecs.anthropic.format import USAGE, Anthropic, carried
from agentmsg_codecs.anthropic.kinds import is_upload
from agentmsg_codecs.anthropic.likeness import sniff_answer
from agentmsg_codecs.anthropic.names import ARGUED, FAMILY, FINISH, RESPONSE, STOP_REASON, STOP_REASONS
from agentmsg_codecs.anthropic.rules import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg_codecs.anthropic.format import Messages


_WORDS = (("type", "message"), ("role", "assistant"))
# Values for fields that the schema requires of every response.
_INVENTED: Mapping[str, Any] = {"id": "msg_1", "model": "unknown", "usage": am.Usage(input=0, output=0)}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class AnthropicResponseCodec(Answers, Anthropic):
    """Responses of Anthropic's Messages API; for its options see ``Anthropic``."""

    name: ClassVar[str] = "anthropic-response"
    title: ClassVar[str] = "Anthropic Messages (responses)"
    space: ClassVar[str] = RESPONSE
    carrier: ClassVar[str | None] = FAMILY
    provider: ClassVar[str] = FAMILY

    answer: Described = ANSWER

    def make_answer(self) -> Described:
        """Return the form of responses."""
        engine = self.engine
        answer = engine.described.parts["answer"]

        def read_content(parts: Any) -> tuple[Any, ...]:
            if not is_list(parts):
                raise Unreadable("content is not a list")
            return tuple(_hint_marked(answer.read(part)) for part in parts)

        def write_content(blocks: Any) -> list[Any]:
            return list(map(answer.write, blocks))

        schema = {"type": "array", "items": {"$ref": "#/$defs/place_answer"}}
        content = Via(read_content, write_content, schema, KEEP)
        form = Form("response", am.Msg, None, (
            Key("id", "id", Link(), "may", lacks="partial"),
            Const("type", "message"),
            Const("role", "assistant"),
            Key("model", "model", Text(), "may", lacks="partial"),
            Key("content", "content", content),
            Key("stop_reason", "finish_reason", Words(FINISH, known=STOP_REASONS), "null", cell=_finish),
            told(ARGUED, usual={"stop_sequence": None}),
            Key("usage", "usage", Nested(("usage",)), "may", lacks="partial"),
        ), space=RESPONSE, fixed=self.answerer)  # fmt: skip
        return Described(FAMILY, (form, USAGE), {})

    def make_caps(self) -> Caps:
        """Return what responses support."""
        made = self.answer.rows
        row = MessageRow(
            fields={**made.row("response").fields, "usage": carried(made.row("usage").fields)},
            blocks=_rows(self.engine, self.thinking),
            results=server_rows(self.engine),
        )
        rows = {"assistant": self.answer_row(row, completing(RESPONSE, partial=_INVENTED))}
        return Caps(messages=rows, arrange=(restructure.keep_first,), needs_id=needs_id)

    def refusal(self, document: Native) -> DecodeError:
        """Return the error for a response that isn't read."""
        found = _check(document)
        if found is not None:
            return found
        try:
            if document.get("usage") is not None:
                read_as(self.answer.shapes["usage"], document["usage"], FAMILY)
        except Unreadable as error:
            return DecodeError(f"usage has whole counters: {error}", path=("usage",))
        return super().refusal(document)

    def likeness(self, document: Any) -> float:
        """Return how much a document looks like a response of Anthropic."""
        return sniff_answer(document)


# -- reading and writing ----------------------------------------------------------------------------------------------


def _check(document: Native) -> DecodeError | None:
    """Return the error for a document that isn't a response, with its path; None if there is none."""
    if not is_list(document.get("content")):
        return DecodeError("a response must have a list of content", path=("content",))
    for key, word in _WORDS:
        if document.get(key) not in (None, word):
            return DecodeError(f"the {key} of a response is {word}, not {excerpt(document[key])}", path=(key,))
    for key in ("id", "model", "stop_reason"):
        if type(document.get(key)) not in (str, type(None)):
            return DecodeError(f"{key} must be a string, not {excerpt(document[key])}", path=(key,))
    return None


def _hint_marked(block: Any) -> Any:
    # The schema has no cache hints in responses; those that were read stay.
    hint = getattr(block, "cache", None)
    return block if hint is None else block.evolve(cache=marked(hint, FAMILY, odd=True))


# -- what is supported -------------------------------------------------------------------------------------------------


def _finish(word: str, message: am.Msg) -> str | None:
    """Keep the words of the schema, and those that were read."""
    if word not in STOP_REASON:
        word = "refusal" if word == "content_filter" else FINISH.get(word, word)
    is_known = STOP_REASON.get(word, word) in STOP_REASONS
    return word if is_known or is_marked(message, RESPONSE, "/word") else None


def _cache(value: am.CacheHint, owner: Any) -> am.CacheHint | None:
    return hint(value, owner) if is_marked(value, FAMILY, "/odd") else None


def _image(block: am.ImageBlock) -> Any:
    return block if is_marked(block, FAMILY, "/odd") else Drop("responses hold no images")


def _document(block: am.FileBlock) -> Any:
    if is_upload(block) or is_marked(block, FAMILY, "/odd"):
        return document(block)
    answer = rules.document_as_text(block)
    return Drop("responses hold no documents") if answer is block else answer


def _rows(engine: Messages, thinking: str | None) -> Rows:
    rows = block_rows(engine, "answer", engine.returns("answer"), thinking=thinking)
    rows[am.ImageBlock] = rows[am.ImageBlock].evolve(otherwise=_image)
    rows[am.FileBlock] = rows[am.FileBlock].evolve(otherwise=_document)
    return {
        cls: row.evolve(fields={**row.fields, "cache": _cache}) if "cache" in row.fields else row
        for cls, row in rows.items()
    }
