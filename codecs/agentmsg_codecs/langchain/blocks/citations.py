"""What texts are based on: citations of v1 and OpenAI, of Anthropic, and all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, adopt, is_mapping, is_marked, is_object, maker, same_document, spelling
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_citation = maker(am.Citation)
_TEXT_FIELDS = ("url", "title", "cited_text")
# The keys of v1's, and their fields.
_FIELDS: Mapping[str, str] = {**{name: name for name in _TEXT_FIELDS}, "start_index": "start", "end_index": "end"}
_CITATION = frozenset({"type", *_FIELDS})
# An entry that isn't an object at all.
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
    """Whether a citation is one of Anthropic's."""
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


def _kept_citation(citation: am.Citation, native: Native, known: frozenset[str], space: str) -> am.Citation | None:
    plain = _plain_citation(citation)
    if same_document(plain, native):
        return citation
    kept = spelling.keep(citation, native, plain, family=FAMILY, known=known, odd=known, namespace=space)
    # That it reads as this citation is known: it was just read.
    return kept if kept is not None and same_document(_spell_citation(kept, lambda _: kept), native) else None


def _read_any(native: Native) -> am.Citation:
    kinds = {key: str if key in _TEXT_FIELDS else int for key in _FIELDS if key in native}
    told = {_FIELDS[key]: native[key] for key, kind in kinds.items() if type(native[key]) is kind}
    kind = native.get("type")
    return make_citation(kind=kind if type(kind) is str and kind != "citation" else None, **told)


def _read_place(native: Native) -> am.Citation:
    kind: str = native["type"]
    keys = {"cited_text": "cited_text", _TITLES[kind]: "title", **({"url": "url"} if kind == _ON_THE_WEB else {})}
    told = {name: native[key] for key, name in keys.items() if type(native.get(key)) is str}
    return make_citation(kind=kind, **told)


def _read_translated(native: Native) -> am.Citation | None:
    """Read Anthropic's citation as langchain-core translates it to v1; None if it is none."""
    extras: Native = native["extras"]
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
    """Whether one of Anthropic's citations was read as v1."""
    return is_marked(citation, FAMILY, "/v1") and is_place(citation)


def _plain_citation(citation: am.Citation) -> Native:
    kind = citation.kind or ""
    if kind in _TITLES and not is_translated(citation):
        native: Native = {"type": kind}
        if citation.cited_text is not None:
            native["cited_text"] = citation.cited_text
        # The schema wants it, be it null.
        native[_TITLES[kind]] = citation.title
        if kind == _ON_THE_WEB and citation.url is not None:
            native["url"] = citation.url
        return native
    native = {"type": "citation" if citation.kind is None or citation.kind in _TITLES else citation.kind}
    native |= {key: value for key, field in _FIELDS.items() if (value := getattr(citation, field)) is not None}
    if citation.kind in _TITLES:
        native["extras"] = citation.extras.get(ANTHROPIC) or {}
    return native


def write_citation(citation: am.Citation) -> Any:
    """Return the entry of a citation."""
    whole = citation.extras.get(WHOLE) if citation.extras else None
    if is_mapping(whole) and "value" in whole:
        return whole["value"]
    return _spell_citation(citation, lambda part: read_citation(thaw(part)))


def _spell_citation(citation: am.Citation, read: Callable[[Native], Any]) -> Native:
    plain = _plain_citation(citation)
    if not citation.extras and not citation.notes:
        return plain
    space = ANTHROPIC if is_place(citation) and not is_translated(citation) else FAMILY
    return spelling.put_back(citation, plain, family=FAMILY, read=read, namespace=space)
