"""Sources beside the choices of a response, as servers that search give them: citations of its only text.

| key | of |
| --- | --- |
| citations: URLs | Perplexity, xAI |
| search_results: url, title | Perplexity, Ernie |
| web_search: link, title | GLM |
| search_results of search_info: url, title | Qwen |

The keys stay extras of the response. A message with ``annotations`` has these citations only, though they may be none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, is_mapping, is_sequence, natives, note_of
from agentmsg_codecs.openai.annotations import KEY, URL_CITATION
from agentmsg_codecs.openai.hints import odd
from agentmsg_codecs.openai.names import FAMILY, MESSAGE, RESPONSE
from agentmsg_codecs.openai.places import is_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INFO, _RESULTS = "search_info", "search_results"
_KEYS = ("citations", _RESULTS, "web_search")
_HOLD = frozenset({*_KEYS, _INFO})


def _sources(own: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the URL and the title of each source."""
    info = own.get(_INFO)
    for listed in (*map(own.get, _KEYS), info.get(_RESULTS) if is_mapping(info) else None):
        for source in listed if is_sequence(listed) else ():
            told = source if is_mapping(source) else {"url": source}
            url, title = told.get("url", told.get("link")), told.get("title")
            if isinstance(url, str) and url:
                yield url, title if isinstance(title, str) else None


def _citations(own: Mapping[str, Any]) -> tuple[am.Citation, ...]:
    """Return the citations that follow from the extras of a response; each source is one."""
    titles: dict[str, Any] = {}
    for url, title in _sources(own):
        titles[url] = titles.get(url) or title
    return tuple(odd(am.Citation(url, title, kind=URL_CITATION)) for url, title in titles.items())


def _place(content: tuple[Any, ...]) -> int | None:
    """Return the index of the only text of a message; None if its content is anything else."""
    said = [index for index, block in enumerate(content) if not is_beside(block)]
    is_text = len(said) == 1 and type(content[said[0]]) is am.TextBlock and bool(content[said[0]].text)
    return said[0] if is_text else None


def _with(content: tuple[Any, ...], at: int, citations: tuple[am.Citation, ...]) -> tuple[Any, ...]:
    return (*content[:at], content[at].evolve(citations=citations), *content[at + 1 :])


def sourced(content: tuple[Any, ...], native: Native, around: Native) -> tuple[Any, ...]:
    """Return the content of a message with the citations that follow from the response.

    Args:
        content: as it was read.
        native: the message.
        around: the response.
    """
    if native.get(KEY) is not None or around.keys().isdisjoint(_HOLD):
        return content
    at, citations = _place(content), _citations(around)
    return content if at is None or not citations else _with(content, at, citations)


def unsourced(message: am.Msg) -> tuple[tuple[Any, ...], Native]:
    """Return the content of a message without the citations that follow, and what tells that there are none."""
    content: tuple[Any, ...] = message.content
    around = natives.extras_of(message, RESPONSE)
    at, citations = _place(content), _citations(around) if around else ()
    if at is None or not citations:
        return content, {}
    held = content[at].citations
    if not held:
        is_told = natives.extras_of(message, FAMILY).get(KEY) is not None  # annotations that aren't citations
        return content, {} if is_told else {KEY: []}
    follow = len(held) == len(citations) and all(map(am.same, held, citations))
    may_follow = note_of(message, MESSAGE).get(KEY) in (None, "null")
    return (_with(content, at, ()) if follow and may_follow else content), {}
