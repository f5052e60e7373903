"""Citations: each has sources, and perhaps the span of text that it supports."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, adopt, is_list, is_object, natives
from agentmsg_codecs.pydantic_ai.names import FAMILY

_SOURCE = frozenset({"kind", "url", "title", "excerpts"})
# Citations that come back, for the schema.
CITED = {"enum": [
    {"sources": [{"kind": "web", "url": "https://x.test", "title": "T", "excerpts": ["words"]}],
     "anchor": {"start": 0, "end": 5, "kind": "content"}},
    {"sources": [{"kind": "document", "title": "T"}], "anchor": None},
]}  # fmt: skip
_ANCHORS = frozenset({"content", "marker"})


def read_citation(native: Any) -> am.Citation:
    """Read a citation: its first source fills the fields, and everything else is extras.

    Raises:
        Unreadable: if it isn't one.
    """
    sources: Any = native.get("sources") if is_object(native) else None
    if not is_list(sources) or not sources or not is_object(sources[0]):
        raise Unreadable("a citation has sources")
    first: Any = sources[0]
    anchor: Any = native.get("anchor")
    fields: dict[str, Any] = {}
    own = {key: first[key] for key in first if key not in _SOURCE}
    rest: Native = {key: value for key, value in native.items() if key not in ("sources", "anchor")}
    for key in ("url", "title"):
        if type(first.get(key)) is str:
            fields[key] = first[key]
        elif key in first:
            own[key] = first[key]
    if first.get("kind") != ("web" if "url" in fields else "document"):
        own["kind"] = first.get("kind")
    excerpts: Any = first.get("excerpts")
    if is_list(excerpts) and len(excerpts) == 1 and type(excerpts[0]) is str:
        fields["cited_text"] = excerpts[0]
    elif "excerpts" in first:
        own["excerpts"] = excerpts
    kind: Any = anchor.get("kind") if is_object(anchor) and anchor.keys() == {"kind", "start", "end"} else None
    if is_object(anchor) and type(kind) is str and kind in _ANCHORS:
        fields |= {key: anchor[key] for key in ("kind", "start", "end")}
    elif "anchor" in native:
        rest["anchor"] = anchor
    rest |= {"/source": own} if own else {}
    rest |= {"/more": sources[1:]} if len(sources) > 1 else {}
    if not all(type(fields.get(key, 0)) is int for key in ("start", "end")):
        raise Unreadable("a span has a start and an end")
    citation = am.Citation(**fields, extras=adopt({FAMILY: rest}) if rest else {})
    if write_citation(citation) != native:
        raise Unreadable("another citation")
    return citation


def write_citation(citation: am.Citation) -> Native:
    """Write a citation."""
    rest: Native = natives.extras_copy(citation, FAMILY)
    own, more = rest.pop("/source", {}), rest.pop("/more", [])
    told = {"url": citation.url, "title": citation.title}
    source: Native = {key: value for key, value in told.items() if value is not None}
    if citation.cited_text is not None:
        source["excerpts"] = [citation.cited_text]
    source["kind"] = "web" if citation.url is not None else "document"
    native: Native = {"sources": [{**source, **(own if is_object(own) else {})}, *(more if is_list(more) else [])]}
    if citation.kind is not None:
        native["anchor"] = {"start": citation.start, "end": citation.end, "kind": citation.kind}
    return {**native, **rest}


def is_own(citation: am.Citation) -> bool:
    """Whether a citation comes back unchanged after writing."""
    try:
        return am.same(read_citation(write_citation(citation)), citation)
    except (Unreadable, am.AgentMsgError):
        return False
