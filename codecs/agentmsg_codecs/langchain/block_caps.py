"""What LangChain's content carries: the rows of the capability table for blocks. Imports parts and the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import agentmsg as am
import agentmsg_codecs.langchain.v1 as v1
import agentmsg_codecs.langchain.v1_calls as v1_calls
from agentmsg.blocks import BLOCK_TAGS
from agentmsg.caps import KEEP, Cell, Drop, Row, Swap, carried_extras, usually
from agentmsg.json_values import plain_copy, thaw
from agentmsg.plain import class_of, is_mapping
from agentmsg.rules import custom_as_function, native_blocks, result_as_text
from agentmsg_codecs.langchain.hooks import in_non_standard
from agentmsg_codecs.langchain.parts import Parts, own_keys
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


@usually("not value.extras")
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


@usually("type(value) in anywhere and not value.extras", anywhere=(am.URLSource, am.Base64Source, am.FileSource))
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


def _call_kind(kind: str, _: Any) -> str:
    return kind if kind in {"function", "server"} else "function"


def _nested_result(block: am.ToolResultBlock) -> Any:
    return block if block.kind == "server" else result_as_text(block)


def _tool_result(block: am.ToolResultBlock) -> Any:
    """Give a result that tells of an error the status of one."""
    if block.error is None or block.status is not None:
        return block
    return Swap(block.evolve(status="error"), "a tool message says so in its status", "annotation")


_STATUS = frozenset({"success", "error"})


@usually("value in known", known=_STATUS)
def _status(status: str, result: am.ToolResultBlock) -> str | None:
    if status in _STATUS:
        return status
    return "error" if result.is_error else None


class _AllFields(Mapping[str, Cell]):
    """Cells for block classes whose fields are not known here: all are carried."""

    def __getitem__(self, name: str) -> Cell:
        return _IN_FULL.get(name, KEEP)

    def __iter__(self) -> Iterator[str]:
        return iter(_IN_FULL)

    def __len__(self) -> int:
        return len(_IN_FULL)


_COMMON: dict[str, Cell] = {
    "item_id": KEEP,
    "phase": KEEP,
    "metadata": KEEP,
    "cache": _bare,
    "signature": _bare,
    "extras": _BLOCK_EXTRAS,
}
# The canonical form has a place for what v1 has none for: extras of a cache hint and of a signature.
_IN_FULL: dict[str, Cell] = {**_COMMON, "cache": KEEP, "signature": KEEP}


def _row(*names: str, otherwise: Any = None, concerns: str | None = None, **cells: Cell) -> Row:
    return Row({**_COMMON, **dict.fromkeys(names, KEEP), **cells}, otherwise, concerns)


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

    def comes_back(self, block: am.NativeBlock) -> am.NativeBlock | None:
        """Return what is read where a native block is written; None where that is something else."""
        back = self._read_part(plain_copy(thaw(block.value)))
        return back if type(back) is am.NativeBlock else None

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
        return {
            am.TextBlock: _row("text", citations=_citations),
            am.ThinkingBlock: _row("thinking", "redacted"),
            am.RefusalBlock: _row("refusal"),
            am.ImageBlock: _row("detail", source=_source),
            am.AudioBlock: _row("transcript", source=_source),
            am.VideoBlock: _row(source=_source),
            am.FileBlock: _row("name", "title", "context", otherwise=_document_text, source=_source),
            am.ToolUseBlock: _row(
                "id",
                "name",
                "input",
                "raw_input",
                "provider",
                "status",
                otherwise=custom_as_function,
                concerns="kind",
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
            am.NativeBlock: Row(
                {"codec": KEEP, "value": KEEP, "fallback": KEEP}, native_blocks(FAMILY, self.comes_back)
            ),
            am.BaseBlock: Row(_AllFields(), self.other),
        }


def block_rows(parts: Parts) -> dict[type[am.BaseBlock], Row]:
    """Return the rows of the blocks in content, and inside tool results."""
    return _Blocks(parts).rows()


_RESULT = ("tool_call_id", "name", "structured", "artifact", "error", "error_type")


def result_rows() -> dict[type[am.BaseBlock], Row]:
    """Return the rows of tool messages."""
    return {am.ToolResultBlock: Row({**dict.fromkeys(_RESULT, KEEP), "status": _status}, _tool_result, "error")}
