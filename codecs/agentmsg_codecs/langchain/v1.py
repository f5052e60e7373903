"""Content blocks v1, the canonical spelling: a reader and a writer for each class of block.

The readers are structure hooks and the writers unstructure hooks of a cattrs Converter (see ``make_converter``);
the dispatch tables of parts.py are filled from it. Imports the model and the words of the format.

A v1 block has `id`, `extras` and its own keys. What the model has a field for and v1 has no key for stands in
`extras`, under the field's name; the rest of `extras` is kept as ``block.extras["langchain.extras"]``, and unknown
keys beside it as ``block.extras["langchain"]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.json_values import EMPTY, adopt, plain_copy, thaw
from agentmsg.notes import keep, put_back, same_document
from agentmsg.plain import class_of, is_list, is_mapping, is_object
from agentmsg_codecs.langchain.words import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "WHOLE",
    "WITH_URL",
    "Extras",
    "Unreadable",
    "cache_of",
    "claimed",
    "common_of",
    "is_bare_text",
    "is_place",
    "is_translated",
    "make_call",
    "make_citation",
    "make_refusal",
    "make_result",
    "make_signature",
    "make_text",
    "make_thinking",
    "quick_reasoning",
    "quick_text",
    "read_citation",
    "read_reasoning",
    "read_refusal",
    "read_text",
    "text_at",
    "v1_part",
    "word_at",
    "write_cache",
    "write_citation",
    "write_reasoning",
    "write_refusal",
    "write_text",
]

Part = dict[str, Any]
make_text = maker(am.TextBlock)
make_thinking = maker(am.ThinkingBlock)
make_call = maker(am.ToolUseBlock)
make_result = maker(am.ToolResultBlock)
make_refusal = maker(am.RefusalBlock)
make_citation = maker(am.Citation)
make_signature = maker(am.Signature)
make_cache = maker(am.CacheHint)


class Unreadable(Exception):
    """A part is not of the shape that a reader knows; another reader may know it. Never leaves the codec."""


# -- what many parts share ------------------------------------------------------------------------------------------


def text_at(part: Part, key: str) -> str:
    """Return the text under a key that must have one."""
    value = part.get(key)
    if type(value) is not str:
        raise Unreadable
    return value


def word_at(part: Part, key: str) -> str | None:
    """Return the text under a key, or None where there is none or it is null."""
    value = part.get(key)
    if value is None or type(value) is str:
        return value
    raise Unreadable


def cache_of(part: Part) -> am.CacheHint | None:
    """Return the cache hint of a part; None where none is told, or something odd, which is an extra."""
    hint = part.get("cache_control")
    if not is_object(hint) or type(hint.get("type")) is not str:
        return None
    if len(hint) == 1:
        return make_cache(kind=hint["type"])
    ttl = hint.get("ttl")
    told = {"type", "ttl"} if type(ttl) is str else {"type"}
    rest = {key: value for key, value in hint.items() if key not in told}
    extras = adopt({FAMILY: rest}) if rest else EMPTY
    return make_cache(kind=hint["type"], ttl=ttl if type(ttl) is str else None, extras=extras)


def write_cache(hint: am.CacheHint) -> Part:
    """Return the native cache hint."""
    native = {"type": hint.kind} if hint.ttl is None else {"type": hint.kind, "ttl": hint.ttl}
    rest = hint.extras.get(FAMILY) if hint.extras else None
    return {**rest, **native} if is_mapping(rest) else native


_COMMON = frozenset({"signature", "signature_provider", "phase", "metadata"})
_CALL = _COMMON | {"item_id", "provider", "status", "raw_input"}
_OWN: Mapping[type, frozenset[str]] = {
    am.ImageBlock: _COMMON | {"detail"},
    am.AudioBlock: _COMMON | {"transcript"},
    am.FileBlock: _COMMON | {"filename", "title", "context"},
    am.ThinkingBlock: _COMMON | {"redacted"},
    am.ToolUseBlock: _CALL,
    am.ToolResultBlock: _COMMON | {"name", "provider", "artifact", "error", "error_type", "structured", "content"},
}


def claimed(block: Any) -> frozenset[str]:
    """Return the keys of v1 `extras` that the model has a field for, in a block like this one."""
    own = _OWN.get(class_of(block), _COMMON)
    return own | {"provider"} if isinstance(getattr(block, "source", None), am.FileSource) else own


class Extras:
    """The `extras` of a v1 part, taken apart: what the model has fields for, and the rest."""

    def __init__(self, part: Part) -> None:
        extras = part.get("extras")
        self.rest: Part = dict(extras) if is_object(extras) else {}

    def text(self, key: str) -> str | None:
        """Take a text; anything else under a key of ours stays an extra."""
        return self.rest.pop(key) if type(self.rest.get(key)) is str else None

    def mapping(self, key: str) -> Any:
        """Take an object that is not empty."""
        value = self.rest.get(key)
        return adopt(self.rest.pop(key)) if value and is_object(value) else EMPTY

    def value(self, key: str) -> Any:
        """Take any value but null."""
        return None if self.rest.get(key) is None else adopt(self.rest.pop(key))


def common_of(
    part: Part, extras: Extras | None = None, *, id_key: str | None = "id", owner: str | None = None
) -> dict[str, Any]:
    """Return the fields that all blocks share, as far as a part states them.

    Args:
        part: the native part.
        extras: its `extras`, from which what belongs to the class has been taken; None for shapes without.
        id_key: where the item's id stands; None: in `extras`.
        owner: whose a signature is of which nothing else is told.
    """
    fields: dict[str, Any] = {}
    item_id = part.get(id_key) if id_key else None
    if type(item_id) is str:
        fields["item_id"] = item_id
    if "cache_control" in part:
        fields["cache"] = cache_of(part)
    if extras is None or not extras.rest:
        return fields
    signature = extras.text("signature")
    if signature is not None:
        if "signature_provider" in extras.rest:
            owner = extras.rest.pop("signature_provider")
            if owner is not None and type(owner) is not str:
                raise Unreadable
        fields["signature"] = make_signature(provider=owner, value=signature)
    phase = extras.text("phase")
    if phase is not None:
        fields["phase"] = phase
    metadata = extras.mapping("metadata")
    if metadata:
        fields["metadata"] = metadata
    if extras.rest:
        fields["extras"] = adopt({INNER: extras.rest})
    return fields


def v1_part(
    block: Any, part: Part, own: Part | None = None, *, id_key: str | None = "id", owner: str | None = None
) -> Part:
    """Complete a v1 part with what all blocks share.

    Args:
        block: the block.
        part: what its class has.
        own: the class's entries in `extras`.
        id_key: where the item's id stands; None: in `extras`.
        owner: whose a signature is of which nothing else is told.
    """
    extras: Part = {} if own is None else own
    odd = block.extras or block.metadata or block.item_id is not None or block.phase is not None
    if not odd and block.signature is None and block.cache is None:
        if extras:
            part["extras"] = extras
        return part
    if block.item_id is not None:
        if id_key:
            part[id_key] = block.item_id
        else:
            extras["item_id"] = block.item_id
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    if block.signature is not None:
        extras["signature"] = block.signature.value
        if block.signature.provider != owner:
            extras["signature_provider"] = block.signature.provider
    if block.phase is not None:
        extras["phase"] = block.phase
    if block.metadata:
        extras["metadata"] = block.metadata
    rest = block.extras.get(INNER) if block.extras else None
    if is_mapping(rest):
        extras = {**rest, **extras}
    if extras:
        part["extras"] = extras
    return part


def is_bare_text(block: Any) -> bool:
    """Tell whether a block is text that says nothing but its words, so that a string can stand for it."""
    if type(block) is not am.TextBlock or not block.text or block.citations or block.extras or block.metadata:
        return False
    return block.item_id is None and block.cache is None and block.signature is None and block.phase is None


# -- text, thinking, refusal ------------------------------------------------------------------------------------------

_CITATION = frozenset({"type", "url", "title", "cited_text", "start_index", "end_index"})
_TEXT_FIELDS = ("url", "title", "cited_text")
# An entry that is no object at all.
WHOLE = "langchain.citation"
# By kind of Anthropic's citations: the key of the title; and, of v1, which of their own keys tells the kind.
_TITLES: Mapping[str, str] = {
    "char_location": "document_title",
    "page_location": "document_title",
    "content_block_location": "document_title",
    "web_search_result_location": "title",
    "search_result_location": "title",
}
_TOLD_BY: Mapping[str, str] = {
    "start_char_index": "char_location",
    "search_result_index": "search_result_location",
    "start_block_index": "content_block_location",
    "start_page_number": "page_location",
}
_ON_THE_WEB = "web_search_result_location"
WITH_URL = frozenset({_ON_THE_WEB})


def is_place(citation: am.Citation) -> bool:
    """Tell whether a citation is one of Anthropic's."""
    return citation.kind in _TITLES


def _keys_of_place(kind: str) -> frozenset[str]:
    return frozenset({"type", "cited_text", _TITLES[kind], *(["url"] if kind == _ON_THE_WEB else [])})


def read_citation(native: Any) -> am.Citation:
    """Return the citation of an entry: v1, OpenAI's, which has the same keys, Anthropic's; any other has extras."""
    if not is_object(native):
        return make_citation(extras=adopt({WHOLE: {"value": native}}))
    kind = native.get("type")
    if type(kind) is str and kind in _TITLES:
        found = _kept_citation(_read_place(native), native, _keys_of_place(kind), ANTHROPIC)
        if found is not None:
            return found
    elif kind == "citation" and is_object(native.get("extras")):
        found = _read_translated(native)
        if found is not None:
            return found
    found = _kept_citation(_read_any(native), native, _CITATION, FAMILY)
    return make_citation(extras=adopt({WHOLE: {"value": native}})) if found is None else found


def _kept_citation(citation: am.Citation, native: Part, known: frozenset[str], space: str) -> am.Citation | None:
    plain = _plain_citation(citation)
    if same_document(plain, native):
        return citation
    kept = keep(citation, native, plain, family=FAMILY, known=known, odd=known, namespace=space)
    # That it reads as this citation is known: it was just read.
    return kept if kept is not None and same_document(_spell_citation(kept, lambda _: kept), native) else None


def _read_any(native: Part) -> am.Citation:
    told = {key: native[key] for key in _TEXT_FIELDS if type(native.get(key)) is str}
    start, end = native.get("start_index"), native.get("end_index")
    kind = native.get("type")
    return make_citation(
        **told,
        start=start if type(start) is int else None,
        end=end if type(end) is int else None,
        kind=kind if type(kind) is str and kind != "citation" else None,
    )


def _read_place(native: Part) -> am.Citation:
    kind: str = native["type"]
    keys = {"cited_text": "cited_text", _TITLES[kind]: "title", **({"url": "url"} if kind == _ON_THE_WEB else {})}
    told = {name: native[key] for key, name in keys.items() if type(native.get(key)) is str}
    return make_citation(kind=kind, **told)


def _read_translated(native: Part) -> am.Citation | None:
    """Read Anthropic's citation as langchain-core translates it to v1; None where it is none."""
    extras: Part = native["extras"]
    if "url" in native:
        kind = _ON_THE_WEB if "encrypted_index" in extras else None
    else:
        kind = next((kind for key, kind in _TOLD_BY.items() if key in extras), None)
    if kind is None or not native.keys() <= {"type", "extras", *_TEXT_FIELDS}:
        return None
    if not all(type(native.get(key)) in _WORD for key in _TEXT_FIELDS) or not _keys_of_place(kind).isdisjoint(extras):
        return None
    told = {key: native[key] for key in _TEXT_FIELDS if native.get(key) is not None}
    nulls = {key: "null" for key in _TEXT_FIELDS if key in native and native[key] is None}
    notes = adopt({FAMILY: {"/v1": True, **nulls}})
    return make_citation(kind=kind, **told, extras=adopt({ANTHROPIC: extras}), notes=notes)


_WORD = (str, type(None))


def is_translated(citation: am.Citation) -> bool:
    """Tell whether one of Anthropic's citations was read as v1."""
    note = citation.notes.get(FAMILY) if citation.notes else None
    return is_mapping(note) and note.get("/v1") is True and is_place(citation)


def _plain_citation(citation: am.Citation) -> Part:
    kind = citation.kind or ""
    if kind in _TITLES and not is_translated(citation):
        native: Part = {"type": kind}
        if citation.cited_text is not None:
            native["cited_text"] = citation.cited_text
        # The schema wants it, be it null.
        native[_TITLES[kind]] = citation.title
        if kind == _ON_THE_WEB and citation.url is not None:
            native["url"] = citation.url
        return native
    native = {"type": "citation" if citation.kind is None or citation.kind in _TITLES else citation.kind}
    for key, value in (
        ("url", citation.url),
        ("title", citation.title),
        ("cited_text", citation.cited_text),
        ("start_index", citation.start),
        ("end_index", citation.end),
    ):
        if value is not None:
            native[key] = value
    if citation.kind in _TITLES:
        native["extras"] = citation.extras.get(ANTHROPIC) or {}
    return native


def write_citation(citation: am.Citation) -> Any:
    """Return the entry of a citation."""
    whole = citation.extras.get(WHOLE) if citation.extras else None
    if is_mapping(whole) and "value" in whole:
        return whole["value"]
    return _spell_citation(citation, lambda part: read_citation(plain_copy(thaw(part))))


def _spell_citation(citation: am.Citation, read: Callable[[Part], Any]) -> Part:
    plain = _plain_citation(citation)
    if not citation.extras and not citation.notes:
        return plain
    space = ANTHROPIC if is_place(citation) and not is_translated(citation) else FAMILY
    return put_back(citation, plain, family=FAMILY, read=read, namespace=space)


def quick_text(part: Part) -> am.TextBlock | None:
    """Read text that has nothing but its words; None where it has more."""
    text = part.get("text")
    return make_text(text) if len(part) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


def read_text(part: Part, _: Any = None) -> am.TextBlock:
    """Read ``{"type": "text", "text", "annotations"}``."""
    citations: Any = part.get("annotations")
    if not is_list(citations):
        citations = ()
    extras = Extras(part)
    return make_text(
        text=text_at(part, "text"), citations=tuple(map(read_citation, citations)), **common_of(part, extras)
    )


def write_text(block: am.TextBlock) -> Part:
    """Write a text block."""
    part: Part = {"type": "text", "text": block.text}
    if block.citations:
        own = all(is_place(citation) and not is_translated(citation) for citation in block.citations)
        part["citations" if own else "annotations"] = list(map(write_citation, block.citations))
    return v1_part(block, part)


def quick_reasoning(part: Part) -> am.ThinkingBlock | None:
    """Read thinking that has nothing but words and perhaps a signature; None where it has more."""
    thinking = part.get("reasoning")
    if type(thinking) is not str:
        return None
    if len(part) == 2:  # noqa: PLR2004 - type and reasoning
        return make_thinking(thinking)
    extras = part.get("extras")
    if len(part) != 3 or not is_object(extras) or len(extras) != 1:  # noqa: PLR2004 - and extras
        return None
    value = extras.get("signature")
    if type(value) is not str:
        return None
    return make_thinking(thinking=thinking, signature=make_signature(provider=ANTHROPIC, value=value))


def read_reasoning(part: Part, _: Any = None) -> am.ThinkingBlock:
    """Read ``{"type": "reasoning", "reasoning"}``; a signature of which nothing else is told is Anthropic's."""
    extras = Extras(part)
    redacted = extras.text("redacted")
    fields = common_of(part, extras, owner=ANTHROPIC)
    return make_thinking(thinking=word_at(part, "reasoning") or "", redacted=redacted, **fields)


def write_reasoning(block: am.ThinkingBlock) -> Part:
    """Write a thinking block; what only the provider can read goes into `extras`."""
    own = {} if block.redacted is None else {"redacted": block.redacted}
    return v1_part(block, {"type": "reasoning", "reasoning": block.thinking}, own, owner=ANTHROPIC)


def read_refusal(part: Part, _: Any = None) -> am.RefusalBlock:
    """Read ``{"type": "refusal", "refusal"}``."""
    return make_refusal(refusal=text_at(part, "refusal"), **common_of(part, Extras(part)))


def write_refusal(block: am.RefusalBlock) -> Part:
    """Write a refusal."""
    return v1_part(block, {"type": "refusal", "refusal": block.refusal})
