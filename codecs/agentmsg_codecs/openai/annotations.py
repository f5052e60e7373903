"""Citations: the ``annotations`` of a message, which are citations of its only text.

Marks: ``/annotated`` on a cited text in a request; ``/odd`` on a citation without one of the keys, or of another kind;
``/spelt`` on one whose span is outside of ``url_citation`` ("azure"), or that has no such object ("flat").
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    is_list,
    is_marked,
    is_object,
    mark_of,
    marked,
    note_of,
    read_as,
    spelling,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Inside, Key, Text, Whole
from agentmsg_codecs.openai.hints import is_odd, odd
from agentmsg_codecs.openai.names import FAMILY, ITEM
from agentmsg_codecs.openai.places import is_beside, is_thinking_field

if TYPE_CHECKING:
    from agentmsg.formats import Cell

KEY = "annotations"
URL_CITATION = _URL = "url_citation"
_SPAN = (Key("start_index", "start", Whole(), "may"), Key("end_index", "end", Whole(), "may"))
_SOURCE = (Key("title", "title", Text(), "may"), Key("url", "url", Text(), "may"))
_CITED = (*_SPAN, *_SOURCE)


def _lacks_some(native: Native) -> bool:
    return any(native[_URL].get(key.native) is None for key in _CITED)


def _has_span(native: Native) -> bool:
    return any(type(native.get(key.native)) is int for key in _SPAN)


def _is_azure(native: Native) -> bool:
    """Whether the span of a citation is beside its source, as Azure has it."""
    source = native.get(_URL)
    return is_object(source) and _has_span(native) and not _has_span(source)


def _was_azure(citation: am.Citation) -> bool:
    return bool(mark_of(citation, FAMILY, "/spelt") == "azure")


def _is_flat(native: Native) -> bool:
    """Whether a citation has no object ``url_citation``, as in other APIs."""
    return _URL not in native and native.get("url") is not None


def _was_flat(citation: am.Citation) -> bool:
    return citation.url is not None and mark_of(citation, FAMILY, "/spelt") == "flat"


ANNOTATIONS = Described(FAMILY, (
    Form("azure_citation", am.Citation, _URL, (*_SPAN, Inside(_URL, _SOURCE, space=ITEM)), fixed={"kind": _URL},
         fits=_is_azure, when=_was_azure, notes={"odd": True, "spelt": "azure"}, is_apart="citation"),
    Form("flat_citation", am.Citation, _URL, _CITED, fixed={"kind": _URL},
         fits=_is_flat, when=_was_flat, notes={"odd": True, "spelt": "flat"}, is_apart="citation"),
    Form("url_citation", am.Citation, _URL, (Inside(_URL, _CITED, space=ITEM),), fixed={"kind": _URL},
         marks={"odd": _lacks_some}, is_apart="citation"),
    Form("other_citation", am.Citation, None, (Key("type", "kind", Text()),), notes={"odd": True},
         fits=lambda native: bool(native.get("type")), is_apart="citation"),
), {})  # fmt: skip
_SHAPE = ANNOTATIONS.shapes["url_citation"]


def is_cited(block: Any) -> bool:
    """Whether a block is a text with citations."""
    return type(block) is am.TextBlock and bool(block.citations)


def without_citations(message: am.Msg) -> tuple[Any, ...]:
    """Return the blocks of a message, without citations."""
    return tuple(block.evolve(citations=()) if is_cited(block) else block for block in message.content)


# -- reading and writing ----------------------------------------------------------------------------------------------


def citations_of(value: Any) -> tuple[am.Citation, ...] | None:
    """Return the citations in annotations; None if there is something else."""
    try:
        return tuple(read_as(_SHAPE, entry, FAMILY) for entry in value) if is_list(value) else None
    except (Unreadable, AgentMsgError):
        return None


def cited(message: am.Msg, citations: tuple[am.Citation, ...], native: Native, spelt: str) -> am.Msg:
    """Put citations on the only text of a message, or on an empty one if it has no content.

    Args:
        message: as it was read without annotations.
        citations: at least one.
        native: what it was read from.
        spelt: the namespace of its spellings.

    Raises:
        Unreadable: if its content isn't one text.
    """
    content = message.content
    said = [
        index
        for index, block in enumerate(content)
        if not is_beside(block) and not is_marked(block, FAMILY, "/refusal")
    ]
    if len(said) > 1 or (said and type(content[said[0]]) is not am.TextBlock):
        raise Unreadable
    at = said[0] if said else sum(map(is_thinking_field, content))
    found: Any = content[at] if said else am.TextBlock("")
    text = found.evolve(citations=citations)
    if spelt == FAMILY:
        text = marked(text, FAMILY, annotated=True)
    elif not text.text:
        text = odd(text)
    message = message.evolve(content=(*content[:at], text, *content[at + len(said) :]))
    if not said:
        how = "absent" if "content" not in native else spelling.spelling_of(native["content"])
        message = spelling.with_note(message, spelt, {**note_of(message, spelt), "content": how})
    return marked(message, FAMILY, list=True) if type(native.get("content")) is list else message


def uncited(message: am.Msg, spelt: str) -> tuple[am.Msg, Native]:
    """Return a message without its citations, and the key with them; arguments as for ``cited``."""
    content = message.content
    at = [index for index, block in enumerate(content) if is_cited(block)]
    if len(at) != 1 or message.role != "assistant":
        return message, {}
    text: Any = content[at[0]]
    is_said = bool(text.text) or "content" not in note_of(message, spelt)
    plain = (unmarked(text, "/annotated", citations=()),) if is_said else ()
    message = message.evolve(content=(*content[: at[0]], *plain, *content[at[0] + 1 :]))
    return message, {KEY: [write_as(_SHAPE, citation, FAMILY) for citation in text.citations]}


def unmarked(block: Any, mark: str, **changes: Any) -> Any:
    """Return a block with changes, and without a mark."""
    note = {key: value for key, value in note_of(block, FAMILY).items() if key != mark}
    return spelling.with_note(block.evolve(**changes), FAMILY, note)


# -- what is supported -------------------------------------------------------------------------------------------------


@cache
def _extras() -> Cell:
    return ANNOTATIONS.rows.row(*ANNOTATIONS.forms).fields["extras"]


def _carried(citation: am.Citation, text: str) -> am.Citation | None:
    """Return the nearest citation that has annotations; None without a URL."""
    extras = _extras()(citation.extras, citation) if citation.extras else citation.extras
    wanted: dict[str, Any] = {"extras": extras, "cited_text": None}
    if not is_odd(citation):
        if citation.url is None:
            return None
        start, end = citation.start, citation.end
        wanted |= {
            "title": citation.title or "",
            "start": 0 if start is None else start,
            "end": len(text) if end is None else end,
            "kind": _URL,
        }
        if citation.kind != _URL:
            wanted["extras"] = {}
    elif citation.kind != _URL:
        wanted |= {"url": None, "title": None, "start": None, "end": None, "kind": citation.kind or _URL}
    changes = {name: new for name, new in wanted.items() if getattr(citation, name) != new}
    near = citation.evolve(**changes) if changes else citation
    return near.evolve(extras={}) if near.extras and not _comes_back(near) else near


def _comes_back(citation: am.Citation) -> bool:
    """Whether a citation is read as it was, although its extras might be read as its span or source."""
    try:
        return am.same(read_as(_SHAPE, thaw(write_as(_SHAPE, citation, FAMILY)), FAMILY), citation)
    except (Unreadable, AgentMsgError):
        return False


def response_citations(citations: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep the citations that annotations can hold."""
    carried = [_carried(citation, block.text) for citation in citations]
    kept = tuple(citation for citation in carried if citation is not None)
    same = len(kept) == len(citations) and all(a is b for a, b in zip(kept, citations, strict=True))
    return citations if same else kept


def request_citations(citations: tuple[am.Citation, ...], block: Any) -> tuple[am.Citation, ...]:
    """Keep the citations of a response that was read inside a request, whose schema has none."""
    return response_citations(citations, block) if is_marked(block, FAMILY, "/annotated") else ()
