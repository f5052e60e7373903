"""Compare a real library's messages with ours, field by field, with a table of allowed differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from agentmsg.formats.spelling import same_document
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agentmsg.formats.codec import Codec

__all__ = ["Difference", "differences", "everything"]


@attrs.frozen
class Difference:
    """One way in which a library may differ from us.

    Attributes:
        field: the field.
        why: the reason.
        holds: takes our value and the library's; returns whether this is the difference.
    """

    field: str
    why: str
    holds: Callable[[Any, Any], bool]


def differences(
    pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]], table: Sequence[Difference]
) -> set[Difference]:
    """Return the differences of a table that occur between ours and theirs; any other fails.

    Args:
        pairs: the fields of each message, ours and theirs; None for a missing one.
        table: the allowed differences.
    """
    met: set[Difference] = set()
    others: dict[str, str] = {}
    for ours, theirs in pairs:
        for field in ours.keys() | theirs.keys():
            own, other = ours.get(field), theirs.get(field)
            if same_document(own, other):
                continue
            known = [each for each in table if each.field == field and each.holds(own, other)]
            met.update(known[:1])
            if not known:
                others.setdefault(field, f"{field}: ours {own!r}, theirs {other!r}")
    assert not others, "differences that are in no table:\n" + "\n".join(sorted(others.values()))
    return met


def everything(codec: Codec, sources: Iterable[am.CodecName]) -> Iterator[tuple[str, am.History]]:
    """Convert every document of some formats and yield the result read again; the format itself is written exactly."""
    for source in sources:
        for name, document in documents(source):
            history = am.decode(document, source)
            yield f"{source}: {name}", am.decode(am.thaw(am.encode(history, codec, losses=[])), codec)
