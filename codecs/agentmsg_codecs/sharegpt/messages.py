"""Messages: one turn is one message. A turn has one text, which ``values`` takes apart.

Marks on a message: ``/from`` (a sender that isn't written by default), ``/role`` (the sender is under ``role``, as in
Pygmalion); those of values.py.
"""

from __future__ import annotations

from typing import Any

import agentmsg as am
import agentmsg_codecs.sharegpt.values as own_values
from agentmsg import AgentMsgError, DecodeError
from agentmsg.formats import (
    Unreadable,
    excerpt,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    speed,
    spelling,
    write_as,
)
from agentmsg_codecs.sharegpt.format import DESCRIBED
from agentmsg_codecs.sharegpt.links import has_own_id
from agentmsg_codecs.sharegpt.media import text_of
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, ROLES, WORDS

_make_text = maker(am.TextBlock, "text")
_make_result = maker(am.ToolResultBlock, "tool_call_id", "content")
_make_msg = maker(am.Msg, "role", "content")


def read_turn(native: Any) -> am.Msg:
    """Read a turn; if the model can't express it, the role of its message is ``native``.

    Raises:
        DecodeError: if it isn't a turn at all.
    """
    if not is_object(native):
        raise DecodeError(f"a turn is an object, not {excerpt(native)}")
    if "from" not in native and "value" in native and type(native.get("role")) is str:
        return _read_role(native)
    word: Any = native.get("from")
    if type(word) is not str:
        raise DecodeError("a turn says who it is from", path=("from",))
    role = ROLES.get(word)
    if role is None:
        return _whole(native)
    text = native.get("value")
    if len(native) == 2 and type(text) is str and text:  # noqa: PLR2004 - no more than the two keys
        content, marks = _content(role, text, word, None)
        is_text = len(content) == 1 and type(content[0]) is am.TextBlock
        message = speed.make_said_in(role, content) if is_text else _make_msg(role, content)
    else:
        try:
            message = DESCRIBED.shapes[role].read({**native, "from": WORDS[role]}, am.Msg)
        except (Unreadable, AgentMsgError):
            return _whole(native)
        text = message.text
        content, marks = _content(role, text, word, message.content) if text else (message.content, {})
        message = spelling.changed(message, {"content": content})
    if word != _word_of(role, content):
        marks["from"] = word
    return marked(message, FAMILY, **marks) if marks else message


def _read_role(native: Any) -> am.Msg:
    """Read a turn with its sender under ``role``."""
    turn = {"from" if key == "role" else key: value for key, value in native.items()}
    message = read_turn(turn)
    return _whole(native) if message.role == "native" else marked(message, FAMILY, role=True)


def _whole(native: Any) -> am.Msg:
    return natives.read_whole(native, FAMILY, {"content": native.get("value")})


def _content(role: str, text: str, word: str, content: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the blocks of a turn, and the marks of its message; a result keeps everything beside its text."""
    if role == "assistant":
        return own_values.read_answer(text, word)
    if role == "user":
        return own_values.read_question(text), {}
    if role == "system":
        return (_make_text(text),), {}
    text, marks = own_values.read_result(text)
    inner = (_make_text(text),)
    block = spelling.changed(content[0], {"content": inner}) if content else _make_result(None, inner)
    return (marked(block, FAMILY, **marks) if marks else block,), {}


def _word_of(role: str, content: Any) -> str:
    """Return the default sender of a turn: calls alone have their own."""
    if role == "assistant" and content and type(content[-1]) is am.ToolUseBlock:
        return WORDS[role] if am.TextBlock in map(type, content) else CALL_WORDS[0]
    return WORDS[role]


def write_turn(message: am.Msg, link: str | None = None) -> Any:
    """Return the turn of a message that fits.

    Args:
        message: it.
        link: as in ``_written``.
    """
    turn = _written(message, link)
    if not is_marked(message, FAMILY, "/role") or message.role == "native" or "role" in turn:
        return turn
    return {"role" if key == "from" else key: value for key, value in turn.items()}


def _written(message: am.Msg, link: str | None) -> Any:
    """Return the turn of a message, with its sender under ``from``.

    Args:
        message: it.
        link: the id of the call that its result answers, unless the position of the turn determines that.
    """
    role = message.role
    if role == "native":
        return natives.native_of(message, FAMILY)
    content: Any = message.content
    word, result = _word_of(role, content), content[0] if role == "tool" else None
    if result is not None:
        value = own_values.write_result(result)
    elif role == "assistant":
        value = own_values.write_answer(content, word, is_usual=True)
    else:
        value = "".join(map(text_of, content))
    if message.notes or (role == "assistant" and any([block.notes for block in content])):  # noqa: C419 - in half the time
        word, value = _noted(message, word, value)
    if not message.notes and not message.extras and value and link is None:
        return {"from": word, "value": value}
    one: Any = (_make_text(value),) if value else ()
    if result is not None:
        result = spelling.changed(result, {"content": one, "tool_call_id": link, "name": None})
        one = (result if link is None else marked(result, FAMILY, id=True),)
    return {**write_as(DESCRIBED.shapes[role], message.evolve(content=one), FAMILY), "from": word}


def _noted(message: am.Msg, word: str, value: str) -> tuple[str, str]:
    """Return the sender and the text of a turn as they were read, if they still mean the same."""
    noted = mark_of(message, FAMILY, "/from")
    own = noted if isinstance(noted, str) and ROLES.get(noted) == message.role else word
    if message.role != "assistant":
        return own, value
    listed, tagged = (is_marked(message, FAMILY, mark) for mark in ("/listed", "/tagged"))
    text = own_values.write_answer(message.content, own, listed=listed, tagged=tagged)
    found = own_values.read_answer(text, own)[0]
    is_read = len(found) == len(message.content) and all(map(_is_same, found, message.content))
    return (own, text) if is_read else (word, value)


def _is_same(found: Any, block: Any) -> bool:
    """Whether a block that is read again is the same, apart from an id that its row doesn't contain."""
    if type(block) is am.ToolUseBlock and not has_own_id(block, block.id):
        block = spelling.changed(block, {"id": None})
    return am.same(found, block)
