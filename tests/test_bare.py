"""Short ways that claim to equal the long ones: documents read without a copy, bare messages, arguments parsed at once.

Each short way is compared with the careful one, on golden, recorded, made-up and hostile documents.
"""

from __future__ import annotations

import copy
import enum
import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.fitting.fit import fit
from agentmsg.formats.compiled import compile_caps
from agentmsg.formats.plain_messages import BARE_FIELDS, NAMED, SAID, how_bare, make_parsed_call
from agentmsg.formats.spelling import same_document
from agentmsg.model.construction import absent_values
from agentmsg.model.remembering import reader_of
from agentmsg.model.tool_arguments import input_copy, input_object
from agentmsg.model.tool_use import SIMPLY
from agentmsg.testing import mutate
from agentmsg.values.copies import plain_twin
from agentmsg.values.frozen import adopt, plain_copy, thaw
from agentmsg.values.text import UNUSUAL, parse_arguments, usual_arguments
from agentmsg.values.types import is_list, is_mapping, is_object
from agentmsg_codecs.openai import OpenAICodec
from benchmarks.conversations import support_chat
from data import effort, some
from support.documents import documents
from support.openai_messages import OWN, SERVERS

if TYPE_CHECKING:
    from collections.abc import Callable


@attrs.frozen(kw_only=True)
class Careful(OpenAICodec):
    """The codec without its short way for documents that callers own."""

    def read_held(self, document: Any, depth: int) -> am.History | None:
        """Take no short way."""
        return None


QUICK, CAREFUL = OpenAICodec(), Careful()
CODECS = [am.get_codec(name) for name in am.codec_names()]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def _usual_documents() -> list[Any]:
    return [document for _, document in documents("openai")] + [support_chat()]


# -- documents of callers ---------------------------------------------------------------------------------------------


def _outcome(codec: am.Codec, document: Any) -> Any:
    """Return everything known about a read history, notes included, or the words, code and path of the refusal."""
    try:
        return plain_copy(thaw(am.encode(am.decode(document, codec), "json")))
    except AgentMsgError as error:
        return [error.message, error.code, *error.path]


def _is_read(document: Any) -> bool:
    """Check that the two outcomes are the same; return whether the document was read."""
    quick = _outcome(QUICK, document)
    assert same_document(quick, _outcome(CAREFUL, document)), document
    return is_object(quick)


def test_what_callers_hold_is_read_as_its_copy() -> None:
    """Reading without a copy gives the same as reading a copy, and refuses the same in the same words."""
    for document in _usual_documents():
        assert _is_read(document)
    rng = random.Random(5)
    usual = [native for native, _ in (*OWN.values(), *SERVERS.values())]
    for _ in range(effort(300)):
        natives = mutate(plain_copy(rng.sample(usual, 3)), rng)
        assert _is_read(natives) is _is_read({"model": "m", "messages": natives, "tools": []})


class _Role(enum.StrEnum):
    USER = "user"


class _Word(str):
    __slots__ = ()


class _Strange:
    """A key that is found by other names, and raises when it is compared."""

    def __hash__(self) -> int:
        return hash("content")

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def _call(**changes: Any) -> Any:
    function = {"name": "f", "arguments": "{}"} | changes
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


_CYCLE: list[Any] = []
_CYCLE.append(_CYCLE)
HOSTILE: dict[str, Any] = {
    "nothing": None,
    "a tuple of messages": ({"role": "user", "content": "x"},),
    "content that is a tuple": [{"role": "user", "content": ({"type": "text", "text": "a"},) * 2}],
    "a role of an enum": [{"role": _Role.USER, "content": "x"}],
    "a text of another class": [{"role": "user", "content": _Word("x")}],
    "an id of another class": [{"role": "tool", "tool_call_id": _Word("x"), "content": "x"}],
    "a key of another class": [{"role": "user", _Word("content"): "x"}],
    "a key that is no text": [{"role": "user", 1: "x"}],
    "a key that raises": [{"role": "user", _Strange(): "x"}],
    "a role that is a list": [{"role": [], "content": "x"}],
    "no role": [{"content": "x"}],
    "a message that is none": [{"role": "user", "content": "x"}, 3],
    "a surrogate in a text": [{"role": "user", "content": "x\ud800"}],
    "a surrogate in a part": [{"role": "user", "content": [{"type": "text", "text": "\ud800"}] * 2}],
    "a surrogate in a URL": [
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": "\ud800"}}, {"type": "text", "text": ""}],
        }
    ],
    "a surrogate in an id": [{"role": "tool", "tool_call_id": "\ud800", "content": "x"}],
    "a surrogate in a name": [_call(name="\ud800")],
    "a surrogate in arguments": [_call(arguments='{"\ud800": 1}')],
    "a surrogate in a tool's name": [{"role": "tool", "tool_call_id": "c", "content": "x", "name": "\ud800"}],
    "a number that is none": [{"role": "user", "content": "x", "y": float("nan")}],
    "bytes": [{"role": "user", "content": b"x"}],
    "a cycle": [{"role": "user", "content": _CYCLE}],
    "a cycle beside messages": {"messages": [], "x": _CYCLE},
    "a parameter that is no JSON": {"messages": [{"role": "user", "content": "x"}], "x": object()},
    "no messages": {"x": 1},
    **{f"{levels} levels": [{"role": "user", "content": "x", "y": _deep(levels)}] for levels in (251, 252, 253, 254)},
    **{f"{levels} in a body": {"messages": [{"role": "user", "y": _deep(levels)}]} for levels in (250, 251, 252, 253)},
    "odd arguments": [_call(arguments=text) for text in ("", " ", "{", "[1]", '{"a":1,"a":2}', "1e400", "null")],
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_objects_are_read_or_refused_as_their_copy(case: str) -> None:
    """For documents of any objects, the outcome is that of their checked copy."""
    _is_read(HOSTILE[case])


def _emptied(value: Any) -> None:
    """Empty all containers of a document."""
    if is_object(value):
        for item in value.values():
            _emptied(item)
        value.clear()
    elif is_list(value):
        for item in value:
            _emptied(item)
        value.clear()


def test_nothing_is_shared_with_what_callers_hold() -> None:
    """Changes to the caller's document, or to returned values, change no message; the document isn't changed either."""
    for document in _usual_documents():
        given = plain_copy(document)
        history = am.decode(given, QUICK)
        assert same_document(given, document)
        before = plain_copy(thaw(am.encode(am.decode(plain_copy(document), CAREFUL), "json")))
        _emptied(given)
        _emptied(am.encode(history, "anthropic", on_loss="ignore"))
        _emptied(am.encode(history, QUICK))
        assert same_document(thaw(am.encode(history, "json")), before)


# -- bare messages ----------------------------------------------------------------------------------------------------


def _told(owner: Any) -> set[str]:
    kind: Any = owner.__class__
    absent = absent_values(kind)
    names = (field.alias for field in attrs.fields(kind) if field.init)
    return {name for name in names if name not in absent or getattr(owner, name) != absent[name]}


def _bare_messages() -> list[am.Msg]:
    return [message for document in _usual_documents() for message in am.decode(document, QUICK) if how_bare(message)]


def _keeps_promise(block: Any) -> bool:
    if not _told(block) <= BARE_FIELDS[type(block)]:
        return False
    if isinstance(block, am.ToolUseBlock):
        return block._says_all == SIMPLY and block.significant_text is None and type(block.id) is str
    if isinstance(block, am.ImageBlock):
        return not block.source.extras and not block.source.notes
    return not isinstance(block, am.ToolResultBlock) or type(block.tool_call_id) is str


def test_bare_messages_are_what_they_say() -> None:
    """A bare message holds only what bare messages may hold, and most recorded messages are bare.

    If a result has its name, which is marked, the same holds without that note.
    """
    bare = _bare_messages()
    assert len(bare) * 2 > sum(len(am.decode(document, QUICK)) for document in _usual_documents())
    for message in bare:
        assert _told(message) <= BARE_FIELDS[am.Msg]
        assert message.content
        inner = [item for result in message.tool_results for item in result.content]
        if how_bare(message) == NAMED:
            (result,) = message.tool_results
            assert result.notes == {"openai": {"/named": True}}
            message = message.evolve(content=(result.evolve(notes={}),))  # noqa: PLW2901 - the same one
        assert all(map(_keeps_promise, (*message.content, *inner))), message
        texts = [block for block in (*message.content, *inner) if isinstance(block, am.TextBlock)]
        assert all(block.text for block in texts) or len(message.content) > 1
        is_said = len(message.content) == 1 and type(message.content[0]) is am.TextBlock
        assert is_said or how_bare(message) != SAID


def _through_json(message: am.Msg) -> am.Msg:
    return am.loads(am.dumps(message, "json"), "json")[0]


def _pickled(message: am.Msg) -> Any:
    return pickle.loads(pickle.dumps(message))


def _with_another_note(message: am.Msg) -> am.Msg:
    return message.evolve(notes={"openai": {"refusal": "absent"}})


COPIES: dict[str, Callable[[am.Msg], am.Msg]] = {
    "with a name": lambda message: message.evolve(name="n"),
    "with another note": _with_another_note,
    "pickled": _pickled,
    "copied": copy.deepcopy,
    "through JSON": _through_json,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_what_read_a_message_is_remembered_by_it_alone(copied: Callable[[am.Msg], am.Msg]) -> None:
    """A message with spellings remembers its reader, but no copy of it does, because a copy may differ."""
    native: dict[str, Any] = {"role": "assistant", "content": "hi", "refusal": None, "annotations": []}
    codec = am.get_codec("openai")
    (message,) = codec.read([native])
    assert reader_of(message) is codec.described[0].shapes["assistant_message"].origin
    assert reader_of(copied(message)) is None


def test_no_copy_with_other_fields_how_bare() -> None:
    """A changed copy of a bare message claims nothing."""
    message = am.decode([{"role": "user", "content": "x"}], QUICK)[0]
    assert how_bare(message)
    assert not how_bare(message.evolve(name="n"))
    assert not how_bare(am.Msg("user", message.content, id=None, created_at=None))


@pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)
def test_bare_messages_fit_as_others_do(codec: am.Codec) -> None:
    """A bare message fits wherever an equal message without the claim does, and is written the same."""
    caps = codec.caps
    carried = compile_caps(caps)
    for message in some(_bare_messages(), 200):
        like = message.evolve()
        assert not how_bare(like)
        assert carried((message,)) == carried((like,)), message
        fitted, other = fit(am.History((message,)), codec).history, fit(am.History((like,)), codec).history
        assert same_document(thaw(codec.write(fitted)), thaw(codec.write(other)))


# -- arguments --------------------------------------------------------------------------------------------------------


@given(VALUES, st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
def test_usual_arguments_are_the_careful_ones(value: Any, style: Any) -> None:
    """The short way parses the same as the careful way, and records that it is complete; the call is the same call."""
    text = json.dumps(value, **style)
    found = usual_arguments(text)
    valid, careful, exact = parse_arguments(text)
    assert valid
    assert exact
    if found is not UNUSUAL:
        assert am.same(found, careful)
        parsed = make_parsed_call("c", "f", found, text)
        given_ = am.ToolUseBlock("c", "f", raw_input=text)
        assert am.same(parsed, given_)
        assert parsed.is_valid
        assert am.same(parsed.input, given_.input)
        assert same_document(input_copy(parsed), thaw(input_object(given_)))


def test_a_parsed_input_is_frozen_when_it_is_handed_out() -> None:
    """The input of a call is read-only, whenever it was parsed, and a writer's copy is its own."""
    call = am.decode([_call(arguments='{"a": {"b": [1]}}')], QUICK)[0].tool_calls[0]
    copy = input_copy(call)
    value: Any = call.input
    with pytest.raises(TypeError):
        value["a"] = 1
    with pytest.raises(TypeError):
        value["a"]["b"].append(2)
    _emptied(copy)
    assert call.input == {"a": {"b": [1]}}
    assert same_document(input_copy(call), {"a": {"b": [1]}})


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_plain_twins_are_thawed_values(value: Any) -> None:
    """The quick copy of free-form JSON equals the careful one, down to types and the order of keys."""
    for frozen in (adopt(plain_copy(value)), am.FrozenDict(value)):
        twin = plain_twin(frozen)
        assert same_document(twin, thaw(frozen))
        assert list(twin) == list(value)
        assert is_mapping(twin)
        assert type(twin) is dict
