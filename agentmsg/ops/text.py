"""A history as one text, to put into a prompt or to read: LangChain's ``get_buffer_string``.

Two forms. ``prefix`` writes each message after a label:

    Human: What is the weather in Paris?
    AI: Let me see. [tool_call get_weather {"city":"Paris"}]
    Tool: 21 degrees

and ``xml`` as an element, with ids and names:

    <message type="human" name="Ann">What is the weather in Paris?</message>
    <message type="ai">
      <content>Let me see.</content>
      <tool_call id="call_1" name="get_weather">{"city":"Paris"}</tool_call>
    </message>
    <message type="tool" tool_call_id="call_1" tool="get_weather">21 degrees</message>

Unlike LangChain: calls are never Python literals, arguments stay as received, invalid calls and failed results are
shown, nothing is cut, blocks are joined with newline, and a text can't pass for a message. Never shown: the data of
media, and what isn't for the model: artifacts, metadata, signatures and opaque payloads.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from agentmsg.errors import InvalidMessage, excerpt
from agentmsg.model.blocks import (
    BLOCK_TAGS,
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    AudioBlock,
    BaseBlock,
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
from agentmsg.model.checks import freeze_named, one_of
from agentmsg.model.history import as_history
from agentmsg.model.roles import SYNONYMS
from agentmsg.model.sources import BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tool_arguments import input_text
from agentmsg.values.text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from agentmsg.model.history import History, MsgLike
    from agentmsg.model.msg import Msg

_NOTHING: Mapping[str, str | None] = MappingProxyType({})
PREFIXES: Mapping[str, str] = MappingProxyType({
    "system": "System", "developer": "Developer", "user": "Human", "assistant": "AI", "tool": "Tool",
    "function": "Function", "remove": "Remove", "native": "Native", "unset": "Unset", "": "Unset",
})  # fmt: skip
"""What a message of a role is labelled with where the caller doesn't say; of any other role with the role itself."""

# Line breaks in any common program.
_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_LABELLED = re.compile(f"([{_BREAKS}])([^:{_BREAKS}]*):")
_NO_LABEL = re.compile(f"[:{_BREAKS}]")
# Characters that XML 1.0 can't hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IN_TEXT = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#13;"))
_IN_ATTRIBUTE = (*_IN_TEXT, ('"', "&quot;"), ("\n", "&#10;"), ("\t", "&#9;"))
# Links between calls and results: too long to read, and the order shows what belongs together.
_LINKS = frozenset({"id", "tool_call_id"})


class _Piece(NamedTuple):
    """What to show of a block.

    Attributes:
        tag: its kind; empty for plain text.
        words: its text.
        attributes: what is said about it; None if not known.
        inner: the pieces inside it.
    """

    tag: str
    words: str = ""
    attributes: Mapping[str, str | None] = _NOTHING
    inner: Sequence[_Piece] = ()


def _piece_of(block: BaseBlock) -> _Piece:
    """Return what to show of a block of any class."""
    make = _BY_CLASS.get(type(block))
    return _Piece("block", "", {"type": BLOCK_TAGS.get(type(block))}) if make is None else make(block)


def _result_pieces(result: ToolResultBlock) -> list[_Piece]:
    """Return what to show of a tool result: content, structured content, and what went wrong."""
    pieces = [_piece_of(block) for block in result.content]
    if result.structured is not None:
        pieces.append(_Piece("data", json_text(result.structured)))
    if result.error is not None or result.error_type is not None:
        pieces.append(_Piece("error", result.error or "", {"type": result.error_type}))
    return pieces


def _media(block: Any) -> _Piece:
    source = block.source
    about: dict[str, str | None] = {name: getattr(block, name, None) for name in ("name", "title", "context")}
    words: str = getattr(block, "transcript", None) or ""
    inner: list[_Piece] = []
    if isinstance(source, URLSource) and source.url[:5].lower() != "data:":
        about["url"] = source.url
    elif isinstance(source, FileSource):
        about["file_id"] = source.file_id
    elif isinstance(source, TextSource):
        words = source.text
    elif isinstance(source, BlocksSource):
        inner = [_piece_of(each) for each in source.content]
    about["media_type"] = getattr(source, "media_type", None)
    return _Piece(BLOCK_TAGS[type(block)], words, about, inner)


def _call(block: ToolUseBlock) -> _Piece:
    tag = "server_tool_call" if block.kind == "server" else "tool_call"
    return _Piece(tag if block.is_valid else f"invalid_{tag}", input_text(block), {"id": block.id, "name": block.name})


def _result(block: ToolResultBlock) -> _Piece:
    tag = "server_tool_result" if block.kind == "server" else "tool_result"
    about = {"tool_call_id": block.tool_call_id, "name": block.name, "status": block.status}
    return _Piece(tag, "", about, _result_pieces(block))


def _tools(block: ToolsBlock) -> _Piece:
    return _Piece("tools", ", ".join(getattr(tool, "name", tool.__class__.__name__) for tool in block.tools))


_BY_CLASS: Mapping[type[BaseBlock], Callable[[Any], _Piece]] = MappingProxyType({
    TextBlock: lambda block: _Piece("", block.text),
    ThinkingBlock: lambda block: _Piece("reasoning", block.thinking),
    RefusalBlock: lambda block: _Piece("refusal", block.refusal),
    ImageBlock: _media,
    AudioBlock: _media,
    VideoBlock: _media,
    FileBlock: _media,
    DataBlock: lambda block: _Piece("data", json_text(block.data), {"name": block.name}),
    ToolUseBlock: _call,
    ToolResultBlock: _result,
    ApprovalRequestBlock: lambda block: _Piece(
        "approval_request", block.reason or "", {"id": block.id, "tool_call_id": block.tool_call_id}
    ),
    ApprovalResponseBlock: lambda block: _Piece(
        "approval_response", block.reason or "", {"id": block.id, "approved": "true" if block.approved else "false"}
    ),
    SourceBlock: lambda block: _Piece("source", "", {"url": block.url, "title": block.title}),
    CompactionBlock: lambda block: _Piece("compaction", block.text or ""),
    ToolsBlock: _tools,
    NativeBlock: lambda block: _Piece("native", block.fallback or "", {"codec": block.codec}),
})  # fmt: skip


def to_text(
    messages: History | Iterable[MsgLike],
    prefixes: Mapping[str, str] | None = None,
    format: Literal["prefix", "xml"] = "prefix",
) -> str:
    """Return a history as one text: a line or an element per message, joined with newline.

    Texts, calls with their arguments, results and errors are shown in full. Media show where they are, never their
    data. The prefix form leaves out thoughts and the ids of calls.

    No text can pass for a message. In the prefix form, a line inside a message that begins like a label ("AI:") is set
    off by a space, and the label of an unknown role has no colon and no line end. In the xml form everything is
    escaped. Its elements stand side by side, so a parser needs a root around them. Characters that XML can't hold
    become U+FFFD.

    Args:
        messages: a history, or messages.
        prefixes: labels by role ("human" also means "user", "ai" "assistant"). Other roles have those of ``PREFIXES``.
            The xml form writes labels in lower case, as ``type``.
        format: "prefix" or "xml".

    Raises:
        InvalidMessage: code "option" if there is no such format; code "type" if a label isn't a text.
    """
    given = _labels(prefixes)
    labels = {**PREFIXES, **{SYNONYMS.get(role, role): label for role, label in given.items()}, **given}
    one_of(format, "format", "prefix", "xml")
    if format == "prefix":
        return _prefixed(as_history(messages), labels)
    return "\n".join(_element(message, labels) for message in as_history(messages))


def _labels(prefixes: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the caller's labels, by role."""
    given: Mapping[str, object] = {} if prefixes is None else freeze_named("prefixes", prefixes)
    for role, label in given.items():
        if not isinstance(label, str):
            msg = f"a prefix must be a string, not {excerpt(label)}"
            raise InvalidMessage(msg, code="type", path=("prefixes", role))
    return cast("Mapping[str, str]", given)


def _pieces(message: Msg) -> list[_Piece]:
    """Return the pieces to show of a message; for a single tool result, those of the result."""
    result = _only_result(message)
    return [_piece_of(block) for block in message.content] if result is None else list(_result_pieces(result))


def _only_result(message: Msg) -> ToolResultBlock | None:
    if message.role != "tool" or len(message.content) != 1:
        return None
    block = message.content[0]
    return block if isinstance(block, ToolResultBlock) else None


# -- prefix ------------------------------------------------------------------------------------------------------------


def _prefixed(history: History, labels: Mapping[str, str]) -> str:
    heads = [labels.get(message.role) or _NO_LABEL.sub("_", message.role) for message in history]
    taken = {label.partition(":")[0].strip().casefold() for label in (*labels.values(), *heads)}

    def set_off(match: re.Match[str]) -> str:
        return f"{match[1]} {match[2]}:" if match[2].strip().casefold() in taken else match[0]

    lines: list[str] = []
    for head, message in zip(heads, history, strict=True):
        words = "\n".join(_shown(_pieces(message))) or message.remove_id or ""
        lines.append(f"{head}: {_LABELLED.sub(set_off, words)}")
    return "\n".join(lines)


def _shown(pieces: Iterable[_Piece]) -> Iterator[str]:
    for piece in pieces:
        if piece.tag == "reasoning":
            continue
        if not piece.tag:
            if piece.words:
                yield piece.words
            continue
        about = (value for name, value in piece.attributes.items() if name not in _LINKS)
        words = (piece.tag, *about, piece.words, *_shown(piece.inner))
        yield f"[{' '.join(word for word in words if word)}]"


# -- xml ---------------------------------------------------------------------------------------------------------------


def _element(message: Msg, labels: Mapping[str, str]) -> str:
    start = f"<message{_attributes(_about(message, labels))}>"
    pieces = _pieces(message)
    calls = [_xml(piece) for piece in pieces if piece.tag in _CALLS]
    if not calls:
        return f"{start}{_joined(pieces)}</message>"
    rest = _joined(piece for piece in pieces if piece.tag not in _CALLS)
    content = [f"<content>{rest}</content>"] if rest else []
    return "\n  ".join((start, *content, *calls)) + "\n</message>"


def _about(message: Msg, labels: Mapping[str, str]) -> dict[str, str | None]:
    label = labels.get(message.role)
    about = {"type": message.role if label is None else label.lower(), "name": message.name, "id": message.remove_id}
    result = _only_result(message)
    if result is not None:
        about["tool_call_id"] = result.tool_call_id
        about["tool"] = result.name
        about["status"] = result.status if result.is_error else None
    return about


_CALLS = frozenset({"tool_call", "invalid_tool_call"})


def _joined(pieces: Iterable[_Piece]) -> str:
    return "\n".join(filter(None, map(_xml, pieces)))


def _xml(piece: _Piece) -> str:
    words = _escaped(piece.words, _IN_TEXT)
    if not piece.tag:
        return words
    inside = "\n".join(filter(None, (words, _joined(piece.inner)))) if piece.inner else words
    start = f"<{piece.tag}{_attributes(piece.attributes)}"
    return f"{start}>{inside}</{piece.tag}>" if inside else f"{start} />"


def _attributes(about: Mapping[str, str | None]) -> str:
    said = [f' {name}="{_escaped(value, _IN_ATTRIBUTE)}"' for name, value in about.items() if value is not None]
    return "".join(said)


def _escaped(text: str, escapes: Iterable[tuple[str, str]]) -> str:
    if text.isalnum():
        return text
    if not text.isprintable():
        text = _NO_XML.sub("\ufffd", text)
    # Faster than a table, which looks at each letter; "&" is the first.
    for letter, name in escapes:
        text = text.replace(letter, name)
    return text
