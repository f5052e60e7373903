"""Parts that are a block each: those of data hold their name in their type; those of version 4 are read, too.

Mark: ``/old`` on a block that was a part of version 4.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import Parts, is_marked, is_object, marked, natives
from agentmsg_codecs.vercel.names import UI

_DATA = "data-"
# Types of parts that only stand for others here.
_STAND_INS = frozenset({"data", "dynamic-tool", "output"})
# What only parts of version 4 have, by their type.
_OLD_KEYS = {"source": "source", "file": "data", "reasoning": "details"}


class UIParts(Parts):
    """Parts that are a block each."""

    def read(self, part: Any) -> Any:
        """Return the block of a part; a NativeBlock where it has no meaning here, or would not come back."""
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is not str or not (tag in _STAND_INS or tag.startswith(_DATA)):
            key = _OLD_KEYS.get(tag) if type(tag) is str else None
            return super().read(part) if key is None or key not in part else self._read_old(part)
        if tag in _STAND_INS:
            return natives.native_part(part, UI)
        block = (
            natives.native_part(part, UI)
            if "name" in part
            else super().read({**part, "type": "data", "name": tag[len(_DATA) :]})
        )
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else block

    def _read_old(self, part: Any) -> Any:
        """Return the block of a part that only version 4 may have."""
        today = old.today_part(part)
        block = super().read(part if today is None else today)
        if today is None:
            return block
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else marked(block, UI, old=True)

    def write(self, block: Any) -> Any:
        """Return the part of a block that fits."""
        cls: Any = block.__class__
        if cls is am.TextBlock and not (block.notes or block.extras):  # the usual one
            return self.writers[cls](block)
        native = super().write(block)
        if cls is not am.DataBlock:
            one = old.old_part(native) if is_marked(block, UI, "/old") else None
            return native if one is None else one
        name = native["name"]
        return {**{key: value for key, value in native.items() if key != "name"}, "type": f"{_DATA}{name}"}
