"""Where the test data is, which documents parametrized tests run through, and how hard tests try.

The data is not part of the project: it is at ``$AGENTMSG_SHARED``, else in ``shared`` beside the checkout.
``$AGENTMSG_PROFILE`` chooses how hard tests try: ``quick`` (the default), ``ci`` or ``long``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "EVERY",
    "PROFILE",
    "SHARED",
    "WHOLE",
    "corpus",
    "effort",
    "golden",
    "recorded",
    "share",
    "shared_dir",
    "some",
]

T = TypeVar("T")

# Rounds of each profile, for 100 rounds in a test: for example Hypothesis examples of a law.
ROUNDS = {"quick": 10, "ci": 10, "long": 10_000}

# How hard tests try.
PROFILE = os.environ.get("AGENTMSG_PROFILE") or "quick"
if PROFILE not in ROUNDS:
    raise pytest.UsageError(f"AGENTMSG_PROFILE is {PROFILE!r}, and there are only {', '.join(ROUNDS)}")

# Whether finite lists are tried to their end.
WHOLE = PROFILE == "long"

# Recorded documents are many and similar: the quick profile takes every tenth.
EVERY = 10 if PROFILE == "quick" else 1

SHARED = Path(os.environ.get("AGENTMSG_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def effort(count: int, *, least: int = 5) -> int:
    """Return the number of rounds of a test in the running profile: the one knob of every loop in the tests.

    ``$AGENTMSG_PROFILE`` names the profile:

    - ``quick``, the default: a tenth of the rounds, for every change;
    - ``ci``: as many, and all recorded documents, before a merge;
    - ``long``: a thousand times as many, overnight.

    A loop over random examples runs ``effort(n)`` times, Hypothesis tries ``effort(100)`` examples of a law, and
    ``some`` and ``share`` sample finite lists. Loops that build one document (its depth, its number of keys) are
    no effort. ``tests/test_house.py`` finds loops that don't call this.

    Args:
        count: the rounds.
        least: the least for the quick profile, unless ``count`` is lower: fewer would make the test meaningless.
    """
    return max(count * ROUNDS[PROFILE] // 100, min(count, least))


def some(items: Iterable[T], count: int, *, least: int = 5) -> list[T]:
    """Return ``effort(count)`` of the items, evenly spread from the first on; in ``long`` all of them."""
    found = list(items)
    wanted = len(found) if WHOLE else min(effort(count, least=least), len(found))
    return [found[number * len(found) // wanted] for number in range(wanted)]


def share(items: Iterable[T], turn: int, *, least: int = 3) -> list[T]:
    """Return all items; in the quick profile one in several, and others at the next turn.

    Args:
        items: the items, each to be combined with many other things.
        turn: the number of the other thing.
        least: the least number of items at each turn, if there are that many.
    """
    found = list(items)
    step = max(1, len(found) // effort(len(found), least=least))
    return found[turn % step :: step]


def recorded(items: Iterable[T]) -> list[T]:
    """Return recorded documents: in the quick profile every tenth from the first on, else all of them."""
    return list(items)[::EVERY]


def shared_dir() -> Path:
    """Return the folder of the test data; if it is missing, skip the test (under CI: fail)."""
    if SHARED.is_dir():
        return SHARED
    reason = f"the test data is not at {SHARED}: set AGENTMSG_SHARED to the folder that holds golden/ and corpus/"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason, allow_module_level=True)


def golden(system: str) -> list[Path]:
    """Return the golden documents of one system, sorted; none at all is an error, never an empty test."""
    return _documents("golden", system)


def corpus(system: str) -> list[Path]:
    """Return the recorded documents of one system (.json and .jsonl), sorted; none at all is an error."""
    return _documents("corpus", system)


def _documents(kind: str, system: str) -> list[Path]:
    folder = shared_dir() / kind / system
    found = sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".jsonl"})
    if not found:
        pytest.fail(f"there are no documents in {folder}", pytrace=False)
    return found
