"""Messages that lack a key of the usual ones, or have more: what deviates is noted where it is seen.

What an absent or empty field reads as, the usual message says with its default value; an unknown key is an extra.
So the readers and writers of usual messages do the work, and nothing is written and compared. Which spellings are
noted is told once, for both directions: a writer puts back one only in the place of the default that it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import EMPTY, Native, adopt, is_mapping, note_of, spelling
from agentmsg_codecs.langchain.messages.fields import MAY_MEAN, NEEDED, USUAL
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import agentmsg as am

_PLAIN: Mapping[str, Native] = {
    tag: {key: field.default for key, field in fields.items() if field.default is not NEEDED}
    for tag, fields in USUAL.items()
}


def read(body: Native, tag: str, usual: Callable[[Native], am.Msg | None]) -> am.Msg | None:
    """Return the message of a body whose keys deviate; None if anything else is odd."""
    fields = USUAL[tag]
    # In the order of keep: what is absent stands first.
    note: Native = {key: "absent" for key in fields if key not in body}
    if not all("absent" in fields[key].spelt for key in note):
        return None
    plain: Native = {**_PLAIN[tag]}
    extras: Native = {}
    for key, value in body.items():
        known = fields.get(key)
        if known is None:
            if key in MAY_MEAN:
                return None
            extras[key] = value
        elif not value and spelling.spelling_of(value) in known.spelt:
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
    """Return the body of a message that ``read`` may have given; None if it has anything else that is odd."""
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
    fields = USUAL[body["type"]]
    for key, name in spelt.items():
        field = fields.get(key)
        if field is None or type(name) is not str or name not in field.spelt or body[key] != field.default:
            return None
        if name == "absent":
            del body[key]
        else:
            body[key] = spelling.SPELLINGS[name]
    if extras:
        body.update(extras)
    return body
