"""Parts that are one block each: a data part has its name in its type; parts of version 4 are read, too.

Marks: ``/old`` (of version 4, see v4.py), ``/kind`` (a file whose type is its kind: ``image``, ``audio`` or ``video``).
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import Native, Parts, is_marked, is_object, mark_of, marked, media, natives
from agentmsg_codecs.vercel.media import of_kind
from agentmsg_codecs.vercel.names import UI

_DATA = "data-"
# The tags of forms that no native part has.
_INTERNAL = frozenset({"data", "dynamic-tool", "output"})
# By type, the test of media that usually are a ``file``.
_OF_KIND = {kind: of_kind(kind) for kind in media.CLASSES if kind != "file"}
# By type, a key that only unusual parts have.
_ODD_KEYS = {"source": "source", "file": "data", "reasoning": "reasoning", **dict.fromkeys(_OF_KIND, "mediaType")}


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
        return self._read_odd(part, tag) if _ODD_KEYS.get(tag) in part else super().read(part)

    def _read_odd(self, part: Native, tag: str) -> Any:
        """Read a part of version 4, or media with their kind as type."""
        is_kind = tag in _OF_KIND and _OF_KIND[tag](part)
        found = ({**part, "type": "file"}, True) if is_kind else old.today_part(part)
        if found is None:
            return super().read(part)
        block = super().read(found[0])
        if isinstance(block, am.NativeBlock):
            return natives.native_part(part, UI)
        return marked(block, UI, **{"kind" if is_kind else "old": found[1]})

    def write(self, block: Any) -> Any:
        """Write a block that fits."""
        cls: Any = block.__class__
        if cls is am.TextBlock and not (block.notes or block.extras):  # the usual one
            return self.writers[cls](block)
        native = super().write(block)
        if cls is am.DataBlock:
            tag = f"{_DATA}{native['name']}"
            return {**{key: value for key, value in native.items() if key != "name"}, "type": tag}
        if is_marked(block, UI, "/kind") and media.KINDS.get(cls) in _OF_KIND:
            return {**native, "type": media.KINDS[cls]}
        how = mark_of(block, UI, "/old")
        return native if how is None else old.old_part(native, how) or native
