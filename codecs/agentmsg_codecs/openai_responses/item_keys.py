"""Keys of all items: their id, and whether they are complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, mark_of, natives
from agentmsg.formats.forms import Hatch, Key, Spare, Text
from agentmsg_codecs.openai_responses.names import FAMILY, PREFIXES

if TYPE_CHECKING:
    from agentmsg.formats import Cell


def own_id(kind: str) -> Cell:
    """Return the cell of an item's id: one of its kind, or one that was read here."""
    return lambda value, owner: value if is_own_id(value, owner, kind) else None


def is_own_id(value: str | None, owner: Any, kind: str) -> bool:
    """Whether an item of some kind may have an id: it begins as the API asks, or was read so."""
    return value is not None and (value.startswith(PREFIXES[kind]) or mark_of(owner, FAMILY, "/id") is True)


def has_own_id(block: Any, kind: str) -> bool:
    """Whether an item that the schema gives an id has one of its kind, or was read without any, as servers keep it."""
    return is_own_id(block.item_id, block, kind) or lacks_id(block)


def lacks_id(block: Any) -> bool:
    """Whether an item that the schema gives an id was read without any."""
    return block.item_id is None and mark_of(block, FAMILY, "/no-item") is True


def own_link(value: str, block: Any) -> str | None:
    """Keep the id of a call, or of its result, if their item's id gives it again."""
    return value if isinstance(value, am.Made) or value == block.item_id else None


def item_id(kind: str) -> Key:
    """Return the key of the id of an item of some kind."""
    return Key("id", "item_id", Text(), "may", cell=own_id(kind))


def item_marks(kind: str, **others: Any) -> Any:
    """Return the marks of items of some kind: whether their id begins otherwise than the API asks, and others."""
    prefix = PREFIXES[kind]

    def has_other(native: Native) -> bool:
        value = native.get("id")
        return type(value) is str and not value.startswith(prefix)

    return {"id": has_other, **others}


def _read_status(native: Native) -> dict[str, Any]:
    """Read that an item is whole: requests needn't say so."""
    if "status" not in native:
        return {}
    return {"notes": {"/done": True}} if native["status"] == "completed" else {"odd": ("status",)}


def _write_status(block: Any) -> Native:
    is_done = block.notes and mark_of(block, FAMILY, "/done") is True and not natives.has_extra(block, FAMILY, "status")
    return {"status": "completed"} if is_done else {}


STATUS = Hatch(keys=("status",), cells={}, get=_read_status, put=_write_status, odd=("status",), about="whether whole")
# Where the schema requires them. Clients that store nothing leave out the id.
NEEDED_ID = Key("id", "item_id", Text(), "may", lacks="no-item")
ENDED = Spare("status", "completed")
