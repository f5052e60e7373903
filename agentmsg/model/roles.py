"""Roles: the words that every codec knows, and a message's questions about its own."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

RoleName = Literal["system", "developer", "user", "assistant", "tool", "remove", "native", "unset"]
KNOWN_ROLES: Final = frozenset(get_args(RoleName))
KINDS: Final = frozenset({"function", "custom", "server"})
"""The kinds of calls, results and tools that every codec knows; a tool that a provider defines may be its own kind."""
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


class _Is:
    """Whether the role of a message is a word.

    Args:
        word: the role.
    """

    def __init__(self, word: RoleName) -> None:
        self.word, self.__doc__ = word, f'Whether the role is "{word}".'

    def __get__(self, message: Any, cls: Any) -> bool:
        return bool(message.role == self.word) if message is not None else cast("Any", self)


class Roled:
    """Questions about the role of a message."""

    __slots__ = ()

    is_system, is_developer, is_user, is_assistant = _Is("system"), _Is("developer"), _Is("user"), _Is("assistant")
    is_tool, is_remove = _Is("tool"), _Is("remove")

    @property
    def is_chat(self) -> bool:
        """Whether the role is a custom one, as for ``Msg.chat``."""
        return cast("Any", self).role not in KNOWN_ROLES
