"""Filtering: the messages of a history that meet conditions, or those that don't.

``sifted`` implements ``History.filter`` and ``History.exclude``. ``filter_messages`` takes the arguments of
the functions of that name in LangChain (langchain-core 1.7.2) and Synaptic; ``match`` selects the meaning of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import is_
from typing import Any, Literal, cast

from agentmsg.errors import is_a, refused
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import UNSET, ApprovalRequestBlock, ApprovalResponseBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.checks import listed, one_of
from agentmsg.model.history import History, Messages, as_history
from agentmsg.model.msg import Msg
from agentmsg.model.roles import SYNONYMS
from agentmsg.ops.conditions import name_of, roles_of, words_of

Test = Callable[[Msg], object]


def sifted(messages: Messages, *, wanted: bool, **conditions: Any) -> History:
    """Return the messages that meet all conditions, or those that don't; see ``History.filter`` and ``exclude``."""
    history, tests = as_history(messages), _tests(**conditions)
    return _with(history, [message for message in history if all(test(message) for test in tests) is wanted])


def _with(history: History, kept: list[Msg]) -> History:
    """Return the history with some of its messages; the history itself if all are unchanged."""
    unchanged = len(kept) == len(history) and all(map(is_, kept, history.messages))
    return history if unchanged else history.evolve(messages=kept)


def _tests(*, role: Any = None, name: Any = UNSET, id: Any = UNSET, block: Any = None, where: Any = None) -> list[Test]:
    """Return a test for each given condition, the cheapest first."""
    tests: list[Test] = []
    if role is not None:
        roles = roles_of(role, "role")
        tests.append(lambda message: message.role in roles)
    if id is not UNSET:
        ids = words_of(id, "id")
        tests.append(lambda message: message.id in ids)
    if name is not UNSET:
        names = words_of(name, "name")
        tests.append(lambda message: name_of(message) in names)
    if block is not None:
        classes = _classes(block)
        tests.append(lambda message: any(isinstance(each, classes) for each in message.content))
    if where is not None:
        if not callable(where):
            raise refused("where", where, "a function of a message")
        tests.append(where)
    return tests


def _classes(value: Any) -> tuple[type, ...]:
    classes: tuple[Any, ...] = (value,) if is_a(value, type) else listed(value, "block")
    for cls in classes:
        if not (is_a(cls, type) and issubclass(cls, BaseBlock)):
            raise refused("block", cast("object", cls), "a class of blocks or several")
    return classes


# -- as LangChain and Synaptic do ------------------------------------------------------------------------------------


def _types_of_langchain(message: Msg) -> tuple[str, ...]:
    """Return the words for the role; in LangChain "developer" counts as "system", and "chat" is any custom role."""
    more = ("system",) if message.role == "developer" else ("chat",) if message.is_chat else ()
    return (*_types_of_synaptic(message), *more)


def _types_of_synaptic(message: Msg) -> tuple[str, ...]:
    """Return the words for the role: ours and Synaptic's."""
    return (message.role, *(word for word, role in SYNONYMS.items() if role == message.role))


# For each meaning of ``match``: the words for a message's role, and whether one matching inclusion is enough, or all
# must match; of "all" an empty list is a condition, too, which nothing meets.
_MEANINGS: Mapping[str, tuple[Callable[[Msg], tuple[str, ...]], Callable[[Iterable[object]], bool]]] = {
    "any": (_types_of_langchain, any), "all": (_types_of_synaptic, all),
}  # fmt: skip


def filter_messages(
    messages: Messages,
    *,
    include_names: str | Iterable[str] | None = None,
    exclude_names: str | Iterable[str] | None = None,
    include_types: str | Iterable[str] | None = None,
    exclude_types: str | Iterable[str] | None = None,
    include_ids: str | Iterable[str] | None = None,
    exclude_ids: str | Iterable[str] | None = None,
    exclude_tool_calls: bool | Iterable[str] | None = None,
    match: Literal["any", "all"] = "any",
) -> History:
    """Return the messages that are included and not excluded.

    Exclusions go first. With ``match="any"``, as in LangChain, a message is included if one inclusion matches or none
    is given; an empty list counts as none. With ``match="all"``, as in Synaptic, all given inclusions must match, and
    an empty list matches nothing.

    Args:
        messages: a history (its other fields are kept), or messages.
        include_names: sender names; a tool message without one has its tool's. A text is one name.
        exclude_names: the same.
        include_types: roles, in our words, or "human" and "ai". With ``match="any"``, "system" includes developers, and
            "chat" any custom role.
        exclude_types: the same.
        include_ids: ids of messages.
        exclude_ids: the same.
        exclude_tool_calls: True leaves out tool messages, and messages with calls for the client. Ids of calls take out
            these calls, their approvals and results, and any message that has none left. Calls with invalid arguments
            count. Calls of server tools stay in their response.
        match: see above.

    Raises:
        InvalidMessage: if an argument has the wrong type, even a single text for ``exclude_tool_calls``, which
            LangChain overlooks.
    """
    one_of(match, "match", *_MEANINGS)
    types, enough = _MEANINGS[match]
    calls = _call_ids(exclude_tool_calls)
    told: dict[str, Callable[[Msg], tuple[str | None, ...]]] = {
        "names": lambda message: (name_of(message),), "types": types, "ids": lambda message: (message.id,),
    }  # fmt: skip
    includes = {"names": include_names, "types": include_types, "ids": include_ids}
    excludes = {"names": exclude_names, "types": exclude_types, "ids": exclude_ids}
    wanted = [(told[kind], _asked(value, f"include_{kind}")) for kind, value in includes.items() if value is not None]
    unwanted = [(told[kind], _asked(value, f"exclude_{kind}")) for kind, value in excludes.items() if value is not None]
    if match == "any":
        wanted = [(tell, words) for tell, words in wanted if words]
    history = as_history(messages)
    asked = {block.id: block.tool_call_id for message in history for block in message.blocks(ApprovalRequestBlock)}
    kept: list[Msg] = []
    for message in history:
        if any(not words.isdisjoint(tell(message)) for tell, words in unwanted):
            continue
        if wanted and not enough(not words.isdisjoint(tell(message)) for tell, words in wanted):
            continue
        rest = message if calls is None else _without_calls(message, calls, asked)
        if rest is not None:
            kept.append(rest)
    return _with(history, kept)


def _asked(value: str | Iterable[str], name: str) -> frozenset[str]:
    words = words_of(value, name)
    if None in words:
        raise refused(name, None, "a string or several")
    return cast("frozenset[str]", words)


def _call_ids(value: Any) -> Any:
    """Return the ids of calls to remove; True for all of them, None for none."""
    if value is None or is_a(value, bool):
        return value or None
    if is_a(value, str):
        raise refused("exclude_tool_calls", value, "True or a list of ids")
    return _asked(value, "exclude_tool_calls") or None


def _without_calls(message: Msg, ids: Any, asked: Mapping[str, str | None]) -> Msg | None:
    """Return a message without these calls and results of client tools, and approvals; None if nothing else is left."""
    links = [_link(block, asked) for block in message.content]
    linked = [link for link in links if link is not UNSET]
    if ids is True:
        return None if linked or message.role == "tool" else message
    gone = sum(link in ids for link in linked)
    if not gone:
        return message
    if gone == len(linked):
        return None
    return message.evolve(
        content=[block for block, link in zip(message.content, links, strict=True) if link not in ids]
    )


def _link(block: object, asked: Mapping[str, str | None]) -> Any:
    """Return the id that links a client tool's call, result or approval; UNSET for any other block."""
    if isinstance(block, ToolUseBlock) and block.kind != "server":
        return block.id
    if isinstance(block, ToolResultBlock) and block.kind != "server":
        return block.tool_call_id
    if isinstance(block, ApprovalRequestBlock):
        return block.tool_call_id
    if isinstance(block, ApprovalResponseBlock) and block.kind != "server":
        return asked.get(block.id)
    return UNSET
