"""Messages: one turn is one message, but each of several results in a turn is its own.

A turn has one text, which ``values`` takes apart, and perhaps calls beside it:

| turn | blocks |
| --- | --- |
| ``tool_calls``: a list of calls, each with its name and arguments, or as OpenAI has them | ToolUseBlock |
| ``name`` and ``arguments``, without a value | ToolUseBlock |

Marks on a message: ``/from`` (a sender that isn't written by default), ``/role`` (the sender is under ``role``, as in
Pygmalion), ``/content`` (the value is under ``content``), ``/beside`` ("list" or "keys"); those of values.py. On a
call ``/beside``, and ``/nested`` (its name and arguments are under ``function``).
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import agentmsg as am
import agentmsg_codecs.sharegpt.values as own_values
from agentmsg import AgentMsgError, DecodeError, thaw
from agentmsg.formats import (
    Unreadable,
    excerpt,
    grouping,
    is_list,
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
from agentmsg.formats.bodies import ToolColumn
from agentmsg.formats.forms import (
    Content,
    Described,
    Form,
    Inside,
    Key,
    Lifted,
    Link,
    Object,
    Place,
    Single,
    Text,
    Truth,
)
from agentmsg_codecs.sharegpt.links import said_links
from agentmsg_codecs.sharegpt.media import said
from agentmsg_codecs.sharegpt.names import CALL_WORDS, FAMILY, ITEM, LINK, ROLES, WORDS
from agentmsg_codecs.sharegpt.values import (
    GROUPING,
    UNLINKED,
    called,
    is_said,
    noting,
    object_of,
    read_results,
    write_result,
    write_results,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentmsg.formats import Native


_ABOUT = (
    Key("name", "name", Text()), Key("description", "description", Text(), "may"),
    Key("parameters", "parameters", Object(), "may"), Key("strict", "strict", Truth(is_flag=True), "may"),
)  # fmt: skip
_SAID = Lifted((Place("value", Content(), need='""'),))
# Usually, a result answers a call by its position.
_LINK = Key(LINK, "tool_call_id", Link(), "may", said="id", is_odd=True)
_RESULT = Single(am.ToolResultBlock, (Key("value", "content", Content(), '""'), _LINK))


def _form(role: str, word: str) -> Form:
    item: Any = _RESULT if role == "tool" else _SAID
    return Form(role, am.Msg, word, (item,), tag_key="from", fixed={"role": role}, is_apart=role)


DESCRIBED = Described(FAMILY, (
    *(_form(role, word) for role, word in WORDS.items()),
    Form("function", am.ToolSpec, None, _ABOUT, is_apart=True),
    Form("typed_function", am.ToolSpec, "function", (Inside("function", _ABOUT, space=ITEM),), is_apart=True,
         notes={"typed": True}),
), {})  # fmt: skip
TOOLS = ToolColumn(DESCRIBED, "function", "typed_function", style="python")


_CALL = ("name", "arguments")
_LIST = "tool_calls"


def read_beside(turn: Native) -> tuple[Native, tuple[Any, ...], Mapping[str, Any]] | None:
    """Return the rest of a turn, the calls beside its text, and the mark of its message; None if there are none."""
    if "value" not in turn and turn.keys() >= {*_CALL}:
        call = called({key: turn[key] for key in _CALL})
        if call is not None:
            rest = {key: turn[key] for key in turn if key not in _CALL}
            return rest, (marked(call, FAMILY, beside=True),), {"beside": "keys"}
    given = turn.get(_LIST)
    calls = list(map(_entry, given)) if is_list(given) else []
    if not calls or None in calls:
        return None
    return {key: turn[key] for key in turn if key != _LIST}, tuple(calls), {"beside": "list"}


def _entry(value: Any) -> Any:
    """Return the call in an entry of a list; None if it is anything else."""
    inner = value.get("function") if is_object(value) else None
    if inner is None:
        call = called(value)
        return None if call is None else marked(call, FAMILY, beside=True)
    if not is_object(inner) or value.get("type") != "function" or not value.keys() <= {"id", "type", "function"}:
        return None
    call = called({**inner, **({"id": value["id"]} if "id" in value else {})}) if "id" not in inner else None
    return None if call is None else marked(call, FAMILY, beside=True, nested=True)


def is_beside(block: Any) -> bool:
    """Whether a call was read beside the text of its turn."""
    return type(block) is am.ToolUseBlock and is_marked(block, FAMILY, "/beside")


def write_beside(turn: Native, calls: Sequence[Any], mark: Any) -> Native | None:
    """Return a turn with calls beside its text; None if it has no place for them."""
    is_list_wanted = mark != "keys"
    if not is_list_wanted and (len(calls) != 1 or "value" in turn):
        return None
    new = {_LIST: list(map(_written_call, calls))} if is_list_wanted else _written_call(calls[0])
    return {**turn, **new} if turn.keys().isdisjoint(new) else None


def _written_call(call: Any) -> Native:
    said: Native = thaw(object_of(call, is_usual=False))
    if not is_marked(call, FAMILY, "/nested"):
        return said
    link = {"id": said.pop("id")} if "id" in said else {}
    return {**link, "type": "function", "function": said}


_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
# The default senders of texts.
_SPEAKERS = frozenset(WORDS.values()) - {WORDS["tool"]}
_make_text = maker(am.TextBlock, "text")
_make_result = maker(am.ToolResultBlock, "tool_call_id", "content")
_make_msg = maker(am.Msg, "role", "content")


def read_turn(native: Any) -> am.Msg:
    """Read a turn; if the model can't express it, the role of its message is ``native``.

    A message with several results isn't in normal form yet; see ``parted``.

    Raises:
        DecodeError: if it isn't a turn at all.
    """
    word: Any = native.get("from") if type(native) is _OBJECT else None
    role = ROLES.get(word) if type(word) is str else None
    if role is None:
        return _read_other(native)
    text = native.get("value")
    if len(native) == 2 and type(text) is str and text:  # noqa: PLR2004 - no more than the two keys
        if word in _SPEAKERS and "<" not in text:
            return speed.make_said(role, text)  # the usual case: neither tags nor tokens
        content, marks = _content(role, text, word, None)
        is_text = len(content) == 1 and type(content[0]) is am.TextBlock
        message = speed.make_said_in(role, content) if is_text else _make_msg(role, content)
    elif (found := _odd(native, role)) is not None:
        return _read_odd(native, *found)
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


def _read_other(native: Any) -> am.Msg:
    """Read a turn without a sender, or with an unknown one."""
    if not is_object(native):
        raise DecodeError(f"a turn is an object, not {excerpt(native)}")
    if "from" not in native and "value" in native and type(native.get("role")) is str:
        return _read_role(native)
    if type(native.get("from")) is not str:
        raise DecodeError("a turn says who it is from", path=("from",))
    return _whole(native)


def _odd(native: Native, role: str) -> tuple[Native, tuple[Any, ...], Mapping[str, Any]] | None:
    """Return a turn as usual, its calls beside that, and the mark; None if the turn has no such oddity."""
    if "value" not in native and type(native.get("content")) is str:
        return {"value" if key == "content" else key: native[key] for key in native}, (), {"content": True}
    return read_beside(native) if role == "assistant" else None


def _read_odd(native: Native, turn: Native, calls: tuple[Any, ...], marks: Mapping[str, Any]) -> am.Msg:
    message = read_turn(turn)
    if message.role == "native" or (calls and mark_of(message, FAMILY, "/beside") is not None):
        return _whole(native)
    return marked(spelling.changed(message, {"content": (*message.content, *calls)}), FAMILY, **marks)


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
    first, *more = read_results(text)
    return (_result(content[0] if content else None, *first), *[_result(None, *each) for each in more]), {}


def _result(block: Any, text: str, marks: Mapping[str, Any]) -> Any:
    inner = (_make_text(text),) if text else ()
    block = _make_result(None, inner) if block is None else spelling.changed(block, {"content": inner})
    return noting(block, marks)


def parted(message: am.Msg) -> list[am.Msg]:
    """Return the results of a turn as messages of their own; the first one keeps what else the turn said."""
    noted = {mark: mark_of(message, FAMILY, f"/{mark}") for mark in ("from", "role")}
    marks = {mark: value for mark, value in noted.items() if value is not None}
    first, *more = message.content
    others = [noting(_make_msg("tool", (block,)), marks) for block in more]
    return grouping.seated([[spelling.changed(message, {"content": (first,)}), *others]], GROUPING)


def _word_of(role: str, content: Any) -> str:
    """Return the default sender of a turn: calls alone have their own."""
    if role == "assistant" and content and type(content[-1]) is am.ToolUseBlock:
        return WORDS[role] if am.TextBlock in map(type, content) else CALL_WORDS[0]
    return WORDS[role]


def write_turns(messages: Sequence[am.Msg]) -> list[Any]:
    """Return the turns of messages that fit: one each, but one for results that share it."""
    links = said_links(messages)
    if not any([message.role == "tool" and _may_share(message) for message in messages]):  # noqa: C419 - in half the time
        return list(map(_turn, messages, links))
    # Only the first result of a turn has a key for its id.
    shared: list[tuple[am.Msg, str | None, list[am.Msg]]] = []
    firsts = {0, *accumulate(map(len, grouping.containers(messages, GROUPING)))}
    for index, (message, link) in enumerate(zip(messages, links, strict=True)):
        if link is None and index not in firsts:
            shared[-1][2].append(message)
        else:
            shared.append((message, link, []))
    return [_turn(*each) for each in shared]


def _may_share(message: am.Msg) -> bool:
    """Whether a result was read from a turn with several."""
    return bool(message.notes) and grouping.seat_of(message, FAMILY) is not None


def _turn(message: am.Msg, link: str | None, more: Sequence[am.Msg] = ()) -> Any:
    """Return the turn of a message.

    Args:
        message: it.
        link: the id of the call that its result answers, unless the position of the turn determines that.
        more: the messages whose results share the turn.
    """
    if speed.how_bare(message) == speed.SAID:
        text: Any = message.content[0]
        return {"from": WORDS[message.role], "value": text.text}  # the usual case
    turn = _with_beside(message) if message.notes and message.role == "assistant" else None
    if turn is None:
        turn = _written(message, link, more)
    if message.notes and message.role != "native":
        if is_marked(message, FAMILY, "/content") and "content" not in turn and type(turn.get("value")) is str:
            turn = {"content" if key == "value" else key: value for key, value in turn.items()}
        if is_marked(message, FAMILY, "/role") and "role" not in turn and "value" in turn:
            turn = {"role" if key == "from" else key: value for key, value in turn.items()}
    return turn


def _with_beside(message: am.Msg) -> Any:
    """Return the turn of a message with calls beside its text; None if none were read there, or it can't hold them."""
    mark = mark_of(message, FAMILY, "/beside")
    calls = [block for block in message.content if is_beside(block)] if mark is not None else []
    if not calls:
        return None
    kept = tuple([block for block in message.content if not is_beside(block)])
    turn = write_beside(_written(spelling.changed(message, {"content": kept}), None, ()), calls, mark)
    return None if turn is None or not _is_read(read_turn(turn).content, message.content) else turn


def _written(message: am.Msg, link: str | None, more: Sequence[am.Msg]) -> Any:
    """Return the turn of a message, with its sender under ``from``."""
    role = message.role
    if role == "native":
        return natives.native_of(message, FAMILY)
    content: Any = message.content
    word, result = WORDS[role], None
    if role == "tool":
        result = content[0]
        value = write_results([result, *[each.content[0] for each in more]]) if more else write_result(result)
    elif role == "assistant":
        word, value = _answer(message)
    else:
        value = "".join(map(said, content))
    if message.notes and role != "assistant":
        word = _sender(message, word)
    if not message.notes and not message.extras and value and link is None:
        return {"from": word, "value": value}
    one: Any = (_make_text(value),) if value else ()
    if result is not None:
        result = spelling.changed(result, {"content": one, "tool_call_id": link, "name": None})
        one = (result if link is None else marked(result, FAMILY, id=True),)
    turn = {**write_as(DESCRIBED.shapes[role], spelling.changed(message, {"content": one}), FAMILY), "from": word}
    # Without its value, it may be read as an odd turn.
    return {**turn, "value": ""} if "value" not in turn and _odd(turn, role) is not None else turn


def _sender(message: am.Msg, word: str) -> str:
    """Return the sender of a turn as it was read, if that still means the same, else the usual word."""
    noted = mark_of(message, FAMILY, "/from")
    return noted if isinstance(noted, str) and ROLES.get(noted) == message.role else word


def _answer(message: am.Msg) -> tuple[str, str]:
    """Return the sender and the text of an assistant's turn: as they were read, if they still mean the same."""
    content: Any = message.content
    word = _word_of(message.role, content)
    if message.notes or any([block.notes and block.notes is not UNLINKED for block in content]):  # noqa: C419 - in half the time
        own = _sender(message, word)
        listed, tagged = (is_marked(message, FAMILY, mark) for mark in ("/listed", "/tagged"))
        unthought = mark_of(message, FAMILY, "/unthought")
        text = own_values.write_answer(content, own, listed=listed, tagged=tagged, unthought=unthought)
        if _is_read(own_values.read_answer(text, own)[0], content):
            return own, text
    return word, own_values.write_answer(content, word, is_usual=True)


def _is_read(found: Sequence[Any], content: Sequence[Any]) -> bool:
    return len(found) == len(content) and all(map(_says, found, content))


def _says(found: Any, block: Any) -> bool:
    """Whether a block that is read again is the same, apart from an id that its row doesn't contain."""
    if type(block) is am.ToolUseBlock and not is_said(block, block.id):
        block = spelling.changed(block, {"id": None})
    return am.same(found, block)
