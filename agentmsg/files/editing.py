"""What a run may do with each history between reading and writing: redact, trim, filter.

An edit is plain data, which crosses process borders, and depends on nothing but the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import attrs

from agentmsg.ops.filtering import filter_messages
from agentmsg.ops.tokens import approximate_tokens, token_counter
from agentmsg.ops.trimming import trim_messages
from agentmsg.redaction.redacting import Redactor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.model.history import History

__all__ = ["Edit", "Filtering", "Redacting", "Trimming"]


class Edit(Protocol):
    """Changes histories."""

    @property
    def is_secret(self) -> bool:
        """Whether it hides something: then only the loss report may say what."""

    def __call__(self, history: History) -> tuple[History, Mapping[str, int]]:
        """Return the changed history, and what was done, as words and numbers."""

    def words(self, text: str) -> str:
        """Return words about a document that could not be converted, without what is hidden."""


@attrs.frozen
class Redacting:
    """Replaces secrets by placeholders; see ``agentmsg.redact``."""

    redactor: Redactor
    is_secret: bool = attrs.field(default=True, init=False)

    def __call__(self, history: History) -> tuple[History, Mapping[str, int]]:
        """Return the history without its secrets, and how many there were."""
        redacted, found = self.redactor(history)
        return redacted, {"redacted": sum(found.values())} if found else {}

    def words(self, text: str) -> str:
        """Return the words without secrets."""
        return self.redactor.text(text)


@attrs.frozen
class _Leaving:
    """Leaves messages out."""

    arguments: tuple[tuple[str, Any], ...]
    is_secret: bool = attrs.field(default=False, init=False)

    def words(self, text: str) -> str:
        """Return the words."""
        return text


@attrs.frozen
class Trimming(_Leaving):
    """Keeps the end or the beginning of a history; see ``agentmsg.trim_messages``.

    Attributes:
        arguments: of that function, but for the counter.
        tokenizer: the name of an encoding of tiktoken; None: tokens are estimated.
    """

    tokenizer: str | None = None

    def __call__(self, history: History) -> tuple[History, Mapping[str, int]]:
        """Return the part that fits, and how many messages are not in it."""
        counter = approximate_tokens if self.tokenizer is None else token_counter(self.tokenizer)
        return _counted(history, trim_messages(history, counter=counter, **dict(self.arguments)))


@attrs.frozen
class Filtering(_Leaving):
    """Keeps messages that meet conditions; see ``agentmsg.filter_messages``."""

    def __call__(self, history: History) -> tuple[History, Mapping[str, int]]:
        """Return the messages that do, and how many do not."""
        return _counted(history, filter_messages(history, **dict(self.arguments)))


def _counted(before: History, after: History) -> tuple[History, Mapping[str, int]]:
    left_out = len(before) - len(after)
    return after, {"left out": left_out} if left_out else {}
