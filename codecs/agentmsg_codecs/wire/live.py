"""Answers as they arrive: the chunks of a provider's events, and chunks in the events of another.

``Reader`` makes chunks of events, and ``Writer`` events of chunks. A writer streams texts, thinking and calls; what
else an answer holds is written whole, as soon as it is complete, in the form that its codec gives it. For the quick way
between the two see ``More`` in ``agentmsg.formats.events``.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import AgentMsgError, EncodeError
from agentmsg.formats import Native, Unreadable, adopt, dump_json, maker, speed
from agentmsg.formats.events import TEXT_OF

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.events import More, Thinking

make_chunk, make_part, make_call, make_usage = (
    maker(am.MsgChunk), maker(am.ChunkPart), maker(am.ToolUseBlock), maker(am.Usage),
)  # fmt: skip
make_text, make_thinking, make_refusal = (
    maker(am.TextBlock, "text"), maker(am.ThinkingBlock, "thinking"), maker(am.RefusalBlock, "refusal"),
)  # fmt: skip
make_pieces = maker(am.MsgChunk, "parts")
# Of what isn't streamed, each text is one piece.
WHOLE = sys.maxsize
_HEAD = ("role", "id", "model", "provider", "api", "created_at")
# The classes of which pieces without an index continue the one before.
_JOINED = frozenset({am.TextBlock, am.ThinkingBlock, am.RefusalBlock})
# What the last event may say first.
_LATE = ("id", "model", "created_at")
_BY_KEY = ("response_metadata", "extras", "metadata")
_REST = (*_BY_KEY, "finish_reason", "structured")
_COUNTERS = (
    "input", "output", "total", "cache_read", "cache_write", "reasoning", "input_audio", "output_audio", "cost",
    "seconds",
)  # fmt: skip


def piece(block: Any, index: Any = None) -> am.ChunkPart:
    """Return a piece of a block.

    Raises:
        Unreadable: if its index isn't one.
    """
    if index is not None and type(index) is not int and type(index) is not str:
        raise Unreadable
    return make_part(block, index)


def said(block: Any, index: Any) -> am.MsgChunk:
    """Return the chunk of a piece of a block."""
    return make_pieces((piece(block, index),))


def plain(text: Any) -> str:
    """Return a text of an event.

    Raises:
        Unreadable: if it isn't one.
    """
    if type(text) is not str:
        raise Unreadable
    return text


class Reader:
    """Base of the readers of providers' events.

    Attributes:
        whole: as for ``Events.reader``.

    Args:
        codec: of the responses.
    """

    def __init__(self, codec: am.Codec) -> None:
        self.whole = True
        self._codec = codec
        self._usage: am.Usage | None = None
        self._told: dict[str, Any] = {}

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what an event says; None if it says nothing."""
        raise NotImplementedError

    def message(self, document: Any) -> am.Msg:
        """Return the message of a response, which may be a part of one."""
        return am.decode(document, self._codec).messages[0]

    def head(self, message: am.Msg) -> am.MsgChunk:
        """Return the chunk that says whose message this is."""
        return make_chunk(**self.began(message))

    def began(self, message: am.Msg) -> dict[str, Any]:
        """Return the fields of a chunk that say whose message this is."""
        return {name: getattr(message, name) for name in _HEAD}

    def rest(self, message: am.Msg) -> dict[str, Any]:
        """Return the fields of a chunk that say how a message ended, and what it cost, as far as they are new."""
        fields: dict[str, Any] = {name: getattr(message, name) for name in (*_LATE, *_REST)}
        for name in filter(self._told.get, _BY_KEY):
            before = self._told[name]
            fields[name] = adopt({key: value for key, value in fields[name].items() if before.get(key) != value})
        self._told = {name: getattr(message, name) for name in _BY_KEY}
        return {**fields, "usage": self.counted(message.usage)}

    def counted(self, usage: am.Usage | None) -> am.Usage | None:
        """Return what usage adds to that before: providers count from the beginning, while those of chunks add up."""
        before, self._usage = self._usage, usage or self._usage
        if usage is None or before is None:
            return usage
        more = {name: _minus(getattr(usage, name), getattr(before, name)) for name in _COUNTERS}
        return make_usage(**more, extras=usage.extras)


def _minus(now: Any, before: Any) -> Any:
    return now if now is None or before is None else now - before


class Writer:
    """Base of the writers of providers' events.

    Blocks are written one after the other; a call that begins while another's arguments aren't whole waits for it.

    Attributes:
        is_parallel: whether pieces of several blocks may alternate.
        signs: the provider whose signatures on thinking count.
        waits: whether the pieces of calls alternate in the source.
        key: of the block that is open: its class and index; None if there is none.
        opened: the first piece of that block.
        reason: why the answer ended, when it has.

    Args:
        codec: of the responses.
        thinking: what becomes of thinking without such a signature.
    """

    is_parallel: ClassVar[bool] = False
    signs: ClassVar[str | None] = None

    def __init__(self, codec: am.Codec, thinking: Thinking) -> None:
        self.codec = codec
        self.thinking = thinking
        self.waits = True
        self._began = False
        self.key: Any = None
        self.opened: Any = None  # the first piece of the one that is open
        self.reason: str | None = None
        # Class and index of the pieces that belong to the open block, whatever came before; None if that must be found.
        self._usual: tuple[Any, Any] | None = None
        self._pieces: list[am.ChunkPart] = []  # of what is open, where it is written whole
        self._texts: list[str] = []  # the arguments of the one that is open
        self._waiting: list[tuple[Any, am.ChunkPart]] = []
        self._links: dict[Any, tuple[str, int]] = {}

    # -- what each provider tells -------------------------------------------------------------------------------------

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the events before all blocks."""
        raise NotImplementedError

    def open(self, block: Any) -> Iterable[Native]:
        """Return the events that announce a block that is streamed; its first piece is written next."""
        return ()

    def delta(self, text: str) -> Native:
        """Return the event of more of the open block's text."""
        raise NotImplementedError

    def more(self, block: Any) -> Iterable[Native]:
        """Return the events of a piece of the open block."""
        text = getattr(block, TEXT_OF[block.__class__])
        return (self.delta(text),) if text else ()

    def close(self, block: Any) -> Iterable[Native]:
        """Return the events that end the open block."""
        return ()

    def whole(self, document: Any) -> Iterable[Native]:
        """Return the events of blocks that are written whole, of a response that holds nothing else."""
        raise NotImplementedError

    def beside(self, content: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return blocks that are written whole, with others that they can't be written without."""
        return content

    def finish(self, document: Any) -> Iterable[Native]:
        """Return the events behind all blocks, of the whole response."""
        raise NotImplementedError

    def streams(self, block: Any) -> bool:
        """Whether pieces of a block are written as they arrive."""
        kind = block.__class__
        if kind is am.ThinkingBlock:
            return block.redacted is None and self.thinking == "show"
        return kind is am.TextBlock or (kind is am.ToolUseBlock and block.kind == "function")

    # -- the order of blocks ------------------------------------------------------------------------------------------

    def add(self, chunk: am.MsgChunk) -> list[Native]:
        """Return the events of the next chunk."""
        out: list[Native] = []
        if not self._began:
            self._began = True
            out += self.begin(chunk)
        for part in chunk.parts:
            self._take(self._key_of(part), part, out)
        return out

    def add_more(self, kind: type[Any], index: Any, text: str) -> Iterable[Native] | None:
        """Return the events of more of a block's text; None if another block, or none, is open."""
        if (kind, index) != self._usual:
            return None
        if kind is am.ToolUseBlock:
            self._texts.append(text)
        return (self.delta(text),) if text else ()

    def end(self, document: Any, reason: str | None) -> list[Native]:
        """Return the last events; the document is the response that the whole answer is converted to."""
        self.reason = reason
        out: list[Native] = [] if self._began else list(self.begin(make_chunk()))
        self._began = True
        self._close(out)
        while self._waiting:
            # One after the other, in the order in which they began.
            first = self._waiting[0][0]
            waiting, self._waiting = self._waiting, []
            for key, part in waiting:
                if key == first:
                    self._take(key, part, out)
                else:
                    self._waiting.append((key, part))
            self._close(out)
        out += self.finish(document)
        return out

    def _key_of(self, part: am.ChunkPart) -> Any:
        """Return what tells the block of a piece from others: class, index, and how many ids that index had before."""
        block: Any = part.block
        kind = block.__class__
        base = (kind, part.index)
        link = block.id if base[0] is am.ToolUseBlock else None
        if link:
            before, turn = self._links.get(base, (link, 0))
            self._links[base] = (link, turn + (before != link))
        elif part.index is None and base[0] not in _JOINED:
            return object()  # a block of its own
        return (*base, self._links.get(base, (None, 0))[1])

    def _take(self, key: Any, part: am.ChunkPart, out: list[Native]) -> None:
        block: Any = part.block
        if key != self.key:
            if _says_nothing(block):
                return
            if self.key is not None and self._must_wait(key):
                self._waiting.append((key, part))
                self._usual = None
                return
            self._close(out)
            self.key, self.opened = key, block
            if self.streams(block):
                out += self.open(block)
        if type(block) is am.ToolUseBlock:
            if block.raw_input is None:  # it came whole
                block = block.evolve(raw_input=dump_json(block.input).decode())
            self._texts.append(block.raw_input or "")
        if self.streams(self.opened):
            out += self.more(block)
        else:
            self._pieces.append(part)
        if self._waiting and self._is_complete():
            self._close(out)
            waiting, self._waiting = self._waiting, []
            for held in waiting:
                self._take(*held, out)
        is_simple = self.streams(self.opened) and not self._waiting and self.key == key
        self._usual = key[:2] if is_simple and type(key) is tuple else None

    def _must_wait(self, key: Any) -> bool:
        """Whether another block must wait until the open one is complete."""
        if self.is_parallel or not self.waits:
            return False
        return any(held == key for held, _ in self._waiting) or not self._is_complete()

    def _is_complete(self) -> bool:
        if type(self.opened) is not am.ToolUseBlock:
            return True
        self._texts[:] = ["".join(self._texts)]
        return self._texts[0].rstrip().endswith("}") and speed.parse_arguments(self._texts[0])[0]

    def _close(self, out: list[Native]) -> None:
        if self.key is None:
            return
        if self.streams(self.opened):
            out += self.close(self.opened)
        elif self._pieces:
            out += self._written_whole()
        self.key = self.opened = self._usual = None
        self._pieces, self._texts = [], []

    def _written_whole(self) -> Iterable[Native]:
        """Return the events of the pieces that were kept, as the codec writes what they make.

        Raises:
            EncodeError: if they have no form in a stream: leaving them out would lose them without a report.
        """
        message = am.Accumulator([make_chunk(role="assistant", parts=tuple(self._pieces))]).to_msg()
        content = tuple(_settled(block) for block in message.content if not self._is_left_out(block))
        if not content:
            return ()
        try:
            whole = message.evolve(content=self.beside(content))
            return list(self.whole(am.encode(whole, self.codec, on_loss="ignore")))
        except (Unreadable, LookupError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, AgentMsgError):
                raise
            msg = "a block has no form in a stream of this provider"
            raise EncodeError(msg, code="schema", codec=self.codec.name) from error

    def _is_left_out(self, block: Any) -> bool:
        if type(block) is not am.ThinkingBlock or self.thinking == "show":
            return False
        return block.redacted is None and (block.signature is None or block.signature.provider != self.signs)


def _settled(block: Any) -> Any:
    """Return a call whose arguments are a value, as in a response that isn't streamed."""
    is_valid = type(block) is am.ToolUseBlock and block.is_valid and block.kind != "custom"
    return block.evolve(input=block.input, raw_input=None) if is_valid else block


def _says_nothing(block: Any) -> bool:
    """Whether thinking is only announced: of most, nothing comes."""
    return type(block) is am.ThinkingBlock and not block.thinking and (block.signature, block.redacted) == (None, None)
