"""How a copy of a call deviates from its default spelling.

What a copy says beyond the call is meaning: extras of the call, one namespace a place. How it spells what the call
says is a note, which holds nothing but names, and texts of arguments that are the same as JSON; with a digest, for a
spelling of id, name or arguments outlives no edit of these.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from agentmsg import AgentMsgError
from agentmsg.formats import (
    Native,
    dump_json,
    is_mapping,
    is_sequence,
    mark_of,
    parse_json,
    same_document,
    speed,
    spelling,
)
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am


# Where a copy stands, by its letter, and the namespace of what it says beyond the call.
SPACES: Mapping[str, str] = {
    "c": "langchain.content",
    "t": "langchain.tool_calls",
    "a": "langchain.kwargs",
    "k": "langchain.chunks",
}
# What a letter's copy may say otherwise than the call: what the call has from another copy.
_OTHERWISE: Mapping[str, frozenset[str]] = {
    "c": frozenset({"name", "input", "args", "arguments"}),
    "t": frozenset({"type", "name", "id"}),
    "a": frozenset({"type", "name", "arguments", "function"}),
    "k": frozenset({"type", "name", "args", "index"}),
}
_GUARDED = frozenset({"id", "call_id", "name", "args", "input", "arguments", "function"})
_TEXTS = frozenset({"args", "arguments"})


def compared(native: Native, plain: Native) -> tuple[Native, Native]:
    """Return how a native copy spells what the default spelling says, and what it says beyond; each by key."""
    note: Native = {key: "absent" for key in plain if key not in native}
    more: Native = {}
    for key, value in native.items():
        if key not in plain:
            more[key] = value
            continue
        usual = plain[key]
        if same_document(value, usual):
            continue
        if key == "function" and is_mapping(value) and is_mapping(usual):
            inner, beside = compared(value, usual)
            note |= {key: ["/", inner]} if inner else {}
            more |= {key: beside} if beside else {}
            continue
        name = spelling.spelling_of(value)
        if name is not None:
            note[key] = name
        elif key in _TEXTS and is_same_json(value, usual):
            note[key] = ["=", value]
        else:
            more[key] = value
    # In the order in which they are written: keys of the default spelling stand first.
    first = [key for key in plain if key in more]
    return note, {key: more[key] for key in (*first, *(key for key in more if key not in plain))}


def is_same_json(a: Any, b: Any) -> bool:
    """Whether two texts are the same as JSON."""
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    try:
        return same_document(*(parse_json(text, speed.DEFAULT_LIMITS, "error") for text in (a, b)))
    except AgentMsgError:
        return False


def beyond(block: am.ToolUseBlock, letter: str, plain: Native) -> Native:
    """Return what the extras of a call say beyond it in one of its copies, as far as that comes back.

    Args:
        block: the call.
        letter: of the copy.
        plain: the copy in its default spelling.
    """
    own = block.extras.get(SPACES[letter]) if block.extras and letter in SPACES else None
    return _beyond(own, plain, _OTHERWISE[letter], is_inner=False) if is_mapping(own) else {}


def _beyond(own: Mapping[str, Any], plain: Native, otherwise: frozenset[str], *, is_inner: bool) -> Native:
    kept: Native = {}
    for key, value in own.items():
        if key not in plain:
            if is_inner or otherwise is not _OTHERWISE["c"]:
                kept[key] = value
        elif key == "function" and not is_inner and is_mapping(value) and is_mapping(plain[key]):
            inner = _beyond(value, plain[key], otherwise, is_inner=True)
            kept |= {key: inner} if inner else {}
        elif key in otherwise and _is_otherwise(key, value, plain[key], otherwise):
            kept[key] = value
    first = [key for key in plain if key in kept]
    return {key: kept[key] for key in (*first, *(key for key in kept if key not in plain))}


def _is_otherwise(key: str, value: Any, usual: Any, otherwise: frozenset[str]) -> bool:
    if same_document(value, usual) or spelling.spelling_of(value) is not None:
        return False
    if key in {"index", "type"}:
        return True
    if key in _TEXTS and is_same_json(value, usual):
        return False
    if otherwise is _OTHERWISE["k"]:
        return True
    if otherwise is _OTHERWISE["t"]:
        # There is no other copy that the call could have its name or id from.
        return not usual and type(value) is not str
    if key == "input" or (key == "args" and is_mapping(usual)):
        return is_mapping(value)
    return isinstance(value, str)


def _apply(plain: Native, changes: Any, *, guarded: bool) -> Native:
    if not is_mapping(changes):
        return plain
    out = dict(plain)
    for key, change in changes.items():
        if key in _GUARDED and not guarded:
            continue
        how: Any = change[0] if is_sequence(change) and len(change) == 2 else change  # noqa: PLR2004
        if how == "/" and is_mapping(out.get(key)):
            out[key] = _apply(out[key], change[1], guarded=guarded)
        elif how == "absent":
            out.pop(key, None)
        elif how == "=" and is_same_json(change[1], out.get(key)):
            out[key] = change[1]
        elif isinstance(how, str) and how in spelling.SPELLINGS and key in out:
            out[key] = spelling.SPELLINGS[how]
    return out


def stamp(block: am.ToolUseBlock) -> str:
    """Return a digest of what a call says."""
    said = [block.id, block.name, block.is_valid, block.input if block.is_valid else block.raw_input]
    return blake2b(dump_json(said), digest_size=6).hexdigest()


def spelt(block: am.ToolUseBlock, plain: Native, letter: str) -> Native:
    """Return a copy with what it says beyond the call, in the spelling that the block remembers for it."""
    more = beyond(block, letter, plain) if block.extras else None
    note = mark_of(block, FAMILY, f"/{letter}=")
    if is_sequence(note) and len(note) == 2:  # noqa: PLR2004 - stamp and deviation
        plain = _apply(plain, note[1], guarded=note[0] == stamp(block))
    if not more:
        return plain
    inner = more.get("function")
    both = is_mapping(inner) and is_mapping(plain.get("function"))
    return {**plain, **more, **({"function": {**plain["function"], **inner}} if both else {})}  # type: ignore[dict-item]
