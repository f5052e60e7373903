"""What a rule is: the shape of one secret, and where it may be."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator

SecretKind: TypeAlias = Literal[
    "key", "token", "private-key", "password", "email", "home", "phone", "card", "iban", "ip"
]
KINDS: tuple[SecretKind, ...] = get_args(SecretKind)
"""The built-in kinds of secrets."""
USUAL = KINDS[:6]
"""The kinds that are looked for by default: the others are often part of what a conversation is about."""
REDACTED = "redact"
"""What the loss report of a redaction has in place of a format."""


@attrs.frozen
class Rule:
    """One shape of a secret.

    Attributes:
        kind: of the secret; names its placeholder.
        anchors: words of which a text must contain one; none: every text is searched.
        pattern: what to find; its group ``secret``, if it has one, is what to replace.
        about: the public page that describes the shape.
        normal: returns the same text for two spellings of one secret.
        check: whether what was found is a secret.
        leading: whether the pattern begins with an anchor: in the given case, or, by context, in any.
        by_context: whether only the context identifies it, so that it is searched elsewhere, too.
        each: what in the found text is secret, where that is several things; its group ``secret``.
    """

    kind: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    about: str = ""
    normal: Callable[[str], str] = str
    check: Callable[[str], bool] = bool
    leading: bool = False
    by_context: bool = False
    each: re.Pattern[str] | None = None

    def may_be_in(self, text: str, lower: str) -> bool:
        """Whether a text may hold such a secret, given the text and its lower case."""
        where = text if self._as_written else lower
        return not self.anchors or any(map(where.__contains__, self.anchors))

    def spans(self, text: str, lower: str) -> Iterator[tuple[int, int]]:
        """Yield the places of secrets with this shape, given the text and its lower case."""
        group: str | int = "secret" if "secret" in self.pattern.groupindex else 0
        where = text if self._as_written else lower
        # The lower case of some letters is longer.
        is_led = self.leading and len(where) == len(text)
        for found in self._led(text, where) if is_led else self.pattern.finditer(text):
            inner = (found,) if self.each is None else self.each.finditer(text, *found.span(group))
            for one in inner:
                start, end = one.span(group)
                if start < end and self.check(text[start:end]):
                    yield start, end

    @property
    def _as_written(self) -> bool:
        return self.leading and not self.by_context

    def _led(self, text: str, where: str) -> Iterator[re.Match[str]]:
        """Yield matches that begin with an anchor: jumping from anchor to anchor takes a tenth of a search's time."""
        match = self.pattern.match
        for anchor in self.anchors:
            at = where.find(anchor)
            while at >= 0:
                found = match(text, at)
                if found is not None:
                    yield found
                at = where.find(anchor, at + 1 if found is None else found.end())


def label_of(kind: str) -> str:
    """Return the word for a kind in its placeholders."""
    return re.sub(r"\W", "_", kind, flags=re.ASCII).upper()


# Where a word begins: not after a letter or digit, except at the end of an escape (\n, \u003d, %3D).
ESCAPED = r"(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
START = rf"(?:(?<![A-Za-z0-9])|{ESCAPED})"
# The same for words that may contain "-" and "_".
EDGE = rf"(?:(?<![\w.-])|{ESCAPED})"
# What says a name's value in a header, in JSON, in code, in an environment: name: value, "name": "value", name=value.
OPEN = r"[\"'\\]{0,8}"
IS = rf"{OPEN}\s{{0,4}}[:=]\s{{0,4}}{OPEN}"
GAP = r"(?:\s|\\{1,2}[nrt])"
DIGIT = r"(?=[^\s0-9]{0,200}[0-9])"
# Not a variable, a call, or what an object of a program is asked for.
LITERAL = (
    r"(?![$<{*%\[])(?![\w.]{1,100}[(\[])(?!(?:args|config|ctx|env|github|inputs|os|options|opts|params|process|props|req|"
    r"request|secrets|self|settings|steps|this|user|vars?)\.)"
)
# The values of cookies, but not their attributes.
COOKIES = (
    r"(?<![\w.-])(?!(?i:path|domain|expires|max-age|samesite|version|priority)=)[\w.-]{1,100}+="
    r"(?P<secret>(?=[^\s;,]{0,60}[0-9])[^\s;,]{6,}|[^\s;,]{12,})"
)
HARD_CODED = "https://owasp.org/www-community/vulnerabilities/Use_of_hard-coded_password"


def said(
    kind: str,
    anchors: str,
    pattern: str,
    about: str,
    check: Callable[[str], bool] = bool,
    *,
    each: str | None = None,
    leading: bool = True,
) -> Rule:
    """Return a rule for secrets that only the words around them tell; commas part the anchors."""
    inner = None if each is None else re.compile(each)
    words = tuple(anchors.split(", "))
    return Rule(kind, words, re.compile(pattern), about, check=check, leading=leading, by_context=True, each=inner)
