"""The rules of the capability table: for blocks that user messages represent differently, or lack."""

from __future__ import annotations

from collections import Counter, deque
from operator import is_
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, dump_json, is_marked, media, restructure, rules
from agentmsg_codecs.vercel.media import is_url
from agentmsg_codecs.vercel.media_rules import likely_type, settled
from agentmsg_codecs.vercel.names import UI, USUAL
from agentmsg_codecs.vercel.rules import with_runner
from agentmsg_codecs.vercel.ui.format import read_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# -- files, data, sources ---------------------------------------------------------------------------------------------


def file(block: Any) -> Any:
    """Keep media given as data or by URL; their type tells what they are."""
    said = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
    if said is not block:
        return said
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
    near: Any = source if told == source.media_type else source.evolve(media_type=told)
    if isinstance(near, am.URLSource) and isinstance(read := read_url(near.url, told), am.Base64Source):
        near = read
    return settled(block, near.evolve(extras={}) if near.extras else near, "files tell their type here")


def data(block: am.DataBlock) -> Any:
    """Keep data; it has a name here."""
    if block.name is not None:
        return block
    return Swap(block.evolve(name="data"), "data have a name here", "annotation")


def source(block: am.SourceBlock) -> Any:
    """Keep a source; it has an id here, and one without a URL a title and a type."""
    changes: dict[str, Any] = {}
    if block.item_id is None:
        changes["item_id"] = block.url or block.title or "source"
    if block.url is None:
        changes |= {} if block.title is not None else {"title": ""}
        changes |= {} if block.media_type is not None else {"media_type": USUAL["file"]}
    return Swap(block.evolve(**changes), "a source has an id here", "annotation") if changes else block


# -- results ----------------------------------------------------------------------------------------------------------


def result(block: am.ToolResultBlock) -> Any:
    """Express a result as one text or one value, and a failure in words."""
    content: Any = block.content
    if block.structured is None and block.error is None and not block.is_error and block.status != "denied":
        text = content[0] if len(content) == 1 else None
        if type(text) is am.TextBlock and text.text:
            return block
    texts = [item if isinstance(item, am.TextBlock) else rules.as_text(item) for item in block.content]
    words = "\n".join(text.text for text in texts if text is not None and text.text)
    value, error, is_lost = block.structured, None, None in texts
    status = "denied" if block.status == "denied" else "error" if block.is_error else None
    if status is None:
        is_said = not block.content or (value is not None and dump_json(value).decode() == words)
        if value is not None and is_said:
            words, value = (value, None) if isinstance(value, str) else ("", value)
        else:
            is_lost = is_lost or value is not None
            value = None
    else:
        told = [words] if words else []
        told += [dump_json(value).decode()] if value is not None else []
        if block.error is not None and block.error not in words:
            told.append(block.error)
        words, value = "\n".join(told), None
        if status == "denied":
            words, error = "", words or block.error
    return _settled(block, words, structured=value, error=error, status=status, is_lost=is_lost)


def _settled(block: am.ToolResultBlock, words: str, *, is_lost: bool, **fields: Any) -> Any:
    content: Any = (am.TextBlock(words),) if words else ()
    is_same = len(content) == len(block.content) and all(
        isinstance(old, am.TextBlock) and old.text == new.text for old, new in zip(block.content, content, strict=True)
    )
    if not is_same:
        fields["content"] = content
    if fields["status"] is None:
        del fields["status"]  # that all went well has no place
    changes = {name: value for name, value in fields.items() if getattr(block, name) is not value}
    changes = {name: value for name, value in changes.items() if name == "content" or getattr(block, name) != value}
    if not changes:
        return block
    return Swap(block.evolve(**changes), "a result is one text or value here", "content" if is_lost else "annotation")


def orphan(block: am.ToolResultBlock) -> Any:
    """Express a result without its call: in words, or as the JSON of its value."""
    words = block.text or block.error
    if not words and block.structured is not None:
        words = dump_json(block.structured).decode()
    why = "a result stands with its call here"
    return Swap(am.TextBlock(words), why) if words else Drop(why)


def server_result(block: am.ToolResultBlock) -> Any:
    """Keep what a tool gave that its provider ran."""
    return with_runner(block, result(block)) if block.kind == "server" else orphan(block)


# -- which result stands with which call -----------------------------------------------------------------------------


def with_results(message: am.Msg) -> Any:
    """Put what a server's tool gave behind its call, with its name; a result without a call is text."""
    blocks: Any = message.content
    if not any(map(_is_served_result, blocks)):
        return message
    taken = _answers(blocks)
    paired = set(taken.values())
    content: list[Any] = []
    for index, block in enumerate(blocks):
        if not _is_served_result(block):
            content.append(block)
            if index in taken:
                found = blocks[taken[index]]
                content.append(found if found.name == block.name else found.evolve(name=block.name))
        elif index not in paired:
            answer = rules.server_as_text(block)
            content += [answer.new] if isinstance(answer, Swap) else []
    if len(content) == len(blocks) and all(map(is_, content, blocks)):
        return message
    return Swap(message.evolve(content=content), "a call and its result are one part here")


def _is_served_result(block: Any) -> bool:
    return isinstance(block, am.ToolResultBlock) and block.kind == "server"


def _answers(content: Sequence[Any]) -> dict[int, int]:
    """Return the index of the result by that of its call, of a server's tools."""
    waiting: dict[str | None, deque[int]] = {}
    found: dict[int, int] = {}
    for index, block in enumerate(content):
        if isinstance(block, am.ToolUseBlock) and block.kind == "server":
            waiting.setdefault(block.id, deque()).append(index)
        elif isinstance(block, am.ToolResultBlock) and block.kind == "server" and waiting.get(block.tool_call_id):
            found[waiting[block.tool_call_id].popleft()] = index
    return found


def _are_beside_calls(messages: Sequence[am.Msg]) -> bool:
    """Whether the results of a client's tools stand behind their calls already, in their order.

    No may be the answer, too, where links are odd.
    """
    known: set[str | None] = set()
    expected: Iterator[str | None] = iter(())
    for message in messages:
        content: Any = message.content
        if message.role == "tool":
            # Of calls without results, each is passed over: what comes after stands behind.
            if not content or content[0].tool_call_id not in expected:
                return False
            continue
        if message.role != "assistant":
            expected = iter(())
            continue
        calls = [block.id for block in content if isinstance(block, am.ToolUseBlock) and block.kind != "server"]
        known_before = len(known)
        known.update(calls)
        if len(known) != known_before + len(calls):
            return False
        expected = iter(calls)
    return True


def _answered(plan: restructure.Plan, start: int, messages: Sequence[am.Msg]) -> Counter[str | None]:
    """Return how often each id stands in the results from a place on, up to what is none."""
    found = Counter[str | None]()
    for number in range(start, len(plan)):
        parts = plan[number]
        message = messages[parts[0].index]
        if (parts[0].role or message.role) != "tool" or not parts[0].picks:
            break
        result: Any = message.content[parts[0].picks[0]]
        found[result.tool_call_id] += 1
    return found


def beside_calls(plan: restructure.Plan | None, messages: Sequence[am.Msg]) -> restructure.Plan | None:
    """Move the results of a client's tools behind their calls, in the order of these; one without a call is a user's.

    Args:
        plan: in which each result is a message of its own.
        messages: that the plan is of.
    """
    if plan is None and _are_beside_calls(messages):
        return None
    current = restructure.as_is(messages) if plan is None else plan
    waiting: dict[str | None, deque[tuple[int, int]]] = {}
    behind: dict[int, list[tuple[int, int]]] = {}
    orphans: set[int] = set()
    results: set[int] = set()
    # The calls that the results at hand stand behind, and how often each id stands in these.
    near: dict[str | None, deque[tuple[int, int]]] = {}
    run = Counter[str | None]()
    for number, parts in enumerate(current):
        role = parts[0].role or messages[parts[0].index].role
        blocks = [messages[part.index].content[pick] for part in parts for pick in part.picks]
        if role == "tool" and blocks:
            result: Any = blocks[0]
            link: str | None = result.tool_call_id
            before, beside = waiting.get(link), near.get(link)
            # Of more calls with the same id than results it is one in front of it, if any; else the first of all.
            is_near = bool(beside) and run[link] < len(before or ()) + len(beside or ())
            queue = beside if is_near or not before else before
            run[link] -= 1
            if queue:
                call, order = queue.popleft()
                behind.setdefault(call, []).append((order, number))
                results.add(number)
            else:
                orphans.add(number)
            continue
        for known, calls in near.items():
            waiting.setdefault(known, deque()).extend(calls)
        near = {}
        if role == "assistant":
            run = _answered(current, number + 1, messages)
            for order, block in enumerate(blocks):
                if isinstance(block, am.ToolUseBlock) and block.kind != "server":
                    near.setdefault(block.id, deque()).append((number, order))
    out: restructure.Plan = []
    for number, parts in enumerate(current):
        if number in results:
            continue
        first = parts[0]
        out.append((restructure.Part(first.index, first.picks, "user"),) if number in orphans else parts)
        out += [current[result] for _, result in sorted(behind.get(number, []))]
    return plan if out == current else out
