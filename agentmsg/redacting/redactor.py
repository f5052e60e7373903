"""redact: a history without its secrets, and the loss report that restores them.

Old and new are compared as in every fit, so ``restore`` needs nothing special.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a, refused
from agentmsg.fitting.account import account
from agentmsg.fitting.edited import over
from agentmsg.fitting.fitted import Fitted, Known
from agentmsg.fitting.losses import Loss, Losses, relisted
from agentmsg.model.checks import clean_repr, listed, one_of
from agentmsg.model.history import History, Messages, as_history
from agentmsg.model.msg import Msg
from agentmsg.model.pickling import repr_html
from agentmsg.redacting.finding import Found, Texts, kinds_in
from agentmsg.redacting.leaves import rewritten, texts_in
from agentmsg.redacting.patterns import RULES
from agentmsg.redacting.rule import KINDS, REDACTED, USUAL, Rule, SecretKind
from agentmsg.values.frozen import shallow

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Redaction", "Redactor", "redact"]

_WORD = "word"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@attrs.frozen(repr=False)
class Redaction:
    """The result of ``redact``.

    Attributes:
        history: with placeholders in place of secrets; the input itself if none was found.
        losses: the originals. This loss report *holds the secrets*; it doesn't show them.
    """

    history: History
    losses: Losses
    __repr__ = clean_repr

    def __rich_repr__(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields to show: losses first, because the history may be long."""
        yield "losses", self.losses
        yield "history", self.history

    def _repr_html_(self) -> str | None:
        """Return the table of losses for a notebook; None if the extra ``html`` is missing."""
        return repr_html(self.losses)


def _kinds(value: Iterable[SecretKind | Literal["default"]] | None) -> tuple[SecretKind, ...]:
    if value is None:
        return USUAL
    kinds = listed(value, "kinds")
    for kind in kinds:
        one_of(kind, "kinds", *KINDS, "default")
    return tuple(dict.fromkeys(each for kind in kinds for each in (USUAL if kind == "default" else (kind,))))


def _patterns(value: Mapping[str, str | re.Pattern[str]] | None) -> Mapping[str, re.Pattern[str]]:
    if value is None:
        return {}
    if not is_a(value, (dict, Mapping)):
        raise refused("patterns", value, "a mapping of names to regular expressions")
    return {_name(name): _compiled(name, pattern) for name, pattern in shallow(value).items()}


def _name(name: Any) -> str:
    if not is_a(name, str) or not _NAME.fullmatch(name) or name in {*USUAL, _WORD}:
        raise refused("patterns", name, "named by a word of your own (letters, digits, - and _)", code="option")
    return str.__str__(name)


def _compiled(name: str, pattern: Any) -> re.Pattern[str]:
    if is_a(pattern, (re.Pattern,)) and is_a(pattern.pattern, str):
        compiled: re.Pattern[str] = pattern
        return compiled
    if not is_a(pattern, str):
        raise refused("patterns", pattern, "regular expressions of text", code="option").at(name)
    try:
        return re.compile(str.__str__(pattern))
    except (re.error, RecursionError, OverflowError) as error:
        msg = f"not a regular expression: {excerpt(str(error))}"
        raise InvalidMessage(msg, code="option", path=("patterns", name)) from None


def _words(value: Iterable[str]) -> tuple[str, ...]:
    # These errors don't show the argument: it is secret.
    if is_a(value, (str, bytes)):
        msg = "words must be a list of texts, not one text"
        raise InvalidMessage(msg, code="type", path=("words",))
    words = listed(value, "words")
    for index, word in enumerate(words):
        if not is_a(word, str) or not word:
            msg = "words must be texts that aren't empty"
            raise InvalidMessage(msg, code="option", path=("words", index))
    return tuple(map(str.__str__, words))


@attrs.frozen(kw_only=True)
class Redactor:
    """Finds and replaces secrets, in one history after the other; arguments as for ``redact``."""

    kinds: tuple[SecretKind, ...] = attrs.field(default=None, converter=_kinds)
    patterns: Mapping[str, re.Pattern[str]] = attrs.field(default=None, converter=_patterns, hash=False)
    words: tuple[str, ...] = attrs.field(default=(), converter=_words, repr=False)
    _rules: tuple[Rule, ...] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Combine the rules: the user's own take precedence."""
        own = [Rule(name, (), pattern) for name, pattern in self.patterns.items()]
        if self.words:
            own.insert(0, Rule(_WORD, (), _any_of(self.words), normal=_unescaped))
        chosen = [rule for rule in RULES if rule.kind in self.kinds]
        object.__setattr__(self, "_rules", (*own, *chosen))

    def __call__(self, history: Messages) -> Redaction:
        """Return a history without its secrets, and the secrets; see ``redact``.

        Raises:
            InvalidMessage: code "depth" if it is nested too deep.
        """
        source = as_history(history)
        texts = Texts()
        try:
            rewritten(source, texts.see)
            found = Found.of(texts, self._rules, self.kinds)
            output = rewritten(source, found) if found.kinds else source
        except RecursionError:
            msg = "nested too deep to look for secrets"
            raise InvalidMessage(msg, code="depth") from None
        return Redaction(output, _losses(source, output, found.kinds))

    def text(self, text: str) -> str:
        """Return a text without its secrets."""
        return self((Msg("user", text, id=None, created_at=None),)).history[0].text


def _losses(source: History, output: History, kinds: Mapping[str, str]) -> Losses:
    told = account(
        over(Fitted(output, output, REDACTED, known=Known(in_place=True)), source, is_secret=output is not source)
    )
    return relisted(told, lambda: (_with_kinds(loss, kinds) for loss in told))


def _with_kinds(loss: Loss, kinds: Mapping[str, str]) -> Loss:
    """Return a loss that names the kinds of its secrets."""
    found = {kind: None for text in texts_in(loss.now) for kind in kinds_in(text, kinds)}
    return attrs.evolve(loss, why=", ".join(found) or "redacted")


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for words as they are, and as they are in JSON text; the longest first."""
    spelt = {
        form for word in words for form in (word, json.dumps(word)[1:-1], json.dumps(word, ensure_ascii=False)[1:-1])
    }
    return re.compile("|".join(map(re.escape, sorted(spelt, key=lambda form: (-len(form), form)))))


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def redact(
    history: Messages,
    *,
    kinds: Iterable[SecretKind | Literal["default"]] | None = None,
    patterns: Mapping[str, str | re.Pattern[str]] | None = None,
    words: Iterable[str] = (),
) -> Redaction:
    """Return a history without its secrets, and the loss report that restores them.

    Providers' keys, tokens, private keys, passwords, mail addresses and the names in home paths are replaced in every
    text: content, thinking, arguments, results, metadata, names, ids, URLs, and keys of free-form JSON. The same secret
    has the same placeholder everywhere in a history, such as ``REDACTED_EMAIL_1``, so that links still work. Base64
    payloads and signatures are left as they are.

    ``restore(redaction.history, redaction.losses)`` is the input again. *The loss report holds the secrets*: protect it
    as you protect them. It finds known shapes only: review what you share.

    Args:
        history: anything that ``History.of`` takes.
        kinds: the built-in kinds to look for: by default "key", "token", "private-key", "password", "email" and "home";
            on request also "phone", "card", "iban" and "ip". "default" stands for the default ones.
        patterns: your own regular expressions, by a name for their placeholders; if one has a group ``secret``, only
            that is replaced.
        words: your own secrets, such as a customer's name, replaced everywhere.

    Raises:
        InvalidMessage: code "option" if there is no such kind, or a pattern isn't a regular expression.
    """
    return Redactor(kinds=kinds, patterns=patterns, words=words)(history)
