"""A job's changes to each history, between reading and writing: plain data, which can cross process boundaries.

The output has the input's format unless another is asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import attrs

from agentmsg.redacting.rule import SecretKind

if TYPE_CHECKING:
    from agentmsg.model.history import History
    from agentmsg.redacting.redactor import Redactor


def _given(change: Trim | Filter) -> dict[str, Any]:
    """Return the fields of a change as arguments: no words are no condition."""
    return {name: None if value in ((), []) else value for name, value in attrs.asdict(change).items()}


@attrs.frozen(kw_only=True)
class Trim:
    """Keep the end, or the beginning, that fits into a budget; see ``trim_messages`` for the fields.

    Attributes:
        encoding: the tiktoken encoding to count with; tokens are estimated if none is named.
    """

    verb: ClassVar[str] = "trimmed"

    max_tokens: int | None = None
    max_messages: int | None = None
    strategy: Literal["first", "last"] = "last"
    keep_system: bool = True
    start_on: tuple[str, ...] = ()
    end_on: tuple[str, ...] = ()
    allow_partial: bool = False
    keep_tool_pairs: bool = True
    encoding: str | None = None

    def __call__(self, history: History) -> History:
        """Return the messages to keep."""
        from agentmsg.api.trimming import trim_messages  # noqa: PLC0415 - needed by few runs
        from agentmsg.ops.tokens import counter_of  # noqa: PLC0415 - the same

        given = _given(self)
        return trim_messages(history, counter=counter_of(given.pop("encoding")), **given)


@attrs.frozen(kw_only=True)
class Filter:
    """Keep some messages; see ``filter_messages`` for the fields. An empty field is no condition."""

    verb: ClassVar[str] = "filtered"

    include_types: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    include_names: tuple[str, ...] = ()
    exclude_names: tuple[str, ...] = ()
    include_ids: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    exclude_tool_calls: bool = False
    match: Literal["any", "all"] = "all"

    def __call__(self, history: History) -> History:
        """Return the messages to keep."""
        from agentmsg.ops.filtering import filter_messages  # noqa: PLC0415 - needed by few runs

        return filter_messages(history, **_given(self))


@attrs.frozen(kw_only=True)
class Redact:
    """Replace secrets by placeholders; see ``agentmsg.redact`` for the fields.

    Attributes:
        kinds: what to look for; empty for the default kinds.
        patterns: your own, as name and regular expression.
    """

    verb: ClassVar[str] = ""  # placeholders are counted as losses are

    kinds: tuple[SecretKind, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()

    def __call__(self, history: History) -> History:
        """Return the history without its secrets."""
        return _redactor(self)(history).history

    def words(self, text: str) -> str:
        """Return a text about a document, without its secrets."""
        return _redactor(self).text(text)


@cache
def _redactor(change: Redact) -> Redactor:
    from agentmsg.redacting.redactor import Redactor  # noqa: PLC0415 - its patterns take a third of a run's start

    return Redactor(kinds=change.kinds or None, patterns=dict(change.patterns))


Change: TypeAlias = Trim | Filter | Redact
