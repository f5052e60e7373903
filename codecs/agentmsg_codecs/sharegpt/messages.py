"""Messages: one turn is one message. A turn's words are one text, which ``values`` takes apart.

Marks on a message: ``/from`` (a word that isn't written by default); those of values.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.sharegpt.values as own_values
from agentmsg import AgentMsgError
from agentmsg.formats import (
    Unreadable,
    adopt,
    excerpt,
    is_marked,
    is_object,
    maker,
    mark_of,
    marked,
    natives,
    write_as,
)
from agentmsg_codecs.sharegpt.format import DESCRIBED
from agentmsg_codecs.sharegpt.media import token_of
from agentmsg_codecs.sharegpt.names import FAMILY, ROLES, WORDS

_make_text = maker(am.TextBlock, "text")
_make_native = maker(am.NativeBlock)
_make_msg = maker(am.Msg)


def _whole(native: Any) -> am.Msg:
    said: Any = native.get("value")
    fallback = said if isinstance(said, str) and said else None
    return _make_msg("native", (_make_native(codec=FAMILY, value=adopt(native), fallback=fallback),))


def read_turn(native: Any) -> am.Msg:
    """Return the message of a turn; of the role ``native`` where it can't be told in the model.

    Raises:
        DecodeError: if it isn't a turn at all.
    """
    if not is_object(native):
        raise am.DecodeError(f"a turn is an object, not {excerpt(native)}")
    word: Any = native.get("from")
    if type(word) is not str:
        raise am.DecodeError("a turn says who it is from", path=("from",))
    role = ROLES.get(word)
    if role is None:
        return _whole(native)
    try:
        message: am.Msg = DESCRIBED.shapes[role].read({**native, "from": WORDS[role]}, am.Msg)
    except (Unreadable, AgentMsgError):
        return _whole(native)
    message = _taken_apart(message, word)
    return message if word == _word_of(message) else marked(message, FAMILY, **{"from": word})


def _taken_apart(message: am.Msg, word: str) -> am.Msg:
    if message.role == "tool":
        return own_values.unwrapped(message)
    text = message.text
    if not text or message.role == "system":
        return message
    if message.role == "user":
        content = own_values.read_media(text)
        return message if len(content) == 1 and type(content[0]) is am.TextBlock else message.evolve(content=content)
    content, is_listed = own_values.read_answer(text, word)
    if len(content) == 1 and type(content[0]) is am.TextBlock:
        return message
    message = message.evolve(content=content)
    return marked(message, FAMILY, listed=True) if is_listed else message


def _word_of(message: am.Msg) -> str:
    """Return who a message is from by default: of an assistant, calls alone are a turn of their own."""
    content = message.content
    calls = any(type(block) is am.ToolUseBlock for block in content)
    if message.role == "assistant" and calls and not any(type(block) is am.TextBlock for block in content):
        return "function_call"
    return WORDS[message.role]


def write_turn(message: am.Msg) -> Any:
    """Return the turn of a message that fits."""
    kept = natives.native_of(message, FAMILY)
    if kept is not None:
        return kept
    role, noted = message.role, mark_of(message, FAMILY, "/from") if message.notes else None
    word = noted if isinstance(noted, str) and ROLES.get(noted) == role else _word_of(message)
    if role == "tool":
        message = own_values.wrapped(message)
    else:
        if role == "assistant" and not _is_read(message, word):
            word = _word_of(message)
        message = message.evolve(content=_joined(message, word))
    shape = DESCRIBED.shapes[role]
    native = write_as(shape, message, FAMILY) if message.notes or message.extras else shape.write(message)
    return {**native, "from": word}


def _value(message: am.Msg, word: str) -> str:
    is_listed = is_marked(message, FAMILY, "/listed")
    return own_values.write_answer(message.content, word, is_listed=is_listed)


def _is_read(message: am.Msg, word: str) -> bool:
    """Whether what an assistant's turn says is read again where it is from somebody."""
    found, _ = own_values.read_answer(_value(message, word), word)
    return len(found) == len(message.content) and all(map(am.same, found, message.content))


def _joined(message: am.Msg, word: str) -> tuple[Any, ...]:
    if message.role == "assistant":
        text = _value(message, word)
    else:
        content: Any = message.content
        text = "".join(token_of(block) or block.text for block in content)
    return (_make_text(text),) if text else ()
