"""Chunks of the AI SDK's UI message stream as the library's, and the other way; see ``events`` for what each says.

A reader reads the answer of the first step: what follows, results of the client's tools and further answers, are
messages of their own. Data that replaces other data is one more block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable
from agentmsg.formats.events import TEXT_OF
from agentmsg_codecs.vercel.ui.events import EVENTS, answer_of, answered, chunks_of, is_other
from agentmsg_codecs.vercel.ui.folding import CALLED, META, STEP, UIFold, given, is_data
from agentmsg_codecs.vercel.ui.tool_parts import tool_of
from agentmsg_codecs.wire.live import WHOLE, Reader, Writer, make_call, make_chunk, make_text, make_thinking, piece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.events import More

_OF_REASONS = {
    "tool_use": "tool-calls", "content_filter": "content-filter", "refusal": "content-filter", "stop": "stop",
    "length": "length", "error": "error", "interrupted": "interrupted",
}  # fmt: skip
_DELTAS = {"text-delta": ("text", am.TextBlock), "reasoning-delta": ("reasoning", am.ThinkingBlock)}
_TAGS: dict[Any, str] = {am.TextBlock: "text", am.ThinkingBlock: "reasoning"}
# What stands in the part of a call.
_BEHIND = (am.ToolResultBlock, am.ApprovalRequestBlock)
_WAITING: Native = {"state": "input-available", "input": {}}
# Chunks that add nothing to the first answer.
_SILENT = frozenset({"message-metadata", "finish-step", "tool-approval-response", "tool-output-denied"})


class UIReader(Reader):
    """Reads the chunks of the first step."""

    def __init__(self, codec: am.Codec) -> None:
        super().__init__(codec)
        self._fold = UIFold()
        self._began = self._is_over = False
        self._count = 0
        self._texts: dict[tuple[str, str], tuple[int, Native]] = {}
        self._others: set[tuple[str, str]] = set()  # texts of another kind, which come whole
        self._calls: dict[str, tuple[int, int, bool]] = {}  # place, how many blocks are said, whether pieces came

    def __call__(self, event: Native) -> am.MsgChunk | More | None:
        """Return what a chunk says; None if it says nothing."""
        kind: str = event["type"]
        before = len(self._fold.parts)
        if kind == "reset-step" and self._count and not self._is_over:
            raise Unreadable  # what was said can't be taken back
        self._fold.take(event)
        family, cls = _DELTAS.get(kind, ("", None))
        if cls is not None and self._began and not self._is_over and (family, event["id"]) not in self._others:
            # The usual case.
            return cls, self._texts[family, event["id"]][0], event["delta"]
        if kind == "tool-input-delta" and not self._is_over:
            place, _, has_come = self._calls.get(event["toolCallId"], (0, 0, False))
            if has_come:
                return am.ToolUseBlock, place, event["inputTextDelta"]
        if kind == "finish":
            return self._ended()
        self._is_over = self._is_over or (kind == "start-step" and self._count > 0)
        if self._is_over or kind in _SILENT:
            return None
        parts = tuple(self._parts(kind, event, self._fold.parts[before:]))
        if not kind.endswith(("-start", "-delta", "-end")):
            self.over = tuple(part.index for part in parts)
        if self._began:
            return make_chunk(parts=parts) if parts else None
        self._began = True
        head = self.message([{**self._fold.head, "role": "assistant", "parts": []}])
        return make_chunk(parts=parts, **self.began(head))

    def _ended(self) -> am.MsgChunk:
        message = self.message(self._fold.document() or [{"role": "assistant", "parts": []}])
        late = [self._beside(key) for key, (_, part) in self._texts.items() if part["state"] != "done"]
        parts = tuple(part for found in late for part in found)
        fields = self.rest(message) | {"provider": message.provider, "api": message.api}
        fields["finish_reason"] = EVENTS.reason(self._fold)
        return make_chunk(parts=parts, done=True, **fields)

    def _parts(self, kind: str, event: Native, new: list[Native]) -> Iterable[am.ChunkPart]:
        family, _, what = kind.rpartition("-")
        if family in ("text", "reasoning") and what in ("start", "delta", "end"):
            yield from self._of_text(family, what, event, new)
        elif kind.startswith("tool-"):
            yield from self._of_tool(kind, event)
        else:
            replaced = [event] if not new and is_data(kind) and not event.get("transient") else []
            for part in (*new, *replaced):
                yield from (piece(block, self._next()) for block in self._blocks(part) if part["type"] != STEP)

    def _of_text(self, family: str, what: str, event: Native, new: list[Native]) -> Iterable[am.ChunkPart]:
        key, make = (family, event["id"]), make_text if family == "text" else make_thinking
        if what == "start":
            self._texts[key] = (self._next(), new[0])
            self._others.discard(key)
            if is_other(new[0]):
                self._others.add(key)
        place, _ = self._texts[key]
        if what == "end":
            self.over = (place,)
            yield from self._beside(key)
        elif key not in self._others:
            yield piece(make(event["delta"] if what == "delta" else ""), place)

    def _beside(self, key: tuple[str, str]) -> Iterable[am.ChunkPart]:
        """Yield what a text's part says beside its text; of one of another kind, all."""
        place, part = self._texts[key]
        if key in self._others:
            part["text"] = self._fold.strings.taken(part, "text")
            yield from (piece(block, place) for block in self._blocks(part))
        elif part.keys() > {"type", "text", "state"}:
            yield from (piece(block, place) for block in self._blocks({**part, "text": ""}))

    def _of_tool(self, kind: str, event: Native) -> Iterable[am.ChunkPart]:
        """Yield what a chunk adds to a call as it comes; what the server runs, and an input that is a text, whole."""
        link: str = event["toolCallId"]
        part = self._fold.tool(link)
        is_whole = part.get("providerExecuted") is True or part.get("inputEncoding") == "text"
        place, count, has_come = self._calls.get(link) or (self._next(), 0, False)
        if kind == "tool-input-delta":
            if not is_whole:
                has_come = True
                yield piece(make_call(None, "", raw_input=event["inputTextDelta"]), place)
        elif kind == "tool-input-start":
            if not is_whole:
                call = self._blocks({**given(part, ("type", "toolName", "toolCallId")), **_WAITING})[0]
                yield piece(call.evolve(raw_input=""), place)
        elif not event.get("preliminary"):
            blocks = self._blocks(part)
            if count == 0:
                yield piece(blocks[0].evolve(raw_input="") if has_come else blocks[0], place)
            yield from (
                piece(block, f"{place}.{number}") for number, block in enumerate(blocks[count or 1 :], count or 1)
            )
            count = len(blocks)
        self._calls[link] = (place, count, has_come)

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def _blocks(self, part: Native) -> tuple[Any, ...]:
        return self.message([{"id": "_", "role": "assistant", "parts": [part]}]).content


class UIWriter(Writer):
    """Writes chunks as those of a UI message stream: one step."""

    def __init__(self, codec: am.Codec, thinking: Any) -> None:
        super().__init__(codec, thinking)
        self._number = -1
        self._link = ""
        self._held: list[am.ChunkPart] = []  # of the open part, the pieces but for their texts, and these
        self._texts_held: list[str] = []
        self._calls: dict[str | None, am.ToolUseBlock] = {}
        self._told: set[str] = set()
        self._renamed: dict[str | None, str] = {}  # of an id that several calls have, that of the last

    def begin(self, chunk: am.MsgChunk) -> Iterable[Native]:
        """Return the start of the message, and of its step."""
        yield {"type": "start", **({"messageId": str(chunk.id)} if chunk.id else {})}
        yield {"type": "start-step"}

    def _key_of(self, part: am.ChunkPart) -> Any:
        """Return the key of a piece; what stands in the part of an open call is written with it, if that is whole."""
        block, opened = part.block, self.opened
        is_behind = type(block) in _BEHIND and type(opened) is am.ToolUseBlock and not self.streams(opened)
        is_its = is_behind and getattr(block, "tool_call_id", None) == opened.id
        return self.key if is_its else super()._key_of(part)

    def keeps(self, block: Any) -> bool:
        """Whether more than the text is written of a piece of a block."""
        said = getattr(block, "citations", None) or getattr(block, "signature", None)
        return bool(said) and bool(given(self._written(block)[0], ("citations", META)))

    def open(self, block: Any) -> Iterable[Native]:
        """Return the start of a part; clients have one part for each id of a call."""
        self._number += 1
        self._link, self._held, self._texts_held = str(self._number), [], []
        kind: Any = block.__class__
        if kind is am.ToolUseBlock:
            self._link = str(block.id or f"call_{self._number}")
            if self._link in self._told:
                self._link = self._renamed[block.id] = f"{self._link}_{self._number}"
            yield {"type": "tool-input-start", "toolCallId": self._link, "toolName": block.name}
        else:
            yield {"type": f"{_TAGS[kind]}-start", "id": self._link}

    def more(self, block: Any) -> Iterable[Native]:
        """Return a delta of the open part."""
        self._held.append(piece(block.evolve(**{TEXT_OF[type(block)]: ""}), 0))
        return super().more(block)

    def delta(self, text: str) -> Native:
        """Return a delta of the open part."""
        self._texts_held.append(text)
        tag = _TAGS.get(self.opened.__class__)
        if tag is None:
            return {"type": "tool-input-delta", "toolCallId": self._link, "inputTextDelta": text}
        return {"type": f"{tag}-delta", "id": self._link, "delta": text}

    def close(self, block: Any) -> Iterable[Native]:
        """Return the end of the open part, with what its codec keeps beside it."""
        message = self.message(self._held)
        found: Any = message.content[0]
        found = found.evolve(**{TEXT_OF[type(found)]: "".join(self._texts_held)})
        if type(found) is am.ToolUseBlock:
            found = found.evolve(id=self._link)
            self._calls[self._link] = found
            self._told.add(self._link)
        part, *others = self._written(found)
        if type(found) is am.ToolUseBlock:
            tool = tool_of(part) or {}
            meta = {META: tool[CALLED]} if CALLED in tool else {}
            told = {"toolCallId": self._link, "toolName": found.name, "input": tool.get("input"), **meta}
            yield {"type": "tool-input-available", **told}
        else:
            yield {"type": f"{_TAGS[type(block)]}-end", "id": self._link, **given(part, ("citations", META))}
        for other in others:
            yield from self._chunks(other)

    def _written(self, *blocks: Any) -> list[Native]:
        document = am.encode(am.Msg("assistant", blocks, **self.answerer), self.codec, on_loss="ignore")
        return list(answer_of(document).get("parts") or [{}])

    def beside(self, content: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return blocks that are written whole; a result or a request stands in the part of its call."""
        known = set(self._told)
        content = tuple([self._apart(block, known) for block in content])
        self._calls |= {block.id: block for block in content if type(block) is am.ToolUseBlock}
        calls = [self._calls.get(block.tool_call_id) for block in content if type(block) in _BEHIND]
        return (*(call for call in calls if call is not None and call not in content), *content)

    def _apart(self, block: Any, known: set[str]) -> Any:
        """Return a call with an id of its own; what names such a call names that of the last."""
        key = "id" if type(block) is am.ToolUseBlock else "tool_call_id"
        if key == "id" and block.id:
            if block.id in known:
                self._renamed[block.id] = f"{block.id}_{self._number + len(known)}"
            known.add(block.id)
        link = self._renamed.get(getattr(block, key, None))
        return block if link is None else block.evolve(**{key: link})

    def whole(self, document: Any) -> Iterable[Native]:
        """Return the chunks of whole parts."""
        for part in answer_of(document).get("parts", ()):
            if part["type"] != STEP:
                yield from self._chunks(part)

    def _chunks(self, part: Native) -> Iterable[Native]:
        self._number += 1
        tool = tool_of(part)
        if tool is not None and tool["toolCallId"] in self._told:
            return answered(tool)
        if tool is not None:
            self._told.add(tool["toolCallId"])
        return chunks_of(part, str(self._number), WHOLE)

    def finish(self, document: Any) -> Iterable[Native]:
        """Return the end of the step and of the message."""
        yield {"type": "finish-step"}
        reason = {} if self.reason is None else {"finishReason": _OF_REASONS.get(self.reason, "other")}
        metadata = answer_of(document).get("metadata")
        yield {"type": "finish", **reason, **({} if metadata is None else {"messageMetadata": metadata})}


READER, WRITER = UIReader, UIWriter
