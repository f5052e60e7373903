"""What the parts of content share: ids, cache hints, and the `extras` of content blocks v1.

What the model has a field for and v1 has no key for stands in `extras`, under the field's name; the rest of `extras` is
kept as ``block.extras["langchain.extras"]``, and unknown keys beside it as ``block.extras["langchain"]``.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg.formats import EMPTY, KEEP, Native, Unreadable, adopt, is_mapping, is_object, maker, natives, spelling
from agentmsg.formats.forms import Hatch, Key, Text, Via
from agentmsg_codecs.langchain.names import FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_text = maker(am.TextBlock)
make_thinking = maker(am.ThinkingBlock)
make_call = maker(am.ToolUseBlock)
make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
make_signature = maker(am.Signature, "provider", "value")
make_cache = maker(am.CacheHint)
_OBJECT: Any = dict


def is_words(blocks: Any) -> bool:
    """Whether blocks are one text that says nothing but its words, so that a string can stand for it."""
    block = blocks[0] if len(blocks) == 1 else None
    if type(block) is not am.TextBlock or not block.text or block.citations or block.extras or block.metadata:
        return False
    return block.item_id is None and block.cache is None and block.signature is None and block.phase is None


# -- cache hints ------------------------------------------------------------------------------------------------------


def cache_of(part: Native) -> am.CacheHint | None:
    """Return the cache hint of a part; None if none is told, or something odd, which is an extra."""
    hint = part.get("cache_control")
    return _read_cache(hint) if is_object(hint) and type(hint.get("type")) is str else None


def _read_cache(hint: Any) -> am.CacheHint:
    if not is_object(hint) or type(hint.get("type")) is not str:
        raise Unreadable
    if len(hint) == 1:
        return make_cache(kind=hint["type"])
    ttl = hint.get("ttl")
    told = frozenset({"type", "ttl"} if type(ttl) is str else {"type"})
    extras = natives.rest_of(hint, told, FAMILY)
    return make_cache(kind=hint["type"], ttl=ttl if type(ttl) is str else None, extras=extras)


def write_cache(hint: am.CacheHint) -> Native:
    """Return the native cache hint."""
    native = {"type": hint.kind} if hint.ttl is None else {"type": hint.kind, "ttl": hint.ttl}
    rest = hint.extras.get(FAMILY) if hint.extras else None
    return {**rest, **native} if is_mapping(rest) else native


ID = Key("id", "item_id", Text(), "may", is_odd=True)
CACHE = Key("cache_control", "cache", Via(_read_cache, write_cache, {"type": "object"}, KEEP), "may", is_odd=True)


# -- `extras` ---------------------------------------------------------------------------------------------------------

_NOTHING = (None, None, EMPTY, EMPTY)
_beside = attrgetter("signature", "phase", "metadata", "extras")


def claimed(names: Mapping[str, str]) -> frozenset[str]:
    """Return the keys of `extras` that the model has a field for, where these texts stand there, too."""
    return frozenset({"signature", "signature_provider", "phase", "metadata", *names})


def spelt_oddly(key: str, value: Any) -> Native:
    """Return for a hatch what a value without meaning is: a spelling where it says nothing, else an extra."""
    name = spelling.spelling_of(value) or (["=", value] if spelling.says_nothing(value) else None)
    return {"odd": (key,)} if name is None else {"notes": {key: name}}


def read_extras(part: Native, names: Mapping[str, str], owner: str | None = None) -> Native:
    """Return, as a hatch does, the fields that the `extras` of a part say.

    Args:
        part: the part.
        names: the keys of texts, and their fields.
        owner: whose a signature is of which nothing else is told.
    """
    extras = part.get("extras")
    if type(extras) is not _OBJECT or not extras:
        return spelt_oddly("extras", extras) if "extras" in part else {}
    if len(extras) == 1 and type(extras.get("signature")) is str:
        return {"signature": make_signature(owner, extras["signature"])}
    rest: Native = {**extras}
    found: Native = {field: rest.pop(key) for key, field in names.items() if type(rest.get(key)) is str}
    if type(rest.get("signature")) is str:
        provider = owner
        if "signature_provider" in rest:
            provider = rest.pop("signature_provider")
            if provider is not None and type(provider) is not str:
                raise Unreadable
            found |= {"notes": {"extras": ["=", extras]}} if provider == owner else {}
        found["signature"] = make_signature(provider, rest.pop("signature"))
    if type(rest.get("phase")) is str:
        found["phase"] = rest.pop("phase")
    metadata = rest.get("metadata")
    if metadata and type(metadata) is _OBJECT:
        found["metadata"] = adopt(rest.pop("metadata"))
    return {**found, "extras": {INNER: rest}} if rest else found


def write_extras(block: Any, names: Mapping[str, str], owner: str | None = None, **own: Any) -> Native:
    """Return the `extras` of a block, under their key, or nothing; for the arguments see ``read_extras``."""
    if names:
        own = {**{key: value for key, field in names.items() if (value := getattr(block, field)) is not None}, **own}
    if _beside(block) != _NOTHING:
        if block.signature is not None:
            own["signature"] = block.signature.value
            if block.signature.provider != owner:
                own["signature_provider"] = block.signature.provider
        if block.phase is not None:
            own["phase"] = block.phase
        if block.metadata:
            own["metadata"] = block.metadata
        rest = block.extras.get(INNER)
        own = {**rest, **own} if is_mapping(rest) else own
    return {"extras": own} if own else {}


_BESIDE = dict.fromkeys(("signature", "metadata", "phase"), KEEP)


def nothing(_: Native) -> Native:
    """Return what a hatch reads that is for writing alone."""
    return {}


def extras_hatch(names: Mapping[str, str] = EMPTY, owner: str | None = None) -> Hatch:
    """Return the item of `extras`; for the arguments see ``read_extras``."""

    def get(part: Native) -> Native:
        return read_extras(part, names, owner)

    def put(block: Any) -> Native:
        return write_extras(block, names, owner)

    return Hatch(
        keys=("extras",),
        cells={**_BESIDE, **dict.fromkeys(names.values(), KEEP)},
        get=get,
        put=put,
        odd=("extras",),
        is_optional=True,
        spaces=(INNER,),
        schema={"extras": {"type": "object", "properties": {key: {"type": "string"} for key in ("phase", *names)}}},
        about=", ".join(sorted(claimed(names))),
    )


EXTRAS = extras_hatch()


# -- moves ------------------------------------------------------------------------------------------------------------

# What some writers put at another place of a part than v1 does: cache hints and file names. A part is read as the one
# that has them at their usual place, and notes where they stood.
Move: TypeAlias = "tuple[str, Callable[[Native], Native | None], Callable[[Native], Native]]"
_BREAKPOINT = "prompt_cache_breakpoint"
_EPHEMERAL = "ephemeral"


def _without(part: Native, key: str) -> Native:
    return {name: value for name, value in part.items() if name != key}


def _out_of_extras(part: Native) -> Native | None:
    """Return a part whose cache hint stands beside its `extras`; None if it is not inside of them."""
    extras = part.get("extras")
    if not is_object(extras) or "cache_control" in part or cache_of(extras) is None:
        return None
    rest = _without(extras, "cache_control")
    moved = {**_without(part, "extras"), "cache_control": extras["cache_control"]}
    return {**moved, "extras": rest} if rest else moved


def _into_extras(part: Native) -> Native:
    extras: Any = part.get("extras", {})
    if "cache_control" not in part or not is_mapping(extras):
        return part
    return {**_without(part, "cache_control"), "extras": {**extras, "cache_control": part["cache_control"]}}


def _as_hint(part: Native) -> Native | None:
    """Return a part whose breakpoint is a cache hint: OpenAI's name for it."""
    point = part.get(_BREAKPOINT)
    if not is_object(point) or "cache_control" in part or point.get("mode") != "explicit" or len(point) > 1:
        return None
    return {**_without(part, _BREAKPOINT), "cache_control": {"type": _EPHEMERAL}}


def _as_breakpoint(part: Native) -> Native:
    if part.get("cache_control") != {"type": _EPHEMERAL}:
        return part
    return {**_without(part, "cache_control"), _BREAKPOINT: {"mode": "explicit"}}


def _name_into_extras(part: Native) -> Native | None:
    """Return a v1 file whose name stands in its `extras`; None if it is not beside them."""
    extras: Any = part.get("extras", {})
    if part.get("type") != "file" or type(part.get("filename")) is not str or not is_object(extras):
        return None
    if "filename" in extras or not part.keys().isdisjoint(("source_type", "file", "source")):
        return None
    return {**_without(part, "filename"), "extras": {**extras, "filename": part["filename"]}}


def _name_out_of_extras(part: Native) -> Native:
    extras: Any = part.get("extras")
    if part.get("type") != "file" or not is_mapping(extras) or "filename" not in extras or "filename" in part:
        return part
    rest = _without(dict(extras), "filename")
    moved = {**_without(part, "extras"), "filename": extras["filename"]}
    return {**moved, "extras": rest} if rest else moved


# The mark of a block, the part with all at its usual place (None: it is there), and the way back.
MOVES: tuple[Move, ...] = (
    ("hint-inside", _out_of_extras, _into_extras),
    ("breakpoint", _as_hint, _as_breakpoint),
    ("named-beside", _name_into_extras, _name_out_of_extras),
)
