"""Citations of texts: those of v1 and OpenAI, and all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import Native, adopt, is_mapping, is_object, maker, same_document, spelling
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


make_citation = maker(am.Citation)
_TEXT_FIELDS = ("url", "title", "cited_text")
# The keys of v1's citations, and their fields.
_FIELDS: Mapping[str, str] = {**{name: name for name in _TEXT_FIELDS}, "start_index": "start", "end_index": "end"}
_CITATION = frozenset({"type", *_FIELDS})
_TAG = frozenset({"type"})
# Only Responses has these, and its own codec reads what they say of a file: all of it is extras.
_OF_CONTAINER = "container_file_citation"
# An entry that isn't an object at all.
WHOLE = "langchain.citation"


def read_citation(native: Any) -> am.Citation:
    """Return the citation of an entry: of v1 or OpenAI, which have the same keys; any other is an extra."""
    found = _kept_citation(_read_any(native), native) if is_object(native) else None
    return found or make_citation(extras=adopt({WHOLE: {"value": native}}))


def _kept_citation(citation: am.Citation, native: Native) -> am.Citation | None:
    plain = _plain_citation(citation)
    if same_document(plain, native):
        return citation
    known = _CITATION if citation.kind != _OF_CONTAINER else _TAG
    kept = spelling.keep(citation, native, plain, family=FAMILY, known=known, odd=known)
    # It was just read, so it is known to read as this citation.
    return kept if kept is not None and same_document(_spell_citation(kept, lambda _: kept), native) else None


def _read_any(native: Native) -> am.Citation:
    kind = native.get("type")
    kinds = {key: str if key in _TEXT_FIELDS else int for key in _FIELDS if key in native and kind != _OF_CONTAINER}
    fields = {_FIELDS[key]: native[key] for key, cls in kinds.items() if type(native[key]) is cls}
    return make_citation(kind=kind if type(kind) is str and kind != "citation" else None, **fields)


def _plain_citation(citation: am.Citation) -> Native:
    native: Native = {"type": "citation" if citation.kind is None else citation.kind}
    return native | {key: value for key, field in _FIELDS.items() if (value := getattr(citation, field)) is not None}


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
    return spelling.put_back(citation, plain, family=FAMILY, read=read)
