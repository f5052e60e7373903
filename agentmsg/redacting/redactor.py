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
from agentmsg.redacting.leaves import Nature, rewritten, texts_in
from agentmsg.redacting.patterns import RULES, is_random, may_be_secret
from agentmsg.redacting.rule import KINDS, REDACTED, USUAL, Rule, SecretKind, label_of
from agentmsg.values.frozen import shallow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PLACEHOLDER = re.compile(r"REDACTED_([A-Z][A-Z0-9_]{0,48})_([0-9]{1,9})(?![0-9])")
_DATA_URL = re.compile(r"(?i);base64,(?P<data>[A-Za-z0-9+/]{64,}+={0,2})")
# A home path consists of the same characters.
_BASE64 = re.compile(r"(?!/home/|/Users/)[A-Za-z0-9+/_\r\n-]*+[=\r\n]*")
# A whole text of base64 this long is a payload, wherever it is.
_PAYLOAD = 1024
# A secret known only from its context is searched elsewhere if it can hardly be a common word.
_LEAST, _SURE = 6, 16
# Longer ones aren't: comparing them at each place where they may begin would take quadratic time.
_LONGEST = 4096
_HEAD = 6
# The kinds of what is named.
_KINDS: Mapping[str, str] = {"header": "token"}
_WORD = "word"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@attrs.frozen
class _Texts:
    """The texts of a history, each once, in order."""

    plain: dict[str, None] = attrs.field(factory=dict[str, None])
    opaque: dict[str, None] = attrs.field(factory=dict[str, None])
    named: dict[tuple[str, Nature], None] = attrs.field(factory=dict[tuple[str, Nature], None])

    def see(self, text: str, nature: Nature) -> str:
        """Record a text, and return it."""
        if nature == "opaque" or (len(text) >= _PAYLOAD and _BASE64.fullmatch(text)):
            self.opaque[text] = None
        else:
            self.plain[text] = None
            if nature != "text":
                self.named[text, nature] = None
        return text


@attrs.frozen
class _Found:
    """The secrets found in some texts.

    Attributes:
        texts: the replacement of each text with a secret.
        payloads: the same for payloads, which are one secret or left alone.
        named: the same for values with a secret name, by that name's kind.
        kinds: the kind of each placeholder.
    """

    texts: Mapping[str, str]
    payloads: Mapping[str, str]
    named: Mapping[tuple[str, Nature], str]
    kinds: Mapping[str, str]

    def __call__(self, text: str, nature: Nature) -> str:
        """Return the replacement of a text."""
        if nature == "opaque" or text in self.payloads:
            return self.payloads.get(text, text)
        return self.named.get((text, nature)) or self.texts.get(text, text)


class _Search:
    """A search for secrets.

    Args:
        texts: all texts.
        rules: in order of precedence.
        kinds: of the values with a secret name.
    """

    def __init__(self, texts: _Texts, rules: Sequence[Rule], kinds: Iterable[str]) -> None:
        self.texts = texts
        short = [text for text in texts.opaque if len(text) < _PAYLOAD]
        self.whole = "\n".join((*texts.plain, *short))
        lower = self.whole.lower()
        self.rules = [rule for rule in rules if rule.may_be_in(self.whole, lower)]
        asked = frozenset(kinds)
        self.named: list[tuple[str, Nature]] = [
            (text, kind) for text, kind in texts.named if _KINDS.get(kind, kind) in asked and _may_be_secret(text, kind)
        ]
        self.numbers: dict[str, int] = {}
        self.taken: set[str] = set()
        self.placeholders: dict[tuple[str, str], str] = {}
        self.kinds: dict[str, str] = {}
        # Secrets known only from their context, by their first characters and their length.
        self.elsewhere: dict[str, dict[int, dict[str, str]]] = {}

    def found(self) -> _Found:
        if not self.rules and not self.named:
            return _Found({}, {}, {}, {})
        if "REDACTED_" in self.whole:
            self.taken = {found[0] for text in self.texts.plain for found in _PLACEHOLDER.finditer(text)}
        spans = {text: self.spans(text) for text in self.texts.plain}
        payloads = dict(self.payloads())
        named: dict[tuple[str, Nature], str] = {
            (text, kind): self.named_value(text, kind) for text, kind in self.named if not spans[text]
        }
        if self.elsewhere:
            for text, own in spans.items():
                own.extend(self.repeated(text, own))
        return _Found({text: _put(text, own) for text, own in spans.items() if own}, payloads, named, self.kinds)

    def named_value(self, text: str, kind: str) -> str:
        """Return the placeholder of a value with a secret name."""
        known = self.elsewhere.get(text[:_HEAD], {}).get(len(text), {}).get(text)
        placeholder = self.placeholder(_KINDS.get(kind, kind), text) if known is None else known
        if _is_unlikely_word(text):
            self.remember(text, placeholder)
        return placeholder

    def payloads(self) -> Iterator[tuple[str, str]]:
        """Yield the replacements of payloads: of those that aren't base64, and those that are one secret."""
        for text in self.texts.opaque:
            if not _BASE64.fullmatch(text) or (len(text) < _PAYLOAD and self.is_one(text)):
                own = self.spans(text)
                if own:
                    yield text, _put(text, own)

    def is_one(self, text: str) -> bool:
        """Whether a whole text is one secret."""
        return any(rule.pattern.fullmatch(text) for rule in self.rules)

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """Return the places of secrets in a text, with their placeholders."""
        lower = text.lower()
        if len(text) < 4:  # noqa: PLR2004 - as long as the shortest, such as a mail address
            rules = [rule for rule in self.rules if not rule.anchors]
        else:
            rules = [rule for rule in self.rules if rule.may_be_in(text, lower)]
        if not rules:
            return []
        taken = _kept(text)
        found: list[tuple[int, int, Rule]] = []
        for rule in rules:
            for start, end in rule.spans(text, lower):
                if taken.find(1, start, end) < 0:
                    taken[start:end] = b"\1" * (end - start)
                    found.append((start, end, rule))
        found.sort(key=lambda span: span[0])
        return [(start, end, self.named_by(rule, text[start:end])) for start, end, rule in found]

    def named_by(self, rule: Rule, secret: str) -> str:
        placeholder = self.placeholder(rule.kind, rule.normal(secret))
        if rule.by_context and _is_unlikely_word(secret):
            self.remember(secret, placeholder)
        return placeholder

    def placeholder(self, kind: str, secret: str) -> str:
        """Return a secret's placeholder, the same everywhere in the history."""
        label = label_of(kind)
        known = self.placeholders.get((label, secret))
        if known is not None:
            return known
        while True:
            self.numbers[label] = number = self.numbers.get(label, 0) + 1
            placeholder = f"REDACTED_{label}_{number}"
            if placeholder not in self.taken:
                break
        self.placeholders[label, secret] = placeholder
        self.kinds[placeholder] = kind
        return placeholder

    def remember(self, secret: str, placeholder: str) -> None:
        if len(secret) > _LONGEST:
            return
        self.elsewhere.setdefault(secret[:_HEAD], {}).setdefault(len(secret), {}).setdefault(secret, placeholder)

    def repeated(self, text: str, own: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
        """Yield the places of secrets that were known only from their context elsewhere."""
        heads = self.elsewhere
        taken: bytearray | None = None
        at = 0
        while at <= len(text) - _HEAD:
            lengths = heads.get(text[at : at + _HEAD])
            if lengths is not None:
                for length in sorted(lengths, reverse=True):
                    placeholder = lengths[length].get(text[at : at + length])
                    if placeholder is None:
                        continue
                    taken = _kept(text, own) if taken is None else taken
                    if taken.find(1, at, at + length) < 0:
                        yield at, at + length, placeholder
                        at += length - 1
                        break
            at += 1


def _may_be_secret(text: str, nature: Nature) -> bool:
    """Whether a value may be secret for its name; other headers and tokens are part of many a conversation."""
    if _PLACEHOLDER.search(text):
        return False
    if nature == "header":
        return len(text) >= _SURE and ("=" in text or any(char.isdigit() for char in text))
    return is_random(text) if nature == "token" else may_be_secret(text)


def _is_unlikely_word(text: str) -> bool:
    return len(text) >= _SURE or (len(text) >= _LEAST and any(char.isdigit() for char in text))


def _kept(text: str, own: Iterable[tuple[int, int, str]] = ()) -> bytearray:
    """Return a mark for each character that must stay: placeholders, payloads, and what is already replaced."""
    taken = bytearray(len(text))
    spans = [(start, end) for start, end, _ in own]
    if "REDACTED_" in text:
        spans += [found.span() for found in _PLACEHOLDER.finditer(text)]
    if ";base64," in text:
        spans += [found.span("data") for found in _DATA_URL.finditer(text)]
    for start, end in spans:
        taken[start:end] = b"\1" * (end - start)
    return taken


def _put(text: str, spans: list[tuple[int, int, str]]) -> str:
    """Return a text with placeholders in some places."""
    out: list[str] = []
    done = 0
    for start, end, placeholder in sorted(spans):
        out += (text[done:start], placeholder)
        done = end
    return "".join((*out, text[done:]))


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
        texts = _Texts()
        try:
            rewritten(source, texts.see)
            found = _Search(texts, self._rules, self.kinds).found()
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
    found = (each[0] for text in texts_in(loss.now) for each in _PLACEHOLDER.finditer(text))
    return attrs.evolve(loss, why=", ".join({kinds[each]: None for each in found if each in kinds}) or "redacted")


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
