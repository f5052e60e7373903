"""Find the secrets in texts, and choose their placeholders.

Placeholders such as ``REDACTED_EMAIL_1`` contain only letters, digits and underscores, so they are valid in JSON text,
URLs, paths, tool names and ids. They are numbered by first occurrence; numbers already in the texts are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from agentmsg.redacting.leaves import Nature
from agentmsg.redacting.patterns import is_random, may_be_secret
from agentmsg.redacting.rule import label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agentmsg.redacting.rule import Rule

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


def _empty() -> dict[str, None]:
    return {}


def _nobody() -> dict[tuple[str, Nature], None]:
    return {}


@attrs.frozen
class Texts:
    """The texts of a history, each once, in order."""

    plain: dict[str, None] = attrs.field(factory=_empty)
    opaque: dict[str, None] = attrs.field(factory=_empty)
    named: dict[tuple[str, Nature], None] = attrs.field(factory=_nobody)

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
class Found:
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

    @classmethod
    def of(cls, texts: Texts, rules: Sequence[Rule], kinds: Iterable[str]) -> Found:
        """Find secrets by some rules.

        Args:
            texts: all texts.
            rules: in order of precedence.
            kinds: of the values with a secret name.
        """
        return _Search(texts, rules, kinds).found()

    def __call__(self, text: str, nature: Nature) -> str:
        """Return the replacement of a text."""
        if nature == "opaque" or text in self.payloads:
            return self.payloads.get(text, text)
        return self.named.get((text, nature)) or self.texts.get(text, text)


def kinds_in(text: str, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield the kinds of the placeholders in a text."""
    for found in _PLACEHOLDER.finditer(text):
        if found[0] in kinds:
            yield kinds[found[0]]


class _Search:
    def __init__(self, texts: Texts, rules: Sequence[Rule], kinds: Iterable[str]) -> None:
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

    def found(self) -> Found:
        if not self.rules and not self.named:
            return Found({}, {}, {}, {})
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
        return Found({text: _put(text, own) for text, own in spans.items() if own}, payloads, named, self.kinds)

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
