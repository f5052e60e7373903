"""What LangChain's content carries: the rows of the capability table for blocks. Imports parts and the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import agentmsg as am
from agentmsg.blocks import BLOCK_TAGS
from agentmsg.caps import KEEP, Cell, Drop, Row, Swap, carried_extras
from agentmsg.json_values import plain_copy, thaw
from agentmsg_codecs.langchain import v1, v1_calls
from agentmsg_codecs.langchain.hooks import in_non_standard
from agentmsg_codecs.langchain.parts import Parts, fallback_of, own_keys
from agentmsg_codecs.langchain.plain import class_of, is_mapping
from agentmsg_codecs.langchain.words import FAMILY, INNER

__all__ = ["block_rows", "result_rows"]

Fields = Mapping[str, Any]


def _taken_in_part(block: Any) -> frozenset[str]:
    keys = own_keys(block)
    if type(block) is am.ToolUseBlock and not block.is_valid:
        own = block.extras.get(FAMILY)
        if is_mapping(own) and own.get("error", "") is None:
            return keys | {"error"}
    return keys


def _call_extras(extras: Fields, block: Any) -> Fields:
    carried: Fields = _BLOCK_EXTRAS(extras, block)
    own = carried.get(FAMILY)
    if not is_mapping(own) or block.is_valid or v1_calls.error_first(own) is own:
        return carried
    return {**carried, FAMILY: v1_calls.error_first(own)}


def _taken_in_v1_extras(block: Any) -> frozenset[str] | None:
    return None if in_non_standard(class_of(block)) else v1.claimed(block)


_BLOCK_EXTRAS = carried_extras((INNER, _taken_in_v1_extras), (FAMILY, _taken_in_part))
_CITATION_EXTRAS = carried_extras(
    (FAMILY, lambda _: frozenset({"type", "url", "title", "cited_text", "start_index", "end_index"}))
)


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


def _status(status: str, result: am.ToolResultBlock) -> str | None:
    if status in {"success", "error"}:
        return status
    return "error" if result.is_error else None


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
        parts: the codec's reader and writer of content.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def _read_part(self, part: Any) -> Any:
        self._parts.fill()
        return self._parts.read(part)

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
        if not in_non_standard(class_of(block)):
            return Drop(f"no place for a {BLOCK_TAGS.get(class_of(block), class_of(block).__name__)} block")
        self._parts.fill()
        bare = block.evolve(extras={}, notes={})
        try:
            back = self._read_part(plain_copy(thaw(self._parts.write(bare))))
        except Exception:  # noqa: BLE001 - a foreign class may be anything
            return Drop("no plain form of this block can be made")
        return block if am.same(back, bare) else Drop("this block does not come back from its plain form")

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


def block_rows(parts: Parts) -> dict[type[am.BaseBlock], Row]:
    """Return the rows of the blocks in content, and inside tool results."""
    return _Blocks(parts).rows()


_RESULT = ("tool_call_id", "name", "structured", "artifact", "error", "error_type")


def result_rows() -> dict[type[am.BaseBlock], Row]:
    """Return the rows of tool messages."""
    return {am.ToolResultBlock: Row({**dict.fromkeys(_RESULT, KEEP), "status": _status}, _tool_result)}
