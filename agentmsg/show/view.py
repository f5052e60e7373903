"""The view: what to show of a history, computed once, for every renderer.

Calls and results belong together: a result is shown with its call, and a message that holds nothing else isn't shown
again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.model.blocks import (
    BLOCK_TAGS,
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    BaseBlock,
    Citation,
    CompactionBlock,
    DataBlock,
    FileBlock,
    ImageBlock,
    NativeBlock,
    RefusalBlock,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolUseBlock,
    VideoBlock,
)
from agentmsg.model.construction import absent_values
from agentmsg.model.media_types import guess_media_type
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tool_links import Place, links
from agentmsg.model.tools import ToolSpec
from agentmsg.ops.stats import stats_of
from agentmsg.show.json_lines import json_words, text_or_json
from agentmsg.show.pieces import Call, Cited, Code, Media, Piece, Prose, Result, Thought, ToolLine, Tools
from agentmsg.show.small_print import block_facts, count, entries, said, size, spent, when
from agentmsg.show.visible_text import NAME, Words, brief, safe_link, visible, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg
    from agentmsg.model.sources import Source
    from agentmsg.model.tools import Tool

# Browsers draw these without running anything; an SVG may contain scripts.
_PICTURES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
_LARGEST_PICTURE = 8_000_000
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*);base64,", re.ASCII | re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}", re.ASCII)
_SHORT = 60
_VOICES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
_USUAL = ("stop", "tool_use", None)


@attrs.frozen(kw_only=True)
class Lengths:
    """The most characters to show; None means all.

    Attributes:
        text: of texts and thinking.
        detail: of arguments, results and data.
    """

    text: int | None = None
    detail: int | None = None


# -- texts
# -----------------------------------------------------------------------------------------------------------


def _text(block: TextBlock, lengths: Lengths) -> Iterable[Piece]:
    cited = tuple(_cited(citation) for citation in block.citations)
    facts = block_facts(block)
    return [Prose(words=words(block.text, lengths.text), citations=cited, facts=facts)] if block.text or cited else []


def _cited(citation: Citation) -> Cited:
    start, end = citation.start, citation.end
    place = None if start is None and end is None else f"{'' if start is None else start}-{'' if end is None else end}"
    return Cited(
        title=brief(citation.title or citation.url or "source"),
        url=citation.url and safe_link(citation.url),
        quote=words(citation.cited_text or "", NAME),
        facts=(*_beside(citation), *said(citation.kind, place), *entries(extras=citation.extras)),
    )


def _beside(citation: Citation) -> tuple[str, ...]:
    """Return the URL of a citation if neither its title nor a link shows it."""
    hidden = citation.title and citation.url and safe_link(citation.url) is None
    return (brief(citation.url or ""),) if hidden else ()


def _thinking(block: ThinkingBlock, lengths: Lengths) -> Iterable[Piece]:
    opaque = None if block.redacted is None else f"redacted, {count(len(block.redacted), 'character')}"
    return [Thought(words=words(block.thinking, lengths.text), facts=block_facts(block, opaque))]


def _refusal(block: RefusalBlock, lengths: Lengths) -> Iterable[Piece]:
    return [Prose(words=words(block.refusal, lengths.text), label="refusal", facts=block_facts(block))]


def _compaction(block: CompactionBlock, lengths: Lengths) -> Iterable[Piece]:
    opaque = None if block.encrypted is None else f"encrypted, {count(len(block.encrypted), 'character')}"
    text = words(block.text or "", lengths.text)
    return [Prose(words=text, label="summary of what went before", facts=block_facts(block, opaque))]


def _approval_request(block: ApprovalRequestBlock, lengths: Lengths) -> Iterable[Piece]:
    facts = block_facts(block, block.id, block.tool_call_id and f"for {block.tool_call_id}")
    return [Prose(words=words(block.reason or "", lengths.text), label="approval requested", facts=facts)]


def _approval_response(block: ApprovalResponseBlock, lengths: Lengths) -> Iterable[Piece]:
    label = "approved" if block.approved else "denied"
    kind = None if block.kind == "function" else block.kind
    return [Prose(words=words(block.reason or "", lengths.text), label=label, facts=block_facts(block, block.id, kind))]


# -- media
# -----------------------------------------------------------------------------------------------------------


def _media(block: ImageBlock | AudioBlock | VideoBlock | FileBlock, lengths: Lengths) -> Iterable[Piece]:
    label = BLOCK_TAGS[type(block)]
    source = block.source
    facts = block_facts(block, *_source_facts(source), getattr(block, "detail", None))
    shown: dict[str, Any] = {"name": Words(""), "pieces": (), **_SOURCES[type(source)](source, lengths)}
    titles = [block.name, block.title] if isinstance(block, FileBlock) else []
    named = words(" · ".join(title for title in titles if title), NAME)
    if named and shown["name"]:
        shown["pieces"] = (Code(label="from", words=shown["name"]), *shown["pieces"])
    said_with = block.transcript if isinstance(block, AudioBlock) else None
    context = block.context if isinstance(block, FileBlock) else None
    spoken = [
        Prose(words=words(text, lengths.text), label=tag)
        for tag, text in (("transcript", said_with), ("context", context))
        if text
    ]
    shown |= {"name": named or shown["name"], "pieces": (*spoken, *shown["pieces"])}
    return [Media(label=label, facts=facts, **shown)]


def _source_facts(source: Source) -> tuple[str | None, ...]:
    kind: str | None = getattr(source, "media_type", None)
    if isinstance(source, Base64Source):
        return kind or guess_media_type(source.data), size(_bytes_of(source.data))
    if isinstance(source, URLSource) and (start := _DATA_URL.match(source.url)):
        data = source.url[start.end() :]
        return kind or start[1] or guess_media_type(data), size(_bytes_of(data))
    if isinstance(source, FileSource):
        return kind, source.provider and f"kept by {source.provider}"
    return (kind,)


def _bytes_of(data: str) -> int:
    """Return the number of bytes in a base64 text."""
    return (len(data) - data.count("=", -2) - data.count("\n")) * 3 // 4


def _at_url(source: URLSource, lengths: Lengths) -> dict[str, Any]:
    start = _DATA_URL.match(source.url)
    if start is None:
        return {"name": words(source.url, NAME), "link": safe_link(source.url)}
    picture = _picture(source.url[start.end() :])
    return {"picture": picture} if picture else {"name": words(source.url, _SHORT)}


def _picture(data: str) -> str | None:
    """Return a new ``data:`` URL if the first bytes are those of a safe picture, whatever type is stated."""
    if len(data) > _LARGEST_PICTURE:
        return None
    data = "".join(data.split()).replace("-", "+").replace("_", "/")
    kind = guess_media_type(data)
    return f"data:{kind};base64,{data}" if kind in _PICTURES and _BASE64.fullmatch(data) else None


# What a medium shows of its source.
_SOURCES: Mapping[type[Any], Callable[[Any, Lengths], dict[str, Any]]] = {
    URLSource: _at_url,
    Base64Source: lambda source, lengths: {"picture": _picture(source.data)},
    FileSource: lambda source, lengths: {"name": words(source.file_id, NAME)},
    TextSource: lambda source, lengths: {"pieces": (Code(label="text", words=words(source.text, lengths.detail)),)},
    BlocksSource: lambda source, lengths: {"pieces": _pieces_of(source.content, lengths)},
}


def _source(block: SourceBlock, lengths: Lengths) -> Iterable[Piece]:
    url = block.url or ""
    name, link = words(block.title or url, NAME), safe_link(url)
    where = (Code(label="from", words=words(url, NAME)),) if url and block.title and not link else ()
    return [Media(label="source", name=name, link=link, pieces=where, facts=block_facts(block, block.media_type))]


# -- tools
# -----------------------------------------------------------------------------------------------------------


def _call_piece(block: ToolUseBlock, lengths: Lengths, result: Result | None = None) -> Call:
    """Return a call, with its result if it has one."""
    # Read once: the text of an invalid call is parsed each time.
    valid = block.is_valid
    if block.raw_input is not None and (not valid or block.kind == "custom" or block.significant_text is not None):
        arguments = words(block.raw_input, lengths.detail)
    else:
        arguments = json_words(block.input, lengths.detail)
    kind = block.kind if block.kind != "function" else None
    invalid = None if valid else "arguments aren't JSON"
    return Call(
        name=brief(block.name),
        link=brief(block.id or ""),
        valid=valid,
        arguments=arguments,
        result=result,
        facts=block_facts(block, kind, block.provider, block.server or block.namespace, block.status, invalid),
    )


def _result_piece(block: ToolResultBlock, lengths: Lengths, *, called: bool, facts: tuple[str, ...] = ()) -> Result:
    """Return a result; if ``called``, it is below its call, which shows the name and id."""
    inside = list(_pieces_of(block.content, lengths, verbatim=True))
    if block.error is not None and block.error != block.text:
        inside.insert(0, Code(label="error", words=words(block.error, lengths.detail)))
    for label, value in (("structured", block.structured), ("artifact", block.artifact)):
        if value is not None:
            inside.append(Code(label=label, words=json_words(value, lengths.detail)))
    kind = block.kind if block.kind != "function" and not called else None
    return Result(
        name="" if called else brief(block.name or ""),
        link="" if called else brief(block.tool_call_id or ""),
        status=brief(block.status or ("failed" if block.is_error else "result")),
        failed=block.is_error,
        pieces=tuple(inside),
        length=sum(len(piece.words.text) + piece.words.more for piece in inside if isinstance(piece, (Code, Prose))),
        facts=(*block_facts(block, block.error_type, kind), *facts),
    )


def _tool_lines(tools: Iterable[Tool], lengths: Lengths) -> tuple[ToolLine, ...]:
    """Return the tools that may be called."""
    return tuple(_tool_line(tool, lengths) for tool in tools)


def _tool_line(tool: Tool, lengths: Lengths) -> ToolLine:
    if not isinstance(tool, ToolSpec):
        value = tool.value if isinstance(tool.value, dict) else {}
        # Without these, tools are named by the key that they are under.
        named = [value[key] for key in ("name", "type") if isinstance(value.get(key), str)]
        name = next(iter([*named, *value]), "tool")
        facts = (*said(f"of {tool.codec}"), *entries(extras=tool.extras))
        shown = json_words(tool.value, lengths.detail)
        return ToolLine(name=brief(str(name)), description=Words(""), parameters=shown, facts=facts)
    strict = "strict" if tool.strict else None
    return ToolLine(
        name=brief(tool.name),
        description=words(tool.description or "", lengths.detail),
        parameters=Words("") if tool.parameters is None else json_words(tool.parameters, lengths.detail),
        facts=(
            *said(tool.kind if tool.kind != "function" else None, strict),
            *said(None if tool.cache is None else f"cache {tool.cache.kind}"),
            *entries(metadata=tool.metadata, extras=tool.extras),
        ),
    )


# -- the rest
# --------------------------------------------------------------------------------------------------------


def _data(block: DataBlock, lengths: Lengths) -> Iterable[Piece]:
    label = brief(block.name or "data")
    return [Code(label=label, words=json_words(block.data, lengths.detail), facts=block_facts(block))]


def _native(block: NativeBlock, lengths: Lengths) -> Iterable[Piece]:
    value = block.value
    kind = cast("Any", value).get("type") if isinstance(value, dict) else None
    label = " ".join(said(block.codec, kind if isinstance(kind, str) else None))
    if block.fallback:
        yield Prose(words=words(block.fallback, lengths.text))
    yield Code(label=label, words=json_words(value, lengths.detail), facts=block_facts(block))


def _other(block: BaseBlock, lengths: Lengths) -> Iterable[Piece]:
    """Show a block of an unknown class by its own fields."""
    common = {field.name for field in attrs.fields(BaseBlock)}
    own = [field for field in attrs.fields(type(block)) if field.name not in common]
    lines = "\n".join(f"{field.name}: {getattr(block, field.name)!r}" for field in own)
    label = brief(BLOCK_TAGS.get(type(block), type(block).__name__))
    return [Code(label=label, words=words(lines, lengths.detail), facts=block_facts(block))]


_PIECES: Mapping[type[BaseBlock], Callable[[Any, Lengths], Iterable[Piece]]] = {
    TextBlock: _text,
    ImageBlock: _media,
    AudioBlock: _media,
    VideoBlock: _media,
    FileBlock: _media,
    DataBlock: _data,
    ThinkingBlock: _thinking,
    ToolUseBlock: lambda block, lengths: [_call_piece(block, lengths)],
    ToolResultBlock: lambda block, lengths: [_result_piece(block, lengths, called=False)],
    ApprovalRequestBlock: _approval_request,
    ApprovalResponseBlock: _approval_response,
    RefusalBlock: _refusal,
    SourceBlock: _source,
    CompactionBlock: _compaction,
    ToolsBlock: lambda block, lengths: [Tools(tools=_tool_lines(block.tools, lengths), facts=block_facts(block))],
    NativeBlock: _native,
}


def _pieces_of(blocks: Iterable[BaseBlock], lengths: Lengths, *, verbatim: bool = False) -> tuple[Piece, ...]:
    """Return the pieces of blocks; ``verbatim`` keeps texts as they are, as for tools, which don't write markdown."""
    return tuple(
        _verbatim(block, lengths) if verbatim and isinstance(block, TextBlock) and not block.citations else piece
        for block in blocks
        for piece in _PIECES.get(type(block), _other)(block, lengths)
    )


def _verbatim(block: TextBlock, lengths: Lengths) -> Code:
    shown, is_json = text_or_json(block.text, lengths.detail)
    return Code(label="json" if is_json else "", words=shown, facts=block_facts(block))


@attrs.frozen(kw_only=True)
class Turn:
    """A message.

    Attributes:
        number: its place in the history, from 1.
        role: as it is.
        voice: the style: "system", "user", "assistant", "tool" or "other".
        names: the sender, the model, the recipient.
        time: for people; empty if unknown.
        moment: the same for machines.
        pieces: what it holds.
        facts: everything else, in a few words each.
    """

    number: int
    role: str
    voice: str
    names: tuple[str, ...]
    time: str
    moment: str
    pieces: tuple[Piece, ...]
    facts: tuple[str, ...]


@attrs.frozen(kw_only=True)
class View:
    """A history.

    Attributes:
        title: its title.
        facts: what it holds, in a few words each.
        spent: the sum of all usage, in a few words each.
        tools: the available tools.
        turns: the messages.
    """

    title: str
    facts: tuple[str, ...]
    spent: tuple[str, ...]
    tools: tuple[ToolLine, ...]
    turns: tuple[Turn, ...]


def view_of(history: History, *, title: str | None = None, lengths: Lengths | None = None) -> View:
    """Return what to show of a history.

    Args:
        history: the history.
        title: its title; by default its id.
        lengths: the most characters to show; by default all.
    """
    stats = stats_of(history)
    shown = lengths or Lengths()
    return View(
        title=brief(title or history.id or "Conversation"),
        facts=(
            count(stats.messages, "message"),
            *([count(stats.tool_executions, "tool result")] if stats.tool_executions else []),
            *_days(history),
            *said(history.id and title and f"id {history.id}"),
            *_settings(history.settings),
            *entries(metadata=history.metadata, extras=history.extras),
        ),
        spent=spent(stats.usage),
        tools=_tool_lines(history.tools, shown),
        turns=tuple(_turns(history, shown)),
    )


def _settings(settings: Settings | None) -> Iterator[str]:
    """Yield what a request asks for, the model first; the response format isn't shown."""
    if settings is None:
        return
    yield from said(settings.model)
    if settings.max_tokens is not None:
        yield f"at most {count(settings.max_tokens, 'token')}"
    told = [name for name, nothing in absent_values(Settings).items() if getattr(settings, name) != nothing]
    others = [name for name in told if name not in ("model", "max_tokens", "extras", "notes")]
    if others:
        yield count(len(others), "more setting")


def _days(history: History) -> Iterator[str]:
    days = sorted({message.created_at.date().isoformat() for message in history if message.created_at is not None})
    if days:
        yield days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _turns(history: History, lengths: Lengths) -> Iterator[Turn]:
    answers = {call: result for result, call in links(history.messages).items()}
    moved = set(answers.values())
    before: datetime | None = None
    for index, message in enumerate(history):
        kept = [((index, k), block) for k, block in enumerate(message.content) if (index, k) not in moved]
        if message.content and not kept:
            continue
        yield _turn(index, message, before, tuple(_pieces(history, kept, answers, lengths)), lengths)
        before = message.created_at or before


def _pieces(
    history: History, blocks: Iterable[tuple[Place, BaseBlock]], answers: Mapping[Place, Place], lengths: Lengths
) -> Iterator[Piece]:
    for place, block in blocks:
        if isinstance(block, ToolUseBlock) and place in answers:
            yield _call_piece(block, lengths, _answer(history, place, answers[place], lengths))
        else:
            yield from _pieces_of((block,), lengths)


def _answer(history: History, call: Place, place: Place, lengths: Lengths) -> Result:
    """Return the result at a place, with the facts of its message if that isn't the call's."""
    message = history[place[0]]
    block = message.content[place[1]]
    assert isinstance(block, ToolResultBlock)  # noqa: S101 - links pairs calls with results
    facts: tuple[str, ...] = ()
    if place[0] != call[0]:
        time = None if message.created_at is None else when(message.created_at, history[call[0]].created_at)
        facts = (*said(message.name), *_facts(message), *said(time), f"#{place[0] + 1}")
    return _result_piece(block, lengths, called=True, facts=facts)


def _turn(index: int, message: Msg, before: datetime | None, pieces: tuple[Piece, ...], lengths: Lengths) -> Turn:
    time = message.created_at
    if message.structured is not None:
        label = Code(label="structured output", words=json_words(message.structured, lengths.detail))
        pieces = (*pieces, label)
    return Turn(
        number=index + 1,
        role=brief(message.role or "no role"),
        voice=_VOICES.get(message.role, "other"),
        names=tuple(
            brief(name)
            for name in (message.name, message.model, message.recipient and f"to {message.recipient}")
            if name
        ),
        time="" if time is None else when(time, before),
        moment="" if time is None else visible(time.isoformat()),
        pieces=pieces,
        facts=_facts(message),
    )


def _facts(message: Msg) -> tuple[str, ...]:
    reason, removed = message.finish_reason, message.remove_id
    vector = message.embedding
    return (
        *said(removed and f"removes {removed}"),
        *said(None if reason in _USUAL else f"finished by {reason}"),
        *spent(message.usage),
        *([] if vector is None else [f"embedding of {count(len(vector), 'number')}"]),
        *entries(metadata=message.metadata, response_metadata=message.response_metadata, extras=message.extras),
    )
