"""Messages that lack a key of the usual ones, or have more: what deviates is noted where it is seen.

What an absent or empty field reads as, the usual message says with its default value; an unknown key is an extra.
So the readers and writers of usual messages do the work, and nothing is written and compared. Which spellings are
noted is told once, for both directions: a writer puts back one only in the place of the default that it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import EMPTY, Native, adopt, is_mapping, note_of, spelling
from agentmsg_codecs.langchain.names import FAMILY, MAY_MEAN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am

_ABSENT = frozenset({"absent"})
_NO_OBJECT = frozenset({"absent", "null"})
_NO_LIST = frozenset({"absent", "null", "{}"})
# By key: the value that the usual message has, and the spellings that read as it.
_SHARED: Mapping[str, tuple[Any, frozenset[str]]] = {
    "content": ("", frozenset({"null", "[]"})),
    "additional_kwargs": ({}, _NO_OBJECT),
    "response_metadata": ({}, _NO_OBJECT),
    "name": (None, _ABSENT),
    "id": (None, _ABSENT),
}
_FIELDS: Mapping[str, Mapping[str, tuple[Any, frozenset[str]]]] = {
    "human": {**_SHARED, "type": ("human", _ABSENT)},
    "system": {**_SHARED, "type": ("system", _ABSENT)},
    "ai": {
        **_SHARED,
        "type": ("ai", _ABSENT),
        "tool_calls": ([], _NO_LIST),
        "invalid_tool_calls": ([], _NO_LIST),
        "usage_metadata": (None, _ABSENT),
    },
    "tool": {**_SHARED, "type": ("tool", _ABSENT), "artifact": (None, _ABSENT)},
}
# What a usual tool message has, and nothing stands for.
_REQUIRED = frozenset({"tool_call_id", "status"})
_USUAL: Mapping[str, Native] = {
    tag: {key: default for key, (default, _) in fields.items()} for tag, fields in _FIELDS.items()
}


def read(body: Native, tag: str, usual: Callable[[Native], am.Msg | None]) -> am.Msg | None:
    """Return the message of a body whose keys deviate; None if anything else is odd.

    Args:
        body: the fields.
        tag: the word in ``type``.
        usual: reads bodies of this kind that have all keys, and no other.
    """
    fields = _FIELDS[tag]
    # In the order of keep: what is absent stands first.
    note: Native = {key: "absent" for key in fields if key not in body}
    if not all("absent" in fields[key][1] for key in note):
        return None
    plain: Native = {**_USUAL[tag]}
    extras: Native = {}
    for key, value in body.items():
        known = fields.get(key)
        if known is None:
            if key in _REQUIRED and tag == "tool":
                plain[key] = value
            elif key in MAY_MEAN:
                return None
            else:
                extras[key] = value
        elif not value and spelling.spelling_of(value) in known[1]:
            note[key] = spelling.spelling_of(value)
        else:
            plain[key] = value
    message = usual(plain) if note or extras else None
    if message is None:
        return None
    changes: Native = {}
    if extras:
        changes["extras"] = adopt({FAMILY: adopt(extras)})
    if note:
        changes["notes"] = adopt({FAMILY: {**note_of(message, FAMILY), **note}})
    return spelling.changed(message, changes)


def write(message: am.Msg, usual: Callable[[am.Msg], Native | None]) -> Native | None:
    """Return the body of a message that ``read`` may have given; None if it has anything else that is odd.

    Args:
        message: with extras, or notes.
        usual: writes messages of this role that have neither.
    """
    extras: Any = message.extras.get(FAMILY) if message.extras else EMPTY
    if not is_mapping(extras) or len(message.extras) != bool(extras) or not MAY_MEAN.isdisjoint(extras):
        return None
    note = note_of(message, FAMILY)
    spelt = {key: name for key, name in note.items() if key[:1] != "/"}
    if not extras and not spelt:
        return None
    changes: Native = {"extras": EMPTY}
    if spelt:
        marks = {key: note[key] for key in note if key not in spelt}
        rest = {space: own for space, own in message.notes.items() if space != FAMILY}
        changes["notes"] = adopt({**rest, FAMILY: marks} if marks else rest)
    body = usual(spelling.changed(message, changes))
    if body is None:
        return None
    fields = _FIELDS[body["type"]]
    for key, name in spelt.items():
        default, names = fields.get(key, (None, EMPTY))
        if type(name) is not str or name not in names or body[key] != default:
            return None
        if name == "absent":
            del body[key]
        else:
            body[key] = spelling.SPELLINGS[name]
    if extras:
        body.update(extras)
    return body
