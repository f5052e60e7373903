"""The capability table: what LangChain's messages carry, and what becomes of the rest.

Nearly everything has a place, because `content` and `extras` are open. Not carried: times, recipients, embeddings
and structured output of messages; ids, tools and metadata of histories; extras of other families; blocks in
removals. Imports the fields, the messages and what lies below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import agentmsg as am
from agentmsg.arrange import split_results
from agentmsg.blocks import BLOCK_TAGS
from agentmsg.caps import ANY_ROLE, KEEP, Caps, Cell, Drop, MessageRow, Row, Swap
from agentmsg.errors import AgentMsgError
from agentmsg.json_values import EMPTY, plain_copy, thaw
from agentmsg_codecs.langchain import v1, v1_calls
from agentmsg_codecs.langchain.fields import IN_KWARGS, MODEL_KEYS, STOP_KEYS
from agentmsg_codecs.langchain.hooks import in_non_standard
from agentmsg_codecs.langchain.messages import Messages, is_native
from agentmsg_codecs.langchain.parts import fallback_of, note_at, own_keys
from agentmsg_codecs.langchain.plain import is_mapping
from agentmsg_codecs.langchain.usage import DETAILS, USAGE_KEYS
from agentmsg_codecs.langchain.words import BODY_KEYS, ENVELOPE, FAMILY, INNER, TOOL_KEYS, finish_reason

__all__ = ["make_caps"]

Fields = Mapping[str, Any]


# -- extras -----------------------------------------------------------------------------------------------------------


def _extras(*spaces: tuple[str, Any]) -> Cell:
    """Return a cell for extras: the namespaces that are carried, in order, each with the keys that are taken."""

    def cell(extras: Fields, owner: Any) -> Fields:
        kept: dict[str, Any] = {}
        for space, taken in spaces:
            own = extras.get(space)
            if not is_mapping(own) or not own:
                continue
            keys = taken(owner) if callable(taken) else taken
            if keys is None:
                continue
            fields = own if keys.isdisjoint(own) else {key: own[key] for key in own if key not in keys}
            if fields:
                kept[space] = fields
        if list(kept) == list(extras) and all(kept[key] is extras[key] for key in kept):
            return extras
        return kept or EMPTY

    return cell


def _taken_in_part(block: Any) -> frozenset[str]:
    keys = own_keys(block)
    if type(block) is am.ToolUseBlock and not block.is_valid:
        own = block.extras.get(FAMILY)
        if is_mapping(own) and own.get("error", "") is None:
            return keys | {"error"}
    return keys


def _call_extras(extras: Fields, block: Any) -> Fields:
    carried = _BLOCK_EXTRAS(extras, block)
    own = carried.get(FAMILY)
    if not own or block.is_valid or v1_calls.error_first(own) is own:
        return carried
    return {**carried, FAMILY: v1_calls.error_first(own)}


def _taken_in_v1_extras(block: Any) -> frozenset[str] | None:
    return None if in_non_standard(type(block)) else v1.claimed(block)


_BLOCK_EXTRAS = _extras((INNER, _taken_in_v1_extras), (FAMILY, _taken_in_part))
_MESSAGE_EXTRAS = _extras(
    (FAMILY, lambda message: TOOL_KEYS if message.role == "tool" else BODY_KEYS),
    (ENVELOPE, frozenset({"type", "data", "content"})),
)
_CITATION_EXTRAS = _extras((FAMILY, frozenset({"type", "url", "title", "cited_text", "start_index", "end_index"})))
_USAGE_EXTRAS = _extras(*((space, frozenset(names)) for space, names in DETAILS.values()), (FAMILY, USAGE_KEYS))


def _bare(value: Any, _: Any) -> Any:
    """Carry a cache hint or a signature without extras of its own."""
    return value.evolve(extras={}) if value.extras else value


# -- blocks -----------------------------------------------------------------------------------------------------------


def _citations(citations: tuple[am.Citation, ...], _: Any) -> tuple[am.Citation, ...]:
    carried = tuple(map(_citation, citations))
    return citations if all(new is old for new, old in zip(carried, citations, strict=True)) else carried


def _citation(citation: am.Citation) -> am.Citation:
    changes: dict[str, Any] = {}
    extras = _CITATION_EXTRAS(citation.extras, citation)
    if extras is not citation.extras:
        changes["extras"] = extras
    if citation.kind == "citation":
        changes["kind"] = None
    return citation.evolve(**changes) if changes else citation


def _source(source: Any, block: Any) -> Any:
    if type(source) is am.BlocksSource or (type(source) is am.TextSource and type(block) is not am.FileBlock):
        return Drop(f"no place for a {type(source).__name__} here")
    return _bare(source, block)


def _document_text(block: Any) -> Any:
    """Carry a document made of blocks as its text."""
    if type(block.source) is not am.BlocksSource:
        return block
    text = "\n".join(item.text for item in block.source.content if type(item) is am.TextBlock)
    if not text:
        return Drop("no place for a document made of blocks")
    return Swap(block.evolve(source=am.TextSource(text, "text/plain")), "a document is text here")


def _call(block: am.ToolUseBlock) -> Any:
    if block.kind != "custom":
        return block
    value = block.input
    new = {"input": value} if isinstance(value, str) else value
    return Swap(block.evolve(kind="function", input=new), "calls of custom tools are function calls here")


def _call_kind(kind: str, _: Any) -> str:
    return kind if kind in {"function", "server"} else "function"


def _nested_result(block: am.ToolResultBlock) -> Any:
    if block.kind == "server":
        return block
    if not block.text:
        return Drop("no place for a tool result here")
    return Swap(am.TextBlock(block.text), "no place for a tool result here")


def _tool_result(block: am.ToolResultBlock) -> Any:
    """Give a result that tells of an error the status of one."""
    if block.error is None or block.status is not None:
        return block
    return Swap(block.evolve(status="error"), "a tool message says so in its status", "annotation")


def _status(status: str, _: Any) -> str | None:
    if status in {"success", "error"}:
        return status
    return "error" if status in {"denied", "interrupted"} else None


class _AllFields(Mapping[str, Cell]):
    """Cells for block classes whose fields are not known here: all are carried."""

    def __getitem__(self, name: str) -> Cell:
        return _COMMON.get(name, KEEP)

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMON)

    def __len__(self) -> int:
        return len(_COMMON)


_COMMON: dict[str, Cell] = {
    "item_id": KEEP,
    "phase": KEEP,
    "metadata": KEEP,
    "cache": _bare,
    "signature": _bare,
    "extras": _BLOCK_EXTRAS,
}


def _row(*names: str, otherwise: Any = None, **cells: Cell) -> Row:
    return Row({**_COMMON, **dict.fromkeys(names, KEEP), **cells}, otherwise)


class _Blocks:
    """The rows that ask the reader whether a block comes back as it is.

    Args:
        messages: the codec's reader and writer.
    """

    def __init__(self, messages: Messages) -> None:
        self.messages = messages

    def _read_part(self, part: Any) -> Any:
        self.messages.fill()
        return self.messages.parts.read(part)

    def native(self, block: am.NativeBlock) -> Any:
        """Carry what this codec kept itself; of others their fallback text."""
        if block.codec != FAMILY:
            if block.fallback:
                return Swap(am.TextBlock(block.fallback), f"only {block.codec} can write this")
            return Drop(f"only {block.codec} can write this")
        back = self._read_part(plain_copy(thaw(block.value)))
        if type(back) is not am.NativeBlock or not am.same(back.value, block.value):
            return Drop("this would be read as something else")
        fallback = fallback_of(block.value)
        if block.fallback == fallback:
            return block
        return Swap(block.evolve(fallback=fallback), "the fallback is the part's own text", "annotation")

    def other(self, block: Any) -> Any:
        """Carry a block of another class where its canonical form comes back."""
        if not in_non_standard(type(block)):
            return Drop(f"no place for a {BLOCK_TAGS.get(type(block), type(block).__name__)} block")
        self.messages.fill()
        bare = block.evolve(extras={}, notes={})
        try:
            back = self._read_part(plain_copy(thaw(self.messages.parts.write(bare))))
        except Exception:  # noqa: BLE001 - a foreign class may be anything
            return Drop("no plain form of this block can be made")
        return block if am.same(back, bare) else Drop("this block does not come back from its plain form")

    def message(self, message: am.Msg) -> Any:
        """Carry native messages that this codec kept itself; of others their fallback text."""
        if is_native(message):
            self.messages.fill()
            block = cast("am.NativeBlock", message.content[0])
            try:
                back, _ = self.messages.read(plain_copy(thaw(block.value)))
            except AgentMsgError:
                return Drop("this is no message of LangChain")
            if not is_native(back):
                return Drop("this would be read as something else")
            if am.same(back.content[0], block.evolve(**_NOTHING, fallback=back.content[0].fallback)):
                same = block.fallback == back.content[0].fallback
                why = "the fallback is the message's own text"
                return message if same else Swap(message.evolve(content=back.content), why, "annotation")
            return Drop("this would be read as something else")
        texts = [block.fallback for block in message.content if type(block) is am.NativeBlock and block.fallback]
        if not texts:
            return Drop("a native message of another format")
        return Swap(
            am.Msg("user", "\n".join(texts), id=message.id, created_at=None), "only its own format can write this"
        )

    def rows(self) -> dict[type[am.BaseBlock], Row]:
        """Return the rows of content."""
        media = {"source": _source}
        return {
            am.TextBlock: _row("text", citations=_citations),
            am.ThinkingBlock: _row("thinking", "redacted"),
            am.RefusalBlock: _row("refusal"),
            am.ImageBlock: _row("detail", **media),
            am.AudioBlock: _row("transcript", **media),
            am.VideoBlock: _row(**media),
            am.FileBlock: _row("name", "title", "context", otherwise=_document_text, **media),
            am.ToolUseBlock: _row(
                "id",
                "name",
                "input",
                "raw_input",
                "provider",
                "status",
                otherwise=_call,
                kind=_call_kind,
                extras=_call_extras,
            ),
            am.ToolResultBlock: _row(
                "tool_call_id",
                "name",
                "structured",
                "artifact",
                "status",
                "error",
                "error_type",
                "kind",
                "provider",
                otherwise=_nested_result,
            ),
            am.NativeBlock: Row({"codec": KEEP, "value": KEEP, "fallback": KEEP}, self.native),
            am.BaseBlock: Row(_AllFields(), self.other),
        }


_NOTHING: dict[str, Any] = {
    "item_id": None,
    "phase": None,
    "metadata": {},
    "cache": None,
    "signature": None,
    "extras": {},
}


# -- messages ---------------------------------------------------------------------------------------------------------


def _without(mapping: Fields, dropped: set[str]) -> Fields:
    return {key: mapping[key] for key in mapping if key not in dropped} if dropped else mapping


def _assistant_metadata(metadata: Fields, _: Any) -> Fields:
    if IN_KWARGS.keys().isdisjoint(metadata):
        return metadata
    return _without(metadata, {key for key, takes in IN_KWARGS.items() if key in metadata and takes(metadata[key])})


def _system_metadata(metadata: Fields, message: am.Msg) -> Fields:
    mark = metadata.get("__openai_role__")
    taken = mark == "developer" or (message.role == "developer" and "__openai_role__" in metadata)
    return _without(metadata, {"__openai_role__"} if taken else set())


_MEANT = frozenset({*MODEL_KEYS, *STOP_KEYS})


def _response(response: Fields, message: am.Msg) -> Fields:
    """Keep the keys of model and finish reason for these."""
    if _MEANT.isdisjoint(response):
        return response
    dropped: set[str] = set()
    for (first, second), value in ((MODEL_KEYS, message.model), (STOP_KEYS, message.finish_reason)):
        if isinstance(response.get(first), str) or (value is not None and first in response and second in response):
            dropped.add(first)
        if value is None and isinstance(response.get(second), str):
            dropped.add(second)
    return _without(response, dropped)


def _finish(word: str, _: Any) -> str:
    return finish_reason(word)


def _usage(usage: am.Usage, _: Any) -> am.Usage:
    """Fill the counters that LangChain requires, unless a document was read that lacks them."""
    complete = usage.input is not None and usage.output is not None and usage.total is not None
    if complete and not usage.extras and usage.seconds is None:
        return usage
    changes: dict[str, Any] = {}
    extras = _USAGE_EXTRAS(usage.extras, usage) if usage.extras else usage.extras
    if extras is not usage.extras:
        changes["extras"] = extras
    if usage.seconds is not None:
        changes["seconds"] = None
    if note_at(usage, "/partial") is not True:
        counts = (usage.input or 0, usage.output or 0)
        wanted = {"input": counts[0], "output": counts[1], "total": sum(counts)}
        changes |= {name: count for name, count in wanted.items() if getattr(usage, name) is None}
    return usage.evolve(**changes) if changes else usage


def needs_id(block: Any) -> bool:
    """Tell whether a call or result of the client must be given an id: one that was read without needs none."""
    link = block.id if type(block) is am.ToolUseBlock else block.tool_call_id
    return link is None and block.kind != "server" and note_at(block, "/no-id") is not True


_RESULT = ("tool_call_id", "name", "structured", "artifact", "error", "error_type")


def make_caps(messages: Messages) -> Caps:
    """Return the capability table.

    Args:
        messages: the codec's reader and writer, which say whether a native block comes back as it is.
    """
    of_blocks = _Blocks(messages)
    rows = of_blocks.rows()
    fields: dict[str, Cell] = {
        "id": KEEP,
        "name": KEEP,
        "model": KEEP,
        "finish_reason": _finish,
        "metadata": KEEP,
        "response_metadata": _response,
        "extras": _MESSAGE_EXTRAS,
    }
    system = MessageRow(fields={**fields, "metadata": _system_metadata}, blocks=rows)
    tool = {am.ToolResultBlock: Row({**dict.fromkeys(_RESULT, KEEP), "status": _status}, _tool_result)}
    return Caps(
        messages={
            "system": system,
            "developer": system,
            "assistant": MessageRow(fields={**fields, "metadata": _assistant_metadata, "usage": _usage}, blocks=rows),
            "tool": MessageRow(
                fields={name: cell for name, cell in fields.items() if name != "name"}, blocks=tool, results=rows
            ),
            "remove": MessageRow(fields=fields),
            "native": MessageRow(
                blocks={am.NativeBlock: Row({"codec": KEEP, "value": KEEP, "fallback": KEEP})},
                otherwise=of_blocks.message,
            ),
            ANY_ROLE: MessageRow(fields=fields, blocks=rows),
        },
        history={"extras": _extras((FAMILY, frozenset({"messages"})))},
        arrange=(split_results,),
        needs_id=needs_id,
    )
