"""Codec: a reader and a writer; and, if it has one, a table of what the format supports.

A codec handles plain data. It opens nothing, imports nothing that data names, and uses only public names of agentmsg.
So your codec can do all that ours do: derive a frozen attrs class from ``Codec``, whose fields are its options, and
name an instance of it in the entry-point group ``agentmsg.codecs``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import attrs

from agentmsg.errors import CodecLookupError
from agentmsg.formats.capabilities import MEASURED, Caps
from agentmsg.formats.foreign import guard
from agentmsg.formats.shapes import Unreadable
from agentmsg.lazy import imported
from agentmsg.model.equality import same
from agentmsg.values.frozen import EMPTY, thaw
from agentmsg.values.text import Duplicates, dump_json, parse_json

if TYPE_CHECKING:
    from agentmsg.formats.envelopes import Envelope  # noqa: TC004 - attrs doesn't look at class variables
    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.sending import SendingRule  # noqa: TC004 - attrs doesn't look at class variables
    from agentmsg.formats.understanding import Understanding
    from agentmsg.limits import Limits
    from agentmsg.model.blocks import Block
    from agentmsg.model.history import History
    from agentmsg.stream.chunk import MsgChunk


# In any format these words mean something that a model reads, or may do.
CONTENT_KEYS = frozenset(
    {
        "arguments", "audio", "blocks", "choices", "content", "content_blocks", "documents", "error", "files",
        "function_call", "functions", "image", "images", "input", "instructions", "invalid_tool_calls", "message",
        "messages", "output", "partial_json", "parts", "prompt", "reasoning", "reasoning_content", "refusal",
        "system", "text", "thinking", "tool_call_chunks", "tool_calls", "tools", "transcript", "video",
    }
)  # fmt: skip


_GUARDED: set[type[Any]] = set()


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False)
class Codec:
    """Base of all codecs; the fields of a subclass are its options.

    Ours are made with ``eq=False, repr=False``: what attrs would generate for each takes longer than reading a document
    for the first time. A class without fields of its own needs no attrs.

    Attributes:
        name: lower case, with dashes.
        family: codecs of one family share extras and native blocks; by default the name.
        title: for people, such as "LangChain (messages_to_dict)"; by default the name.
        holds_messages: whether documents hold native messages that can stand alone, as in a list; responses don't.
        own_form: a method of the framework's objects that returns their document form, if a model's dump differs. It is
            called on objects that callers pass in; nothing is imported.
        binary: whether documents are bytes rather than JSON.
        writes_plain: whether ``write`` returns plain data that nobody else holds (exact dict, list, str ...); else the
            result is copied before it is returned.
        has_dialects: whether other formats are nearly the same, so that an unknown key suggests one of these.
        fits_as_read: whether all that it reads with its default options fits its table, as law 1 says. Messages then
            remember their codec, and ``fit`` doesn't test them again. Set it only if ``check_codec`` passes.
        kept: keys and block types that the format has and the model lacks: as extras and native blocks they count as
            understood.
        bounds_values: whether reading refuses free-form values deeper than the default limit; else documents of more
            than ``agentmsg.limits.USUAL`` levels are read twice, to prove that they come back.
        caps_in: the module whose ``make_caps`` returns a codec's capability table; readers don't load it.
        rules: what the provider refuses, for ``agentmsg.check``; see ``agentmsg.formats.sending``.
        joins_turns: whether the provider treats adjacent assistant messages as one turn, and system messages
            separately.
        envelope: how the format keeps the answers of providers, if it is a framework's; ``fit`` sees what is inside it,
            and ``read`` and ``write`` must unwrap and wrap.
        repairs_with: options that ``repair=True`` writes with, unless others are given: those that save most.
        decides: options by which a caller decides what becomes of a kind of content, with the word for it (see
            ``agentmsg.fitting.allowing``): set to anything but their default, they allow its loss.
        content_keys: keys of native objects that hold content: losing them from extras loses content. The codec with
            the family's name decides for the family.
        tool_keys: parameters of a request that give the model a tool by being there, as ``{}`` does; likewise.
        events: the module of the family whose ``EVENTS`` tells what its streams are; see ``agentmsg.formats.events``.
        is_rows: whether documents are rows of training data: in a Parquet file, their keys are its columns.
        pairs: the name of the codec whose ``pair`` makes pairs that this format holds; empty if it holds none.
        tables: the tables of an SQLite database in which the framework keeps documents; see ``keys_in`` and ``stored``.
    """

    name: ClassVar[str]
    family: ClassVar[str]
    title: ClassVar[str]
    holds_messages: ClassVar[bool] = True
    own_form: ClassVar[str | None] = None
    binary: ClassVar[bool] = False
    writes_plain: ClassVar[bool] = False
    has_dialects: ClassVar[bool] = False
    fits_as_read: ClassVar[bool] = False
    kept: ClassVar[frozenset[str]] = frozenset()
    bounds_values: ClassVar[bool] = False
    content_keys: ClassVar[frozenset[str]] = CONTENT_KEYS
    tool_keys: ClassVar[frozenset[str]] = frozenset()
    caps_in: ClassVar[str | None] = None
    rules: ClassVar[tuple[SendingRule, ...]] = ()
    joins_turns: ClassVar[bool] = False
    repairs_with: ClassVar[Mapping[str, Any]] = EMPTY
    decides: ClassVar[Mapping[str, str]] = MappingProxyType({"thinking": "thinking"})
    envelope: ClassVar[Envelope | None] = None
    events: ClassVar[str | None] = None
    is_rows: ClassVar[bool] = False
    pairs: ClassVar[str] = ""
    tables: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **options: Any) -> None:
        """Give a class that has only a name a family and a title."""
        super().__init_subclass__(**options)
        for word in ("family", "title"):
            if hasattr(cls, "name") and not hasattr(cls, word):
                setattr(cls, word, cls.name)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Make a codec; the class of another package is guarded first."""
        if cls not in _GUARDED:
            guard(cls)
            _GUARDED.add(cls)
        return super().__new__(cls)

    def make_caps(self) -> Caps:
        """Return what the format supports, with rules for the rest.

        By default that is what ``caps_in`` returns. Without it there is no such table: ``write`` takes any History, and
        what is lost is what doesn't come back when its document is read. That takes longer, but needs no other code.
        """
        return MEASURED if self.caps_in is None else cast("Caps", imported(self.caps_in).make_caps(self))

    def covers(self, history: History) -> bool:
        """Whether a codec without a table surely keeps all of a history, so that it need not be read back.

        A shortcut, which should be cheap; by default it says no.
        """
        return False

    @cached_property
    def _made_caps(self) -> Caps:
        return self.make_caps()

    @property
    def caps(self) -> Caps:
        """The capability table, made by ``make_caps`` on first use."""
        return self._made_caps

    @cached_property
    def is_remembered(self) -> bool:
        """Whether messages remember that this codec read them: options such as a version may change what fits."""
        options = (field for field in attrs.fields(type(self)) if field.init)
        return self.fits_as_read and all(getattr(self, field.name) == field.default for field in options)

    @cached_property
    def decided(self) -> frozenset[str]:
        """The words for the kinds of content of which the options decide."""
        given = (field for field in attrs.fields(type(self)) if field.init and field.name in self.decides)
        return frozenset(self.decides[field.name] for field in given if getattr(self, field.name) != field.default)

    @property
    def described(self) -> tuple[Described, ...]:
        """The descriptions in forms that the codec uses, that of messages first; a codec may have none."""
        return ()

    @property
    def mapped(self) -> tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]:
        """For the tables for people: native objects that no form describes, as name, class, and keys with words."""
        return ()

    def __eq__(self, other: object) -> bool:
        """Whether another codec is of the same class and has equal options."""
        if other.__class__ is not self.__class__:
            return NotImplemented
        compared = (field.name for field in attrs.fields(type(self)) if field.eq)
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    def __hash__(self) -> int:
        """Return the same for all codecs of a class: most processes have few of them."""
        return hash(type(self))

    def __repr__(self) -> str:
        """Show the class and the options."""
        shown = (field.name for field in attrs.fields(type(self)) if field.repr)
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __copy__(self) -> Codec:
        """Return the codec itself: it never changes, and hooks may be registered on it."""
        return self

    def __deepcopy__(self, memo: object) -> Codec:
        """Return the codec itself, as ``__copy__``."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the class and the options; unpickling registers hooks anew."""
        fields = [field for field in attrs.fields(type(self)) if field.init]
        options = {field.alias or field.name: getattr(self, field.name) for field in fields}
        return (_unpickled, (type(self), options))

    def read(self, document: Any) -> History:
        """Read a document.

        Args:
            document: plain, checked data (exact dict, list, str, int, float, bool, None) that nobody else holds. A
                reader may keep parts of it, and wrap free-form JSON with ``adopt``, but never changes it.

        Raises:
            DecodeError: with path and code, if the document has another format.
        """
        raise NotImplementedError

    def read_held(self, document: Any, depth: int) -> History | None:
        """Read a document that the caller still owns; copy only what is kept.

        A shortcut; by default there is none. Only texts and numbers of the document may get into the history, and they
        must be of exact types and valid.

        Args:
            document: anything.
            depth: for ``copy_part``, which copies the other parts.

        Returns:
            None, or any exception, if a copy must be read instead; ``read`` reports the errors.
        """
        return None

    def write(self, history: History) -> Any:
        """Write a history that ``fit`` has made to fit; nothing is lost here. Without a table, write any history.

        The document may hold frozen values of the history, unless ``writes_plain`` is set.
        """
        raise NotImplementedError

    def read_parts(self, parts: Sequence[Any]) -> tuple[Block, ...]:
        """Read parts of this provider's answers, which stand in another format's envelope.

        A provider's codec has this and ``write_parts``; a framework finds them by ``agentmsg.get_codec``, and uses
        nothing else of the provider. They are for runs of parts: one part may be two blocks, several may be one.

        Args:
            parts: plain data in the form of a request's assistant message. What isn't understood is a native block.

        Raises:
            Unreadable: if there are no such parts.
        """
        raise Unreadable

    def write_parts(self, blocks: Sequence[Block]) -> list[Any]:
        """Write blocks of an assistant message as parts of this provider.

        Raises:
            Unreadable: if the parts wouldn't read as these blocks.
        """
        parts = self.unproved_parts(blocks)
        if not same(self.read_parts(thaw(parts)), tuple(blocks)):
            raise Unreadable
        return parts

    def unproved_parts(self, blocks: Sequence[Block]) -> list[Any]:
        """Write blocks as ``write_parts`` does, for a caller who reads the parts again to compare them."""
        try:
            parts: list[Any] = thaw(self._parts_of(blocks))
        except (AttributeError, LookupError, TypeError, ValueError):
            raise Unreadable from None  # writers know only blocks that fit
        return parts

    def _parts_of(self, blocks: Sequence[Block]) -> list[Any]:
        """Write blocks as parts, whatever becomes of them."""
        raise Unreadable

    def likeness(self, document: Any) -> float:
        """Return how much the shapes of a document match this format: 0 (impossible) to 1 (no other format has them).

        By default 0: such a format is never detected.

        Args:
            document: a plain sample of any document; each of its lists has only a few entries.
        """
        return 0.0

    def sniff(self, document: Any) -> float:
        """Return how much a document looks like this format: 0 (not at all) to 1 (certainly).

        That is its likeness, less the part that the reader doesn't understand or refuses. A codec may override it.

        Args:
            document: anything; nothing is ever raised.
        """
        try:
            sample = self.sample(document)
            likeness = self.likeness(sample)
        except Exception:  # noqa: BLE001 - whatever a foreign object raises, it isn't a document
            return 0.0
        if not likeness:
            return 0.0
        from agentmsg.formats.understanding import score_of  # noqa: PLC0415 - for detection only

        try:
            return score_of(likeness, self.understand(sample), has_dialects=self.has_dialects)
        except Exception:  # noqa: BLE001 - the same
            # What can't be anything else is refused by its own reader, which says why.
            return likeness if likeness == 1 else likeness / 2

    def is_declared(self, document: Any) -> bool:
        """Whether a document itself says that it has this format, so that it has no other; by default none does.

        Args:
            document: as for ``likeness``.
        """
        return False

    def sample(self, document: Any) -> Any:
        """Return a small, plain part of a document that shows its format as well as the whole.

        Raises:
            Exception: any, if the document isn't plain data.
        """
        from agentmsg.formats.understanding import sampled  # noqa: PLC0415 - for detection only

        return sampled(document)

    @staticmethod
    def some_of(values: list[Any]) -> list[Any]:
        """Return a few entries of a list, for ``sample``: the first ones, and some that look different."""
        from agentmsg.formats.understanding import some_of  # noqa: PLC0415 - for detection only

        return some_of(values)

    def understand(self, sample: Any) -> Understanding:
        """Return how much of a sample the reader understands.

        Args:
            sample: as in ``likeness``.

        Raises:
            DecodeError: if the reader refuses it.
        """
        from agentmsg.formats.understanding import understanding_of  # noqa: PLC0415 - for detection only

        return understanding_of(self.read(sample), self.family, self.kept)

    def suited(self, history: History) -> Codec:
        """Return the codec to write a history with: one with other options if the model that it asks needs them."""
        return self

    def alone(self, history: History) -> History:
        """Return the new history for a message encoded by itself; a codec may note that it is alone."""
        return history

    def read_chunk(self, document: Any) -> MsgChunk:
        """Read a chunk, a piece of a message; by default a format has no chunks.

        Args:
            document: as for ``read``.

        Raises:
            DecodeError: with path and code, if the document isn't a chunk of this format.
        """
        raise _unable(self, "reads and writes no chunks")

    def write_chunk(self, chunk: MsgChunk) -> Any:
        """Write a chunk. It may leave out what doesn't fit: ``encode_chunk`` notices that."""
        raise _unable(self, "reads and writes no chunks")

    def read_part(self, cls: type[Any], value: Any) -> Any:
        """Read a single object of the model, such as a block, without its document.

        Only the canonical form ``json`` has such parts: others read them by their context.

        Args:
            cls: Msg, a class of blocks (the tag determines it), of sources or tools (the same), or any that they hold.
            value: anything.

        Raises:
            DecodeError: with path and code, if it isn't one.
        """
        raise _unable(self, "reads and writes no parts by themselves")

    def write_part(self, part: Any) -> Any:
        """Write a single object of the model; as for ``write``, the result may hold frozen values."""
        raise _unable(self, "reads and writes no parts by themselves")

    def schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the documents, as plain data for the caller; None if there is none."""
        return None

    def native_messages(self, document: Any) -> list[Any]:
        """Return the native messages of a document, in order: its list, or the one under "messages"."""
        if isinstance(document, dict):
            document = cast("dict[str, Any]", document).get("messages", [document])
        return cast("Any", document) if isinstance(document, list) else [document]

    def beside(self, document: Any) -> tuple[Any, Any]:
        """Return the system prompt and the tools that a document has beside its messages; None for what it hasn't.

        They stand under "system" and "tools", unless a codec says otherwise.
        """
        body = cast("dict[str, Any]", document) if isinstance(document, dict) else {}
        return body.get("system"), body.get("tools")

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments of calls in raw messages, as an answer that was rejected is kept; by default none.

        The codec with the family's name tells it for the family.

        Args:
            own: the extras of the family in a history, or the value of one of its native blocks.

        Returns:
            The path of each call in them, and its arguments: a text or a value; None if it has none.
        """
        return []

    def pair(self, chosen: History, rejected: History, losses: list[Any]) -> History:
        """Return the chosen history of two that begin alike, with the answer of the other as the rejected one.

        Args:
            chosen: it ends with the better answer.
            rejected: it ends with another answer.
            losses: collects what is lost of that.

        Raises:
            InvalidMessage: code "pair" if they don't part where an assistant answers.
            CodecLookupError: unless ``pairs`` names this codec.
        """
        raise _unable(self, "makes no pairs")

    def parse(self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> Any:
        """Parse the bytes of a document, by default as JSON."""
        return parse_json(raw, limits, duplicates)

    def from_bytes(self, raw: bytes | bytearray | memoryview | str, limits: Limits, duplicates: Duplicates) -> History:
        """Read a history from bytes; a codec may have a shorter way than ``parse`` and ``read``.

        Raises:
            DecodeError: as for ``parse`` and ``read``.
        """
        return self.read(self.parse(raw, limits, duplicates))

    def keys_in(self, connection: Any) -> Iterator[str]:
        """Yield the keys of the documents in the codec's ``tables``, in order.

        Args:
            connection: to a database, open for reading; it is not changed.
        """
        raise _unable(self, "knows no tables of a database")

    def stored(self, connection: Any, key: str) -> bytes | None:
        """Return the bytes of the document with a key; None if there is none.

        Args:
            connection: as for ``keys_in``.
            key: of the document.

        Raises:
            DecodeError: if the rows aren't a document.
        """
        raise _unable(self, "knows no tables of a database")

    def render(self, document: Any) -> bytes:
        """Render a document as bytes, by default as compact JSON."""
        return dump_json(document)

    def to_bytes(self, history: History) -> bytes:
        """Write a fitted history as bytes; a codec may have a shorter way than ``write`` and ``render``."""
        return self.render(self.write(history))


def _unpickled(cls: type[Codec], options: dict[str, Any]) -> Codec:
    """Return the shared codec of ``get_codec`` if it has these options, because hooks may be registered on it."""
    registry: Any = imported("agentmsg.registry")
    return cast("Codec", registry.same_codec(cls(**options)))


def _unable(codec: Codec, what: str) -> CodecLookupError:
    return CodecLookupError(f"this codec {what}", code="option", codec=codec.name)
