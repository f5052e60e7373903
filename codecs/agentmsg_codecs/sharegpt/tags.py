r"""Tags around a text, and what tools say: the text of a result, in tags or not, or several results, each in tags.

| text | results |
| --- | --- |
| ``<tool_response>\n...\n</tool_response>`` (Hermes) | one, with the text inside |
| several of these, one behind the other | one for each |
| anything else | one, with this text |

A text may be JSON with the name of its call, and perhaps the id (``{"tool_call_id": "c", "name": "f", "content": 1}``).
All of it stays the text, because models read it.

Marks: ``/wrapped`` (a result is in tags), ``/breaks`` (the line breaks around tags, where they aren't the usual ones).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import grouping, is_marked, is_object, is_sequence, mark_of, marked, parse_json
from agentmsg_codecs.sharegpt.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


# The default line breaks before a tag, inside it on both sides, and after it.
_BREAKS: Mapping[str, tuple[int, ...]] = {
    "think": (0, 1, 1, 2),
    "tool_call": (1, 1, 1, 0),
    "tool_response": (0, 1, 1, 0),
}
MOST = 2
"""The most line breaks that a mark may count in one place."""


def trimmed(found: str) -> tuple[str, int, int]:
    """Return what stands in a tag without the line breaks at its ends, and these."""
    if len(found) > 2 and found[0] == found[-1] == "\n":  # noqa: PLR2004 - the usual case
        return found[1:-1], 1, 1
    first = int(len(found) > 1 and found[0] == "\n")
    last = int(len(found) > 1 + first and found[-1] == "\n")
    return found[first : len(found) - last], first, last


def between(text: str, tag: str, at: int, end: int) -> tuple[str, int, int] | None:
    """Return the text in a tag, and the line breaks before and after that text; None without text.

    Args:
        text: with the tag.
        tag: its name.
        at: the index of the tag.
        end: the index of the end tag.
    """
    found = text[at + len(tag) + 2 : end]
    return trimmed(found) if found and end > at >= 0 else None


def break_marks(tag: str, *breaks: int) -> dict[str, Any]:
    """Return the mark for line breaks that aren't the usual ones."""
    return {} if breaks == _BREAKS[tag] else {"breaks": [*breaks]}


def breaks_of(tag: str, owner: Any) -> tuple[int, ...]:
    """Return the line breaks that were read with the owner of a text, else the usual ones."""
    noted: Any = mark_of(owner, FAMILY, "/breaks")
    is_valid = is_sequence(noted) and len(noted) == len(_BREAKS[tag])
    return tuple(noted) if is_valid and all(type(n) is int and 0 <= n <= MOST for n in noted) else _BREAKS[tag]


def noting(block: Any, marks: Mapping[str, Any]) -> Any:
    """Mark a block, if there are any marks."""
    return marked(block, FAMILY, **marks) if marks else block


def _sides(tag: str, breaks: Iterable[int]) -> tuple[str, str]:
    """Return the tags and line breaks before and after a text."""
    first, second, third, last = ("\n" * count for count in breaks)
    return f"{first}<{tag}>{second}", f"{third}</{tag}>{last}"


def around(tag: str, text: str, breaks: Iterable[int]) -> str:
    """Return a text in tags, with line breaks before the first one, inside them, and after the last one."""
    before, behind = _sides(tag, breaks)
    return f"{before}{text}{behind}"


_SIDES = {tag: _sides(tag, breaks) for tag, breaks in _BREAKS.items()}


def in_tags(tag: str, text: str, owner: Any = None) -> str:
    """Return a text in tags, with the line breaks that were read with its owner, if any."""
    before, behind = _SIDES[tag] if owner is None else _sides(tag, breaks_of(tag, owner))
    return f"{before}{text}{behind}"


_TAG = "tool_response"
_START, _END = f"<{_TAG}>", f"</{_TAG}>"
_NEXT = re.compile(f"{_END}(\\n{{0,{MOST}}}){_START}")
# The usual line breaks around a result behind another one.
_USUAL = (1, 1, 1, 0)


def read_results(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the texts of the results in a turn, each with the marks of its result."""
    core = text.rstrip("\n") if text[:15] == _START else ""
    behind = len(text) - len(core)
    if core[-16:] != _END or behind > MOST:
        return [(text, {})]
    body = core[15:-16]
    found = _pieces(body, behind) if _END in body else []
    if found or not body:
        return found or [(text, {})]
    inside, *breaks = trimmed(body)
    return [(inside, {"wrapped": True, **break_marks(_TAG, 0, *breaks, behind)})]


def _pieces(body: str, behind: int) -> list[tuple[str, dict[str, Any]]]:
    """Return the results between the first tag and the last; none if the tags in between are part of a text."""
    pieces = _NEXT.split(body)
    if any(_START in piece or _END in piece for piece in pieces[::2]):
        return []
    found: list[tuple[str, dict[str, Any]]] = []
    gaps = (0, *map(len, pieces[1::2]))
    for number, (piece, gap) in enumerate(zip(pieces[::2], gaps, strict=True), 1):
        inside, *inner = trimmed(piece)
        breaks = (gap, *inner, behind if number == len(gaps) else 0)
        own = break_marks(_TAG, *breaks) if number == 1 else {} if breaks == _USUAL else {"breaks": [*breaks]}
        found.append((inside, {"wrapped": True, **own}))
    return found


def _texts(value: str) -> list[str]:
    return [text for text, _ in read_results(value)]


def _text_of(block: Any) -> str:
    """Return the text of a result that fits; an empty one for any other."""
    only = block.content[0] if len(block.content) == 1 else None
    return only.text if isinstance(only, am.TextBlock) else ""


def write_result(block: Any) -> str:
    """Return the value of a turn with a result: in tags if these were read, or if its text already has some."""
    text = _text_of(block)
    if text and is_marked(block, FAMILY, "/wrapped"):
        for value in (in_tags(_TAG, text, block), in_tags(_TAG, text)):
            if _texts(value) == [text]:
                return value
    return text if text[:15] != _START or _texts(text) == [text] else in_tags(_TAG, text)


def write_results(blocks: Sequence[Any]) -> str:
    """Return the value of a turn with several results."""
    last, texts = len(blocks) - 1, list(map(_text_of, blocks))
    noted = "".join([_in_place(block, number, last) for number, block in enumerate(blocks)])
    if _texts(noted) == texts:
        return noted
    return "\n".join([in_tags(_TAG, text) if text else _START + _END for text in texts])


def _in_place(block: Any, number: int, last: int) -> str:
    """Return a result among others, with the line breaks that were read with it."""
    text, is_noted = _text_of(block), mark_of(block, FAMILY, "/breaks") is not None
    before, inner, end, behind = breaks_of(_TAG, block) if text or is_noted else (1, 0, 0, 0)
    before = (before if is_noted else 1) if number else 0
    behind = behind if number == last else 0
    return around(_TAG, text, (before, inner, end, behind))


def answered(block: Any) -> tuple[str | None, str | None]:
    """Return the id and the name of the call that a result answers if its text is JSON that says these (Hermes)."""
    text = _text_of(block)
    if text[:1] != "{" or '"content"' not in text:
        return None, None
    try:
        value = parse_json(text, duplicates="error")
    except AgentMsgError:
        return None, None
    if not is_object(value) or not value.keys() <= {"tool_call_id", "name", "content"}:
        return None, None
    link, name = value.get("tool_call_id"), value.get("name")
    return link if isinstance(link, str) else None, name if isinstance(name, str) else None


def _may_stand(message: am.Msg) -> bool:
    """Whether the text of a result has none of the tags."""
    if message.role != "tool" or len(message.content) != 1:
        return False
    text = _text_of(message.content[0])
    return _START not in text and _END not in text


def _may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
    return grouping.all_of(group, _may_stand) and _may_stand(message) and not message.extras


GROUPING = grouping.Grouping(family=FAMILY, may_join=_may_join)
"""Which results share a turn: only those that were read from one."""
