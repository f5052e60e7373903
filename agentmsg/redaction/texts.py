"""Which of some texts hold a secret, and what they become: each secret is the same placeholder wherever it stands.

A placeholder such as ``REDACTED_EMAIL_1`` has only letters, digits and underscores, so that it is valid wherever it
may come to stand: in prose, JSON text, URLs, paths, names and ids. Numbers that stand in the texts already are not
used again. Payloads in base64 are left alone: a match within one is a coincidence.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentmsg.redaction.patterns import Row

__all__ = ["Texts"]

_MARK = "REDACTED_"
_PLACEHOLDER = re.compile(r"REDACTED_[A-Z][A-Z0-9_]{0,99}_\d{1,9}")
_NUMBERED = re.compile(r"([A-Z][A-Z0-9_]{0,99}?)_(\d{1,9})")
# Payloads: what is said to be base64, and runs that are too long for a key.
_PAYLOAD = re.compile(r";base64,[A-Za-z0-9+/_=%-]++|[A-Za-z0-9+/_-]{200,}+={0,2}|[A-Za-z0-9+/_-]++")
_LONG = 200
# Secrets that something around them gave away are looked for everywhere, unless they are as short as any word.
_FOUND_EVERYWHERE = frozenset({"key", "password", "token"})
_SHORTEST = 8
_PREFIX = 4


class Texts:
    """Finds secrets in texts; one for each history.

    Args:
        rows: the shapes to look for, in order.
        words: texts to look for as they are.
    """

    def __init__(self, rows: Sequence[Row], words: Iterable[str] = ()) -> None:
        self._rows = rows
        self._words = frozenset(words)
        self._placeholders: dict[str, str] = {}
        self._numbers: Counter[str] = Counter()
        self._everywhere: set[str] = set()
        self.found: Counter[str] = Counter()

    def changes(self, texts: Iterable[str]) -> dict[str, str]:
        """Return what those of the texts become that hold a secret."""
        distinct = list(dict.fromkeys(texts))
        together = "\n".join(distinct)
        self._reserve(together)
        rows = [row for row in self._rows if not row.hints or any(hint in together for hint in row.hints)]
        changed: dict[str, str] = {}
        literal = _Literals(self._words) if self._words else None
        for text in distinct:
            new = text if literal is None else literal.replaced(text, lambda word: self._placeholder("word", word))
            new = self._by_rows(new, rows)
            if new != text:
                changed[text] = new
        if self._everywhere:
            known = _Literals(self._everywhere)
            for text in distinct:
                before = changed.get(text, text)
                new = known.replaced(before, self._placeholders.__getitem__)
                if new != before:
                    changed[text] = new
        return changed

    def _reserve(self, together: str) -> None:
        """Take note of placeholders that stand there already: those of another secret must not be made again."""
        for piece in together.split(_MARK)[1:]:
            found = _NUMBERED.match(piece)
            if found is not None:
                self._numbers[found[1]] = max(self._numbers[found[1]], int(found[2]))

    def _by_rows(self, text: str, rows: Sequence[Row]) -> str:
        for row in rows:
            if row.hints and not any(hint in text for hint in row.hints):
                continue
            text = self._by_row(text, row)
        return text

    def _by_row(self, text: str, row: Row) -> str:
        pieces: list[str] = []
        last = 0
        payloads: list[tuple[int, int]] | None = None
        for match in row.finder().finditer(text):
            start, end = match.span("s") if match.groupdict().get("s") is not None else match.span()
            if start == end or start < last:
                continue
            secret = text[start:end]
            if _PLACEHOLDER.fullmatch(secret):
                continue
            if payloads is None:
                payloads = _payloads(text)
            if _within(match.span(), payloads):
                continue
            if row.kind in _FOUND_EVERYWHERE and len(secret) >= _SHORTEST:
                self._everywhere.add(secret)
            pieces += (text[last:start], self._placeholder(row.kind, secret))
            last = end
        return "".join((*pieces, text[last:])) if pieces else text

    def _placeholder(self, kind: str, secret: str) -> str:
        known = self._placeholders.get(secret)
        if known is None:
            word = kind.upper()
            self._numbers[word] += 1
            self.found[kind] += 1
            known = self._placeholders[secret] = f"{_MARK}{word}_{self._numbers[word]}"
        return known


def _payloads(text: str) -> list[tuple[int, int]]:
    """Return where payloads in base64 stand, in order."""
    if len(text) < _LONG and ";base64," not in text:
        return []
    spans = (match.span() for match in _PAYLOAD.finditer(text))
    return [(start, end) for start, end in spans if end - start >= _LONG or text.startswith(";base64,", start)]


def _within(span: tuple[int, int], payloads: list[tuple[int, int]]) -> bool:
    """Whether a match lies in a longer payload; such are few, and only looked through where something matches."""
    from bisect import bisect_right  # noqa: PLC0415 - needed by few

    place = bisect_right(payloads, (span[0], 1 << 60)) - 1
    if place < 0:
        return False
    start, end = payloads[place]
    return start <= span[0] and span[1] <= end and (start, end) != span


class _Literals:
    """Many texts that are looked for as they are, in one go: the time doesn't grow with their number."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        size = min(_PREFIX, *map(len, self._words))
        lengths: dict[str, set[int]] = {}
        for word in self._words:
            lengths.setdefault(word[:size], set()).add(len(word))
        self._lengths = {prefix: sorted(own, reverse=True) for prefix, own in lengths.items()}
        letters = [sorted({prefix[place] for prefix in lengths}) for place in range(size)]
        sets = "".join(f"[{''.join(map(re.escape, own))}]" for own in letters)
        self._start = re.compile(f"(?=({sets}))", re.DOTALL)

    def replaced(self, text: str, instead: Callable[[str], str]) -> str:
        """Return a text with something else instead of each word, the longest first; payloads stay."""
        pieces: list[str] = []
        last = 0
        payloads: list[tuple[int, int]] | None = None
        for match in self._start.finditer(text):
            start = match.start()
            if start < last:
                continue
            for length in self._lengths.get(match[1], ()):
                word = text[start : start + length]
                if word not in self._words:
                    continue
                if payloads is None:
                    payloads = _payloads(text)
                if not _within((start, start + length), payloads):
                    pieces += (text[last:start], instead(word))
                    last = start + length
                    break
        return "".join((*pieces, text[last:])) if pieces else text
