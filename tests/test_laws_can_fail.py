"""Every law fails for a codec that is broken on purpose: a law that can't fail proves nothing."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar, cast

import attrs
import pytest

from agentmsg import DecodeError, History, Loss, Losses, Msg, TextBlock, get_codec
from agentmsg.fitting.account import account
from agentmsg.formats.capabilities import KEEP, Caps, Cell, MessageRow, Row, Swap
from agentmsg.formats.codec import Codec
from agentmsg.formats.spelling import note_of, with_note
from agentmsg.testing import (
    canonical,
    edits_win,
    exact_return,
    floor,
    honest_account,
    notes_never_matter,
    prefix_stable,
    pure,
    through_the_middle,
    typed_errors,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmsg.fitting.fitted import Fitted

_CAPS = Caps(messages={"*": MessageRow(fields={"name": KEEP, "id": KEEP}, blocks={TextBlock: Row({"text": KEEP})})})
JSON = get_codec("json")


@attrs.frozen(kw_only=True)
class Chat(Codec):
    """A small sound format: [{"who", "says": [text ...], "name", "id"}]; the broken ones derive from it."""

    name: ClassVar[str] = "chat-toy"
    family: ClassVar[str] = "chat-toy"
    title: ClassVar[str] = "A made-up chat"

    @property
    def caps(self) -> Caps:
        return _CAPS

    def read_message(self, native: dict[str, Any]) -> Msg:
        if not {"who", "says"} <= native.keys() <= {"who", "says", "name", "id"}:
            msg = "not a message of this chat"
            raise DecodeError(msg)
        if not isinstance(native["who"], str) or not isinstance(native["says"], list):
            msg = "not a message of this chat"
            raise DecodeError(msg, code="type")
        content = [TextBlock(text) for text in cast("list[str]", native["says"])]
        named: dict[str, Any] = {key: native.get(key) for key in ("id", "name")}
        if any(key in native and native[key] is None for key in named):
            msg = "no nulls in this chat"
            raise DecodeError(msg)
        return Msg(cast("Any", native["who"]), content, created_at=None, **named)

    def write_message(self, message: Msg) -> dict[str, Any]:
        texts = [block.text for block in message.content if isinstance(block, TextBlock)]
        named = {key: value for key in ("name", "id") if (value := getattr(message, key)) is not None}
        return {"who": message.role, "says": texts, **named}

    def read(self, document: Any) -> History:
        natives: list[Any] = cast("list[object]", document) if isinstance(document, list) else [None]
        if not all(isinstance(native, dict) for native in natives):
            msg = "a list of messages is needed"
            raise DecodeError(msg)
        return History(map(self.read_message, natives))

    def write(self, history: History) -> Any:
        return list(map(self.write_message, history))

    def sniff(self, document: Any) -> float:
        return 0.0


DOCUMENT = [{"who": "user", "says": ["hi"], "name": "Ann"}, {"who": "assistant", "says": ["ho"], "id": "a1"}]
HISTORY = History(
    [
        Msg("user", "hi", id="u1", created_at=None, name="Ann", model="m"),
        Msg("assistant", "ho", id="a1", created_at=None),
    ]
)


class Stasher(Chat):
    """Keeps the whole document in a note, and writes that."""

    def read(self, document: Any) -> History:
        return with_note(super().read(document), self.family, {"all": document})

    def write(self, history: History) -> Any:
        return note_of(history, self.family).get("all") or super().write(history)


class Dropper(Chat):
    """Claims to support names, and drops them."""

    def write_message(self, message: Msg) -> dict[str, Any]:
        return {key: value for key, value in super().write_message(message).items() if key != "name"}


class Resurrector(Chat):
    """Notes the text of each message, and writes the noted one."""

    def read_message(self, native: dict[str, Any]) -> Msg:
        return with_note(super().read_message(native), self.family, {"says": native["says"]})

    def write_message(self, message: Msg) -> dict[str, Any]:
        noted = note_of(message, self.family)
        return {**super().write_message(message), **({"says": noted["says"]} if "says" in noted else {})}


class Forgetter(Chat):
    """Ignores the id when reading."""

    def read_message(self, native: dict[str, Any]) -> Msg:
        return super().read_message(native).evolve(id=None)


class Greedy(Chat):
    """Its rule makes every text block anew, without need."""

    @property
    def caps(self) -> Caps:
        return _GREEDY


_GREEDY = Caps(
    messages={
        "*": MessageRow(
            fields={"name": KEEP, "id": KEEP},
            blocks={TextBlock: Row({"text": KEEP}, lambda block: Swap(TextBlock(block.text), "made anew"))},
        )
    }
)


class Restless(Chat):
    """Makes another id in each reading."""

    counter: ClassVar[Any] = itertools.count()

    def read_message(self, native: dict[str, Any]) -> Msg:
        return super().read_message(native).evolve(name=f"reader {next(self.counter)}")


class Counter(Chat):
    """Writes the number of all messages into each."""

    def write(self, history: History) -> Any:
        return [{**native, "name": f"one of {len(history)}"} for native in super().write(history)]


class Crasher(Chat):
    """Trusts its documents."""

    def read(self, document: Any) -> History:
        return History([self.read_message(native) for native in document["messages"]])


class Lossy(Chat):
    """Claims to be canonical."""

    @property
    def caps(self) -> Caps:
        return Caps(everything=True)


class Amnesiac(Chat):
    """Remembers spellings in the codec instead of on the objects, so that another format loses them."""

    seen: ClassVar[dict[int, Any]] = {}

    def read(self, document: Any) -> History:
        history = super().read(document)
        self.seen[id(history)] = (history, document)
        return history.evolve(metadata={})

    def read_message(self, native: dict[str, Any]) -> Msg:
        message = super().read_message({**native, "who": native["who"].strip()})
        self.seen[id(message)] = (message, native["who"])
        return message

    def write_message(self, message: Msg) -> dict[str, Any]:
        native = super().write_message(message)
        return {**native, "who": self.seen[id(message)][1]} if id(message) in self.seen else native


def _one_for_all(fitted: Fitted) -> Losses:
    loss = Loss(("messages",), "changed", fitted.codec, "content", fitted.source.messages, fitted.history.messages)
    return Losses([loss], codec=fitted.codec)


def _false_alarm(fitted: Fitted) -> Losses:
    alarm = Loss(("messages", 1, "name"), "dropped", fitted.codec, "annotation", None, None)
    return Losses([*account(fitted), alarm], codec=fitted.codec)


def _silent(fitted: Fitted) -> Losses:
    return Losses(list(account(fitted))[1:], codec=fitted.codec)


BROKEN: list[tuple[str, Callable[[], object]]] = [
    ("law 1, unknown fields forgotten", lambda: exact_return(Forgetter(), DOCUMENT)),
    ("law 2, a canonical codec that drops the model", lambda: canonical(Lossy(), HISTORY)),
    ("law 3a, a field dropped in silence", lambda: honest_account(Dropper(), HISTORY)),
    (
        "law 3b, a rule that changes without need",
        lambda: honest_account(Greedy(), HISTORY.evolve(messages=HISTORY.messages[1:])),
    ),
    ("law 3c, a false loss", lambda: honest_account(Chat(), HISTORY, accountant=_false_alarm)),
    ("law 3c, a loss not reported", lambda: honest_account(Chat(), HISTORY, accountant=_silent)),
    ("law 3c, a single loss for everything", lambda: honest_account(Chat(), HISTORY, accountant=_one_for_all)),
    ("law 3d, less carried than the table says", lambda: floor(_NarrowFloor(), HISTORY)),
    (
        "law 4, spellings kept in the codec",
        lambda: through_the_middle(Amnesiac(), [{"who": " user", "says": []}], JSON),
    ),
    ("law 5, a stashed document", lambda: notes_never_matter(Stasher(), _stashed())),
    ("law 5, a stashed text", lambda: notes_never_matter(Resurrector(), _stashed())),
    ("law 6, a stashed document", lambda: edits_win(Stasher(), DOCUMENT, _reworded)),
    ("law 6, old text after an edit", lambda: edits_win(Resurrector(), DOCUMENT, _reworded)),
    ("law 7, another id each time", lambda: pure(Restless(), DOCUMENT)),
    ("law 7, a list of its own handed out", lambda: pure(Lender(), [{"who": "user", "says": []}])),
    ("law 7, native messages that change later", lambda: prefix_stable(Counter(), HISTORY, Msg.user("more"))),
    ("law 8, a bare KeyError", lambda: typed_errors(Crasher(), None, {"message": []})),
    ("law 8, a bare TypeError", lambda: typed_errors(Crasher(), None, [])),
]


def _nothing(_: object) -> None:
    return None


@attrs.frozen(kw_only=True)
class Lender(Chat):
    """It writes one list for all messages without text."""

    writes_plain: ClassVar[bool] = True
    nothing: ClassVar[list[Any]] = []

    def write_message(self, message: Msg) -> dict[str, Any]:
        native = super().write_message(message)
        return {**native, "says": native["says"] or self.nothing}


class _NarrowFloor(Chat):
    """Its rule for names contradicts itself: it first accepts a name, and then drops it."""

    minds: ClassVar[Iterator[Any]] = itertools.chain([str, str], itertools.repeat(_nothing))

    @property
    def caps(self) -> Caps:
        fields: dict[str, Cell] = {"name": lambda name, _: next(self.minds)(name), "id": KEEP}
        return Caps(messages={"*": MessageRow(fields=fields, blocks={TextBlock: Row({"text": KEEP})})})


def _reworded(history: History) -> History:
    return history.evolve(messages=[message.evolve(content="other words") for message in history])


def _stashed() -> History:
    note = {"chat-toy": {"all": DOCUMENT, "says": ["never said"]}}
    return HISTORY.evolve(
        notes=note, messages=[message.evolve(notes=note, model=None, name="Bob") for message in HISTORY]
    )


@pytest.mark.parametrize("attempt", [attempt for _, attempt in BROKEN], ids=[law for law, _ in BROKEN])
def test_a_broken_codec_breaks_its_law(attempt: Callable[[], object]) -> None:
    """The law about it detects a codec broken in one way."""
    with pytest.raises((AssertionError, KeyError, TypeError, AttributeError)):
        attempt()


def test_the_sound_codec_keeps_every_law() -> None:
    """The base of the broken codecs keeps all laws, so the breakage itself is detected."""
    chat = Chat()
    assert exact_return(chat, DOCUMENT) is not None
    honest_account(chat, HISTORY)
    floor(chat, HISTORY)
    through_the_middle(chat, DOCUMENT, JSON)
    notes_never_matter(chat, _stashed())
    edits_win(chat, DOCUMENT, _reworded)
    pure(chat, DOCUMENT)
    prefix_stable(chat, HISTORY, Msg.user("more"))
    assert not typed_errors(chat, None, {"message": []})
