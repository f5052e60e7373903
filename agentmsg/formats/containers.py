"""Containers: how a document holds its messages.

In many formats, a document is a list of messages, one message, or an object that holds the list under a key. The
history notes which it was under ``/container``: "list", "single", or that key. Other keys of the object are the
family's extras of the history.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

import attrs

from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.formats.capabilities import carried_extras
from agentmsg.formats.codec import Codec
from agentmsg.formats.records import Record
from agentmsg.formats.shapes import Native, mark_of
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.types import is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from dataclasses import KW_ONLY

    from agentmsg.formats.capabilities import Cell
    from agentmsg.model.msg import Msg

Container = Literal["list", "object", "single"]
_T = TypeVar("_T")
_make_history = maker(History)
# The score of a list of nothing but roles and texts, for a format that few use.
_BARE = 0.3


class Contents(NamedTuple):
    """A document taken apart.

    Attributes:
        place: where its messages are: "list", "single", or the key.
        natives: the native messages.
        rest: the other keys of the object.
    """

    place: str
    natives: list[Any]
    rest: Native

    def path(self, index: int) -> tuple[str | int, ...]:
        """Return the path of a message in the document."""
        return {"list": (index,), "single": ()}.get(self.place, (self.place, index))

    def each(self, read: Callable[[Any], _T]) -> list[_T]:
        """Return what a reader returns for each native message, in order.

        Raises:
            AgentMsgError: from the reader, with the path of the message.
        """
        found: list[_T] = []
        try:
            for native in self.natives:
                found.append(read(native))  # noqa: PERF401 - how many there are is the path
        except AgentMsgError as error:
            raise error.at(*self.path(len(found))) from None
        return found


class Containers(Record):
    """How the documents of a format hold messages.

    Attributes:
        family: whose notes and extras are used.
        title: of the format, for errors.
        keys: an object holds the list under the first of these keys that has one; new objects use the first key.
        own: keys of messages: an object with one of them is a message, whatever else it has.
    """

    _: KW_ONLY
    family: str
    title: str
    keys: tuple[str, ...] = ("messages",)
    own: frozenset[str] = frozenset()

    @cached_property
    def _notes(self) -> Mapping[str, Any]:
        """By place, the notes of a history."""
        return {place: adopt({self.family: {"/container": place}}) for place in ("list", "single", *self.keys)}

    def place(self, document: Any) -> str | None:
        """Return where a document has its messages, as in ``Contents.place``; None if it has none."""
        if is_sequence(document):
            return "list"
        if not is_mapping(document):
            return None
        if not self.own.isdisjoint(document):
            return "single"
        return next((key for key in self.keys if is_sequence(document.get(key))), "single")

    def contents(self, document: Any) -> Contents:
        """Take a document apart.

        Raises:
            DecodeError: if it is neither a list nor an object.
        """
        place = self.place(document)
        if place is None:
            raise DecodeError(
                f"a document of {self.title} must be an object or a list of messages, not {excerpt(document)}"
            )
        if place == "list":
            return Contents(place, document, {})
        if place == "single":
            return Contents(place, [document], {})
        return Contents(place, document[place], {key: value for key, value in document.items() if key != place})

    def history(self, contents: Contents, messages: Iterable[Msg], **marks: Any) -> History:
        """Return the history of a document.

        Args:
            contents: the document.
            messages: the messages that were read.
            marks: other notes about the document; names and values as in ``marked``.

        Raises:
            DecodeError: if the document is an object with no key of messages, which isn't understood as one either.
        """
        rest, messages = contents.rest, tuple(messages)
        if contents.place == "single" and self._is_other(messages, contents.natives[0]):
            raise DecodeError(
                f"this object holds no message of {self.title}: it has none of {', '.join(sorted(self.own))}"
            )
        notes = self._notes[contents.place]
        if marks:
            note = {"/container": contents.place, **{f"/{key}": value for key, value in marks.items()}}
            notes = adopt({self.family: note})
        return _make_history(messages, extras=adopt({self.family: rest}) if rest else EMPTY, notes=notes)

    def _is_other(self, messages: tuple[Msg, ...], native: Any) -> bool:
        """Whether an object is a foreign one, kept whole; only in a list would it stand among messages."""
        return messages[0].role == "native" and bool(self.own) and self.own.isdisjoint(native)

    def alone(self, history: History) -> History:
        """Return a new history, noted as a single message."""
        return history.evolve(notes=self._notes["single"])

    def document(self, history: History, natives: list[Any], container: str | None) -> Any:
        """Return the document of native messages, in the noted container, or else in the wanted one.

        Args:
            history: a history that fits.
            natives: its messages, written.
            container: for histories without a note; None means a list.
        """
        rest: Any = history.extras.get(self.family) if history.extras else None
        noted = self._noted(history)
        place = noted or container or "list"
        if rest or place not in ("list", "single"):
            return {noted if noted in self.keys else self.keys[0]: natives, **thaw(rest or {})}
        # A message that looks like a container would be read as one.
        if place == "single" and len(natives) == 1 and self.place(natives[0]) == "single":
            return natives if self._is_other(history.messages, natives[0]) else natives[0]
        return natives

    def _noted(self, history: History) -> str | None:
        noted = mark_of(history, self.family, "/container") if history.notes else None
        return noted if isinstance(noted, str) and noted in self._notes else None

    def cells(self) -> Mapping[str, Cell]:
        """Return the cells of histories in a capability table: keys beside the messages are supported."""

        def taken(history: History) -> frozenset[str]:
            noted = self._noted(history)
            # A list under a key before the one that holds the messages would be taken for them.
            before = self.keys.index(noted) if noted in self.keys else 0
            own: Any = history.extras.get(self.family, {})
            return self.own.union([self.keys[before]], (key for key in self.keys[:before] if is_sequence(own.get(key))))

        return {"extras": carried_extras((self.family, taken))}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ContainerCodec(Codec):
    """Base of codecs whose documents hold messages in containers.

    Attributes:
        containers: how they do.
        container: how to write a history that wasn't read from this format: as a "list" of messages, as an "object"
            that holds the list, or as a "single" message if there is one and nothing else. None means "single" for a
            message that is encoded by itself, and "list" for the rest.
    """

    containers: ClassVar[Containers]

    container: Container | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, *get_args(Container)))
    )

    def alone(self, history: History) -> History:
        """Return the history of a message that is encoded by itself, noted as single unless the option decides."""
        return history if self.container else self.containers.alone(history)

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order; none if it has another format."""
        return [] if self.containers.place(document) is None else self.containers.contents(document).natives

    def first_natives(self, document: Any) -> list[Any]:
        """Return the native messages of a sample that show its format; an event has none."""
        if is_mapping(document) and "type" in document and self.containers.place(document) != "single":
            return []
        return self.native_messages(document)

    def likeliest(self, document: Any, sniff: Callable[[Any], float]) -> float:
        """Return the highest score among a sample's messages; 0 if one of them can't have the format.

        Args:
            document: the sample.
            sniff: returns the score of a native message.
        """
        natives = self.first_natives(document)
        scores = list(map(sniff, natives))
        if not scores or min(scores) <= 0:
            return 0.0
        is_everybodys = self.containers.place(document) != "single" and all(map(_is_bare, natives))
        return min(max(scores), _BARE) if is_everybodys else max(scores)


def _is_bare(native: Native) -> bool:
    """Whether a message has only role and text, in words that all such formats share."""
    return native.keys() == {"role", "content"} and native["role"] in ("system", "user", "assistant")
