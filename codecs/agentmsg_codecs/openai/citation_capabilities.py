"""Which citations OpenAI's annotations support: those with a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import mark_of
from agentmsg.formats.forms import Described, Rows
from agentmsg_codecs.openai.format import CITATIONS
from agentmsg_codecs.openai.hints import is_odd
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    import agentmsg as am


_ROWS = Rows(Described(FAMILY, CITATIONS, {}))
_CITATION_EXTRAS = _ROWS.row(*(form.name for form in CITATIONS)).fields["extras"]


def _carried_citation(citation: am.Citation, text: str) -> am.Citation | None:
    """Return the annotation that a citation is; None if it tells no URL."""
    extras = _CITATION_EXTRAS(citation.extras, citation) if citation.extras else citation.extras
    if is_odd(citation):
        wanted: dict[str, Any] = {"extras": extras, "cited_text": None}
        if citation.kind != "url_citation":
            wanted |= {"url": None, "title": None, "start": None, "end": None, "kind": citation.kind or "url_citation"}
    elif citation.url is None:
        return None
    else:
        start, end = citation.start, citation.end
        wanted = {
            "title": citation.title or "",
            "cited_text": None,
            "start": 0 if start is None else start,
            "end": len(text) if end is None else end,
            "kind": "url_citation",
            "extras": extras if citation.kind == "url_citation" else {},
        }
    changes = {name: new for name, new in wanted.items() if getattr(citation, name) is not new}
    changes = {name: new for name, new in changes.items() if getattr(citation, name) != new}
    return citation.evolve(**changes) if changes else citation


def response_citations(citations: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep the citations that a response's annotations can be."""
    carried = [_carried_citation(citation, block.text) for citation in citations]
    kept = tuple(citation for citation in carried if citation is not None)
    same = len(kept) == len(citations) and all(a is b for a, b in zip(kept, citations, strict=True))
    return citations if same else kept


def request_citations(citations: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep citations of a response that was read in a request: its schema has none."""
    annotated = bool(block.notes) and mark_of(block, FAMILY, "/annotated") is True
    return response_citations(citations, block) if annotated else ()
