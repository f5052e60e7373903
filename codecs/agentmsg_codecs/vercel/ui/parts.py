"""Parts that are one block each: a data part has its name in its type; parts of version 4 are read, too.

The type of a file may be its kind: ``image``, ``audio`` or ``video``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import Parts, is_object, media, natives
from agentmsg_codecs.vercel.media import of_kind
from agentmsg_codecs.vercel.names import UI

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_DATA = "data-"
# The tags of forms that no native part has.
_INTERNAL = frozenset({"data", "dynamic-tool", "output"})
# By type, the test of media that usually are a ``file``.
_OF_KIND = {kind: of_kind(kind) for kind in media.CLASSES if kind != "file"}


class UIParts(Parts):
    """Parts that are one block each."""

    ways: ClassVar[Any] = old.WAYS

    @staticmethod
    def usual(part: Any) -> Any:
        """Return a part of today's."""
        tag: Any = part.get("type") if is_object(part) else None
        if type(tag) is str and tag in _OF_KIND and "mediaType" in part and _OF_KIND[tag](part):
            return {**part, "type": "file"}
        return old.today_part(part)

    def read(self, part: Any) -> Any:
        """Read a part as a block; one without a meaning here, or that would not come back, as a NativeBlock."""
        tag: Any = part.get("type") if type(part) is _OBJECT else None
        if type(tag) is not str or (tag[:5] != _DATA and tag not in _INTERNAL):
            return Parts.read(self, part)  # the usual case
        if tag in _INTERNAL or "name" in part:
            return natives.native_part(part, UI)
        block = super().read({**part, "type": "data", "name": tag[len(_DATA) :]})
        return natives.native_part(part, UI) if isinstance(block, am.NativeBlock) else block

    def write(self, block: Any) -> Any:
        """Write a block that fits."""
        native = Parts.write(self, block)
        if block.__class__ is am.DataBlock:
            tag = f"{_DATA}{native['name']}"
            return {**{key: value for key, value in native.items() if key != "name"}, "type": tag}
        return native
