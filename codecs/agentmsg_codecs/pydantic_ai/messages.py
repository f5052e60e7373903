"""Requests and responses: each part of a request is a message; a response is one message.

Instructions of a request become a system message before its parts, marked ``/instructions``; if a later request repeats
them, its first message is marked ``/repeated``. Everything else in a request is on its first message, in the extras
``pydantic-ai.request``; ``/absent`` lists its absent keys. A part without an equivalent becomes a message with the role
"native", marked ``/part``. The first message of a native message that lacks its ``kind`` is marked ``/kindless``, and
one with a role ``/by-role``: those of the first versions, to 0.0.12 (2024), which had a role instead of parts. They
are read as messages of today that say the same, each a request with one part or a response, and stay by themselves:

| Until 0.0.12 | Since |
| --- | --- |
| role: system, user, tool-return, retry-prompt | a request with a part of that kind |
| role: model-text-response; model-structured-response | a response with a text; with calls |
| tool_id | tool_call_id |
| args: args_json; args_dict | args: a text; an object |
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, DecodeError, EncodeError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    excerpt,
    grouping,
    is_list,
    is_marked,
    is_object,
    is_sequence,
    made_ids,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    speed,
    spelling,
    tool_links,
    write_as,
)
from agentmsg_codecs.pydantic_ai.format import describe, describe_user, is_for_tool
from agentmsg_codecs.pydantic_ai.names import FAMILY, REQUEST, REQUEST_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


# -- keys -------------------------------------------------------------------------------------------------------------

# Keys of a response that the library renamed, and still reads under these names.
_RENAMED = {"vendor_id": "provider_response_id", "vendor_details": "provider_details"}


def respelt(native: Native, message: am.Msg) -> Native:
    """Return a response with the old names of those keys that it was read with."""
    noted = mark_of(message, FAMILY, "/vendor")
    wanted = {_RENAMED[key]: key for key in _RENAMED if is_sequence(noted) and key in noted}
    if not wanted or not native.keys().isdisjoint(wanted.values()):
        return native
    return {wanted.get(key, key): value for key, value in native.items()}


def renamed(native: Native) -> tuple[Native, list[str]]:
    """Return a response with the new names of its keys, and the old names that it had."""
    old = {key: name for key, name in _RENAMED.items() if key in native}
    if not native.keys().isdisjoint(old.values()):
        return native, []
    return {old.get(key, key): value for key, value in native.items()}, list(old)


# -- messages with a role ----------------------------------------------------------------------------------------------

_PARTS: Mapping[str, str] = {
    "system": "system-prompt", "user": "user-prompt", "tool-return": "tool-return", "retry-prompt": "retry-prompt",
}  # fmt: skip
_ROLES = {kind: role for role, kind in _PARTS.items()}
TEXT, CALLS = "model-text-response", "model-structured-response"
OWN_ROLES = frozenset({TEXT, CALLS, "tool-return", "retry-prompt"})
_LINK, _OLD_LINK = "tool_call_id", "tool_id"
# What the messages of today call themselves and their parts.
_NEW = frozenset({"kind", "parts", "part_kind", _LINK})
# What an answer's parts of today say where they say nothing.
_UNSAID = frozenset({"citations", "id", "provider_details", "provider_name", "tool_kind"})
_ARGS = {"args_json": str, "args_dict": dict}


def modern(native: Native) -> Native | None:
    """Return the message of today that says what a message with a role says; None if there is none."""
    role = native.get("role")
    if type(role) is not str or not _NEW.isdisjoint(native):
        return None
    rest = {key: value for key, value in native.items() if key != "role"}
    if role in _PARTS:
        return {"kind": "request", "parts": [{"part_kind": _PARTS[role], **_relinked(rest, _OLD_LINK, _LINK)}]}
    if role == TEXT and "content" in rest:
        text = {"part_kind": "text", "content": rest.pop("content")}
        return {"kind": "response", "parts": [text], **rest}
    calls: Any = rest.pop("calls", None)
    if role != CALLS or not is_list(calls) or not calls:
        return None
    parts = list(map(_modern_call, calls))
    return None if None in parts else {"kind": "response", "parts": parts, **rest}


def by_role(given: Native) -> Native:
    """Return the message with a role that says what a message of today says; that itself if there is none."""
    parts: Any = [
        {key: value for key, value in part.items() if value is not None or key not in _UNSAID}
        for part in given["parts"]
    ]
    native = {**given, "parts": parts}
    old = _with_role(native, parts)
    return old if old is not None and modern(old) == native else given


def _with_role(native: Native, parts: Any) -> Native | None:
    rest = {key: value for key, value in native.items() if key not in ("kind", "parts")}
    if native["kind"] == "request":
        kind = parts[0].get("part_kind") if len(parts) == 1 and not rest else None
        if kind not in _ROLES:
            return None
        held = {key: value for key, value in parts[0].items() if key != "part_kind"}
        return {"role": _ROLES[kind], **_relinked(held, _LINK, _OLD_LINK)}
    if len(parts) == 1 and parts[0].keys() == {"part_kind", "content"} and parts[0]["part_kind"] == "text":
        return {"role": TEXT, "content": parts[0]["content"], **rest}
    if not parts or any(part.get("part_kind") != "tool-call" for part in parts):
        return None
    return {"role": CALLS, "calls": list(map(_old_call, parts)), **rest}


def _relinked(native: Native, old: str, new: str) -> Native:
    return {new if key == old else key: value for key, value in native.items()}


def _modern_call(call: Any) -> Native | None:
    if not is_object(call) or not (_NEW | _UNSAID).isdisjoint(call):
        return None
    args: Any = call.get("args")
    for key, kind in _ARGS.items():
        if is_object(args) and args.keys() == {key} and type(args[key]) is kind:
            return {"part_kind": "tool-call", **_relinked({**call, "args": args[key]}, _OLD_LINK, _LINK)}
    return None


def _old_call(part: Native) -> Native:
    call = _relinked({key: value for key, value in part.items() if key != "part_kind"}, _LINK, _OLD_LINK)
    args: Any = call.get("args")
    return {**call, "args": {"args_json" if type(args) is str else "args_dict": args}}


# -- messages of today -------------------------------------------------------------------------------------------------

_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_FORMS = {
    "system-prompt": ("system",), "user-prompt": ("user",), "tool-return": ("tool",),
    "retry-prompt": ("tool_again", "again"), "retry-feedback": ("feedback",), "speech": ("user_speech",),
}  # fmt: skip
_ANSWERED = frozenset({
    "text", "thinking", "tool-call", "builtin-tool-call", "builtin-tool-return", "file", "compaction",
})  # fmt: skip
_REST = {key: value for key, value in REQUEST_KEYS.items() if key != "metadata"}
_SIZE = len({"kind", "parts", *REQUEST_KEYS})
_rest_of, _NO_REST = itemgetter(*_REST), tuple(_REST.values())
_set_metadata = speed.setter(am.Msg, "metadata")
_with_name = speed.replacer(am.ToolResultBlock, "name")
_LINKED, _LACKS = (am.ToolUseBlock, am.ToolResultBlock), frozenset({"/no-id", "/no-name"})
_INSTRUCTED = adopt({FAMILY: {"/instructions": True}})
_OLD = "by-role"
_make_said = maker(am.Msg, "role", "content", "notes")
_BY_ROLE = {"system": ("system",), "user": ("again", "feedback", "user_speech", "user"), "tool": ("tool_again", "tool")}
_USUAL = {role: names[-1] for role, names in _BY_ROLE.items()}


def kind_of(native: Native) -> str | None:
    """Return the kind of native message that the known parts belong to; None if they don't tell."""
    parts: Any = native.get("parts")
    if not is_list(parts) or not all(map(is_object, parts)):
        return None
    kinds = {_kind_of_part(part) for part in parts} - {None}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of_part(part: Native) -> str | None:
    tag: Any = part.get("part_kind")
    if tag == "speech":
        return "request" if part.get("speaker") == "user" else "response"
    return None if type(tag) is not str else "request" if tag in _FORMS else "response" if tag in _ANSWERED else None


def is_part(message: am.Msg) -> bool:
    """Whether a message is a part of a request."""
    if message.role != "native":
        return message.role != "assistant"
    return is_marked(message, FAMILY, "/part")


def _is_usual_request(native: Native) -> bool:
    """Whether a request has all keys, and usual values under all but its parts and metadata."""
    if len(native) != _SIZE or "metadata" not in native:
        return False
    try:
        return bool(_rest_of(native) == _NO_REST)
    except KeyError:
        return False


def is_instructions(message: am.Msg) -> bool:
    """Whether a message is written as the instructions of a request, rather than a part."""
    if message.role != "system" or not is_marked(message, FAMILY, "/instructions"):
        return False
    content = message.content
    is_text = len(content) == 1 and type(content[0]) is am.TextBlock and bool(content[0].text)
    says_more = FAMILY in message.extras or message.metadata or message.created_at is not None
    return is_text and not says_more


def _is_retry(form: str, native: Native) -> bool:
    """Whether a retry-prompt may have this form: that of a tool, or of the user."""
    return native.get("tool_name") is not None if form == "tool_again" else not is_for_tool(native)


def _has_request_metadata(message: am.Msg) -> bool:
    """Whether a message's metadata is that of the request: a system prompt has its own."""
    return message.role in ("user", "tool")


def _may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
    if message.role == "assistant" or not group or group[-1].role == "assistant":
        return False  # the usual case
    if not is_part(group[-1]) or not is_part(message):
        return False
    if group[-1].notes and is_marked(group[-1], FAMILY, f"/{_OLD}"):
        return False
    if not (message.extras or message.metadata or message.notes):
        return True
    if message.notes and is_marked(message, FAMILY, f"/{_OLD}"):
        return False
    is_told = bool(message.metadata) and _has_request_metadata(message)
    return REQUEST not in message.extras and not is_told and not is_instructions(message)


GROUPING = grouping.Grouping(family=FAMILY, may_join=_may_join, joins=_may_join)


class Messages:
    """Reads and writes messages.

    Attributes:
        said: the forms of user content, and of media in results.
        described: the forms of messages, and of parts of responses.
    """

    def __init__(self) -> None:
        self.said = describe_user()
        self.described = describe(self.said)
        forms = self.described.forms
        self._readers, self._writers = self.described.names.readers, self.described.names.writers
        self._of_role = {role: [(name, forms[name].when) for name in names] for role, names in _BY_ROLE.items()}

    def fill(self) -> None:
        """Fill the tables, on first use."""
        self.said.fill()
        self.described.fill()

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, found: Iterable[list[am.Msg]]) -> list[am.Msg]:
        """Join the messages of all native messages, which come as a list each."""
        groups: list[Sequence[am.Msg]] = []
        current: str | None = None
        for group in found:
            first = group[0]
            if first.role == "system" and is_instructions(first):
                text = first.text
                if text == current and len(group) > 1:
                    group[:2] = [_with_repeated(first, group[1])]
                current = text
            groups.append(group)
        messages = grouping.seated(groups, GROUPING)
        return made_ids.linked(messages, FAMILY, are_named=True) if any(map(_lacks_links, messages)) else messages

    def group(self, native: Any) -> list[am.Msg]:
        """Read one native message; anything unknown becomes a message with the role "native".

        Raises:
            DecodeError: if it isn't an object.
        """
        if not is_object(native):
            raise DecodeError(f"a message must be an object, not {excerpt(native)}")
        if "role" in native and (usual := modern(native)) is not None:
            group = self.group(usual)
            is_read = all(message.role != "native" for message in group)
            dated = [marked(message, FAMILY, **{_OLD: True}) for message in group]
            return dated if is_read else [natives.read_whole(native, FAMILY)]
        kind = native.get("kind")
        if kind is None and "kind" not in native and (told := kind_of(native)) is not None:
            first, *others = self.group({**native, "kind": told})
            is_whole = first.role == "native" and not is_part(first)
            return [natives.read_whole(native, FAMILY) if is_whole else marked(first, FAMILY, kindless=True), *others]
        try:
            if kind == "response":
                if "vendor_id" not in native and "vendor_details" not in native:
                    return [self._readers["response"](native)]
                usual, old = renamed(native)
                return [marked(self._readers["response"](usual), FAMILY, vendor=old)]
            if kind == "request":
                return self._request(native)
        except (Unreadable, AgentMsgError):
            pass
        return [natives.read_whole(native, FAMILY)]

    def _request(self, native: Native) -> list[am.Msg]:
        parts: Any = native.get("parts")
        if not is_list(parts):
            raise Unreadable("a request has parts")
        group = list(map(self.part, parts))
        if group and _is_usual_request(native):
            metadata: Any = native["metadata"]
            if metadata is None:
                return group
            if is_object(metadata) and metadata and _has_request_metadata(group[0]):
                _set_metadata(group[0], adopt(metadata))
                return group
        rest = {
            key: value
            for key, value in native.items()
            if key not in ("kind", "parts") and not (key in REQUEST_KEYS and value == REQUEST_KEYS[key])
        }
        text = rest.get("instructions")
        if type(text) is str and text:
            del rest["instructions"]
            group.insert(0, _make_said("system", (am.TextBlock(text),), _INSTRUCTED))
        if not group:
            raise Unreadable("a request that says nothing")
        first = _with_request(group[0], rest)
        absent = [key for key in REQUEST_KEYS if key not in native]
        group[0] = marked(first, FAMILY, absent=absent) if absent else first
        return group

    def part(self, native: Any) -> am.Msg:
        """Read a part of a request; an unreadable one becomes a message with the role "native"."""
        tag: Any = native.get("part_kind") if type(native) is _OBJECT else None
        for form in _FORMS.get(tag, ()) if type(tag) is str else ():
            if tag == "retry-prompt" and not _is_retry(form, native):
                continue
            try:
                return self._readers[form](native)  # type: ignore[no-any-return]
            except (Unreadable, AgentMsgError):
                continue
        return marked(natives.read_whole(native, FAMILY), FAMILY, part=True)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit."""
        if any(map(_lacks_links, messages)):
            messages = made_ids.unlinked(list(map(_named, messages)), FAMILY)
        out: list[Any] = []
        current: str | None = None
        for group in grouping.containers(messages, GROUPING):
            first = group[0]
            if not is_part(first):
                out.append(
                    natives.native_of(first, FAMILY)
                    if first.role == "native"
                    else _dated(self._written(first, "response"), first)
                )
                continue
            native = _dated(self._body(group, current), first)
            if first.notes and is_instructions(first):
                current = first.text
            out.append(native)
        return out

    def _body(self, group: Sequence[am.Msg], current: str | None) -> Native:
        """Write a group of messages as a request; ``current`` are the instructions so far."""
        first = group[0]
        if not (first.notes or first.extras):
            usual: Native = {"kind": "request", "parts": list(map(self.write_part, group)), **REQUEST_KEYS}
            if first.metadata and _has_request_metadata(first):
                usual["metadata"] = thaw(first.metadata)
            return usual
        absent = mark_of(first, FAMILY, "/absent") if first.notes else None
        lacks = frozenset(map(str, absent)) if is_sequence(absent) else frozenset[str]()
        rest: Native = natives.extras_copy(first, REQUEST)
        native: Native = {key: value for key, value in REQUEST_KEYS.items() if key not in lacks and key not in rest}
        parts = group
        if is_instructions(first):
            # Repeated instructions are read as a mark on the next part, not as a message: write a system prompt.
            if len(group) == 1 or first.text != current:
                native["instructions"], parts = first.text, group[1:]
        elif current is not None and first.notes and is_marked(first, FAMILY, "/repeated"):
            native["instructions"] = current
        if first.metadata and _has_request_metadata(first):
            native["metadata"] = thaw(first.metadata)
        return {"kind": "request", "parts": list(map(self.write_part, parts)), **native, **rest}

    def write_part(self, message: am.Msg) -> Any:
        """Write a message as a part of a request."""
        if message.role == "native":
            return natives.native_of(message, FAMILY)
        role = message.role
        if not message.notes and (role != "tool" or not message.content[0].notes):
            # A message that was read from another kind of part has a mark.
            form = _USUAL[role]
            return self._written(message, form) if message.extras else self._writers[form](message)
        for name, when in self._of_role[role]:
            if when is None or when(message):
                return self._written(message, name)
        raise EncodeError("no such part of a request")

    def _written(self, message: am.Msg, form: str) -> Any:
        if not (message.extras or message.notes):
            return self._writers[form](message)
        # Keys of the request don't belong to the part.
        if message.extras and REQUEST in message.extras:
            own = {key: value for key, value in message.extras.items() if key != REQUEST}
            message = spelling.changed(message, {"extras": adopt(own)})
        if message.metadata and _has_request_metadata(message):
            message = spelling.changed(message, {"metadata": EMPTY})
        native = write_as(self.described.shapes[form], message, FAMILY)
        return respelt(native, message) if form == "response" else native

    # -- reading native messages again --------------------------------------------------------------------------------

    def message_of(self, value: Any) -> am.Msg:
        """Read a native message, and return the first of its messages."""
        self.fill()
        return self.group(thaw(value))[0]

    def part_of(self, value: Any) -> am.Msg:
        """Read the value of a native message as a part of a request."""
        self.fill()
        return self.part(thaw(value))


def _dated(native: Any, first: am.Msg) -> Any:
    """Return a native message as its first message was read: with a role in place of parts, or without its kind."""
    if not first.notes:
        return native
    return by_role(native) if is_marked(first, FAMILY, f"/{_OLD}") else _kindless(native, first)


def _kindless(native: Any, first: am.Msg) -> Any:
    """Return a native message without its kind, if its first message was read from one, and its parts tell the kind."""
    if not is_marked(first, FAMILY, "/kindless") or kind_of(native) != native["kind"]:
        return native
    return {key: value for key, value in native.items() if key != "kind"}


def _lacks_links(message: am.Msg) -> bool:
    """Whether a message has a call or result that was read without an id, or without a name."""
    for block in message.content:  # a loop: most messages have none
        if block.notes and isinstance(block, _LINKED) and not _LACKS.isdisjoint(note_of(block, FAMILY)):
            return True
    return False


def _named(message: am.Msg) -> am.Msg:
    """Return a message whose result keeps its name when unlinked: the name is always written."""
    block: Any = message.content[0] if message.role == "tool" else None
    if block is None or block.name is None or type(block.name) is str:
        return message
    return tool_links.with_result(message, _with_name(block, str.__str__(block.name)))


def _with_request(message: am.Msg, rest: Native) -> am.Msg:
    """Add the other keys of a request to its first message."""
    metadata: Any = rest.get("metadata")
    if is_object(metadata) and metadata and _has_request_metadata(message):
        message = spelling.changed(message, {"metadata": adopt(metadata)})
        rest = {key: value for key, value in rest.items() if key != "metadata"}
    return spelling.changed(message, {"extras": adopt({**message.extras, REQUEST: rest})}) if rest else message


def _with_repeated(instructions: am.Msg, message: am.Msg) -> am.Msg:
    """Move the request's keys from repeated instructions to the first part, and mark it."""
    told = {name: mark_of(instructions, FAMILY, f"/{name}") for name in ("absent", "kindless")}
    marks = {"repeated": True, **{name: mark for name, mark in told.items() if mark is not None}}
    return _with_request(marked(message, FAMILY, **marks), natives.extras_copy(instructions, REQUEST))
