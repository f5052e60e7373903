"""Envelopes read fast: those of langchain-core's ``dumpd`` today.

The class gives the reader of the kwargs (layouts.py), so that no flat body is made. Free-form data is written as text
once, which must neither hold a key of the escape rule nor too many levels; parts and counters of the usual keys cannot.
So a whole document of such envelopes needs no other look at its depth. What is odd is None here, and left to
envelopes.py; tests/test_langchain_bytes.py holds the two against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg_codecs.langchain.lc.escape import text_may_need_escape
from agentmsg_codecs.langchain.messages.depth import is_deep
from agentmsg_codecs.langchain.messages.fields import CLASSES
from agentmsg_codecs.langchain.messages.quick_read import FastReaders

if TYPE_CHECKING:
    from collections.abc import Callable

    import agentmsg as am
    from agentmsg.formats import Native
    from agentmsg_codecs.langchain.blocks.parts import ContentParts


# Typed as Any: a check against it narrows nothing to a dict of who knows what.
_OBJECT: Any = dict


def _is_odd(text: bytes) -> bool:
    """Whether free-form data may hold something escaped, or be too deep."""
    return text_may_need_escape(text) or is_deep(text)


class FastEnvelopes:
    """Reads envelopes that are as dumpd writes them today.

    Args:
        parts: reads content parts.
        path: the words before the class.

    Attributes:
        by_class: the whole id and the reader of the kwargs, by the last word of the id.
    """

    def __init__(self, parts: ContentParts, path: list[str]) -> None:
        readers = FastReaders(parts, "short", _is_odd).by_tag
        self.by_class: dict[Any, tuple[list[str], Callable[[Native], am.Msg | None]]] = {
            CLASSES[tag]: ([*path, CLASSES[tag]], read) for tag, read in readers.items()
        }

    def read(self, native: Any) -> am.Msg | None:
        """Return the message of an envelope; None if the general path must look."""
        try:
            one, own, kwargs = native["lc"], native["id"], native["kwargs"]
            whole, read = self.by_class[own[-1]]
            if own != whole or native["type"] != "constructor" or len(native) != 4:  # noqa: PLR2004 - these keys
                return None
        except (LookupError, TypeError):
            return None
        return read(kwargs) if type(one) is int and one == 1 and type(kwargs) is _OBJECT else None
