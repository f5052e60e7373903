"""Citations of texts: those of v1 and OpenAI, of Anthropic, and all others."""

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
# The keys of v1's citations, and their fields.
_FIELDS: Mapping[str, str] = {**{name: name for name in _TEXT_FIELDS}, "start_index": "start", "end_index": "end"}
_CITATION = frozenset({"type", *_FIELDS})
# An entry that isn't an object at all.
WHOLE = "langchain.citation"
# By kind of Anthropic's citations, the key of the title.
_TITLES: Mapping[str, str] = {
    "char_location": "document_title",
    "page_location": "document_title",
    "content_block_location": "document_title",
    "web_search_result_location": "title",
    "search_result_location": "title",
}
# By the key of Anthropic's that identifies it in v1, the kind.
_KIND_BY_KEY: Mapping[str, str] = {
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


def _fields_of_place(kind: str) -> Mapping[str, str]:
    """Return the fields of one of Anthropic's kinds, by key."""
    return {"cited_text": "cited_text", _TITLES[kind]: "title", **({"url": "url"} if kind == _ON_THE_WEB else {})}


def read_citation(native: Any) -> am.Citation:
    """Return the citation of an entry: of v1 or OpenAI, with the same keys, or of Anthropic; any other is an extra."""
    found: am.Citation | None = None
    if is_object(native):
        kind = native.get("type")
        if type(kind) is str and kind in _TITLES:
            known = frozenset({"type", *_fields_of_place(kind)})
            found = _kept_citation(_read_place(native), native, known, ANTHROPIC)
        elif kind == "citation" and is_object(native.get("extras")):
            found = _read_translated(native)
        found = found or _kept_citation(_read_any(native), native, _CITATION, FAMILY)
    return found or make_citation(extras=adopt({WHOLE: {"value": native}}))


def _kept_citation(citation: am.Citation, native: Native, known: frozenset[str], space: str) -> am.Citation | None:
    plain = _plain_citation(citation)
    if same_document(plain, native):
        return citation
    kept = spelling.keep(citation, native, plain, family=FAMILY, known=known, odd=known, namespace=space)
    # It was just read, so it is known to read as this citation.
    return kept if kept is not None and same_document(_spell_citation(kept, lambda _: kept), native) else None


def _read_any(native: Native) -> am.Citation:
    kinds = {key: str if key in _TEXT_FIELDS else int for key in _FIELDS if key in native}
    fields = {_FIELDS[key]: native[key] for key, kind in kinds.items() if type(native[key]) is kind}
    kind = native.get("type")
    return make_citation(kind=kind if type(kind) is str and kind != "citation" else None, **fields)


def _read_place(native: Native) -> am.Citation:
    kind: str = native["type"]
    fields = {name: native[key] for key, name in _fields_of_place(kind).items() if type(native.get(key)) is str}
    return make_citation(kind=kind, **fields)


def _read_translated(native: Native) -> am.Citation | None:
    """Read a citation of Anthropic's that langchain-core has translated to v1; None for any other."""
    extras: Native = native["extras"]
    if "url" in native:
        kind = _ON_THE_WEB if "encrypted_index" in extras else None
    else:
        kind = next((kind for key, kind in _KIND_BY_KEY.items() if key in extras), None)
    if kind is None or not native.keys() <= {"type", "extras", *_TEXT_FIELDS}:
        return None
    if not {"type", *_fields_of_place(kind)}.isdisjoint(extras):
        return None
    if not all(type(native.get(key)) in (str, type(None)) for key in _TEXT_FIELDS):
        return None
    fields = {key: native[key] for key in _TEXT_FIELDS if native.get(key) is not None}
    nulls = {key: "null" for key in _TEXT_FIELDS if key in native and native[key] is None}
    notes = adopt({FAMILY: {"/v1": True, **nulls}})
    return make_citation(kind=kind, **fields, extras=adopt({ANTHROPIC: extras}), notes=notes)


def is_translated(citation: am.Citation) -> bool:
    """Whether one of Anthropic's citations was read as v1."""
    return is_marked(citation, FAMILY, "/v1") and is_place(citation)


def _plain_citation(citation: am.Citation) -> Native:
    kind = citation.kind or ""
    if kind in _TITLES and not is_translated(citation):
        values = {key: getattr(citation, name) for key, name in _fields_of_place(kind).items()}
        # The schema requires the title, even if it is null.
        return {"type": kind, **{key: v for key, v in values.items() if v is not None or key == _TITLES[kind]}}
    native: Native = {"type": "citation" if citation.kind is None or citation.kind in _TITLES else citation.kind}
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
