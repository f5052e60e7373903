"""Roles: the words that every codec knows, and a message's questions about its own."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

RoleName = Literal["system", "developer", "user", "assistant", "tool", "remove", "native", "unset"]
KNOWN_ROLES: Final = frozenset(get_args(RoleName))
# The words of LangChain and Synaptic, and ours; callers may use either.
SYNONYMS: Mapping[str, str] = MappingProxyType({"human": "user", "ai": "assistant"})


class Role:
    """The words that every codec knows for ``Msg.role``; any other word is a role, too (``Msg.chat``).

    Attributes:
        SYSTEM: instructions.
        DEVELOPER: instructions of the application's developer.
        USER: who asks.
        ASSISTANT: the model.
        TOOL: a tool's result.
        REMOVE: a request to remove another message.
        NATIVE: a message of one format that others can't express.
        UNSET: no role is known.
    """

    SYSTEM: Final = "system"
    DEVELOPER: Final = "developer"
    USER: Final = "user"
    ASSISTANT: Final = "assistant"
    TOOL: Final = "tool"
    REMOVE: Final = "remove"
    NATIVE: Final = "native"
    UNSET: Final = "unset"


class _HasRole(Protocol):
    # object stands for str: pyright takes a field with a converter for a descriptor, which fits nothing else.
    @property
    def role(self) -> object: ...


class Roled:
    """Questions about the role of a message."""

    __slots__ = ()

    @property
    def is_system(self: _HasRole) -> bool:
        """Whether the role is "system"."""
        return self.role == "system"

    @property
    def is_developer(self: _HasRole) -> bool:
        """Whether the role is "developer"."""
        return self.role == "developer"

    @property
    def is_user(self: _HasRole) -> bool:
        """Whether the role is "user"."""
        return self.role == "user"

    @property
    def is_assistant(self: _HasRole) -> bool:
        """Whether the role is "assistant"."""
        return self.role == "assistant"

    @property
    def is_tool(self: _HasRole) -> bool:
        """Whether the role is "tool"."""
        return self.role == "tool"

    @property
    def is_remove(self: _HasRole) -> bool:
        """Whether the role is "remove"."""
        return self.role == "remove"

    @property
    def is_chat(self: _HasRole) -> bool:
        """Whether the role is a custom one, as for ``Msg.chat``."""
        return self.role not in KNOWN_ROLES
