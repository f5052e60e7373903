"""Whether a document belongs to the caller: whoever changes a part of it changes nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.api.writing import encode
from agentmsg.values.types import is_list, is_mapping, is_object, is_sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmsg.formats.codec import Codec
    from agentmsg.model.history import History


def is_plain(value: Any) -> bool:
    """Whether a document is made of exact JSON types."""
    if is_object(value):
        return all(type(key) is str for key in value) and all(map(is_plain, value.values()))
    return all(map(is_plain, value)) if is_list(value) else value is None or type(value) in (str, int, float, bool)


def owned(codec: Codec, history: History) -> None:
    """Law 7: no list or object of a written document stands in it twice, or in the document that is written next."""
    held = list(map(id, first := list(_containers(encode(history, codec)))))
    assert len(set(held)) == len(held), "a list or an object is twice in what is written"
    shared = set(held).intersection(map(id, _containers(encode(history, codec))))
    assert not shared, f"written twice, and one object: {[each for each in first if id(each) in shared][:3]}"


def _containers(value: Any) -> Iterator[Any]:
    if is_mapping(value) or is_sequence(value):
        yield value
        for item in value.values() if is_mapping(value) else value:
            yield from _containers(item)
