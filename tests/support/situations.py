"""Features of OpenAI and Anthropic in small documents of both: the cases in codecs/conversions.md.

A case that only one of the two has is only in that one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

import agentmsg as am
from support.loss_table import where_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CASES", "Case", "outcome", "table"]

Document = Mapping[str, Any]
_ASK = {"role": "user", "content": "Which one?"}
_SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
_PICTURE = "https://example.com/a.png"
_PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
_PLAIN = {"type": "text", "media_type": "text/plain", "data": "It was night."}
_SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}}


@attrs.frozen
class Case:
    """One feature of requests.

    Attributes:
        title: its name.
        openai: an OpenAI body with it; None if OpenAI has no such feature.
        anthropic: an Anthropic body with it.
    """

    title: str
    openai: Document | None = None
    anthropic: Document | None = None


def _body(*messages: Document, **more: Any) -> Document:
    return {**more, "messages": list(messages)}


def _user(*parts: Document) -> Document:
    return _body({"role": "user", "content": list(parts)})


def _said(content: Any, **more: Any) -> Document:
    return _body(_ASK, {"role": "assistant", "content": content, **more})


def _text(**more: Any) -> Document:
    return {"type": "text", "text": "Look.", **more}


def _call(arguments: str) -> Document:
    function = {"name": "add", "arguments": arguments}
    return _said(None, tool_calls=[{"id": "1", "type": "function", "function": function}])


def _use(value: Any) -> Document:
    return _said([{"type": "tool_use", "id": "1", "name": "add", "input": value}])


def _answered(*results: str) -> Document:
    calls = [{"id": link, "type": "function", "function": {"name": "add", "arguments": "{}"}} for link in "12"]
    tools = [{"role": "tool", "tool_call_id": link, "content": "3"} for link in results]
    return _body(_ASK, {"role": "assistant", "content": None, "tool_calls": calls}, *tools)


def _results(content: Any, *links: str, **more: Any) -> Document:
    uses: list[Document] = [{"type": "tool_use", "id": link, "name": "add", "input": {}} for link in "12"]
    parts = [{"type": "tool_result", "tool_use_id": link, "content": content, **more} for link in links]
    return _body(_ASK, {"role": "assistant", "content": uses}, {"role": "user", "content": parts})


def _url(url: str) -> Document:
    return _user({"type": "image_url", "image_url": {"url": url}})


def _image(**source: str) -> Document:
    return {"type": "image", "source": source}


def _document(source: Document, **more: Any) -> Document:
    return _user(_text(), {"type": "document", "source": source, **more})


def _custom() -> Document:
    call = {"id": "1", "type": "custom", "custom": {"name": "run", "input": "print(1)"}}
    return _said(None, tool_calls=[call])


def _server() -> Document:
    hit = {"type": "web_search_result", "title": "Night", "url": "https://example.com", "encrypted_content": "eA=="}
    return _said(
        [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "night"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]},
        ]
    )


_SYSTEM = {"role": "system", "content": "Be brief."}
_POINT = {"mode": "explicit", "ttl": "12h"}
_CONTROL = {"type": "ephemeral", "ttl": "1h"}
_ENVELOPE = '{"_raw":"{"}'
_CITED = {"type": "web_search_result_location", "url": "https://example.com", "title": "T", "encrypted_index": "eA=="}
_FUNCTION = {"name": "add", "parameters": _SCHEMA}

CASES: Sequence[Case] = (
    Case("a system message first", _body(_SYSTEM, _ASK), _body(_ASK, system="Be brief.")),
    Case("a system message in the middle", _body(_ASK, _SYSTEM, _ASK), _body(_ASK, _SYSTEM, _ASK)),
    Case("a developer message", _body({**_SYSTEM, "role": "developer"}, _ASK)),
    Case("the name of a speaker", _body({**_ASK, "name": "Ann"})),
    Case("neighbours of one role", _body(_ASK, _ASK), _body(_ASK, _ASK)),
    Case("calls of functions", _call('{"x":1}'), _use({"x": 1})),
    Case("arguments with spaces, 1.10, escapes", _call('{"x" : 1.10, "s":"\\u00e9"}')),
    Case("an integer beyond 64 bits", _call('{"x":98765432109876543210}'), _use({"x": 98765432109876543210})),
    Case("a key twice in arguments", _call('{"x":1,"x":2}')),
    Case("arguments that aren't JSON", _call('{"x": '), _use({"_raw": '{"x": '})),
    Case("arguments that aren't an object", _call("[1,2]"), _use({"_raw": [1, 2]})),
    Case('a real `{"_raw": ...}` in arguments', _call(_ENVELOPE), _use({"_raw": {"_raw": "{"}})),
    Case("a call of a custom tool", _custom()),
    Case("an old function_call", _said(None, function_call={"name": "add", "arguments": "{}"})),
    Case(
        "a call without id", _said(None, tool_calls=[{"type": "function", "function": {"name": "a", "arguments": ""}}])
    ),
    Case("results, in any order", _answered("2", "1"), _results("3", "2", "1")),
    Case("a result twice, one without call", _answered("1", "1", "9"), _results("3", "1", "1", "9")),
    Case("an error flag on a result", None, _results("No.", "1", is_error=True)),
    Case("a result marked as no error", None, _results("3", "1", is_error=False)),
    Case("an image in a result", None, _results([_text(), _image(type="url", url=_PICTURE)], "1")),
    Case("an image by URL", _url(_PICTURE), _user(_image(type="url", url=_PICTURE))),
    Case(
        "an image as data",
        _url("data:image/png;base64,iVBORw0KGgo="),
        _user(_image(type="base64", media_type="image/png", data="iVBORw0KGgo=")),
    ),
    Case(
        "a PDF as data",
        _user({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}),
        _document(_PDF, title="a.pdf"),
    ),
    Case("a document of text", None, _document(_PLAIN, title="Novel")),
    Case("a document by URL", None, _document({"type": "url", "url": "https://example.com/a.pdf"})),
    Case(
        "a file by id",
        _user(_text(), {"type": "file", "file": {"file_id": "f1"}}),
        _document({"type": "file", "file_id": "f1"}),
    ),
    Case("sound", _user(_text(), {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}})),
    Case("thinking, signed by Anthropic", _said("It.", thinking_blocks=[_SIGNED]), _said([_SIGNED, _text()])),
    Case("thinking without signature", _said("It.", reasoning_content="Hm.")),
    Case("opaque thinking", None, _said([{"type": "redacted_thinking", "data": "eA=="}, _text()])),
    Case("a refusal", _said(None, refusal="No.")),
    Case(
        "a cache hint",
        _user(_text(prompt_cache_breakpoint={"mode": "explicit"})),
        _user(_text(cache_control={"type": "ephemeral"})),
    ),
    Case(
        "a cache hint with a time", _user(_text(prompt_cache_breakpoint=_POINT)), _user(_text(cache_control=_CONTROL))
    ),
    Case("cache_control, as compatible servers have it", _user(_text(cache_control=_CONTROL))),
    Case("a cited page", None, _said([_text(citations=[{**_CITED, "cited_text": "x"}])])),
    Case("a call and result of the provider's own tool", None, _server()),
    Case("a summary of what went before", None, _said([{"type": "compaction", "content": "We met."}])),
    Case("an unknown part", _user(_text(), {"type": "hologram"}), _user(_text(), {"type": "hologram"})),
    Case(
        "a tool with a schema",
        _body(_ASK, tools=[{"type": "function", "function": _FUNCTION}]),
        _body(_ASK, tools=[{"name": "add", "input_schema": _SCHEMA}]),
    ),
    Case("a custom tool", _body(_ASK, tools=[{"type": "custom", "custom": {"name": "run"}}])),
    Case(
        "a tool that the provider runs",
        None,
        _body(_ASK, tools=[{"type": "web_search_20250305", "name": "web_search"}]),
    ),
    Case("parameters of the request", _body(_ASK, temperature=0.2), _body(_ASK, temperature=0.2)),
)


def outcome(document: Document | None, source: am.CodecName, target: am.CodecName) -> str:
    """Return the losses of a document in another format, in few words; "exact" for none, "-" for no document."""
    if document is None:
        return "-"
    losses = am.convert(document, source, target).losses
    told = [f"{where_of(loss).rpartition('/')[2].rpartition(': ')[2]} {loss.kind} ({loss.level})" for loss in losses]
    return "; ".join(dict.fromkeys(told)) or "exact"


def table() -> Iterator[tuple[str, str, str]]:
    """Yield the rows: a case, its losses from OpenAI to Anthropic, and the other way."""
    for case in CASES:
        forth = outcome(case.openai, "openai", "anthropic")
        yield case.title, forth, outcome(case.anthropic, "anthropic", "openai")
