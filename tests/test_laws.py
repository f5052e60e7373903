"""The laws, for every registered codec and for made-up ones: no codec is exempt from this suite."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import attrs
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

import agentmsg as am
from agentmsg import AgentMsgError, History, Msg, codec_names, decode, get_codec
from agentmsg.model.base import Noted
from agentmsg.model.equality import compared
from agentmsg.testing import (
    canonical,
    carried_account,
    damages,
    edit,
    edits_win,
    exact_return,
    floor,
    histories,
    honest_account,
    messages,
    mutate,
    note_words,
    notes_never_matter,
    plant_notes,
    prefix_stable,
    pure,
    sendable,
    through_the_middle,
    typed_errors,
)
from data import effort, some
from support.documents import documents
from support.toys import TOYS, StrictToy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agentmsg.formats.codec import Codec

Words: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[Any, ...]]

REGISTERED = tuple(get_codec(name) for name in codec_names())
ALL = (*REGISTERED, *TOYS)
CANONICAL = tuple(codec for codec in REGISTERED if codec.caps.everything)
MUTANTS = effort(1_300)

# The number of damaged documents, beside all whole ones, from which a codec's notes are collected.
NOTED = effort(140)

# So many codecs in a row are tried with the same histories.
_SHARING = 5
_SEED = 0 if settings().derandomize else random.getrandbits(32)

each_codec = pytest.mark.parametrize("codec", ALL, ids=lambda codec: codec.name)
each_registered = pytest.mark.parametrize("codec", REGISTERED, ids=lambda codec: codec.name)


@cache
def _words(codec: Codec) -> Words:
    """Return the families, keys and marks of a codec's notes; for a made-up one, those of all."""
    if codec not in REGISTERED:
        found = [_words(other) for other in REGISTERED]
        families, keys, marks = (
            tuple({repr(word): word for words in part for word in words}.values()) for part in zip(*found, strict=True)
        )
        return (codec.family, *families), keys, marks
    known = documents(codec.name)
    damaged = [damage.document for damage in some(damages(known), 140)]
    rng = _rng(7)
    mutants = [mutate(rng.choice(known)[1], rng) for _ in range(NOTED)]
    histories = list(_read(codec, [*(document for _, document in known), *damaged, *mutants]))
    families, keys, marks = note_words(histories)
    return tuple(dict.fromkeys((codec.family, codec.name, *families, "x"))), (*keys, "=", ""), (True, *marks)


def _read(codec: Codec, found: Iterable[Any]) -> Iterator[History]:
    for document in found:
        with suppress(AgentMsgError):
            yield decode(document, codec)


def _rng(draw: Any) -> random.Random:
    return random.Random(draw)


@each_registered
def test_every_document_comes_back_exactly(codec: Codec) -> None:
    """Law 1: golden and recorded documents are returned exactly, and none of them is refused."""
    for name, document in documents(codec.name):
        assert exact_return(codec, document) is not None, f"{name} was refused"


@each_registered
def test_mutated_documents_come_back_exactly(codec: Codec) -> None:
    """Laws 1 and 8: a damaged document is returned exactly, or refused by the one typed error."""
    rng = _rng(1)
    sources = documents(codec.name)
    read = 0
    for _ in range(MUTANTS):
        document = mutate(rng.choice(sources)[1], rng)
        typed_errors(codec, None, document)
        read += exact_return(codec, document) is not None
    assert read > MUTANTS // 20, f"only {read} of {MUTANTS} were read: the mutations say nothing"


@pytest.mark.parametrize("codec", CANONICAL, ids=lambda codec: codec.name)
@given(histories())
def test_canonical_forms_lose_nothing(codec: Codec, history: History) -> None:
    """Law 2: a canonical codec returns every history."""
    canonical(codec, history)


def test_the_canonical_codecs_are_the_two_of_ours() -> None:
    """Law 2 runs for json and msgpack, so that it can't pass without any codec."""
    assert [codec.name for codec in CANONICAL] == ["json", "msgpack"]


def _examples(pool: int, check: Callable[[History, Msg, int], None]) -> None:
    """Check the examples of a pool, always the same ones in one run of the tests."""

    @seed(_SEED + pool)
    @settings(max_examples=effort(150))
    @given(histories(), messages(), st.integers(0, 2**32))
    def run(history: History, message: Msg, number: int) -> None:
        check(history, message, number)

    run()


@cache
def _drawn(pool: int) -> list[tuple[History, Msg, int]]:
    found: list[tuple[History, Msg, int]] = []
    _examples(pool, lambda history, message, number: found.append((history, message, number)))
    return found


def _is_told_whole(codec: Codec, history: History, message: Msg, number: int) -> None:
    honest_account(codec, history, rng=_rng(number))
    floor(codec, history)
    carried_account(codec, history)
    notes_never_matter(codec, plant_notes(history, _rng(number), *_words(codec)))
    if not isinstance(codec, StrictToy):
        prefix_stable(codec, history, message)
    if codec.rules:
        sendable(codec, history, rng=_rng(number))


@each_codec
def test_any_history_is_told_whole(codec: Codec) -> None:
    """Laws 3, 5 and 7, and sendable. Several codecs share histories: making one takes longer than checking it.

    - 3 a-c: written documents read back, and with their loss reports, on file and shuffled, rebuild the input.
    - 3d, the floor: fit doesn't change a history made only of what the table names.
    - 3e: with carry, the losses carried in metadata and the rest of the report rebuild the input.
    - 5: whatever notes are planted, the written document reads back as what was fit.
    - 7: an added message changes no native message but the last (unless a format lifts systems).
    - Sendable: repair mends all that can be mended, reports it all, and changes nothing else.
    """
    pool = ALL.index(codec) // _SHARING
    try:
        for example in _drawn(pool):
            _is_told_whole(codec, *example)
    except Exception:
        # Hypothesis draws the same histories again, and looks for the smallest that fails.
        _examples(pool, partial(_is_told_whole, codec))
        raise


_LATE = {"langchain": {"content": None}, "anthropic": {"content": None}}
_TWO_FAMILIES = History([
    Msg("system", id="made_2"),
    Msg("system", [am.TextBlock("hi", extras=_LATE), am.CompactionBlock(extras=_LATE)], id="c1", extras=_LATE),
])  # fmt: skip


@each_codec
def test_extras_of_several_families_are_told_whole(codec: Codec) -> None:
    """Laws 3, 5 and 7 for extras whose families don't stand as a reader orders them."""
    _is_told_whole(codec, _TWO_FAMILIES, Msg("user", "x", id="m", extras=_LATE), 1)


def _turned(owner: Any) -> Any:
    """Return an object with the families of all extras the other way round."""
    if isinstance(owner, tuple):
        return tuple(map(_turned, cast("tuple[object, ...]", owner)))
    if not isinstance(owner, Noted):
        return owner
    cls: Any = type(owner)
    fields = {name: get(owner) for name, get in compared(cls)}
    held = {name: _turned(value) for name, value in fields.items() if isinstance(value, (tuple, Noted))}
    return owner.evolve(**held, extras=dict([*owner.extras.items()][::-1]))


@given(histories())
def test_the_order_of_families_says_nothing(history: History) -> None:
    """Extras are the same in any order of their families: compared, digested and stored."""
    other = _turned(history)
    assert am.same(history, other)
    assert history.digest(exact=True) == other.digest(exact=True)
    for codec in CANONICAL:
        assert am.dumps(history, codec) == am.dumps(other, codec)


@each_registered
def test_messages_without_text_stay_where_histories_grow(codec: Codec) -> None:
    """Law 7, if the format supports nothing in the earlier messages."""
    roles: tuple[Any, ...] = ("system", "developer", "user", "assistant")
    contents: tuple[tuple[am.Block, ...], ...] = ((), (am.ThinkingBlock("", redacted="x"),))
    for role, content, times, behind in product(roles, contents, (1, 2), roles):
        prefix_stable(codec, History([Msg(role=role, content=content)] * times), Msg(role=behind, content="x", id="m"))


def _with_empty_words() -> Iterator[History]:
    """Yield histories in which each optional word is present, and empty."""
    words: dict[str, Any] = {"item_id": "", "phase": ""}
    blocks = (
        am.TextBlock("x", **words),
        am.ThinkingBlock("hm", **words),
        am.RefusalBlock("no", **words),
        am.ImageBlock(am.URLSource("https://x.org/y.png", ""), detail="", **words),
        am.AudioBlock(am.Base64Source("aGk=", ""), transcript="", **words),
        am.FileBlock(am.TextSource("t", "text/plain"), name="", title="", context="", **words),
        am.FileBlock(am.FileSource("f", "")),
        am.ToolUseBlock("c", "f", {}, provider="", status="", **words),
    )
    for block in blocks:
        inside = am.FileBlock(am.BlocksSource([block]))
        for content in (block, inside, am.ToolResultBlock("c", [block], name="", error_type="", kind="server")):
            yield History([Msg("assistant", [content])])
            yield History([Msg("user", [content], name="", recipient="", model="", finish_reason="")])
        yield History([Msg("tool", [am.ToolResultBlock("c", [block, inside], name="", error_type="", provider="")])])


@each_codec
def test_an_empty_word_is_a_word(codec: Codec) -> None:
    """Law 3 for values that a truth test would skip: an empty name or id comes back, or is reported as lost."""
    for history in _with_empty_words():
        honest_account(codec, history, rng=_rng(0))


@each_registered
@pytest.mark.parametrize("middle", CANONICAL, ids=lambda codec: codec.name)
def test_documents_pass_through_the_middle(codec: Codec, middle: Codec) -> None:
    """Law 4: a document that went through a canonical form is still returned exactly."""
    rng = _rng(2)
    sources = documents(codec.name)
    for _, document in sources:
        through_the_middle(codec, document, middle)
    for _ in range(effort(150)):
        through_the_middle(codec, mutate(rng.choice(sources)[1], rng), middle)


@each_registered
def test_real_notes_planted_elsewhere_never_change_meaning(codec: Codec) -> None:
    """Law 5, with notes of real documents on the wrong objects."""
    rng = _rng(3)
    sources = documents(codec.name)
    for _ in range(effort(300)):
        history = codec.read(rng.choice(sources)[1])
        notes_never_matter(codec, plant_notes(history, rng, *_words(codec)))


@each_registered
def test_edits_win(codec: Codec) -> None:
    """Law 6: after any edit of a read history, the new values are written."""
    rng = _rng(4)
    sources = documents(codec.name)
    for _ in range(effort(600)):
        document = rng.choice(sources)[1]
        if rng.random() < 0.5:  # damaged ones as often
            document = mutate(document, rng)
        edits_win(codec, document, lambda history: edit(history, rng))


@each_registered
def test_codecs_are_pure(codec: Codec) -> None:
    """Law 7: documents stay unchanged, and two readings or writings are identical."""
    rng = _rng(5)
    sources = documents(codec.name)
    for _, document in sources:
        pure(codec, document)
    for _ in range(effort(150)):
        pure(codec, mutate(rng.choice(sources)[1], rng))


@pytest.mark.parametrize(
    ("codec", "document"),
    [
        ("bedrock", {"content": [{"citationsContent": {"content": [{"text": "a"}], "citations": []}}]}),
        ("vercel-ui", {"parts": [{"type": "step-start"}, {"type": "step-start"}]}),
        ("vercel-ui", {"content": "a", "toolInvocations": [], "parts": [{"type": "text", "text": "a"}]}),
    ],
    ids=["no citations", "two borders of steps", "no calls"],
)
def test_what_is_written_belongs_to_the_caller(codec: am.CodecName, document: dict[str, Any]) -> None:
    """Law 7: whoever changes a part of a written document changes no other part, and no other document."""
    pure(am.get_codec(codec), [{"role": "assistant", **document}])


@each_registered
@given(
    raw=st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
def test_any_bytes_give_a_history_or_one_error(codec: Codec, raw: bytes) -> None:
    """Law 8: any bytes are read or refused with an AgentMsgError that has codec and code."""
    typed_errors(codec, raw)


@each_registered
def test_damaged_bytes_give_a_history_or_one_error(codec: Codec) -> None:
    """Law 8: bytes of real documents, cut or with bytes changed, are read or refused with the one typed error."""
    rng = _rng(6)
    sources = [codec.render(document) for _, document in documents(codec.name)]
    for _ in range(effort(1_000)):
        raw = bytearray(rng.choice(sources)[:4000])
        for _ in range(rng.randint(1, 4)):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        typed_errors(codec, bytes(raw[: rng.randint(0, len(raw))] if rng.random() < 0.5 else raw))


@each_registered
@pytest.mark.parametrize(
    "odd",
    [
        *(None, 3, 1.5, True, "text", b"bytes", [], {}),
        *({1: 2}, {"role": float("nan")}, ["\ud800"], [object()], {"messages": {1, 2}}),
    ],
    ids=lambda odd: repr(odd).split(" at 0x")[0],  # the same in every worker
)
def test_any_object_gives_a_history_or_one_error(codec: Codec, odd: Any) -> None:
    """Law 8: any Python object is read or refused with the one typed error."""
    typed_errors(codec, None, odd)


@each_registered
def test_cycles_and_depth_give_one_error(codec: Codec) -> None:
    """Law 8: a cycle, and nesting of any depth, are refused with the one typed error."""
    cycle: dict[str, Any] = {}
    cycle["role"] = cycle
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for odd in (cycle, {"messages": cycle}, deep):
        assert not typed_errors(codec, None, odd)


def test_options_are_fields_of_codecs() -> None:
    """A codec is a frozen attrs object: its options are its fields, and it can't be changed."""
    for codec in REGISTERED:
        assert attrs.has(type(codec))
        with pytest.raises(AttributeError):
            codec.name = "other"  # type: ignore[misc]
