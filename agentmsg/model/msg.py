"""Msg: one immutable message, its factories and accessors.

The constructor and the factories are strict, and make an id and a time. Readers of codecs accept whatever real
documents contain, and make neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

import attrs

from agentmsg.errors import DecodeError, InvalidMessage, close_to, excerpt, is_a, refused
from agentmsg.model.base import Noted, free_json, free_mapping
from agentmsg.model.blocks import (
    BLOCK_TAGS,
    AudioBlock,
    BaseBlock,
    Block,
    FileBlock,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
    as_content,
)
from agentmsg.model.checks import checked, instance, moment, optional_text, plain_moment, text, vector
from agentmsg.model.generated import NOW, made_id
from agentmsg.model.pickling import Pickled, Portable
from agentmsg.model.roles import KNOWN_ROLES, Roled
from agentmsg.model.tool_use import as_calls
from agentmsg.model.usage import Usage
from agentmsg.values.frozen import EMPTY, JSON, thaw

if TYPE_CHECKING:
    from agentmsg.model.builder import MsgBuilder
    from agentmsg.model.fields import CallFields, MsgChanges, MsgFields, ToolFields

_B = TypeVar("_B", bound=BaseBlock)
_T = TypeVar("_T")
_SHOWN = 50
_MEDIA = (ImageBlock, AudioBlock, VideoBlock, FileBlock)


def _now() -> Any:
    return NOW


@attrs.frozen(repr=False, eq=False)
class Msg(Noted, Portable, Roled):
    """One message of a conversation.

    Args:
        role: one of RoleName; ``role=`` and ``Msg.chat`` take any other word.
        content: blocks; a text becomes one TextBlock.
        id: made if you pass none; None if a document had none.
        created_at: made if you pass none; None if a document had none. A naive time stays naive.
        name: the sender's name.
        recipient: whom it is for.
        model: the model that wrote it.
        provider: who answered, such as "anthropic", "openai", "google" or "bedrock": what an answer holds for its own
            provider (signatures, encrypted reasoning, ids of items) goes back in this provider's form.
        api: which of the provider's APIs answered, if it has several: "chat" or "responses" of OpenAI.
        metadata: the application's own; never part of a prompt.
        response_metadata: what a provider said about this response.
        structured: structured output, any JSON; None if there is none.
        usage: tokens and cost.
        finish_reason: "stop", "length", "tool_use", "content_filter", "refusal", "error" or another word.
        embedding: finite floats.

    Raises:
        InvalidMessage: if a value is of the wrong kind; nothing is coerced. Code "unknown" if the first argument is no
            known role, such as a text.
    """

    role: str = attrs.field(validator=text)
    content: tuple[Block, ...] = attrs.field(default=(), converter=as_content)
    id: str | None = attrs.field(factory=made_id, validator=optional_text, kw_only=True)
    created_at: datetime | None = attrs.field(factory=_now, converter=plain_moment, validator=moment, kw_only=True)
    name: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    recipient: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    model: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    provider: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    api: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    response_metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    structured: JSON = attrs.field(default=None, converter=free_json, kw_only=True)
    usage: Usage | None = attrs.field(default=None, validator=instance(Usage), kw_only=True)
    finish_reason: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    embedding: tuple[float, ...] | None = attrs.field(default=None, converter=vector, kw_only=True)
    # Whether its reader saw that it is a bare one, and how bare (see agentmsg.formats.plain_messages).
    _bare: int = attrs.field(default=0, init=False, eq=False, repr=False)
    # The codec that read this message, or the capability table that it last fitted (see agentmsg.fitting.compiled).
    _fits: object = attrs.field(default=None, init=False, eq=False, repr=False)
    # The reader of this message, if it knows that the notes say how it was spelt (see agentmsg.formats.plain_messages).
    _read_by: object = attrs.field(default=None, init=False, eq=False, repr=False)
    __getstate__, __setstate__ = Pickled.__getstate__, Pickled.__setstate__

    @classmethod
    def _from_history(cls, history: Any) -> Self:
        if len(history) == 1:
            only: Self = history[0]
            return only
        msg = f"one message is needed, the document holds {len(history)}"
        raise DecodeError(msg, code="schema")

    # -- making
    # ------------------------------------------------------------------------------------------------

    @classmethod
    def system(cls, text: str, **fields: Unpack[MsgFields]) -> Msg:
        """Return a system message; ``fields`` are those of the constructor."""
        return _with_text("system", text, fields)

    @classmethod
    def developer(cls, text: str, **fields: Unpack[MsgFields]) -> Msg:
        """Return a developer message."""
        return _with_text("developer", text, fields)

    @classmethod
    def user(cls, text: str, **fields: Unpack[MsgFields]) -> Msg:
        """Return a user message."""
        return _with_text("user", text, fields)

    @classmethod
    def assistant(
        cls,
        text: str = "",
        *,
        tool_calls: Iterable[ToolUseBlock | CallFields | Mapping[str, Any]] = (),
        **fields: Unpack[MsgFields],
    ) -> Msg:
        """Return an assistant message with text, tool calls or both.

        Args:
            text: required unless there are tool calls.
            tool_calls: blocks, or mappings with ``name``, ``id`` or ``call_id``, and ``input``, ``args`` or
                ``arguments`` (a text of arguments is kept as it is).
            fields: those of the constructor.
        """
        calls = as_calls(tool_calls)
        words = as_content(text) if calls and is_a(text, str) and not text else _text_of(text)
        return cls("assistant", (*words, *calls), **fields)

    @classmethod
    def tool(cls, text: str, *, tool_call_id: str | None, name: str | None = None, **fields: Unpack[ToolFields]) -> Msg:
        """Return a tool message with the result of a call; see ``ToolUseBlock.result`` if you have the call.

        Args:
            text: the tool's result.
            tool_call_id: the id of the call; None, which the id of a call may be, is refused.
            name: the tool's name.
            fields: ``error``, ``error_type``, ``status``, ``structured`` and ``artifact`` of the result, and those of
                the constructor.
        """
        words = _text_of(text, '; of a tool that said none, use call.result("")')
        if not is_a(tool_call_id, str) or not tool_call_id:
            msg = "a tool message needs the id of its call"
            raise InvalidMessage(msg, code="required", path=("tool_call_id",))
        of_result, of_message = _parted(fields)
        return cls("tool", (ToolResultBlock(tool_call_id, words, name=name, **of_result),), **of_message)

    @classmethod
    def chat(cls, role: str, text: str, **fields: Unpack[MsgFields]) -> Msg:
        """Return a message with any role, such as ``Msg.chat("moderator", "Approved.")``."""
        if not is_a(role, str) or not role:
            msg = "a message needs a role"
            raise InvalidMessage(msg, code="required", path=("role",))
        return _with_text(role, text, fields)

    @classmethod
    def remove(cls, id: str) -> Msg:
        """Return a message that removes the message with this id from a stored history."""
        if not is_a(id, str) or not id:
            msg = "a removal needs the id of a message"
            raise InvalidMessage(msg, code="required", path=("id",))
        return cls("remove", id=id)

    @classmethod
    def of(cls, *blocks: BaseBlock) -> Msg:
        """Return a message of these blocks: role "tool" for results, "assistant" for blocks that only models write."""
        if any(is_a(block, ToolResultBlock) for block in blocks):
            return cls("tool", blocks)
        written = any(is_a(block, (ToolUseBlock, ThinkingBlock, RefusalBlock)) for block in blocks)
        return cls("assistant" if written else "user", blocks)

    @staticmethod
    def builder() -> MsgBuilder:
        """Return an empty builder."""
        from agentmsg.model.builder import MsgBuilder  # noqa: PLC0415 - the builder knows Msg

        return MsgBuilder()

    def to_builder(self) -> MsgBuilder:
        """Return a builder that starts from this message."""
        from agentmsg.model.builder import MsgBuilder  # noqa: PLC0415 - the builder knows Msg

        return MsgBuilder(self)

    # -- changing
    # ----------------------------------------------------------------------------------------------

    if TYPE_CHECKING:

        def evolve(self, **changes: Unpack[MsgChanges]) -> Self:  # type: ignore[override]
            """Return a copy with some fields changed; all others, notes included, stay."""

    def with_id(self, id: str | None) -> Msg:
        """Return a copy with another id."""
        return self.evolve(id=id)

    def with_name(self, name: str | None) -> Msg:
        """Return a copy with another sender."""
        return self.evolve(name=name)

    def with_content(self, content: str | Iterable[BaseBlock]) -> Msg:
        """Return a copy with other content."""
        return self.evolve(content=content)

    def with_metadata(self, **entries: Any) -> Msg:
        """Return a copy whose metadata has these entries too."""
        return self.evolve(metadata={**self.metadata, **entries})

    def with_response_metadata(self, **entries: Any) -> Msg:
        """Return a copy whose response metadata has these entries too."""
        return self.evolve(response_metadata={**self.response_metadata, **entries})

    def with_usage(self, usage: Usage | None) -> Msg:
        """Return a copy with other usage."""
        return self.evolve(usage=usage)

    def clone(self, *, name: str | None = None) -> Msg:
        """Return a copy with a new id and time that records its origin.

        ``metadata`` gets ``clone_from`` (the id) and ``original_created_at`` (ISO 8601), if the original has them.
        ``name``, if passed, replaces the sender.
        """
        origin: dict[str, Any] = {**self.metadata}
        if self.id is not None:
            origin["clone_from"] = str(self.id)
        if self.created_at is not None:
            origin["original_created_at"] = self.created_at.isoformat()
        sender = self.name if name is None else name
        return self.evolve(id=made_id(), created_at=NOW, name=sender, metadata=origin)

    # -- asking
    # ------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text blocks, and for tool messages the texts of the results, joined with newlines."""
        return "\n".join(
            block.text
            for block in self.content
            if isinstance(block, TextBlock) or (isinstance(block, ToolResultBlock) and self.role == "tool")
        )

    @property
    def length(self) -> int:
        """The number of characters of ``text``. There is no ``len``: a message with only an image must not be falsy."""
        return len(self.text)

    def blocks(self, cls: type[_B]) -> tuple[_B, ...]:
        """Return the blocks of a class, in order."""
        wanted = _a_class(cls)
        return tuple(block for block in self.content if isinstance(block, wanted))

    def first(self, cls: type[_B]) -> _B | None:
        """Return the first block of a class, or None."""
        wanted = _a_class(cls)
        return next((block for block in self.content if isinstance(block, wanted)), None)

    def has(self, cls: type[BaseBlock]) -> bool:
        """Whether there is a block of a class."""
        return self.first(cls) is not None

    @property
    def tool_calls(self) -> tuple[ToolUseBlock, ...]:
        """The calls with valid arguments."""
        return tuple(block for block in self.blocks(ToolUseBlock) if block.is_valid)

    @property
    def invalid_tool_calls(self) -> tuple[ToolUseBlock, ...]:
        """The calls whose arguments aren't JSON."""
        return tuple(block for block in self.blocks(ToolUseBlock) if not block.is_valid)

    @property
    def tool_results(self) -> tuple[ToolResultBlock, ...]:
        """The results."""
        return self.blocks(ToolResultBlock)

    @property
    def tool_call_id(self) -> str | None:
        """The id of the call that the first result answers, or None."""
        result = self.first(ToolResultBlock)
        return None if result is None else result.tool_call_id

    @property
    def remove_id(self) -> str | None:
        """The id of the message that this one removes, or None."""
        return self.id if self.role == "remove" else None

    @property
    def sender(self) -> str | None:
        """The same as ``name``."""
        return self.name

    @property
    def is_error(self) -> bool:
        """Whether a result of this message reports a failed call."""
        return any(result.is_error for result in self.tool_results)

    @property
    def ok(self) -> bool:
        """Whether no result of this message reports a failed call."""
        return not self.is_error

    @property
    def error(self) -> str | None:
        """The error text of the first result that has one, or None."""
        return next((result.error for result in self.tool_results if result.error is not None), None)

    @property
    def error_type(self) -> str | None:
        """The error type of the first result that has one, or None."""
        return next((result.error_type for result in self.tool_results if result.error_type is not None), None)

    def __str__(self) -> str:
        """Return ``Msg(tool) [id]: text``, the text cut to 50 characters; calls and media follow it in brackets.

        Of a message that has none of these, the kinds of its blocks are named.
        """
        others = () if self.role == "tool" else (result.text for result in self.tool_results)
        words = " ".join(filter(None, (self.text, *others, *map(_said, self.content))))
        if not words:
            silent = [block for block in self.content if not isinstance(block, (TextBlock, ToolResultBlock))]
            words = " ".join(f"[{BLOCK_TAGS.get(type(block), 'block')}]" for block in silent)
        words = words if len(words) <= _SHOWN else words[: _SHOWN - 3] + "..."
        link = f" [{self.tool_call_id}]" if self.tool_call_id else ""
        return f"Msg({self.role}){link}: {words}"

    def same_content(self, other: Msg) -> bool:
        """Whether role and content are the same; ids, times and other fields don't count."""
        from agentmsg.model.equality import same  # noqa: PLC0415 - only needed here

        return self.role == checked(other, Msg, "other").role and same(self.content, other.content)

    def to_chat(self) -> dict[str, Any]:
        """Return plain ``{"role", "content"}`` with the text, as chat interfaces expect it."""
        return {"role": self.role, "content": self.text}

    def has_structured_data(self) -> bool:
        """Whether there is structured output."""
        return self.structured is not None

    @overload
    def get_structured_data(self) -> JSON: ...
    @overload
    def get_structured_data(self, cls: type[_T]) -> _T: ...
    def get_structured_data(self, cls: type[Any] | None = None) -> Any:
        """Return the structured output, as an instance of ``cls`` if you pass one.

        Args:
            cls: an attrs class, dataclass or pydantic model, or any type that cattrs knows.

        Raises:
            InvalidMessage: code "required" if there is none, "schema" if it doesn't fit the class.
        """
        if self.structured is None:
            msg = "this message has no structured output"
            raise InvalidMessage(msg, code="required", path=("structured",))
        if cls is None:
            return self.structured
        from agentmsg.model.structured_output import into  # noqa: PLC0415 - imports cattrs

        return into(self.structured, cls)


def _knowing_roles(init: Any) -> Any:
    """Return the ``__init__`` of Msg that takes other words for a role only by name: ``Msg("Hello")`` means a text."""

    @wraps(init)
    def made(self: Msg, *args: Any, **fields: Any) -> None:
        if args and is_a(args[0], str) and str.__str__(args[0]) not in KNOWN_ROLES:
            word = excerpt(args[0])
            msg = f"{word} is no known role; Msg.user({word}) takes a text, and Msg(role={word}) any word as a role"
            raise InvalidMessage(msg, code="unknown", path=("role",))
        init(self, *args, **fields)

    return made


Msg.__init__ = _knowing_roles(Msg.__init__)  # type: ignore[method-assign]

_FIELDS = frozenset(field.name for field in attrs.fields(Msg) if field.init)


def known_fields(fields: dict[str, Any], more: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return fields of a message by name, if all are known: those of the constructor, and ``more``."""
    for name in fields:
        if name not in _FIELDS and name not in more:
            words = filter(None, (f"Msg has no field {excerpt(name)}", close_to(name, (*_FIELDS, *more), 1, 0.7)))
            raise InvalidMessage("; ".join(words), code="schema", path=(str(name),))
    return fields


# The result fields that Msg.tool takes by name.
RESULT_FIELDS = ("error", "error_type", "status", "structured", "artifact")


def answer(call: ToolUseBlock, content: str | Iterable[BaseBlock], fields: ToolFields) -> Msg:
    """Return the tool message that answers a call."""
    of_result, of_message = _parted(fields)
    result = ToolResultBlock(call.id, content, name=call.name, kind=call.kind, provider=call.provider, **of_result)
    return Msg("tool", (result,), **of_message)


def _parted(fields: ToolFields) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of a result, and those of its message."""
    of_message: dict[str, Any] = {**fields}
    return {key: of_message.pop(key) for key in RESULT_FIELDS if key in of_message}, of_message


def _said(block: Block) -> str:
    """Return a call or a medium as a word in brackets, also inside a result; nothing for other blocks."""
    if isinstance(block, ToolResultBlock):
        return " ".join(filter(None, map(_said, block.content)))
    if isinstance(block, ToolUseBlock):
        return f"[{block.name}({thaw(block.input) if block.is_valid else block.raw_input})]"
    return f"[{BLOCK_TAGS.get(type(block), 'media')}]" if isinstance(block, _MEDIA) else ""


def _a_class(cls: type[_B]) -> type[_B]:
    if is_a(cls, type):
        return cls
    raise refused("cls", cls, "a class of blocks")


def _text_of(value: str, instead: str = "") -> tuple[Block, ...]:
    if not is_a(value, str):
        raise refused("text", value, "a string")
    if not value:
        msg = f"a message needs a text{instead}"
        raise InvalidMessage(msg, code="required", path=("text",))
    return (TextBlock(value),)


def _with_text(role: Any, value: str, fields: MsgFields) -> Msg:
    return Msg(role=role, content=_text_of(value), **fields)
