"""The capability table: what messages for users support, and the rules for the rest."""

from __future__ import annotations

from operator import is_not
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.vercel.ui.v4 as old
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Caps,
    Cell,
    Drop,
    MessageRow,
    Row,
    Swap,
    carried_extras,
    cells,
    dump_json,
    grouping,
    is_mapping,
    is_marked,
    is_sequence,
    mark_of,
    media,
    natives,
    restructure,
    rules,
    tool_links,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.vercel.capabilities import call, compaction, likely_type, needs_id, settled, thinking, with_runner
from agentmsg_codecs.vercel.issuers.parts import has_options
from agentmsg_codecs.vercel.media import is_url
from agentmsg_codecs.vercel.names import STEP_EXTRAS, UI, USUAL
from agentmsg_codecs.vercel.ui.format import RESULT_KEY, RESULT_KEYS, read_url
from agentmsg_codecs.vercel.ui.messages import without_places
from agentmsg_codecs.vercel.ui.pairing import behind_calls, beside_requests, with_calls
from agentmsg_codecs.vercel.ui.tool_parts import OF_APPROVAL, is_approval
from agentmsg_codecs.vercel.unsent import CUT, UNSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg_codecs.vercel.ui import VercelUICodec
    from agentmsg_codecs.vercel.ui.messages import Messages


# -- files, data, sources ---------------------------------------------------------------------------------------------


def file(block: Any) -> Any:
    """Keep media given as data or by URL; their media type tells what they are."""
    near = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
    if near is not block:
        return near
    source, kind = block.source, media.KINDS[type(block)]
    if not isinstance(source, (am.Base64Source, am.URLSource)):
        return Drop("files are given as data or by URL here")
    if isinstance(source, am.URLSource) and not (is_url(source.url) or is_marked(source, UI, "/odd")):
        return Drop("a URL is absolute here")
    told = source.media_type
    if isinstance(source, am.URLSource) and told is None:
        data_source = media.read_data_url(source.url)
        told = None if data_source is None else data_source.media_type
    if told is None or (kind != "file" and media.kind_of(told) != kind):
        told = likely_type(source, kind)
    new: Any = source if told == source.media_type else source.evolve(media_type=told)
    if isinstance(new, am.URLSource) and isinstance(read := read_url(new.url, told), am.Base64Source):
        new = read
    return settled(block, cells.bare(new), "files tell their type here")


def data(block: am.DataBlock) -> Any:
    """Keep data, which needs a name here."""
    if block.name is not None:
        return block
    return Swap(block.evolve(name="data"), "data have a name here", "annotation")


def source(block: am.SourceBlock) -> Any:
    """Keep a source, which needs an id here; without a URL, it also needs a title and a media type."""
    changes: dict[str, Any] = {}
    if block.item_id is None and not is_marked(block, UI, "/no-id"):
        changes["item_id"] = block.url or block.title or "source"
    if block.url is None and block.title is None:
        changes["title"] = ""
    if block.url is None and block.media_type is None:
        changes["media_type"] = USUAL["file"]
    return Swap(block.evolve(**changes), "a source has an id here", "annotation") if changes else block


# -- results ----------------------------------------------------------------------------------------------------------


def result(block: am.ToolResultBlock) -> Any:
    """Express a result as one text or one value, and a failure in words."""
    content: Any = block.content
    if block.structured is None and block.error is None and not block.is_error and block.status != "denied":
        text = content[0] if len(content) == 1 else None
        if type(text) is am.TextBlock and text.text:
            return block
    texts = [item if isinstance(item, am.TextBlock) else rules.as_text(item) for item in content]
    words = "\n".join(text.text for text in texts if text is not None and text.text)
    value, error, is_lost = block.structured, None, None in texts
    status = "denied" if block.status == "denied" else "error" if block.is_error else None
    if status is None and type(value) is str and has_options(block, "anthropic"):
        value = [{"type": "text", "text": value}]  # its client sends no text as the result of a server's tool
    if status is None:
        if value is not None and (not content or dump_json(value).decode() == words):
            words, value = (value, None) if isinstance(value, str) else ("", value)
        else:
            value, is_lost = None, is_lost or value is not None
    else:
        parts = [words] if words else []
        if value is not None:
            said = _texts(value)
            is_lost = is_lost or bool(said)
            parts += [dump_json(value).decode()] if said is None else said
        if block.error is not None and block.error not in words:
            parts.append(block.error)
        words, value = "\n".join(parts), None
        if status == "denied":
            words, error = "", words or block.error
    return _changed(block, words, structured=value, error=error, status=status, is_lost=is_lost)


def _texts(value: Any) -> list[str] | None:
    """Return the texts of a list of parts; None for any other value."""
    if not is_sequence(value) or not all(is_mapping(part) and type(part.get("text")) is str for part in value):
        return None
    return [part["text"] for part in value]


def _changed(block: am.ToolResultBlock, words: str, *, is_lost: bool, **fields: Any) -> Any:
    content: Any = (am.TextBlock(words),) if words else ()
    is_same = len(content) == len(block.content) and all(
        isinstance(old, am.TextBlock) and old.text == new.text for old, new in zip(block.content, content, strict=True)
    )
    if not is_same:
        fields["content"] = content
    if fields["status"] is None:
        del fields["status"]  # there is no place for success
    changes = {name: value for name, value in fields.items() if name == "content" or getattr(block, name) != value}
    if not changes:
        return block
    return Swap(block.evolve(**changes), "a result is one text or value here", "content" if is_lost else "annotation")


def orphan(block: am.ToolResultBlock) -> Any:
    """Express a result without its call in words, or as the JSON of its value."""
    words = block.text or block.error
    if not words and block.structured is not None:
        words = dump_json(block.structured).decode()
    why = "a result stands with its call here"
    return Swap(am.TextBlock(words), why) if words else Drop(why)


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep the result of a server tool."""
    return with_runner(block, result(block)) if block.kind == "server" else orphan(block)


# Keys of messages whose values may be extras, or repeat the parts.
_TOLD = old.KEYS | {"createdAt", "metadata"}
_WORDS: Mapping[type[Any], Row] = {am.TextBlock: Row({"text": KEEP})}
_OTHERS = {**rules.TEXT_ROWS, am.ToolResultBlock: Row({}, orphan)}
_ANSWERS: Any = {
    **dict.fromkeys(media.KINDS, file),
    am.DataBlock: data,
    am.SourceBlock: source,
    am.ThinkingBlock: thinking,
    am.ToolUseBlock: (call, "kind"),
    am.ToolResultBlock: server_result,
    am.CompactionBlock: compaction,
}


def _of_result(own: Mapping[str, Any], _: Any) -> frozenset[str]:
    """Return the extras of a call that its part has for its result."""
    return RESULT_KEYS | {"approval"} if is_approval(own.get("approval")) else RESULT_KEYS


def _of_call(own: Mapping[str, Any], _: Any) -> frozenset[str]:
    """Return the extras of a result that its part has for its call: all unknown keys."""
    return frozenset(own) - {RESULT_KEY}


def _of_approval(_: Mapping[str, Any], __: Any) -> frozenset[str]:
    """Return the extras of a request that its part has for the decision, or under another name."""
    return OF_APPROVAL


def _not_of_decisions(cell: Cell) -> Cell:
    """Return the cell of messages without decisions, which are in the message of their calls."""
    return lambda value, message: None if tool_links.is_decision(message) else cell(value, message)


def _sharing(row: Row, taken: Callable[[Mapping[str, Any], Any], frozenset[str]]) -> Row:
    """Return the row of calls or results, whose part has the extras of the other one, too."""
    return row.having(extras=cells.without(row.fields["extras"], UI, taken))


def _taken_of_step(message: am.Msg) -> frozenset[str] | None:
    """Return the keys of a step-start that are no extras; None if a message isn't a step's."""
    return frozenset({"type"}) if message.content else None


def _time(value: Any, message: am.Msg) -> Any:
    """Keep the time of a message that was read with one."""
    return value if old.write_time(value, mark_of(message, UI, "/time")) is not None else None


def _relink(messages: Messages) -> Callable[[Sequence[am.Msg]], Sequence[am.Msg]]:
    """Return a function that removes ids and extras which would be read as made from places and parts."""

    def relink(given: Sequence[am.Msg]) -> Sequence[am.Msg]:
        found = without_places(messages.agreeing(given), messages.grouping)
        if not any(message.extras and not _TOLD.isdisjoint(natives.extras_of(message, UI)) for message in found):
            return found
        out: list[am.Msg] = []
        for first, *others in grouping.containers(found, messages.grouping):
            out += [messages.with_own(first, others), *others]
        return out if any(map(is_not, out, found)) else found

    return relink


def make_caps(codec: VercelUICodec) -> Caps:
    """Return the capability table."""
    messages = codec.engine
    rows = Rows(messages.described)
    answers = {"system": _ANSWERS, "user": _ANSWERS, "assistant": {**_ANSWERS, am.AudioBlock: rules.spoken(file)}}
    system, user, assistant = (
        rows.place(place, own, {**_OTHERS, am.NativeBlock: rules.native_block_row(UI, messages.returns(place))})
        for place, own in answers.items()
    )
    answer = _sharing(rows.row("result", rules={am.ToolResultBlock: result}), _of_call)
    assistant[am.ToolUseBlock] = _sharing(assistant[am.ToolUseBlock], _of_result)
    assistant[am.ToolResultBlock] = _sharing(assistant[am.ToolResultBlock], _of_call).having(name=KEEP)
    decision = rows.row("response").having(extras=lambda _, __: EMPTY, kind=KEEP)
    user[am.ApprovalResponseBlock] = decision
    assistant[am.ApprovalRequestBlock] = _sharing(assistant[am.ApprovalRequestBlock], _of_approval)
    own = cells.beside((UI, frozenset({"id", "role", "parts"})))
    fields: dict[str, Cell] = {"id": KEEP, "created_at": _time, "metadata": KEEP, "extras": own}
    extras_of_step = cells.together(carried_extras((STEP_EXTRAS, _taken_of_step)), own)
    return Caps(
        messages={
            "system": MessageRow(fields=fields, blocks=system),
            "developer": MessageRow(fields=fields, blocks=system, otherwise=rules.role_rule("system")),
            "user": MessageRow(fields={name: _not_of_decisions(cell) for name, cell in fields.items()}, blocks=user,
                               results=_WORDS),
            "assistant": MessageRow(fields={**fields, "extras": extras_of_step}, blocks=assistant, results=_WORDS,
                                    otherwise=with_calls, concerns=am.ToolResultBlock),
            "tool": MessageRow(blocks={am.ToolResultBlock: answer}, results=_WORDS),
            **rules.other_rows(UI, messages.message_of),
        },
        history=codec.containers.cells(),
        # The results of server tools are sorted before a message may be split between them and their calls.
        arrange=(restructure.choose(behind_calls, "assistant"), restructure.split_results, restructure.split_decisions,
                 beside_requests),
        needs_id=needs_id,
        derives_names=True,
        near_names=True,
        relink=_relink(messages),
        drops_emptied=True,
        unsent=(*UNSENT, *CUT),
    )  # fmt: skip
