"""Native messages and ours: containers, roles, and which dialect a message is in. Imports dialect.

A native message is a container (agentmsg.grouping): each tool result in it is a tool message of its own, what stands
between them messages of its role. Name, id, time, metadata and unknown fields are on its first message; usage, finish
reason and structured output on its last that is no result. Marks: ``/version`` (of a message that is in another
dialect than its document), ``/role`` (the word for it, where it is not the usual one), ``/list`` and ``/str``
(content that is no text, or one, where the dialect has it otherwise), ``/odd`` (a block that the library does not
have in this role).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.codec import maker
from agentmsg.equality import same
from agentmsg.errors import AgentMsgError, DecodeError, excerpt
from agentmsg.grouping import Grouping, containers, seated
from agentmsg.json_values import adopt, plain_copy, thaw
from agentmsg.made import Made, MadeTime
from agentmsg.notes import keep, put_back, same_document
from agentmsg.plain import is_list, is_object
from agentmsg.shapes import Native, Unreadable, mark_of, marked
from agentmsg_codecs.agentscope.blocks import is_bare_text
from agentmsg_codecs.agentscope.shapes import beside, is_pair, own_extras, without
from agentmsg_codecs.agentscope.words import ITEM, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg_codecs.agentscope.dialect import Dialect

__all__ = ["Messages"]

_make_msg = maker(am.Msg)
_make_text = maker(am.TextBlock)
_make_native = maker(am.NativeBlock)


class Messages:
    """Reads and writes messages, each in its dialect.

    Args:
        dialects: by version.
        detect: tells the version of a native message, None where nothing shows it.
        joins: tells of a version whether a whole reply, with its calls and results, is one native message.
        keeps_marks: whether an entry of a document may be a pair of a message and marks.
    """

    def __init__(
        self,
        dialects: Mapping[int, Dialect],
        detect: Callable[[Any], int | None],
        *,
        joins: Callable[[int], bool],
        keeps_marks: bool,
    ) -> None:
        self.dialects = dialects
        self.keeps_marks = keeps_marks
        self.family = dialects[2].family
        self._detect = detect
        usual = dialects[2]

        def may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
            return _may_join(group, message, usual)

        self._groupings = {
            version: Grouping(family=self.family, may_join=may_join, joins=_joins_reply if joins(version) else _never)
            for version in VERSIONS
        }

    def fill(self) -> None:
        """Fill the tables, on first use."""
        for dialect in self.dialects.values():
            dialect.fill()

    # -- reading ------------------------------------------------------------------------------------------------------

    def version_of(self, natives: Sequence[Any], otherwise: int) -> int:
        """Return the version of a document: of its first message that shows one."""
        return next((found for native in natives if (found := self._detect(native)) is not None), otherwise)

    def read_groups(self, natives: Iterable[Any], version: int) -> list[list[am.Msg]]:
        """Return the messages of each native one; what is no message here is one of the role "native"."""
        return [self._container(native, version) for native in natives]

    def seated(self, groups: Sequence[Sequence[am.Msg]], version: int) -> list[am.Msg]:
        """Return the messages of a document, with notes where they are grouped otherwise than by default."""
        # A message with an id of its own joins no other: where all have one, there is nothing to note.
        if all(len(group) == 1 and group[0].id is not None for group in groups):
            return [group[0] for group in groups]
        return seated(groups, self._groupings[version])

    def _container(self, native: Any, version: int) -> list[am.Msg]:
        own = self._detect(native) or version
        group = self._group(native, own)
        if group is None:
            return [self.whole(native)]
        if own != version:
            group[0] = marked(group[0], self.family, version=own)
        return group

    def whole(self, native: Any) -> am.Msg:
        """Return the message of the role "native" for what is no message here."""
        text: Any = native.get("content") if is_object(native) else None
        fallback = text if type(text) is str and text else None
        return _make_msg("native", (_make_native(codec=self.family, value=adopt(native), fallback=fallback),))

    def message_of(self, value: Any) -> am.Msg:
        """Return the first message of what a native message holds.

        Raises:
            DecodeError: where no document may have that.
        """
        self.fill()
        native = value[0] if self.keeps_marks and is_pair(value) else value
        if not is_object(native):
            raise DecodeError(f"a message is an object, not {excerpt(native)}")
        found = self._container(native, 2)[0]
        return self.whole(value) if found.role == "native" else found

    def _group(self, native: Any, version: int) -> list[am.Msg] | None:
        """Return the messages of a native one; None where it would not come back."""
        if not is_object(native):
            return None
        dialect = self.dialects[version]
        try:
            group, is_usual = _read_group(dialect, native)
        except (Unreadable, AgentMsgError):
            return None
        if is_usual:
            return group
        # Each part was read so that it comes back, and so is their list.
        plain = _plain(dialect, group, native.get("content") or _content(dialect, group))
        if _is_same(plain, native):
            return group
        known = (dialect.keys - beside(native, dialect.spare)) | plain.keys()
        kept = keep(group[0], native, plain, family=self.family, known=known, never=frozenset({"content"}))
        if kept is None:
            return None
        spelt = put_back(kept, plain, family=self.family, read=lambda _: kept)
        return [kept, *group[1:]] if _is_same(spelt, native) else None

    # -- writing ------------------------------------------------------------------------------------------------------

    def groups(self, messages: Sequence[am.Msg], version: int) -> list[tuple[am.Msg, ...]]:
        """Return messages that fit in groups of those that share a native one."""
        return containers(messages, self._groupings[version])

    def write_group(self, group: Sequence[am.Msg], version: int, *, is_forced: bool = False) -> Any:
        """Return the native message of a group.

        Args:
            group: of messages.
            version: of the document.
            is_forced: whether it is written in this version even where it was read in another.
        """
        first: Any = group[0]
        if first.role == "native":
            return thaw(first.content[0].value)
        if first.notes and not is_forced:
            own = mark_of(first, self.family, "/version")
            version = own if type(own) is int and own in VERSIONS else version
        dialect = self.dialects[version]
        plain = _plain(dialect, group, _content(dialect, group))
        if not first.notes or is_forced:
            # What is written in a version of the caller's choice is spelt as that has it.
            return {**plain, **_unknown(first, plain, self.family)} if first.extras else plain
        if ITEM in first.extras:
            first = first.evolve(extras=without(first.extras, ITEM))

        def reread(native: Native) -> am.Msg:
            # A spelling must not make another dialect of it.
            back = self._group(plain_copy(thaw(native)), version) if self._detect(native) in (None, version) else None
            if back is None or len(back) != len(group) or not all(map(same, back[1:], group[1:])):
                raise Unreadable
            return back[0]

        return thaw(put_back(first, plain, family=self.family, read=reread))


# -- one container ----------------------------------------------------------------------------------------------------


def _read_group(dialect: Dialect, native: Native) -> tuple[list[am.Msg], bool]:
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
    if word != dialect.usual_role(kind if len(runs) == 1 else _role_of(runs)):
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
    """Add the blocks of a message's URLs, and return the message without them; as it is where they are none."""
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
    last = _last([kind for kind, _ in runs])
    group: list[am.Msg] = []
    for index, (kind, blocks) in enumerate(runs):
        fields = head if index == 0 else {} if kind == "tool" else {"name": _shared_name(name, kind, dialect)}
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
    if not is_list(content):
        raise Unreadable
    runs: list[tuple[str, list[Any]]] = []
    # The run that is open: what is no result goes there.
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
            blocks.append(dialect.read_part(part, role))
    if not runs:
        if role == "tool":
            raise Unreadable
        return [(role, [])]
    if dialect.is_brief and len(runs) == 1 and len(runs[0][1]) == 1 and is_bare_text(runs[0][1][0], dialect.family):
        marks["list"] = True
    return runs


def _role_of(runs: Sequence[tuple[str, Any]]) -> str:
    return next((kind for kind, _ in runs if kind != "tool"), "tool")


def _last(kinds: Sequence[str]) -> int:
    """Return the index of the last message that is no result; of the first where all are."""
    return next((index for index in range(len(kinds) - 1, -1, -1) if kinds[index] != "tool"), 0)


def _unknown(message: am.Msg, plain: Native, family: str) -> Native:
    """Return the unknown fields of a message, beside those that it is written with."""
    return {key: thaw(value) for key, value in own_extras(message, family).items() if key not in plain}


def _is_same(one: Native, other: Native) -> bool:
    """Tell whether two native messages are the same; what is one object in both is not looked into."""
    if len(one) != len(other):
        return False
    return all(key in other and (value is other[key] or same_document(value, other[key])) for key, value in one.items())


def _plain(dialect: Dialect, group: Sequence[am.Msg], content: Any) -> Native:
    first = group[0]
    urls = dialect.media.urls_of(first.content) if dialect.has_urls and len(group) == 1 else None
    native = _with_content(dialect, group, content)
    if urls:
        is_text = len(urls) == 1 and mark_of(first, dialect.family, "/url") == "text"
        native["url"] = urls[0] if is_text else urls
    return native


def _with_content(dialect: Dialect, group: Sequence[am.Msg], content: Any) -> Native:
    first = group[0]
    if len(group) == 1 and not first.notes:
        return dialect.write_plain(first, first, dialect.usual_role(first.role), content)
    kinds = [message.role for message in group]
    role = next((kind for kind in kinds if kind != "tool"), "tool")
    word = dialect.usual_role(role)
    found = mark_of(first, dialect.family, "/role") if first.notes else None
    if type(found) is str and _is_word_for(dialect, found, role):
        word = found
    return dialect.write_plain(first, group[_last(kinds)], word, content)


def _is_word_for(dialect: Dialect, word: str, role: str) -> bool:
    found = dialect.model_role(word)
    return found is not None if role == "tool" else found == role


def _content(dialect: Dialect, group: Sequence[am.Msg]) -> Any:
    first = group[0]
    blocks: Any = first.content
    if len(group) > 1:
        return [part for message in group for part in _parts(dialect, message, message.content)]
    if dialect.has_urls:
        blocks = blocks[: len(blocks) - len(dialect.media.urls_of(blocks))]
    if (dialect.is_brief or first.notes) and len(blocks) == 1 and is_bare_text(blocks[0], dialect.family):
        other = mark_of(first, dialect.family, "/list" if dialect.is_brief else "/str") if first.notes else None
        if (other is True) is not dialect.is_brief:
            return blocks[0].text
    return _parts(dialect, first, blocks)


def _parts(dialect: Dialect, message: am.Msg, blocks: Any) -> list[Any]:
    write: Callable[[Any], Any] = dialect.write_result if message.role == "tool" else dialect.write_part
    return list(map(write, blocks))


# -- which messages share a native one --------------------------------------------------------------------------------


def _shared_name(name: str | None, role: str, dialect: Dialect) -> str | None:
    """Return the name that a later message of a container has from its first."""
    return None if name == dialect.usual_name(role) else name


def _may_join(group: Sequence[am.Msg], message: am.Msg, dialect: Dialect) -> bool:
    first, last = group[0], group[-1]
    if "native" in (message.role, first.role) or not (last.content and message.content):
        return False
    if not _has_no_head(message):
        return False
    if message.role == "tool":
        return message.name is None and _has_no_tail(message)
    return (
        last.role == "tool"
        and all(other.role in ("tool", message.role) and _has_no_tail(other) for other in group)
        and message.name == _shared_name(first.name, message.role, dialect)
    )


def _has_no_head(message: am.Msg) -> bool:
    return (
        (message.id is None or type(message.id) is Made)
        and (message.created_at is None or type(message.created_at) is MadeTime)
        and not message.metadata
        and not message.extras
    )


def _has_no_tail(message: am.Msg) -> bool:
    return message.usage is None and message.finish_reason is None and message.structured is None


def _joins_reply(group: Sequence[am.Msg], message: am.Msg) -> bool:
    """Tell whether a message goes on with the reply of a container; few have no id, so that is asked first."""
    if message.id is not None and type(message.id) is not Made:
        return False
    if any(other.role not in ("assistant", "tool") for other in group):
        return False
    return message.role == "tool" or (message.role == "assistant" and group[-1].role == "tool")


def _never(_: Sequence[am.Msg], __: am.Msg) -> bool:
    return False
