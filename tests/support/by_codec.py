"""The tests that concern a codec: those that name it, or its family, in their file, function or parameters."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from agentmsg import codec_names, get_codec
from agentmsg.formats.codec import Codec

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["chosen_words", "concerns", "named_in"]


def chosen_words(names: Iterable[str]) -> frozenset[str]:
    """Return the names of some codecs, and of their families.

    Raises:
        pytest.UsageError: for an unknown codec; it lists the known ones.
    """
    known = codec_names()
    wanted = list(names)
    for name in wanted:
        if name not in known:
            raise pytest.UsageError(f"--codec: there is no codec {name!r}, there are {', '.join(known)}")
    return frozenset([*wanted, *(get_codec(name).family for name in wanted)])


def named_in(text: str) -> frozenset[str]:
    """Return the codecs that a text names: whole words, the longest first, with ``_`` for ``-``."""
    return frozenset(_codec_word().findall(text.lower().replace("_", "-")))


@cache
def _codec_word() -> re.Pattern[str]:
    names = sorted(codec_names(), key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, names))})(?![a-z0-9])")


def concerns(item: pytest.Item, words: frozenset[str]) -> bool:
    """Whether a test concerns the codecs named by some words (see ``chosen_words``)."""
    named = named_in(f"{item.path.stem} {item.name}")
    for mark in item.iter_markers("codec"):
        named |= chosen_words(mark.args)
    # An id need not contain the name of its codec.
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    held = {value.name for value in parameters.values() if isinstance(value, Codec)}
    return not words.isdisjoint(named | held)
