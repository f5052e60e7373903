"""What additional_kwargs say about calls, by their ids: OpenAI's ids of items, and signatures of Gemini.

A call that was read with such a field has the mark ``/tagged``, with the letters of its fields. The field goes back
there as long as the map can say it: the call has an id that no other call of the message has.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, is_mapping, mark_of, marked, note_of, with_note
from agentmsg_codecs.langchain.blocks.v1 import make_signature
from agentmsg_codecs.langchain.calls.copies import is_function_call
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GOOGLE = "google"
# By letter, the key in additional_kwargs, and the field.
_TAGS: Mapping[str, tuple[str, str]] = {
    "i": ("__openai_function_call_ids__", "item_id"),
    "s": ("__gemini_function_call_thought_signatures__", "signature"),
}
TAGS = frozenset(key for key, _ in _TAGS.values())


def _by_id(blocks: Sequence[Any]) -> dict[str, int]:
    """Return the places of the calls that only their id names."""
    ids = [(block.id, index) for index, block in enumerate(blocks) if is_function_call(block) and block.id is not None]
    counts = Counter(link for link, _ in ids)
    return {link: index for link, index in ids if counts[link] == 1}


def says(metadata: Mapping[str, Any], blocks: Sequence[Any]) -> dict[str, Mapping[str, str]]:
    """Return, by letter, the maps in additional_kwargs that say a field of calls which lack it."""
    found: dict[str, Mapping[str, str]] = {}
    places: dict[str, int] = {}
    for letter, (key, field) in _TAGS.items():
        value = metadata.get(key)
        if not is_mapping(value) or not value or set(map(type, value.values())) != {str}:
            continue
        places = places or _by_id(blocks)
        if value.keys() <= places.keys() and all(getattr(blocks[places[link]], field) is None for link in value):
            found[letter] = value
    return found


def read_as_tags(metadata: Mapping[str, Any], blocks: Sequence[Any]) -> set[str]:
    """Return the keys of metadata that would be taken for what is said about calls, or are written for it."""
    calls = [block for block in blocks if type(block) is am.ToolUseBlock and block.kind != "server"]
    letters = {*says(metadata, [call if is_function_call(call) else call.evolve(kind="function") for call in calls])}
    return {_TAGS[letter][0] for letter in letters.union(*(mark_of(call, FAMILY, "/tagged") or "" for call in calls))}


def tagged(blocks: list[Any], metadata: Native) -> tuple[list[Any], Native]:
    """Return the blocks with what additional_kwargs say about calls, and the rest of it."""
    found = says(metadata, blocks)
    if not found:
        return blocks, metadata
    places, out = _by_id(blocks), list(blocks)
    for letter, value in found.items():
        for link, word in value.items():
            block = out[index := places[link]]
            own: Any = make_signature(_GOOGLE, word) if letter == "s" else word
            letters = f"{mark_of(block, FAMILY, '/tagged') or ''}{letter}"
            out[index] = marked(block.evolve(**{_TAGS[letter][1]: own}), FAMILY, tagged=letters)
    taken = {_TAGS[letter][0] for letter in found}
    return out, {key: value for key, value in metadata.items() if key not in taken}


def untagged(blocks: Sequence[Any]) -> tuple[Sequence[Any], Native]:
    """Return the blocks without what goes to additional_kwargs, and that."""
    if not any(block.notes and mark_of(block, FAMILY, "/tagged") for block in blocks):
        return blocks, {}
    out, maps = list(blocks), dict[str, Any]()
    for link, index in _by_id(blocks).items():
        block = out[index]
        letters = mark_of(block, FAMILY, "/tagged")
        for letter in letters if isinstance(letters, str) else "":
            key, field = _TAGS.get(letter, ("", ""))
            own: Any = getattr(block, field, None)
            word = own.value if own == am.Signature(_GOOGLE, getattr(own, "value", "")) else own
            if isinstance(word, str):
                maps.setdefault(key, {})[link] = word
                out[index] = out[index].evolve(**{field: None})
        note = {name: value for name, value in note_of(block, FAMILY).items() if name != "/tagged"}
        out[index] = with_note(out[index], FAMILY, note)
    return out, maps
