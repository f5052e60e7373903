"""The forms of a stored message: how its body is wrapped.

dict     {"type", "data": body}            messages_to_dict; LangChain JS with short bodies
flat     body, with "type"                 model_dump, LangGraph's JSON
role     body, with "role" for "type"      input of convert_to_messages; empty fields are left out; some add a "type"
oldest   {"type", "role", "text"}          the first form of LangChain JS
pair     [role, content]                   shorthand
text     content                           shorthand for a human message
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg.formats import EMPTY, Native, is_list, is_object, natives
from agentmsg_codecs.langchain.messages.fields import KEYS, KIND_OF_ROLE, KINDS
from agentmsg_codecs.langchain.names import ENVELOPE, OWN_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am


class Unwrapped(NamedTuple):
    """One native message, unwrapped.

    Attributes:
        form: see the module.
        kind: human, ai, system, tool, function, chat or remove.
        tag: the word in `type`; that of the kind if the form has none.
        body: the fields, with `content`; in the forms dict and flat also `type`.
        word: the word in `role`, if that says the kind.
        rest: unknown keys beside `type` and `data`.
        typed: the word in `type` beside `role`, if it says the same.
    """

    form: str
    kind: str
    tag: str
    body: Native
    word: str | None = None
    rest: Mapping[str, Any] = EMPTY
    typed: str | None = None

    @property
    def known(self) -> frozenset[str]:
        """The keys of the fields: without type, if the role says the kind."""
        return KEYS[self.tag] - {"type"} if self.form == "role" else KEYS[self.tag]


def split(native: Any) -> Unwrapped | None:
    """Return a native message unwrapped; None if it has none of the forms."""
    if type(native) is str:
        return Unwrapped("text", "human", "human", {"content": native})
    if is_list(native):
        return _pair(native)
    if not is_object(native):
        return None
    part: Native = native
    tag, word = part.get("type"), part.get("role")
    if type(tag) is not str or tag not in KINDS:
        return _by_role(part, word) if type(word) is str else None
    kind = KINDS[tag]
    if is_object(part.get("data")) and "content" not in part:
        rest = {key: value for key, value in part.items() if key not in ("type", "data")}
        return Unwrapped("dict", kind, tag, part["data"], rest=rest)
    if "content" not in part and type(part.get("text")) is str:
        has_role = type(word) is str and kind != "chat" and KIND_OF_ROLE.get(word) == kind
        left_out = {"type", "role"} if has_role else {"type"}
        body = {("content" if key == "text" else key): part[key] for key in part if key not in left_out}
        return Unwrapped("oldest", kind, tag, body, word if has_role else None)
    if type(word) is str and kind != "chat":
        # An unknown role beside the type of a known kind doesn't say who speaks.
        return _by_role(part, word) if word in KIND_OF_ROLE else None
    return Unwrapped("flat", kind, tag, part)


def _by_role(part: Native, word: str) -> Unwrapped | None:
    if "content" not in part and not part.keys() & {"tool_calls", "additional_kwargs"}:
        return None
    kind = KIND_OF_ROLE.get(word, "chat")
    if kind == "chat" and (word in OWN_ROLES or "type" in part):
        return None
    tag = part.get("type")
    typed = tag if type(tag) is str and KINDS.get(tag) == kind else None
    body = {key: value for key, value in part.items() if key != "role" and not (typed and key == "type")}
    return Unwrapped("role", kind, kind, body, word, typed=typed)


def _pair(native: list[Any]) -> Unwrapped | None:
    if len(native) != 2 or type(native[0]) is not str or type(native[1]) not in (str, list):  # noqa: PLR2004
        return None
    kind = KIND_OF_ROLE.get(native[0], "chat")
    if kind in {"tool", "function", "remove"} or native[0] in OWN_ROLES:
        return None
    return Unwrapped("pair", kind, kind, {"content": native[1]}, native[0])


def wrap(form: str, tag: str, body: Native, message: am.Msg, note: Mapping[str, Any]) -> Any:
    """Return a body in a form."""
    if form == "dict":
        return {**natives.extras_of(message, ENVELOPE), "type": tag, "data": body}
    if form == "flat":
        return body
    if form == "oldest":
        head: Native = {"type": tag}
        if isinstance(note.get("/role"), str) and tag != "chat":
            head["role"] = note["/role"]
        return {**head, **{("text" if key == "content" else key): value for key, value in body.items()}}
    noted = note.get("/role")
    word = noted if isinstance(noted, str) else "function" if KINDS.get(tag) == "function" else message.role
    if form == "role":
        typed = KINDS[tag] if note.get("/typed") is True else note.get("/typed")
        is_own = isinstance(typed, str) and KINDS.get(typed) == KINDS[tag]
        return {"role": word, "type": typed, **body} if is_own else {"role": word, **body}
    return [word, body.get("content", "")] if form == "pair" else body.get("content", "")


# By form, the likeness: roles and contents are in all formats, and bare texts in none.
_SCORES: Mapping[str, float] = {"dict": 1.0, "flat": 0.9, "oldest": 0.85}
_OWN_KEYS = frozenset({"additional_kwargs", "response_metadata"})
_OWN_WORDS = frozenset({"human", "ai"})
# Keys of which a flat message has one.
_SAYING = frozenset({"content", "tool_calls", *_OWN_KEYS})


def sniff_message(native: Any) -> float:
    """Return how much a message looks like LangChain: 0 if many formats have such, less if it can't be one."""
    found = split(native)
    if found is None:
        return -1.0
    if found.form == "role":
        is_own = found.typed is not None or not _OWN_KEYS.isdisjoint(found.body)
        return 0.85 if is_own else 0.8 if found.word in _OWN_WORDS else 0.0
    if found.form == "pair":
        return 0.85 if found.word in _OWN_WORDS else 0.0
    if found.form == "flat" and _SAYING.isdisjoint(found.body):
        return 0.3  # such as a tool, or a call, of another format
    return _SCORES.get(found.form, 0.0)
