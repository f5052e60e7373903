"""How a copy of a call deviates from its default spelling, and when that may be written again. Imports the model."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from agentmsg.json_text import dump_json
from agentmsg.notes import same_document
from agentmsg.plain import is_mapping, is_sequence
from agentmsg_codecs.langchain.parts import note_at

if TYPE_CHECKING:
    import agentmsg as am

__all__ = ["deviation", "spelt", "stamp"]

Part = dict[str, Any]
_GUARDED = frozenset({"id", "call_id", "name", "args", "input", "arguments", "function", "partial_json"})


def deviation(native: Part, plain: Part) -> Part:
    """Return what a native copy has otherwise than the default spelling, by key."""
    found: Part = {key: "absent" for key in plain if key not in native}
    for key, value in native.items():
        if key in plain and same_document(value, plain[key]):
            continue
        inner = plain.get(key)
        nested = key == "function" and is_mapping(value) and is_mapping(inner)
        found[key] = ["/", deviation(value, inner)] if nested and inner is not None else ["=", value]
    return found


def _apply(plain: Part, changes: Any, *, guarded: bool) -> Part:
    if not is_mapping(changes):
        return plain
    out = dict(plain)
    for key, change in changes.items():
        how: Any = change[0] if is_sequence(change) and len(change) == 2 else change  # noqa: PLR2004
        if how == "/" and is_mapping(out.get(key)):
            out[key] = _apply(out[key], change[1], guarded=guarded)
        elif key in _GUARDED and not guarded:
            continue
        elif how == "absent":
            out.pop(key, None)
        elif how == "=":
            out[key] = change[1]
    return out


def stamp(block: am.ToolUseBlock) -> str:
    """Return a digest of what a call says."""
    said = [block.id, block.name, block.is_valid, block.input if block.is_valid else block.raw_input]
    return blake2b(dump_json(said), digest_size=6).hexdigest()


def spelt(block: am.ToolUseBlock, plain: Part, key: str) -> Part:
    """Return a copy in the spelling that the block remembers for it."""
    note = note_at(block, key)
    if not is_sequence(note) or len(note) != 2:  # noqa: PLR2004 - stamp and deviation
        return plain
    return _apply(plain, note[1], guarded=note[0] == stamp(block))
