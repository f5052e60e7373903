"""Rules that several formats share: what to do with values that a format doesn't support.

Each is a rule of a capability table (``Row.otherwise``, ``MessageRow.otherwise``), or makes one. A rule is pure and
reports nothing: it returns the object itself, a Swap or a Drop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError
from agentmsg.formats.capabilities import ANY_ROLE, KEEP, Cell, Drop, MessageRow, Row, Rule, Swap
from agentmsg.formats.natives import is_native, only_of
from agentmsg.model.blocks import (
    AudioBlock,
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
    ToolUseBlock,
    VideoBlock,
)
from agentmsg.model.equality import same
from agentmsg.model.msg import Msg
from agentmsg.model.sources import BlocksSource, TextSource
from agentmsg.model.tool_arguments import input_text
from agentmsg.values.frozen import EMPTY, thaw
from agentmsg.values.text import dump_json
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.model.base import BaseBlock

_MEDIA = (ImageBlock, AudioBlock, VideoBlock, FileBlock)
EMPTIED = ("citations", "extras")
"""The fields that an empty text may be there for."""
_BARE: dict[str, Any] = {
    "item_id": None, "phase": None, "metadata": EMPTY, "cache": None, "signature": None, "extras": EMPTY
}  # fmt: skip


def role_rule(role: str) -> Callable[[Msg], Swap]:
    """Return the rule that gives messages another role, such as "system" to developer messages."""

    def rule(message: Msg) -> Swap:
        return Swap(message.evolve(role=role), f"{message.role} messages are {role} messages here", "annotation")

    return rule


def other_role(message: Msg) -> Any:
    """Turn a message with an unknown role into a user message; drop it if it is an instruction to a store."""
    if message.role in {"native", "remove"}:
        return Drop(f"no messages of the role {message.role} here")
    return Swap(message.evolve(role="user"), f"no role {message.role!r} here")


def _carried(message: Any, block: NativeBlock, back: NativeBlock | None, owner: Callable[[NativeBlock], Any]) -> Any:
    """Keep a native block that comes back, with the fallback that its reader sets."""
    if back is None or not same(back, block.evolve(**_BARE, fallback=back.fallback)):
        return Drop("this would be read as something else")
    if block.fallback == back.fallback:
        return message
    return Swap(owner(back), "the fallback is the native text itself", "annotation")


_NATIVE: Mapping[str, Cell] = {"codec": KEEP, "value": KEEP, "fallback": KEEP}


def native_block_row(family: str, comes_back: Callable[[NativeBlock], NativeBlock | None]) -> Row:
    """Return the row of native blocks: the family's own stay if they come back; others become their fallback.

    Args:
        family: whose native blocks the format supports.
        comes_back: returns what the reader makes of such a block's value; None if that isn't a native block.
    """

    def rule(block: NativeBlock) -> Any:
        if block.codec == family:
            return _carried(block, block, comes_back(block), lambda back: back)
        return native_as_text(block)

    return Row(_NATIVE, rule)


def native_message_row(family: str, read: Callable[[Any], Msg]) -> MessageRow:
    """Return the row of native messages, as ``native_block_row`` does.

    Args:
        family: whose native messages the format supports.
        read: the reader of a native message; may raise AgentMsgError.
    """

    def rule(message: Msg) -> Any:
        if not is_native(message, family):
            texts = [block.fallback for block in message.content if isinstance(block, NativeBlock) and block.fallback]
            if not texts:
                return Drop("a native message of another format")
            said = Msg("user", "\n".join(texts), id=message.id, created_at=None)
            return Swap(said, "only its own format can write this")
        block: Any = message.content[0]
        try:
            back = read(thaw(block.value))
        except AgentMsgError:
            back = None
        found: Any = back.content[0] if back is not None and is_native(back, family) else None
        return _carried(message, block, found, lambda own: message.evolve(content=(own,)))

    return MessageRow(blocks={NativeBlock: Row(_NATIVE)}, otherwise=rule)


def other_rows(family: str, read: Callable[[Any], Msg]) -> dict[str, MessageRow]:
    """Return the rows of native messages, and of any other role, which becomes a user message."""
    return {"native": native_message_row(family, read), ANY_ROLE: MessageRow(otherwise=other_role)}


def custom_as_function(block: ToolUseBlock) -> Any:
    """Turn a call of a custom (free text) tool into a function call with ``{"input": text}``."""
    if block.kind != "custom":
        return block
    value = block.input
    new = {"input": value} if isinstance(value, str) else value
    return Swap(block.evolve(kind="function", input=new), "calls of custom tools are function calls here")


def call_of(provider: str) -> Rule:
    """Return the rule for calls if one provider runs tools: another provider's become text, custom ones functions."""

    def rule(block: ToolUseBlock) -> Any:
        if block.kind == "server":
            return block if block.provider == provider else server_as_text(block)
        return custom_as_function(block)

    return rule


def server_as_text(block: ToolUseBlock | ToolResultBlock) -> Any:
    """Turn a server tool's call or result into tagged text; drop a result without text."""
    if block.kind != "server":
        return block
    why = "no place for tools that the provider runs"
    if isinstance(block, ToolUseBlock):
        return Swap(
            TextBlock(f"<server_tool_call name={_quoted(block.name)}>{input_text(block)}</server_tool_call>"), why
        )
    said = _said(block)
    if not said:
        return Drop(why)
    return Swap(TextBlock(f"<server_tool_result name={_quoted(block.name or '')}>{said}</server_tool_result>"), why)


def _quoted(name: str) -> str:
    return dump_json(name).decode()


def _said(block: ToolResultBlock) -> str:
    texts = [block.text] if block.text else []
    if block.structured is not None:
        texts.append(dump_json(block.structured).decode())
    texts += [line for item in block.content if (line := _source_line(item))]
    return "\n".join(texts) or block.error or block.error_type or ""


def _source_line(block: Any) -> str:
    words = (getattr(block, "title", None), getattr(block, "url", None))
    return " ".join(word for word in words if word)


def structured_as_text(block: ToolResultBlock) -> Any:
    """Give a result without text the text of its structured content, or of its error.

    Any media come after this text.
    """
    if (block.structured is None and not block.error) or not all(isinstance(item, _MEDIA) for item in block.content):
        return block
    if block.structured is None:
        if block.content:
            return block
        new = block.evolve(content=block.error, error=None, status=block.status or "error")
        return Swap(new, "errors are part of the content here", "annotation")
    text = dump_json(block.structured).decode()
    new = block.evolve(content=(TextBlock(text), *block.content), structured=None)
    return Swap(new, "structured content is text here", "annotation")


def result_as_text(block: ToolResultBlock) -> Any:
    """Turn a tool result into its text, in places that can't hold results."""
    if not block.text:
        return Drop("no place for a tool result here")
    return Swap(TextBlock(block.text), "no place for a tool result here")


def thinking_otherwise(block: ThinkingBlock, otherwise: str | None, why: str) -> Any:
    """Return thinking that can't be kept as such: as "text" in tags, or dropped ("drop")."""
    if otherwise == "text" and block.thinking:
        return Swap(TextBlock(f"<thinking>{block.thinking}</thinking>"), why)
    return Drop(why)


def refusal_as_text(block: RefusalBlock) -> Any:
    """Turn a refusal into its text: who goes on with it takes it for an answer."""
    return Swap(TextBlock(block.refusal), "refusals are text here", "content")


def audio_as_text(block: AudioBlock) -> Any:
    """Turn sound into its transcript, if it has one."""
    if block.transcript:
        return Swap(TextBlock(block.transcript), "only the transcript of audio has a place here")
    return Drop("no place for audio here")


def spoken(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the rule for what a model said aloud: its transcript, as frameworks keep it; else another rule's."""
    return lambda block: audio_as_text(block) if block.transcript else rule(block)


def document_as_text(block: FileBlock) -> Any:
    """Turn a document given as text, or as blocks of text, into that text, with its headings: nobody can cite it."""
    source = block.source
    text = ""
    if isinstance(source, TextSource):
        text = source.text
    elif isinstance(source, BlocksSource):
        text = "\n".join(item.text for item in source.content if isinstance(item, TextBlock))
    if not text:
        return block
    said = [word for word in (block.title, block.name, block.context, text) if word]
    return Swap(TextBlock("\n\n".join(said)), "a document that is given as text is text here", "content")


def _words(block: TextBlock) -> Any:
    return block if block.text else Drop("the text is empty", "annotation")


def _one_text(message: Msg) -> Any:
    if sum(type(block) is TextBlock for block in message.content) > 1:
        return Swap(message, "a system prompt is one text here", "annotation")
    return message


def joined_texts(left: Any, right: Any) -> Any:
    """Join two adjacent texts with a line break; return None for other blocks. The last cache hint counts."""
    if type(left) is not TextBlock or type(right) is not TextBlock:
        return None
    return left.evolve(text=f"{left.text}\n{right.text}", cache=right.cache or left.cache)


def one_text_row(fields: Mapping[str, Cell], text: Mapping[str, Cell]) -> MessageRow:
    """Return the row of system prompts that are one text; several are merged, and blocks without text are dropped.

    Args:
        fields: the cells of the message.
        text: those of its text.
    """
    blocks = {**TEXT_ROWS, TextBlock: Row(text, _words)}
    return MessageRow(fields=fields, blocks=blocks, otherwise=_one_text, joins=joined_texts)


def emptied_text(cells: Mapping[str, Cell]) -> Rule:
    """Return the rule for texts, which concerns ``EMPTIED``: an empty text is dropped with everything it says besides.

    Args:
        cells: of the row of texts.
    """

    def rule(block: TextBlock) -> Any:
        if block.text or not (block.citations or block.extras):
            return block
        for name in EMPTIED:
            value, cell = getattr(block, name), cells.get(name)
            if value and cell is not None and cell(value, block):
                return block
        return Drop("an empty text has no place here")

    return rule


def data_as_text(block: DataBlock) -> Any:
    """Turn structured data into its JSON text."""
    return Swap(TextBlock(dump_json(block.data).decode()), "structured data is text here", "annotation")


def source_as_text(block: SourceBlock) -> Any:
    """Turn a cited source into its title and URL."""
    line = _source_line(block)
    return Swap(TextBlock(line), "a source is text here") if line else Drop("no place for a source")


def compaction_as_text(block: CompactionBlock) -> Any:
    """Turn a summary into its text; drop one that only its provider can read."""
    if not block.text:
        return Drop("only its own provider can read this summary")
    return Swap(TextBlock(block.text), "a summary is text here")


def native_as_text(block: NativeBlock) -> Any:
    """Turn a foreign block into its fallback text."""
    why = only_of(block.codec, block.value)
    if not block.fallback or (is_mapping(block.value) and block.value.get("role", "assistant") != "assistant"):
        return Drop(why)  # an answer of OpenAI may repeat the user's words, which the assistant doesn't say
    return Swap(TextBlock(block.fallback), why)


def file_as_text(block: FileBlock) -> Any:
    """Turn a document given as text into that text; drop any other file."""
    answer = document_as_text(block)
    return Drop("no place for a file") if answer is block else answer


def call_as_text(block: ToolUseBlock) -> Any:
    """Turn a server tool's call into tagged text; drop any other call that can't be here."""
    answer = server_as_text(block)
    return Drop("no place for a tool call here") if answer is block else answer


def call_as_function(block: ToolUseBlock) -> Any:
    """Keep function calls; turn custom ones into functions, and those of a provider's own tools into text."""
    answer = server_as_text(block)
    return custom_as_function(block) if answer is block else answer


def _any_result_as_text(block: ToolResultBlock) -> Any:
    answer = server_as_text(block)
    return result_as_text(block) if answer is block else answer


AS_TEXT: Mapping[type[BaseBlock], Rule] = {
    AudioBlock: audio_as_text,
    CompactionBlock: compaction_as_text,
    DataBlock: data_as_text,
    FileBlock: file_as_text,
    NativeBlock: native_as_text,
    RefusalBlock: refusal_as_text,
    SourceBlock: source_as_text,
    ToolResultBlock: _any_result_as_text,
    ToolUseBlock: call_as_text,
}
"""The rule that turns a block into text, by class. Thinking is never told aloud; images and video have no words."""
TEXT_ROWS: Mapping[type[BaseBlock], Row] = {cls: Row({}, rule) for cls, rule in AS_TEXT.items()}
"""Rows with these rules, for formats that only support text."""


def as_text(block: BaseBlock) -> TextBlock | None:
    """Return the text of a block for places that only hold text; None if it has none."""
    rule = AS_TEXT.get(type(block))
    answer = block if rule is None else rule(block)
    found = answer.new if isinstance(answer, Swap) else answer
    if type(found) is TextBlock:
        return found
    # A user's own text block: here only its words count.
    return TextBlock(found.text) if isinstance(found, TextBlock) and found.text else None
