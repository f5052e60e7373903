"""Made-up formats that do what real ones do: lift, merge, split, swap, refuse, invent ids.

Their documents are canonical JSON of the supported content, so that only the machinery is tested.
"""

from __future__ import annotations

from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from agentmsg import (
    History,
    ImageBlock,
    Msg,
    NativeBlock,
    RefusalBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    get_codec,
)
from agentmsg.formats.capabilities import KEEP, Caps, Drop, MessageRow, Row, Swap
from agentmsg.formats.codec import Codec
from agentmsg.formats.restructure import lift, merge, split_results
from agentmsg.model.tool_links import Place, links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["TOYS", "BareToy", "NumberedToy", "StrictToy", "Toy"]


@attrs.frozen(kw_only=True)
class Toy(Codec):
    """Reads and writes canonical JSON, within its caps."""

    name: ClassVar[str] = "toy"
    family: ClassVar[str] = "toy"
    title: ClassVar[str] = "A made-up format"

    def read(self, document: Any) -> History:
        return get_codec("json").read(document)

    def write(self, history: History) -> Any:
        return get_codec("json").write(history)

    def sniff(self, document: Any) -> float:
        return 0.0


def _only_urls(source: Any, owner: Any) -> Any:
    return source if isinstance(source, URLSource) and not source.extras else Drop("URLs only")


_TEXT = Row({"text": KEEP})
_STRICT = Caps(
    messages={
        "system": MessageRow(blocks={TextBlock: _TEXT}),
        "developer": MessageRow(
            otherwise=lambda message: Swap(message.evolve(role="system"), "no developers here", "annotation")
        ),
        "user": MessageRow(
            fields={"name": KEEP},
            blocks={
                TextBlock: _TEXT,
                ImageBlock: Row({"source": _only_urls}),
                NativeBlock: Row(
                    {}, lambda block: Swap(TextBlock(block.fallback), "its text") if block.fallback else Drop("foreign")
                ),
            },
        ),
        "assistant": MessageRow(
            fields={"id": KEEP},
            blocks={
                TextBlock: _TEXT,
                ToolUseBlock: Row({"id": KEEP, "name": KEEP, "input": KEEP}),
                RefusalBlock: Row({}, lambda block: Swap(TextBlock(block.refusal), "refusals are text", "annotation")),
            },
        ),
        "tool": MessageRow(
            blocks={ToolResultBlock: Row({"tool_call_id": KEEP, "status": KEEP})}, results={TextBlock: _TEXT}
        ),
    },
    arrange=(split_results, lift("system", "developer"), merge("user", "assistant")),
    needs_id=lambda block: (block.id if isinstance(block, ToolUseBlock) else block.tool_call_id) is None,
    history={"id": KEEP},
)
_BARE = Caps(
    messages={
        "*": MessageRow(fields={"id": KEEP}, blocks={TextBlock: _TEXT}),
        "tool": MessageRow(otherwise=lambda _: Drop("no tools here")),
    },
    arrange=(merge("user"),),
)


@attrs.frozen(kw_only=True)
class StrictToy(Toy):
    """System messages first, neighbours merged, one result a message, ids required, few fields."""

    name: ClassVar[str] = "strict-toy"

    @property
    def caps(self) -> Caps:
        return _STRICT


@attrs.frozen(kw_only=True)
class BareToy(Toy):
    """Text only, no tools, users merged."""

    name: ClassVar[str] = "bare-toy"

    @property
    def caps(self) -> Caps:
        return _BARE


def _with(message: Msg, change: Callable[[int, Any], Any]) -> Msg:
    content = [change(index, block) for index, block in enumerate(message.content)]
    return message if all(map(is_, content, message.content)) else message.evolve(content=content)


def _numbered(messages: Sequence[Msg], pairs: Mapping[Place, Place] | None = None) -> list[Msg]:
    """Number the calls, and give each result the number of its call as id."""
    ids: dict[Place, str] = {}

    def one(number: int, at: int, block: Any) -> Any:
        place = number, at
        if isinstance(block, ToolUseBlock):
            made = ids[place] = f"#{len(ids)}"
            return block if block.id == made else block.evolve(id=made)
        if pairs is None or not isinstance(block, ToolResultBlock):
            return block
        own = block.tool_call_id
        # A result without a call must not seem to answer another one.
        link = ids[pairs[place]] if place in pairs else own if own is None or own[:1] != "#" else f"no {own}"
        return block if link == own else block.evolve(tool_call_id=link)

    return [_with(message, partial(one, number)) for number, message in enumerate(messages)]


def _relinked(messages: Sequence[Msg]) -> Sequence[Msg]:
    new = _numbered(messages, links(messages))
    return messages if all(map(is_, new, messages)) else new


def _without_id(_: int, block: Any) -> Any:
    return block.evolve(id=None) if isinstance(block, ToolUseBlock) else block


_NUMBERED = Caps(
    messages={role: _STRICT.messages[role] for role in ("system", "user", "assistant", "tool")},
    arrange=(split_results,),
    relink=_relinked,
)


@attrs.frozen(kw_only=True)
class NumberedToy(Toy):
    """Calls have no ids; their number identifies them."""

    name: ClassVar[str] = "numbered-toy"

    @property
    def caps(self) -> Caps:
        return _NUMBERED

    def read(self, document: Any) -> History:
        history = Toy.read(self, document)
        return history.evolve(messages=tuple(_numbered(history.messages)))

    def write(self, history: History) -> Any:
        return Toy.write(self, history.evolve(messages=tuple(_with(each, _without_id) for each in history.messages)))


TOYS: tuple[Codec, ...] = (StrictToy(), BareToy(), NumberedToy())
