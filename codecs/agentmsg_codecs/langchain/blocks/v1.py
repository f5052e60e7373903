"""What parts of content share: ids, cache hints, and the `extras` of content blocks v1.

Fields of the model without a key in v1 are in `extras`, under the field's name. Unknown keys there become
``block.extras["langchain.extras"]``, and those beside `extras` become ``block.extras["langchain"]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Unreadable,
    adopt,
    cells,
    is_mapping,
    is_marked,
    is_object,
    maker,
    marked,
    natives,
    note_of,
    speed,
    with_note,
)
from agentmsg.formats.forms import Hatch, Key, Text, Via
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


make_text = maker(am.TextBlock)
make_thinking = maker(am.ThinkingBlock)
make_call = maker(am.ToolUseBlock)
make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
make_signature = maker(am.Signature, "provider", "value")
make_cache = maker(am.CacheHint)
_OBJECT: Any = dict
_STRING: Mapping[str, Any] = {"type": "string"}


is_only_text = speed.says_only(am.TextBlock, "text")


def is_words(blocks: Any) -> bool:
    """Whether blocks are a single text that says nothing but its words, so that a string can replace it."""
    return len(blocks) == 1 and is_only_text(blocks[0]) and blocks[0].text != ""


# -- cache hints ------------------------------------------------------------------------------------------------------


def is_hint(value: Any) -> bool:
    """Whether a value is a native cache hint."""
    return is_mapping(value) and type(value.get("type")) is str


def cache_of(part: Native) -> am.CacheHint | None:
    """Return the cache hint of a part; None if there is none, or something odd, which is an extra."""
    hint = part.get("cache_control")
    return read_cache(hint) if is_hint(hint) else None


def read_cache(hint: Any) -> am.CacheHint:
    """Return the cache hint of a native one.

    Raises:
        Unreadable: if it isn't one.
    """
    if not is_hint(hint):
        raise Unreadable
    ttl = natives.word_if_any(hint, "ttl")
    known = frozenset({"type"} if ttl is None else {"type", "ttl"})
    return make_cache(kind=hint["type"], ttl=ttl, extras=natives.rest_of(hint, known, FAMILY))


def write_cache(hint: am.CacheHint) -> Native:
    """Return the native cache hint."""
    native = {"type": hint.kind} if hint.ttl is None else {"type": hint.kind, "ttl": hint.ttl}
    return {**natives.extras_of(hint, FAMILY), **native} if hint.extras else native


ID = Key("id", "item_id", Text(), "may", is_odd=True)
CACHE = Key("cache_control", "cache", Via(read_cache, write_cache, {"type": "object"}, KEEP), "may", is_odd=True)


# -- `extras` ---------------------------------------------------------------------------------------------------------


def read_extras(part: Native, names: Mapping[str, str], owner: str | None = None) -> Native:
    """Return, like a hatch, the fields in the `extras` of a part.

    Args:
        part: the part.
        names: the fields of texts, by key.
        owner: the provider of a signature that names none.
    """
    extras = part.get("extras")
    if type(extras) is not _OBJECT or not extras:
        return natives.unread(part, "extras") if "extras" in part else {}
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
    """Return the `extras` of a block under their key, if there are any; for the arguments see ``read_extras``."""
    if names:
        own = {**{key: value for key, field in names.items() if (value := getattr(block, field)) is not None}, **own}
    if block.signature is not None or block.phase is not None or block.metadata or block.extras:
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
SEALED = cells.sealed_by(ANTHROPIC, family=FAMILY)
"""The cell of redacted thinking: unless marked otherwise, it is Anthropic's."""


def _nothing(_: Native) -> Native:
    return {}


def only_written(put: Callable[[Any], Native]) -> Hatch:
    """Return the item of keys that another item reads."""
    return Hatch(keys=(), cells={}, get=_nothing, put=put)


def required(
    keys: tuple[str, ...], fields: tuple[str, ...], get: Callable[[Native], Native], put: Callable[[Any], Native]
) -> Hatch:
    """Return the item of required keys that two plain functions read and write."""
    return Hatch(keys=keys, cells=dict.fromkeys(fields, KEEP), get=get, put=put, must=keys)


def via(get: Callable[[Any], Any], put: Callable[[Any], Any], schema: Mapping[str, Any] = _STRING) -> Via:
    """Return the kind of any value through two plain functions, with the JSON Schema of the native values."""
    return Via(get, put, schema, KEEP)


def extras_hatch(names: Mapping[str, str] = EMPTY, owner: str | None = None) -> Hatch:
    """Return the item of `extras`; for the arguments see ``read_extras``."""

    def get(part: Native) -> Native:
        return read_extras(part, names, owner)

    def put(block: Any) -> Native:
        return write_extras(block, names, owner)

    return Hatch(
        keys=("extras",),
        cells={**_BESIDE, **{name: SEALED if name == "redacted" else KEEP for name in names.values()}},
        get=get,
        put=put,
        odd=("extras",),
        is_optional=True,
        spaces=(INNER,),
        schema={"extras": {"type": "object", "properties": {key: {"type": "string"} for key in ("phase", *names)}}},
        about=", ".join(sorted({"signature", "signature_provider", "phase", "metadata", *names})),
    )


EXTRAS = extras_hatch()


# -- moves ------------------------------------------------------------------------------------------------------------

# Some writers put cache hints and file names elsewhere in a part than v1 does. Such a part is read as the one that has
# them in their usual place, and the block is marked with where they were.
Move: TypeAlias = "tuple[str, Callable[[Native], Native | None], Callable[[Native], Native | None]]"
_HINT, _BREAKPOINT, _NAME = "cache_control", "prompt_cache_breakpoint", "filename"
_EPHEMERAL = {"type": "ephemeral"}
_EXPLICIT = {"mode": "explicit"}


def _lifted(part: Native, key: str, holder: str = "extras") -> Native | None:
    """Return a part with a key of its `extras`, or of another holder, beside them; None if it isn't only in there."""
    held = part.get(holder)
    if not is_mapping(held) or key not in held or key in part:
        return None
    rest = without(held, key)
    return {**without(part, holder), key: held[key], **({holder: rest} if rest else {})}


def _lowered(part: Native, key: str, holder: str = "extras") -> Native | None:
    """Return a part with a key in its `extras`, or in another holder; None if it isn't only beside them."""
    held: Any = part.get(holder, {})
    if key not in part or not is_mapping(held) or key in held:
        return None
    return {**without(part, key), holder: {key: part[key], **held}}


def _hint_lifted(part: Native) -> Native | None:
    moved = _lifted(part, _HINT)
    return moved if moved is not None and is_hint(moved[_HINT]) else None


def _as_hint(part: Native) -> Native | None:
    """Return a part with a cache hint in place of OpenAI's breakpoint."""
    if part.get(_BREAKPOINT) != _EXPLICIT or _HINT in part:
        return None
    return {**without(part, _BREAKPOINT), _HINT: {**_EPHEMERAL}}


# The keys of files that have their name beside these.
_NAMED_BESIDE = ("source_type", "data", "mimeType", "fileId")


def _name_lowered(part: Native) -> Native | None:
    is_v1 = part.get("type") == "file" and part.keys().isdisjoint((*_NAMED_BESIDE, "file", "source"))
    return _lowered(part, _NAME) if is_v1 and type(part.get(_NAME)) is str else None


def _name_lifted(part: Native) -> Native | None:
    """Return a part with the name of its file beside `metadata`; None if it isn't only in there."""
    has_it = part.get("type") == "file" and not part.keys().isdisjoint(_NAMED_BESIDE)
    return _lifted(part, _NAME, "metadata") if has_it else None


MOVES: tuple[Move, ...] = (
    ("hint-inside", _hint_lifted, lambda part: _lowered(part, _HINT)),
    (
        "breakpoint",
        _as_hint,
        lambda part: {**without(part, _HINT), _BREAKPOINT: {**_EXPLICIT}} if part.get(_HINT) == _EPHEMERAL else None,
    ),
    ("named-inside", _name_lifted, lambda part: _lowered(part, _NAME, "metadata")),
    ("named-beside", _name_lowered, lambda part: _lifted(part, _NAME) if part.get("type") == "file" else None),
)
"""The mark of a block, how its part is brought to the usual spelling, and back; None if there is nothing to move."""


_is_only_sound = speed.says_only(am.AudioBlock, "source", "transcript", "item_id")
_is_only_id = speed.says_only(am.AudioBlock, "source")
_is_of_openai = speed.says_only(am.FileSource, "file_id", provider="openai")


def is_sound(block: Any) -> bool:
    """Whether a block is a sound as OpenAI's client keeps it in additional_kwargs: an answer's, or only its id.

    It refuses such a sound in content.
    """
    if type(block) is not am.AudioBlock or FAMILY in block.notes:
        return False
    if type(block.source) is am.FileSource:
        return _is_only_id(block) and _is_of_openai(block.source)
    has_bytes = type(block.source) is am.Base64Source and block.source.media_type is None
    return has_bytes and block.item_id is not None and block.transcript is not None and _is_only_sound(block)


# -- cache points of Bedrock's Converse: hints of the blocks before them ----------------------------------------------


POINT = "cachePoint"
# The blocks that a point may stand behind: a call has copies elsewhere.
_POINTED = frozenset({am.TextBlock, am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock, am.ThinkingBlock})


def with_points(placed: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return blocks with their parts, and each cache point as the hint of the block before it."""
    out: list[tuple[Any, Any]] = []
    for block, part in placed:
        hint = part[POINT] if is_object(part) and part.keys() == {POINT} else None
        if is_hint(hint) and out and type(out[-1][0]) in _POINTED and out[-1][0].cache is None:
            before, own = out[-1]
            out[-1] = marked(before.evolve(cache=read_cache(hint)), FAMILY, point=True), own
        else:
            out.append((block, part))
    return out


def is_pointed(block: Any) -> bool:
    """Whether the cache hint of a block is a point behind it: it was read so, here or by the codec of Converse."""
    if type(block) not in _POINTED or block.cache is None:
        return False
    return bool(is_marked(block, FAMILY, "/point")) or is_marked(block.cache, "bedrock", "/point")


def with_points_apart(blocks: Iterable[Any], write: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the parts of blocks, and cache points behind them."""
    for block in blocks:
        if is_pointed(block):
            note = {key: value for key, value in note_of(block, FAMILY).items() if key != "/point"}
            yield write(with_note(block.evolve(cache=None), FAMILY, note))
            yield {POINT: write_cache(block.cache)}
        else:
            yield write(block)
