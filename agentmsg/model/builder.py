"""MsgBuilder: build a message step by step, for users of builder-style libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from agentmsg.errors import InvalidMessage, is_a, refused
from agentmsg.model.blocks import as_content
from agentmsg.model.checks import checked, freeze_named
from agentmsg.model.msg import Msg, known_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentmsg.model.base import BaseBlock
    from agentmsg.model.fields import MsgChanges


class MsgBuilder:
    """Collects the fields of a message; every method returns the builder itself.

    ``Msg.builder().role("user").name("Alice").text("Hi").build()``. You may use the builder again after ``build``;
    later changes never affect a message built before.
    """

    def __init__(self, start: Msg | None = None) -> None:
        self._start = None if start is None else checked(start, Msg, "start")
        self._fields: dict[str, Any] = {}

    def role(self, role: str) -> MsgBuilder:
        """Set the role."""
        return self.set(role=role)

    def name(self, name: str | None) -> MsgBuilder:
        """Set the sender."""
        return self.set(name=name)

    def id(self, id: str | None) -> MsgBuilder:
        """Set the id."""
        return self.set(id=id)

    def content(self, content: str | Iterable[BaseBlock]) -> MsgBuilder:
        """Replace the content."""
        return self.set(content=content)

    def text(self, text: str) -> MsgBuilder:
        """Add a text block."""
        if not is_a(text, str):
            raise refused("text", text, "a string")
        return self.add(*as_content(text))

    def add(self, *blocks: BaseBlock) -> MsgBuilder:
        """Append blocks."""
        return self.set(content=(*self._now("content", ()), *as_content(blocks)))

    def metadata(self, entries: Mapping[str, Any] | None = None, /, **more: Any) -> MsgBuilder:
        """Add entries to the metadata."""
        added: Mapping[str, Any] = {} if entries is None else freeze_named("metadata", entries)
        return self.set(metadata={**freeze_named("metadata", self._now("metadata", {})), **added, **more})

    def set(self, **fields: Unpack[MsgChanges]) -> MsgBuilder:
        """Set any fields of the message by name.

        Raises:
            InvalidMessage: code "schema" if Msg has no such field.
        """
        given = known_fields({**fields})
        if "content" in given:
            given["content"] = as_content(given["content"])
        self._fields.update(given)
        return self

    def _now(self, field: str, default: Any) -> Any:
        return self._fields.get(field, getattr(self._start, field, default))

    def __copy__(self) -> MsgBuilder:
        """Return an independent builder with the same fields."""
        other = MsgBuilder(self._start)
        other._fields = {**self._fields}
        return other

    def build(self) -> Msg:
        """Return the message.

        Raises:
            InvalidMessage: code "required" if no role was set, and whenever the constructor refuses a value.
        """
        if self._start is not None:
            return self._start.evolve(**self._fields)
        if "role" not in self._fields:
            msg = "a message needs a role"
            raise InvalidMessage(msg, code="required", path=("role",))
        return Msg(**self._fields)
