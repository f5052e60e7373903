"""Parts that are one block each: a data part has its name in its type; parts of version 4 are read, too.

The mark ``/old`` is on blocks of version 4.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import Parts, is_marked, is_object, marked, natives
from agentmsg_codecs.vercel.names import UI

_DATA = "data-"
# The tags of forms that no native part has.
_INTERNAL = frozenset({"data", "dynamic-tool", "output"})
# By type, a key that only parts of version 4 have.
_OLD_KEYS = {"source": "source", "file": "data", "reasoning": "details"}


class UIParts(Parts):
    """Parts that are one block each."""

    def read(self, part: Any) -> Any:
        """Read a part as a block; one without a meaning here, or that would not come back, as a NativeBlock."""
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is not str:
            return super().read(part)
        if tag in _INTERNAL or (tag.startswith(_DATA) and "name" in part):
            return natives.native_part(part, UI)
        if tag.startswith(_DATA):
            block = super().read({**part, "type": "data", "name": tag[len(_DATA) :]})
            return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else block
        today = old.today_part(part) if _OLD_KEYS.get(tag) in part else None
        if today is None:
            return super().read(part)
        block = super().read(today)
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else marked(block, UI, old=True)

    def write(self, block: Any) -> Any:
        """Write a block that fits."""
        cls: Any = block.__class__
        if cls is am.TextBlock and not (block.notes or block.extras):  # the usual one
            return self.writers[cls](block)
        native = super().write(block)
        if cls is am.DataBlock:
            tag = f"{_DATA}{native['name']}"
            return {**{key: value for key, value in native.items() if key != "name"}, "type": tag}
        return (old.old_part(native) if is_marked(block, UI, "/old") else None) or native
