"""Made-up formats that do what real ones of later issues will do: lift, merge, split, swap, refuse, invent ids.

Their documents are canonical JSON of what fits, so that only the machinery is on trial.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from agentmsg import (
    History,
    ImageBlock,
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

__all__ = ["TOYS", "BareToy", "StrictToy", "Toy"]


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
    """Systems to the top, neighbours merged, one result a message, ids required, few fields."""

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


TOYS: tuple[Codec, ...] = (StrictToy(), BareToy())
