"""``redact``: a history without its secrets, and the loss report that brings them back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a, refused
from agentmsg.fitting.account import account
from agentmsg.fitting.edited import over
from agentmsg.fitting.fit import Fitted
from agentmsg.model.checks import listed
from agentmsg.model.history import History, MsgLike, as_history
from agentmsg.redaction.leaves import rewritten
from agentmsg.redaction.patterns import KINDS, ROWS, KindName, Row
from agentmsg.redaction.texts import Texts

if TYPE_CHECKING:
    from agentmsg.fitting.losses import Losses
    from agentmsg.model.msg import Msg

__all__ = ["Redaction", "Redactor", "redact"]

_COMPILED: type = type(re.compile(""))
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


class Redaction(NamedTuple):
    """What ``redact`` gives.

    Attributes:
        history: without the secrets.
        losses: the loss report, which holds them.
    """

    history: History
    losses: Losses


def redact(
    messages: History | Msg | Iterable[MsgLike],
    *,
    kinds: KindName | Iterable[KindName] | None = None,
    patterns: Mapping[str, str | re.Pattern[str]] | None = None,
    words: str | Iterable[str] = (),
) -> Redaction:
    r"""Return a history without its secrets, and the loss report that brings them back.

    It finds API keys, tokens, private keys, passwords in URLs, mail addresses, and names in home paths, wherever a text
    stands: content, arguments and their text, results, structured values and their keys, names, ids, metadata,
    tools. Each becomes a placeholder such as ``REDACTED_EMAIL_1``, the same one wherever that secret stands in this
    history. Payloads in base64 are left alone.

    ``restore(redaction.history, redaction.losses)`` is the history again. So the loss report holds the secrets: its
    repr doesn't show them, but ``loss.was`` and ``dump_losses`` do.

    Args:
        messages: a history, a message, or several messages.
        kinds: what to find, of "email", "home", "key", "password", "private_key" and "token"; None: all.
        patterns: regular expressions of your own, by kind. Where only a part of a match is secret, name that group
            ``s``: ``{"order": r"order (?P<s>\d+)"}``.
        words: texts to find as they are, wherever they stand.

    Raises:
        InvalidMessage: code "option" where there is no such kind, or a pattern is no regular expression.
    """
    history = as_history(messages)
    redacted, _ = Redactor.of(kinds=kinds, patterns=patterns, words=words)(history)
    fitted = Fitted(redacted, redacted, "redact")
    return Redaction(redacted, account(over(fitted, history, is_secret=True)))


@attrs.frozen
class Redactor:
    """What to find, checked.

    Attributes:
        rows: the shapes.
        words: texts to find as they are.
    """

    rows: tuple[Row, ...]
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, *, kinds: Any = None, patterns: Any = None, words: Any = ()) -> Redactor:
        """Return what the arguments of ``redact`` ask for."""
        own = _own_rows(patterns)
        known = KINDS | {row.kind for row in own}
        wanted = known if kinds is None else frozenset((kinds,) if is_a(kinds, str) else listed(kinds, "kinds"))
        for kind in wanted:
            if kind not in known:
                raise refused("kinds", kind, " or ".join(map(repr, sorted(known))), code="option")
        texts = (words,) if is_a(words, str) else listed(words, "words")
        for word in texts:
            if not is_a(word, str) or not word:
                raise refused("words", word, "a string that isn't empty, or several")
        return cls((*own, *(row for row in ROWS if row.kind in wanted)), tuple(map(str, texts)))

    def __call__(self, history: History) -> tuple[History, Mapping[str, int]]:
        """Return a history without its secrets, and how many there were, by kind."""
        leaves: dict[str, None] = {}

        def see(text: str) -> str:
            leaves[text] = None
            return text

        try:
            rewritten(history, see)
            finder = Texts(self.rows, self.words)
            changes = finder.changes(leaves)
            if not changes:
                return history, {}
            redacted = cast("History", rewritten(history, lambda text: changes.get(text, text)))
        except RecursionError:
            msg = "free-form data is nested too deeply to be redacted"
            raise InvalidMessage(msg, code="depth") from None
        return redacted, dict(finder.found)

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        return Texts(self.rows, self.words).changes((text,)).get(text, text)


def _own_rows(patterns: Any) -> tuple[Row, ...]:
    if patterns is None:
        return ()
    if not is_a(patterns, (Mapping,)):
        raise refused("patterns", patterns, "a mapping of kinds to patterns")
    return tuple(_own_row(kind, pattern) for kind, pattern in patterns.items())


def _own_row(kind: Any, pattern: Any) -> Row:
    if not is_a(kind, str) or not _NAME.fullmatch(kind):
        raise refused("patterns", kind, "a kind made of letters, digits and underscores", code="option")
    text: Any = getattr(pattern, "pattern", None) if type(pattern) is _COMPILED else pattern
    if not is_a(text, str):
        raise refused("patterns", pattern, "a regular expression for text")
    flags: int = getattr(pattern, "flags", 0) & ~re.UNICODE
    try:
        row = Row(str(kind).lower(), "", f"(?{_letters(flags)}:{text})" if _letters(flags) else text)
        row.finder()
    except (re.error, RecursionError, OverflowError) as error:
        msg = f"the pattern of {excerpt(kind)} isn't a regular expression: {excerpt(str(error))[1:-1]}"
        raise InvalidMessage(msg, code="option", path=("patterns", str(kind))) from None
    return row


def _letters(flags: int) -> str:
    """Return the flags of a compiled pattern as they stand in a pattern."""
    known = {re.ASCII: "a", re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}
    return "".join(letter for flag, letter in known.items() if flags & flag)
