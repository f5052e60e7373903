"""Answers as they arrive: the chunks of a provider's events, and chunks in the events of another.

``Reader`` makes chunks of events, and ``Writer`` events of chunks. A writer streams texts, thinking and calls; what
else an answer holds is written whole, as soon as it is complete, in the form that its codec gives it. For the quick way
between the two see ``More`` in ``agentmsg.formats.events``.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import AgentMsgError, EncodeError
from agentmsg.formats import Native, Unreadable, adopt, dump_json, maker, speed, tool_arguments
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
    return make_part(block, None if index is None else placed(index))


def placed(index: Any) -> int | str:
    """Return the index of a block.

    Raises:
        Unreadable: if it isn't one.
    """
    if type(index) is not int and type(index) is not str:
        raise Unreadable
    return index


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
        over: the indexes of the blocks that the last event ends.

    Args:
        codec: of the responses.
    """

    def __init__(self, codec: am.Codec) -> None:
        self.whole = True
        self.over: tuple[Any, ...] = ()
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

    Blocks are written one after the other; a block that begins while another isn't whole waits for it. A call is
    announced when its name and id have come, and its arguments are written once they have begun; those that a stream
    of the provider can't bring are written at its end, as the codec has them.

    Attributes:
        is_parallel: whether pieces of several calls may alternate.
        takes_objects: whether arguments must be an object.
        signs: the provider whose signatures on thinking count.
        told_ends: whether the ends of blocks are told; if not, a call ends with its JSON, and any other block where
            the next begins.
        answerer: who answers, and over which API: whole blocks may be written in the words of that.
        key: of the block that is open: its class and index; None if there is none.
        opened: the first piece of that block; of a call, what is known of it before it is announced.
        reason: why the answer ended, when it has.

    Args:
        codec: of the responses.
        thinking: what becomes of thinking without such a signature.
    """

    is_parallel: ClassVar[bool] = False
    takes_objects: ClassVar[bool] = False
    signs: ClassVar[str | None] = None

    def __init__(self, codec: am.Codec, thinking: Thinking) -> None:
        self.codec = codec
        self.thinking = thinking
        self.told_ends = False
        self.answerer: dict[str, Any] = {}
        self._began = False
        self.key: Any = None
        self.opened: Any = None
        self.reason: str | None = None
        # Class and index of the pieces that belong to the open block, whatever came before; None if that must be found.
        self._usual: tuple[Any, Any] | None = None
        self._pieces: list[am.ChunkPart] = []  # of what is open, where it is written whole or isn't announced
        self._texts: list[str] = []  # the arguments of the one that is open
        # Of the call that is open; arguments that can't be streamed (None) are written at its end.
        self._is_announced = False
        self._has_begun: bool | None = False
        # Calls whose pieces alternate with those of the open one.
        self._aside: dict[Any, tuple[Any, list[str], bool | None]] = {}
        # Pieces of blocks that wait, in the order in which these began; None where the end of one was told.
        self._waiting: OrderedDict[Any, list[am.ChunkPart | None]] = OrderedDict()
        self._closed: set[Any] = set()
        self._latest: dict[Any, Any] = {}  # the key of the last piece with an index
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

    def keeps(self, block: Any) -> bool:
        """Whether more than the text is written of a piece of a block."""
        signature = block.signature if type(block) is am.ThinkingBlock else None
        return signature is not None and signature.provider == self.signs

    def streams(self, block: Any) -> bool:
        """Whether pieces of a block are written as they arrive."""
        kind = block.__class__
        if kind is am.ThinkingBlock:
            return block.redacted is None and self.thinking == "show"
        return kind is am.TextBlock or (kind is am.ToolUseBlock and block.kind == "function")

    def message(self, parts: Iterable[am.ChunkPart]) -> am.Msg:
        """Return the message of which some parts are all."""
        return am.Accumulator([make_chunk(role="assistant", parts=tuple(parts), **self.answerer)]).to_msg()

    # -- the order of blocks ------------------------------------------------------------------------------------------

    def add(self, chunk: am.MsgChunk) -> list[Native]:
        """Return the events of the next chunk."""
        out: list[Native] = []
        if not self._began:
            self._began = True
            self.answerer = {"provider": chunk.provider, "api": chunk.api}
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

    def over(self, indexes: Iterable[Any]) -> list[Native]:
        """Return the events that follow from the end of the blocks with some indexes."""
        out: list[Native] = []
        for index in indexes:
            key = self._latest.get(index)
            if key in self._waiting:
                self._waiting[key].append(None)
            elif key is not None and (key == self.key or key in self._aside):
                self._turn_to(key, out)
                self._close(out)
                self._go_on(out)
        return out

    def end(self, document: Any, reason: str | None) -> list[Native]:
        """Return the last events; the document is the response that the whole answer is converted to."""
        self.reason = reason
        out: list[Native] = [] if self._began else list(self.begin(make_chunk()))
        self._began = True
        while self.key is not None or self._waiting:
            self._close(out)
            self._go_on(out)
        for key in (*self._aside,):
            self._turn_to(key, out)
            self._close(out)
        out += self.finish(document)
        return out

    @property
    def _base(self) -> tuple[Any, Any] | None:
        """Class and index of the open block; None if no other piece can belong to it."""
        return self.key[:2] if self.key.__class__ is tuple else None

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
        if part.index is not None:
            self._latest[part.index] = key
        if key in self._waiting:
            self._waiting[key].append(part)
            return
        if key != self.key:
            if self._says_nothing(key, block):
                return
            if self.key is not None and self._must_wait(key, block):
                self._waiting[key] = [part]
                self._usual = None
                return
            self._turn_to(key, out, block)
        self._write(part, out)
        if self._waiting and self._is_complete():
            self._close(out)
            self._go_on(out)
        is_ready = self.key is not None and self.streams(self.opened) and not self._waiting
        has_begun = type(self.opened) is not am.ToolUseBlock or self._has_begun
        self._usual = self._base if is_ready and has_begun else None

    def _go_on(self, out: list[Native]) -> None:
        """Write the blocks that waited, up to one that isn't complete."""
        while self.key is None and self._waiting:
            key, parts = self._waiting.popitem(last=False)
            for part in parts:
                if part is None:
                    self._close(out)
                elif key == self.key or not self._says_nothing(key, part.block):
                    self._turn_to(key, out, part.block)
                    self._write(part, out)
            if self._waiting and self.key is not None and self._is_complete():
                self._close(out)

    def _turn_to(self, key: Any, out: list[Native], block: Any = None) -> None:
        """Make the block with a key the open one: one that begins with a piece, or a call that is aside."""
        if key == self.key:
            return
        if self._alternates(block):
            self._aside[self.key] = (self.opened, self._texts, self._has_begun)
            self.key, self._texts = None, []
        self._close(out)
        self.key, self.opened, self._has_begun = key, block, False
        self._is_announced = key in self._aside
        if self._is_announced:
            self.opened, self._texts, self._has_begun = self._aside.pop(key)
        if self.streams(self.opened) and (self._is_announced or type(block) is not am.ToolUseBlock):
            out += self.open(self.opened)

    def _alternates(self, block: Any) -> bool:
        """Whether the open block is a call that may go on after a piece of another."""
        return self.is_parallel and self._is_announced and type(block) is type(self.opened) is am.ToolUseBlock

    def _write(self, part: am.ChunkPart, out: list[Native]) -> None:
        """Write a piece of the open block, or keep it until it can be."""
        block: Any = part.block
        is_whole = type(block) is am.ToolUseBlock and block.raw_input is None
        if is_whole:
            block = block.evolve(raw_input=dump_json(block.input).decode())
            part = make_part(block, part.index)
        if type(block) is am.ToolUseBlock:
            self._texts.append(block.raw_input or "")
        if not self.streams(self.opened):
            self._pieces.append(part)
        elif type(block) is not am.ToolUseBlock:
            out += self.more(block)
        elif self._is_announced:
            self._write_arguments(block, out)
        else:
            known = self.opened
            if known is not part.block:
                self.opened = known.evolve(id=known.id or block.id, name=known.name or block.name)
            self._pieces.append(part)
            if is_whole or (self.opened.id and self.opened.name):
                self._announce(out)

    def _announce(self, out: list[Native]) -> None:
        """Write that a call begins."""
        call = self._pieces[0].block
        if len(self._pieces) > 1:
            (call,) = am.Accumulator([make_pieces(tuple(self._pieces))]).to_msg().content
        self.opened, self._pieces, self._is_announced = call, [], True
        out += self.open(call)
        self._write_arguments(call, out)

    def _write_arguments(self, call: Any, out: list[Native]) -> None:
        """Write a piece of a call that is announced; of its arguments all so far, once they begin."""
        if self._has_begun is False:
            text = "".join(self._texts)
            start = text.lstrip()[:1]
            if start:
                self._has_begun = start == "{" or not self.takes_objects or None
            call = _with_text(call, text)
        out += self.more(call if self._has_begun else _with_text(call, ""))

    def _must_wait(self, key: Any, block: Any) -> bool:
        """Whether another block must wait until the open one is complete."""
        if self._alternates(block):
            return bool(self._waiting) and key not in self._aside
        return not self._is_complete()

    def _is_complete(self) -> bool:
        """Whether the open block is whole, as far as that is known before its end is told."""
        if type(self.opened) is not am.ToolUseBlock:
            return not self.told_ends or self._base is None or self._base[1] is None
        self._texts[:] = ["".join(self._texts)]
        return self._texts[0].rstrip().endswith("}") and speed.parse_arguments(self._texts[0])[0]

    def _close(self, out: list[Native]) -> None:
        if self.key is None:
            return
        if not self.streams(self.opened):
            out += self._written_whole() if self._pieces else ()
        else:
            if type(self.opened) is am.ToolUseBlock:
                if not self._is_announced:
                    self._announce(out)
                if not self._has_begun and self.opened.kind == "function":
                    out.append(self.delta(self._arguments()))
            out += self.close(self.opened)
        self._closed.add(self.key)
        self.key = self.opened = self._usual = None
        self._pieces, self._texts = [], []

    def _arguments(self) -> str:
        """Return the arguments of the open call, of which none is written, as the codec would have them."""
        call = self.opened.evolve(raw_input="".join(self._texts))
        return dump_json(tool_arguments.input_object(call)).decode()

    def _says_nothing(self, key: Any, block: Any) -> bool:
        """Whether a piece opens no block: thinking that is only announced, or of a block that is closed no more."""
        text = getattr(block, TEXT_OF.get(block.__class__, ""), None)
        if text is None or (text.strip() if type(block) is am.ToolUseBlock else text):
            return False
        is_thinking = type(block) is am.ThinkingBlock
        if is_thinking and block.redacted is not None:
            return False
        return not self.keeps(block) if key in self._closed else is_thinking and block.signature is None

    def _written_whole(self) -> Iterable[Native]:
        """Return the events of the pieces that were kept, as the codec writes what they make.

        Raises:
            EncodeError: if they have no form in a stream: leaving them out would lose them without a report.
        """
        message = self.message(self._pieces)
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


def _with_text(call: Any, text: str) -> Any:
    return call if call.raw_input == text else call.evolve(raw_input=text)


def _settled(block: Any) -> Any:
    """Return a call whose arguments are a value, as in a response that isn't streamed."""
    is_valid = type(block) is am.ToolUseBlock and block.is_valid and block.kind != "custom"
    return block.evolve(input=block.input, raw_input=None) if is_valid else block
