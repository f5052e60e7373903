"""ToolUseBlock: a tool call, and the rules for its input and its text.

``input`` is the truth; ``raw_input`` is how a document spelt it, parsed on first access.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import attrs

from agentmsg.errors import InvalidMessage, close_to, excerpt, is_a
from agentmsg.model.base import BaseBlock
from agentmsg.model.checks import listed, optional_text, text
from agentmsg.model.pickling import above
from agentmsg.values.frozen import EMPTY, JSON, adopt, freeze, shallow
from agentmsg.values.text import parse_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.fields import CallFields, ToolFields
    from agentmsg.model.msg import Msg

SIMPLY = 2
"""What ``_says_all`` of a call may be, beside true, false and None: orjson reads its text as its input."""


class _Unset:
    """Marks an argument that wasn't passed, where None is a value."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"

    def __reduce__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()
"""The mark of an argument that was not given, where None is a value."""
_OF_CALLS = ("name", "id", "call_id", "input", "args", "arguments")
_OTHERS = "agentmsg.decode reads calls of other formats"
# If one of these changes, it is decided anew which of the two texts holds.
_ARGUMENTS = frozenset({"input", "raw_input", "kind"})


def _input(value: Any) -> Any:
    try:
        return value if value is UNSET else freeze(value)
    except InvalidMessage as error:
        raise error.at("input") from None


@attrs.frozen(repr=False, eq=False)
class ToolUseBlock(BaseBlock):
    """A tool call.

    Args:
        id: links the call with its result; None if the source has none.
        name: the tool's name.
        input: any JSON; ``{}`` if neither it nor ``raw_input`` is passed.
        raw_input: the arguments as text, if the source had text. Kept byte for byte while it parses to ``input``, else
            discarded: ``input`` is the truth. Text that isn't JSON makes an invalid call (``is_valid`` is False,
                ``input``
            is None).
        kind: "function" (the client runs it), "custom" (the same, with free text), "server" (the provider runs it), or
            the name of a tool that the provider defines and the client runs ("shell", "computer" ...).
        provider: who runs a server tool.
        status: the state of the call ("asking", "in_progress" ...), if the source states it.
        server: the MCP server that has the tool, for a call that the provider makes.
        namespace: the group of tools that has the tool, where a search found it.

    Two calls are equal if their inputs are. The text counts only if it says more than the input (invalid JSON, a
    duplicate key, a number that no float holds).
    """

    id: str | None = attrs.field(validator=optional_text)
    name: str = attrs.field(validator=text)
    _input: JSON = attrs.field(default=UNSET, converter=_input, alias="input")
    raw_input: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    kind: str = attrs.field(default="function", validator=text, kw_only=True)
    provider: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    status: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    server: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    namespace: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    # Whether input says all that raw_input says: None until it is needed; SIMPLY if a reader has already checked.
    _says_all: int | None = attrs.field(default=None, init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Decide whether input or raw_input holds."""
        if self.raw_input is None:
            if self._input is UNSET:
                object.__setattr__(self, "_input", EMPTY)
        elif self._input is not UNSET:
            from agentmsg.model.equality import same  # noqa: PLC0415 - same knows this module

            given = self._input
            valid, value, _ = self._parsed()
            if not valid or not same(value, given):
                object.__setattr__(self, "raw_input", None)
            object.__setattr__(self, "_input", given)

    def _parsed(self) -> tuple[bool, Any, bool]:
        if self.kind == "custom":
            # Free text is its own input.
            return True, self.raw_input, True
        return parse_arguments(self.raw_input or "")

    @property
    def input(self) -> JSON:
        """The arguments; None for an invalid call."""
        value = self._input
        if value is UNSET:
            value = self._settled()
            if value is UNSET:
                return None
        kind = value.__class__
        if kind is dict or kind is list:
            # What was parsed is frozen on first access: most calls are only written again.
            value = adopt(value)
            object.__setattr__(self, "_input", value)
        return value

    def _settled(self) -> Any:
        """Return the input, plain or frozen, parsing the text once; UNSET for an invalid call."""
        # An invalid text, too, is parsed only once.
        if self._input is UNSET and self._says_all is None:
            valid, value, says_all = self._parsed()
            object.__setattr__(self, "_says_all", says_all)
            if valid:
                object.__setattr__(self, "_input", value)
        return self._input

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments by name: ``call.args["city"]``.

        Raises:
            InvalidMessage: code "type" if they aren't an object; the text of an invalid call is in ``raw_input``.
        """
        value = self.input
        if isinstance(value, Mapping):
            return value
        given = self.raw_input if value is None and self.raw_input is not None else value
        msg = f"the arguments of {excerpt(self.name)} aren't an object: {excerpt(given)}"
        raise InvalidMessage(msg, code="type", path=("input",))

    def result(self, content: str | Iterable[BaseBlock] = "", **fields: Unpack[ToolFields]) -> Msg:
        """Return the tool message with the result of this call.

        Args:
            content: a text, which may be empty, or blocks.
            fields: as for ``Msg.tool``.
        """
        message: Msg = above("model.msg").answer(self, content, fields)
        return message

    @property
    def is_valid(self) -> bool:
        """Whether the arguments are JSON."""
        return self._settled() is not UNSET

    @property
    def significant_text(self) -> str | None:
        """The raw text if it says more than ``input``, else None."""
        if self.raw_input is None:
            return None
        if self._says_all is None:
            # Parsing the text for the input decides this, too.
            self._settled()
        if self._says_all is None:
            object.__setattr__(self, "_says_all", self._parsed()[2])
        return None if self._says_all else self.raw_input

    def evolve(self, **changes: Any) -> ToolUseBlock:
        """Return a copy with some fields changed; a new ``input`` drops the old text, and a new text the input."""
        if "kind" in changes and "raw_input" not in changes and self.is_valid:
            # The meaning of a text depends on the kind; the input stays as it was.
            changes.setdefault("input", self.input)
        elif "raw_input" in changes and "input" not in changes:
            changes["input"] = UNSET if changes["raw_input"] is not None else self.input
        return super().evolve(**changes) if _ARGUMENTS.isdisjoint(changes) else attrs.evolve(self, **changes)

    # Otherwise copy.replace of Python 3.13 would use attrs.evolve, which doesn't know how the two depend on each other.
    __replace__ = evolve

    def _compared(self) -> tuple[object, ...]:
        fields = (
            getattr(self, field.name)
            for field in attrs.fields(type(self))
            if field.eq and field.name not in {"_input", "raw_input"}
        )
        return (self.input, self.significant_text, *fields)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolUseBlock) or type(other) is not type(self):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash(self._compared())


def as_calls(calls: Iterable[ToolUseBlock | CallFields | Mapping[str, Any]]) -> tuple[ToolUseBlock, ...]:
    """Return calls as blocks; see ``Msg.assistant``."""
    items, found = listed(calls, "tool_calls"), list[ToolUseBlock]()
    try:
        for call in items:
            found.append(_as_call(call))
    except InvalidMessage as error:
        raise error.at("tool_calls", len(found)) from None
    return tuple(found)


def _as_call(call: ToolUseBlock | CallFields | Mapping[str, Any]) -> ToolUseBlock:
    """Return a call as a block; if a mapping has two ids, ``call_id`` is the link and ``id`` the item."""
    if isinstance(call, ToolUseBlock):
        return call
    if not is_a(call, (Mapping,)):
        msg = f"a tool call is a block or a mapping, not {excerpt(call)}; {_OTHERS}"
        raise InvalidMessage(msg, code="type")
    fields = shallow(call)
    odd = next((str(key) for key in fields if key not in _OF_CALLS), None)
    if odd is not None:
        known = f"it has {', '.join(_OF_CALLS)}; {_OTHERS}"
        msg = f"a tool call has no {excerpt(odd)}; {close_to(odd, _OF_CALLS, 1, 0.6) or known}"
        raise InvalidMessage(msg, path=(odd,))
    own = fields.pop("id", None)
    link = fields.pop("call_id", own)
    given = [fields[key] for key in _OF_CALLS[-3:] if key in fields]
    name = fields.get("name")
    if not isinstance(name, str):
        msg = f"a tool call needs a name, a text, not {excerpt(name)}"
        raise InvalidMessage(msg, code="required" if name is None else "type", path=("name",))
    if len(given) > 1:
        msg = "a tool call has only one of input, args and arguments"
        raise InvalidMessage(msg, code="schema")
    is_text = bool(given) and isinstance(given[0], str)
    return ToolUseBlock(
        link,
        name,
        UNSET if is_text or not given else given[0],
        raw_input=given[0] if is_text else None,
        item_id=own if link != own else None,
    )
