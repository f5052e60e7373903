"""Reading one native message.

Marks: ``/role`` (the word for it, if it is not the usual one), ``/list`` and ``/str`` (content that isn't a text, or
one, where the dialect has it otherwise), ``/one`` (content that is one block, as Java's 0.1.0 has it), ``/url`` (one
URL beside content, as a text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_bare_text, is_list, is_object, maker, marked
from agentmsg_codecs.agentscope.replies import last_said, role_of, shared_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg_codecs.agentscope.dialect import Dialect


_make_msg = maker(am.Msg)
_make_text = maker(am.TextBlock)


def read_container(dialect: Dialect, native: Native) -> tuple[list[am.Msg], bool]:
    """Return the messages of a native one, and whether it is known that they are written as it is.

    Raises:
        Unreadable: where it has no meaning.
    """
    word = native.get("role")
    role = dialect.model_role(word) if type(word) is str else None
    if role is None:
        raise Unreadable
    marks: dict[str, Any] = {}
    runs = _runs(dialect, native, role, marks)
    kind, blocks = runs[0]
    if dialect.has_urls and kind != "tool" and len(runs) == 1 and native.get("url") is not None:
        native = _with_urls(dialect, native, role, blocks, marks)
    if word != dialect.usual_role(kind if len(runs) == 1 else role_of(kind for kind, _ in runs)):
        marks["role"] = word
    whole = dialect.quick_message(native, kind, tuple(blocks)) if native.get("content") else None
    if whole is not None and len(runs) == 1:
        return [marked(whole, dialect.family, **marks) if marks else whole], True
    head, tail = (dialect.read_head(native), dialect.read_tail(native)) if whole is None else _halves(whole)
    marks = {**head.pop("marks", {}), **marks}
    if head["name"] is not None and head["name"] == dialect.usual_name(kind):
        head["name"] = None
    if len(runs) == 1:
        marks |= tail.pop("marks", {})
        message = _make_msg(kind, tuple(blocks), **head, **tail)
        return [marked(message, dialect.family, **marks) if marks else message], False
    if "both" in tail.get("marks", ()):
        # What tells of one place would stand on one message, and what it tells of on another.
        raise Unreadable
    return _spread(dialect, runs, head, tail, marks), whole is not None


def _with_urls(dialect: Dialect, native: Native, role: str, blocks: list[Any], marks: dict[str, Any]) -> Native:
    """Add the blocks of a message's URLs, and return the message without them; as it is if they are none."""
    try:
        found = dialect.media.read_urls(native["url"])
    except Unreadable:
        return native
    if not found:
        return native
    blocks.extend([marked(block, dialect.family, odd=True) for block in found] if role == "system" else found)
    if type(native["url"]) is str:
        marks["url"] = "text"
    return {key: value for key, value in native.items() if key != "url"}


def _halves(whole: am.Msg) -> tuple[Native, Native]:
    """Return the fields that head a container, and those that end it."""
    head = {name: getattr(whole, name) for name in ("name", "id", "created_at", "metadata", "extras")}
    return head, {name: getattr(whole, name) for name in ("usage", "finish_reason", "structured")}


def _spread(
    dialect: Dialect, runs: Sequence[tuple[str, list[Any]]], head: Native, tail: Native, marks: Native
) -> list[am.Msg]:
    """Return the messages of several runs: the first with what heads them, the last of a role with what ends them."""
    name = head.get("name")
    last = last_said([kind for kind, _ in runs])
    group: list[am.Msg] = []
    for index, (kind, blocks) in enumerate(runs):
        fields = head if index == 0 else {} if kind == "tool" else {"name": shared_name(name, kind, dialect)}
        own = marks if index == 0 else {}
        if index == last:
            own = {**own, **tail.pop("marks", {})}
            fields = {**fields, **tail}
        message = _make_msg(kind, tuple(blocks), **fields)
        group.append(marked(message, dialect.family, **own) if own else message)
    return group


def _runs(dialect: Dialect, native: Native, role: str, marks: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the runs of content, each with the role of its message."""
    content: Any = native.get("content")
    if content is None or type(content) is str:
        if role == "tool":
            raise Unreadable
        if content and not dialect.is_brief:
            marks["str"] = True
        return [(role, [_make_text(content)] if content else [])]
    if is_object(content) and type(content.get("type")) is str:
        content, marks["one"] = [content], True
    if not is_list(content):
        raise Unreadable
    runs = _runs_of(dialect, content, role)
    if not runs:
        if role == "tool":
            raise Unreadable
        return [(role, [])]
    if dialect.is_brief and len(runs) == 1 and len(runs[0][1]) == 1 and is_bare_text(runs[0][1][0], dialect.family):
        marks["list"] = True
    return runs


def _runs_of(dialect: Dialect, content: list[Any], role: str) -> list[tuple[str, list[Any]]]:
    runs: list[tuple[str, list[Any]]] = []
    # The open run, for everything but results.
    blocks: list[Any] | None = None
    for part in content:
        result = dialect.read_result(part)
        if result is not None:
            runs.append(("tool", [result]))
            blocks = None
        elif role == "tool":
            raise Unreadable
        else:
            if blocks is None:
                blocks = []
                runs.append((role, blocks))
            blocks.append(dialect.parts[role].read(part))
    return runs
