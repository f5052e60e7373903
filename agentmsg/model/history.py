"""History: an immutable sequence of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, Unpack, cast, overload

import attrs

from agentmsg.errors import InvalidMessage, close_to, excerpt, is_a, refused
from agentmsg.model.base import Noted, free_mapping
from agentmsg.model.checks import instance, listed, optional_text
from agentmsg.model.construction import replacer
from agentmsg.model.generated import Made
from agentmsg.model.made_links import apart, one_by_one
from agentmsg.model.msg import RESULT_FIELDS, Msg, known_fields
from agentmsg.model.pickling import Pickled, Portable, above
from agentmsg.model.remembering import Body
from agentmsg.model.roles import SYNONYMS
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import link_of, links
from agentmsg.model.tool_use import UNSET
from agentmsg.model.tools import Tool, as_tools
from agentmsg.values.frozen import EMPTY, JSON, shallow

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from agentmsg.model.base import BaseBlock
    from agentmsg.model.fields import MessageFields, SettingsFields
    from agentmsg.model.pickling import Format
    from agentmsg.ops.pairs import ToolPair
    from agentmsg.ops.stats import HistoryStats
    from agentmsg.ops.truncating import Side
    from agentmsg.ops.turns import Turn
    from agentmsg_codecs import CodecName
    from agentmsg_codecs.options import CodecWriting

MsgLike: TypeAlias = "Msg | str | MessageFields | Mapping[str, Any]"
Messages: TypeAlias = "History | MsgLike | Iterable[MsgLike]"


def _as_messages(value: Iterable[MsgLike]) -> tuple[Msg, ...]:
    """Return messages, texts (from the user) and mappings as messages; every function that takes these uses this."""
    items = listed(value, "messages")
    for item in items:  # a generator takes longer than everything else when a history grows by one
        if type(item) is not Msg:
            break
    else:
        return cast("tuple[Msg, ...]", items)
    messages: list[Msg] = []
    try:
        for item in items:
            messages.append(_as_message(item))  # noqa: PERF401 - how many there are is the path
    except InvalidMessage as error:
        raise error.at("messages", len(messages)) from None
    return tuple(messages)


def as_messages(value: Messages) -> tuple[Msg, ...]:
    """Return the messages of a history, of a single message, text or mapping, or of several; as above."""
    if type(value) is list or type(value) is tuple:  # the common cases first
        return _as_messages(cast("Iterable[MsgLike]", value))
    if is_a(value, History):
        return value.messages
    if is_a(value, (Msg, str, Mapping)):
        return (_as_message(cast("MsgLike", value)),)
    # A pydantic model yields its fields.
    if is_a(value, bytes) or hasattr(type(value), "model_dump") or not is_a(value, (Iterable,)):
        how = "" if is_a(value, bytes) else f"; {_how_to_read(value)}"
        msg = f"a History, a Msg or a list of messages is needed, not {excerpt(cast('object', value))}{how}"
        raise InvalidMessage(msg, code="type", path=("messages",))
    return _as_messages(cast("Iterable[MsgLike]", value))


@attrs.frozen(repr=False, eq=False)
class History(Noted, Portable, Sequence[Msg]):
    """A conversation: messages in order, and what belongs to all of them.

    Indexing, slicing and ``+`` work as for tuples; a slice and ``history + messages`` keep the id, tools and other
    fields of the (left) history. There is no ``append``: see ``extended`` and ``Recorder``. Any function that takes
    messages also takes texts (user messages) and mappings (``{"role", "content", ...}``), as ``History.of`` does.

    Attributes:
        messages: the messages, as a tuple.
        id: the conversation's id.
        tools: the tools that the model may call.
        metadata: the application's own.
        settings: what the request asks for besides: the model, the most tokens, the temperature ...
    """

    messages: tuple[Msg, ...] = attrs.field(default=(), converter=as_messages)
    id: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    tools: tuple[Tool, ...] = attrs.field(default=(), converter=as_tools, kw_only=True)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    settings: Settings | None = attrs.field(default=None, validator=instance(Settings), kw_only=True)
    # The bytes of what this history grew from (see agentmsg.model.remembering).
    _body: Body | None = attrs.field(default=None, init=False, eq=False, repr=False)
    __getstate__, __setstate__ = Pickled.__getstate__, Pickled.__setstate__

    def __attrs_post_init__(self) -> None:
        """Keep made ids of calls apart: the messages may be of several histories."""
        object.__setattr__(self, "messages", one_by_one(self.messages))

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; new messages are joined as by ``History.of``.

        Raises:
            InvalidMessage: if a new value is refused.
        """
        new = super().evolve(**changes)
        own = one_by_one(new.messages) if "messages" in changes else new.messages
        # What was read with the same id twice stays so: its document says it.
        is_joined = own is not new.messages and one_by_one(self.messages) is self.messages
        return super().evolve(**{**changes, "messages": own}) if is_joined else new

    @classmethod
    def of(cls, *items: MsgLike) -> History:
        """Make a history from messages, texts (user messages) and mappings (``{"role", "content", ...}``).

        Raises:
            InvalidMessage: with the index of an item that can't become a message.
        """
        return cls(items)

    @classmethod
    def _from_history(cls, history: Any) -> Self:
        read: Self = history
        return read

    def messages_for(
        self,
        codec: CodecName | Format,
        *,
        system: Literal["error", "drop"] = "error",
        **options: Unpack[CodecWriting],
    ) -> list[Any]:
        """Return the messages as a list of plain native ones, ready for the provider's client.

        It is always a list, whatever the history was read from. What a format puts beside its messages, ``system_for``
        and ``tools_for`` return; ``encode`` writes all of it.

        Args:
            codec: the format.
            system: "drop" leaves out tools, and a system prompt that doesn't stand in the list. Otherwise they raise.
            options: those of ``agentmsg.encode`` (``losses``, ``on_loss``, ``carry``), and of the codec.

        Raises:
            LossError: as for ``encode``, if content would be lost and you didn't ask for the losses; always if a system
                prompt or tools would be left out, and you didn't say so.
            CodecLookupError: if there is no such codec or option; code "option" if the format's documents hold no list
                of messages.
        """
        messages: list[Any] = above("api.writing").messages_for(self, codec, system=system, **options)
        return messages

    def system_for(self, codec: CodecName | Format, **options: Any) -> Any:
        """Return the system prompt as a format has it beside its messages; None if there is none, or it is one of them.

        Arguments and errors are those of ``messages_for``.
        """
        return above("api.writing").beside(self, codec, options)[0] or None

    def tools_for(self, codec: CodecName | Format, **options: Any) -> Any:
        """Return the tools as a format has them; None if there are none. As ``system_for``."""
        return above("api.writing").beside(self, codec, options)[1] or None

    @overload
    def __getitem__(self, index: int) -> Msg: ...
    @overload
    def __getitem__(self, index: slice) -> History: ...
    def __getitem__(self, index: int | slice) -> Msg | History:
        """Return one message, or a slice as a history.

        Raises:
            InvalidMessage: code "type" if it is neither an integer nor a slice.
        """
        try:
            if not isinstance(index, slice):
                return self.messages[index]
            # A part of what was checked needs no check.
            return with_messages(self, self.messages[index])
        except IndexError:
            raise
        except Exception:  # noqa: BLE001 - whatever is no index
            raise refused("index", index, "a whole number or a slice") from None

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self.messages)

    def __iter__(self) -> Iterator[Msg]:
        """Iterate over the messages."""
        return iter(self.messages)

    def __add__(self, other: Messages) -> History:
        """Return this history with a message, text or mapping, or with several, at the end.

        Of another history, tools, settings, metadata and extras count, too, where this one has none. Its id is left
        out.

        Raises:
            InvalidMessage: code "option" if both have one of these, and they differ.
        """
        grown = self._grown(as_messages(other))
        return _with_beside(grown, other) if is_a(other, History) else grown

    def extended(self, *messages: MsgLike) -> History:
        """Return this history with more messages, texts or mappings at the end."""
        return self._grown(_as_messages(messages))

    def replace(self, index: int, message: MsgLike) -> Self:
        """Return this history with another message, text or mapping in place of one.

        Raises:
            InvalidMessage: code "type" if the index isn't a whole number, "option" if there is no such message.
        """
        if type(index) is not int:
            raise refused("index", index, "a whole number")
        if not -len(self) <= index < len(self):
            raise refused("index", index, f"that of one of {len(self)} messages", code="option")
        messages = list(self.messages)
        messages[index] = _as_message(message)
        return self.evolve(messages=tuple(messages))

    def _grown(self, messages: tuple[Msg, ...]) -> History:
        if not messages:
            return self
        messages = apart(self.messages, messages)
        if type(self) is not History:
            return self.evolve(messages=self.messages + messages)
        grown = _with_messages(self, self.messages + messages)
        _set_body(grown, self._body or Body())
        return grown

    def _links_as(self, other: History) -> bool:
        """Whether made ids, which may differ, link calls and results as in another history of the same messages."""
        for one, two in zip(self.messages, other.messages, strict=True):
            for block, its in zip(one.content, two.content, strict=True):
                link, theirs = link_of(block), link_of(its)
                if type(link) is Made and type(theirs) is Made and link != theirs:
                    return links(self.messages) == links(other.messages)
        return True

    def with_settings(self, **changes: Unpack[SettingsFields]) -> Self:
        """Return this history with changed settings: ``history.with_settings(model="claude-opus-5", max_tokens=1024)``.

        Args:
            changes: fields of ``Settings``. You set them, so a model named here holds for every provider.

        Raises:
            InvalidMessage: if a value has the wrong type, or there is no such setting.
        """
        return self.evolve(settings=(self.settings or Settings()).asking(**changes))

    def first(self, *, role: str | None = None) -> Msg | None:
        """Return the first message (of a role; "human" also means "user", "ai" "assistant"), or None."""
        return _first_of(self, role)

    def last(self, *, role: str | None = None) -> Msg | None:
        """Return the last message (of a role, as for ``first``), or None."""
        return _first_of(reversed(self), role)

    def stats(self, *, counter: Callable[[Msg], int] | None = None) -> HistoryStats:
        """Return statistics of this history; see ``HistoryStats``. An empty history has stats, too.

        Args:
            counter: returns the tokens of a message; the default is ``agentmsg.approximate_tokens``.

        Raises:
            InvalidMessage: code "type" if the counter is no function that returns a number of tokens.
        """
        stats: HistoryStats = above("ops.stats").stats_of(self, counter=counter)
        return stats

    def merge_runs(self, separator: str = "\n") -> History:
        """Return the history with adjacent messages of the same role merged; see ``ops.merging``."""
        merged: History = above("ops.merging").merge_runs(self, separator)
        return merged

    def dedupe(self) -> History:
        """Return the history with each id once, the later message in the earlier one's place; see ``ops.ids``."""
        once: History = above("ops.ids").dedupe(self)
        return once

    def apply_removals(self, missing: Literal["error", "ignore"] = "error") -> History:
        """Return the history without its removals and the messages that they remove; see ``ops.ids``.

        Raises:
            InvalidMessage: if a removal names a message that was never there, unless you ignore it.
        """
        left: History = above("ops.ids").apply_removals(self, missing)
        return left

    def turns(self) -> tuple[Turn, ...]:
        """Return the turns: each is a user message and all that follows until the next one; see ``ops.turns``."""
        turns: tuple[Turn, ...] = above("ops.turns").turns_of(self)
        return turns

    def pair_tools(self) -> tuple[ToolPair, ...]:
        """Return each tool call with its result, and those without a partner; see ``ops.pairs``."""
        pairs: tuple[ToolPair, ...] = above("ops.pairs").pair_tools(self)
        return pairs

    def to_text(
        self,
        prefixes: Mapping[str, str] | None = None,
        format: Literal["prefix", "xml"] = "prefix",
    ) -> str:
        """Return the history as one text, such as "Human: Hello", or as XML; see ``ops.text``.

        Args:
            prefixes: labels by role, in place of the default ones.
            format: "prefix" or "xml".

        Raises:
            InvalidMessage: if there is no such format, or a label isn't a text.
        """
        return str(above("ops.text").to_text(self, prefixes, format))

    def filter(
        self,
        *,
        role: str | Iterable[str] | None = None,
        name: str | Iterable[str | None] | None = UNSET,
        id: str | Iterable[str | None] | None = UNSET,
        block: type[BaseBlock] | Iterable[type[BaseBlock]] | None = None,
        where: Callable[[Msg], object] | None = None,
    ) -> History:
        """Return the messages that meet all given conditions; each takes one value or several.

        Args:
            role: the message's role; "human" also means "user", "ai" "assistant".
            name: the sender's name; for a tool message without one, the tool's. None: messages without a name.
            id: the message's id. None: messages without an id.
            block: a block class; the content must have such a block.
            where: a function that takes a message and returns whether it qualifies.

        Raises:
            InvalidMessage: code "type" if a condition is of the wrong kind.
        """
        history: History = above("ops.filtering").sifted(
            self, wanted=True, role=role, name=name, id=id, block=block, where=where
        )
        return history

    def exclude(
        self,
        *,
        role: str | Iterable[str] | None = None,
        name: str | Iterable[str | None] | None = UNSET,
        id: str | Iterable[str | None] | None = UNSET,
        block: type[BaseBlock] | Iterable[type[BaseBlock]] | None = None,
        where: Callable[[Msg], object] | None = None,
    ) -> History:
        """Return the messages that ``filter`` leaves out: those that don't meet all given conditions."""
        history: History = above("ops.filtering").sifted(
            self, wanted=False, role=role, name=name, id=id, block=block, where=where
        )
        return history

    def trim(
        self,
        *,
        max_tokens: int | None = None,
        max_messages: int | None = None,
        counter: Callable[[Msg], int] | None = None,
        strategy: Side = "last",
        keep_system: bool = True,
        start_on: str | Iterable[str] | None = None,
        end_on: str | Iterable[str] | None = None,
        allow_partial: bool = False,
        keep_tool_pairs: bool = True,
        losses: MutableSequence[Any] | None = None,
    ) -> History:
        """Return the longest end (or beginning) of this history that fits into a budget of tokens, or of messages.

        See ``agentmsg.trim_messages`` for the arguments.
        """
        history: History = above("api.trimming").trim_messages(
            self,
            max_tokens=max_tokens,
            max_messages=max_messages,
            counter=counter,
            strategy=strategy,
            keep_system=keep_system,
            start_on=start_on,
            end_on=end_on,
            allow_partial=allow_partial,
            keep_tool_pairs=keep_tool_pairs,
            losses=losses,
        )
        return history


_with_messages, _copy = replacer(History, "messages"), replacer(Msg, "role")
body_of: Callable[[History], Body | None] = attrgetter("_body")
"""Returns the body that a history shares with those that it grew from, if it grew."""
_set_body: Callable[[History, Body], None] = vars(History)["_body"].__set__  # past the frozen class's own __setattr__


def _with_beside(history: History, other: History) -> History:
    """Return a history with what another has beside its messages, where it has none."""
    changes: dict[str, Any] = {}
    for name in ("tools", "settings", "metadata", "extras"):
        mine, theirs = getattr(history, name), getattr(other, name)
        if theirs and not mine:
            changes[name] = theirs
        elif theirs and not above("model.equality").same(mine, theirs):
            msg = f"both histories have {name}, and they differ: a + b.messages keeps those of the first"
            raise InvalidMessage(msg, code="option", path=(name,))
    return history.evolve(**changes) if changes else history


def with_messages(history: History, messages: tuple[Msg, ...]) -> History:
    """Return a history with other messages, as they are: they come from one history, so their made ids may stay."""
    return _with_messages(history, messages) if type(history) is History else history.evolve(messages=messages)


def without_messages(history: History) -> History:
    """Return a history without its messages."""
    return _with_messages(history, ())


def forgetful(history: History) -> History:
    """Return a history whose messages no longer remember what read them, or where they fit; for tests."""
    return _with_messages(history, tuple([_copy(message, message.role) for message in history]))


def _first_of(messages: Iterable[Msg], role: str | None) -> Msg | None:
    if role is None:
        return next(iter(messages), None)
    if not is_a(role, str):
        raise refused("role", role, "a string")
    wanted = (role, SYNONYMS.get(role, role))
    return next((message for message in messages if message.role in wanted), None)


def _as_message(item: MsgLike) -> Msg:
    if is_a(item, Msg):
        return item
    if is_a(item, str):
        return Msg.user(item)
    if is_a(item, (Mapping,)):
        fields = shallow(cast("Any", item))
        try:
            return _from_mapping({**fields})
        except InvalidMessage as error:
            raise _foreign(error, fields) from None
    msg = f"not a message, a string or a mapping: {excerpt(item)}; {_how_to_read(item)}"
    raise InvalidMessage(msg, code="type")


def _foreign(error: InvalidMessage, fields: dict[str, Any]) -> InvalidMessage:
    """Return the error for a mapping that isn't a message; for a recognised format, it says how to read it."""
    how = _how_to_read(fields)
    if error.code == "required" and how == _OTHERS:
        return error
    return InvalidMessage(f"{error.message}; {how}".replace("?;", "?"), code=error.code, path=error.path)


_OTHERS = "agentmsg.decode reads messages of other formats"


def _how_to_read(value: Any) -> str:
    """Return what to call to read a value that isn't a message: its format may be recognised."""
    return str(above("checking.mistaken").how_to_read(value) or _OTHERS)


def _from_mapping(fields: dict[str, Any]) -> Msg:
    """Make a message by its role's factory, checking role, text and tool id in this order."""
    role = fields.pop("role", None)
    if not isinstance(role, str) or not role:
        known_fields({name: value for name, value in fields.items() if close_to(name, ("role",), 1, 0.7)})
        msg = "a message needs a role"
        raise InvalidMessage(msg, code="required", path=("role",))
    content = fields.pop("content", "")
    if not isinstance(content, str):
        return Msg(role=role, content=content, **known_fields(fields))
    if role == "tool":
        link = fields.pop("tool_call_id", None)
        return Msg.tool(content, tool_call_id=link, **known_fields(fields, RESULT_FIELDS))
    if role == "assistant":
        return Msg.assistant(content, tool_calls=fields.pop("tool_calls", ()), **known_fields(fields))
    return Msg.chat(role, content, **known_fields(fields))


def as_history(value: Messages) -> History:
    """Return a history as it is, or make one from one message, text or mapping, or from several.

    Raises:
        InvalidMessage: code "type" if it is none of these.
    """
    return value if is_a(value, History) else History(as_messages(value))
