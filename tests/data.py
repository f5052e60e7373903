"""Where the test data stands, which documents parametrized tests run through, and how hard tests try.

The data is not part of the project: it is looked for at ``$AGENTMSG_SHARED``, else in ``shared`` beside the
checkout. ``$AGENTMSG_PROFILE`` chooses how hard tests try: ``quick`` (the default), ``ci`` or ``long``.
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

# What a profile does for 100 rounds: the examples that Hypothesis tries for a law, to begin with.
ROUNDS = {"quick": 25, "ci": 60, "long": 10_000}

# How hard tests try.
PROFILE = os.environ.get("AGENTMSG_PROFILE") or "quick"
if PROFILE not in ROUNDS:
    raise pytest.UsageError(f"AGENTMSG_PROFILE is {PROFILE!r}, and there are only {', '.join(ROUNDS)}")

# Whether what can be listed is gone through to its end.
WHOLE = PROFILE == "long"

# Of recorded documents, which are many and much alike, the quick profile takes every tenth.
EVERY = 10 if PROFILE == "quick" else 1

SHARED = Path(os.environ.get("AGENTMSG_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def effort(count: int, *, least: int = 10) -> int:
    """Return how many rounds a test goes, by the running profile: the one knob that every loop of the tests obeys.

    The profile is that of ``$AGENTMSG_PROFILE``:

    - ``quick``, the default: a quarter of the rounds that are written, for every change;
    - ``ci``: three fifths, before something is merged;
    - ``long``: a hundred times as many, overnight.

    A loop over random examples runs ``effort(n)`` times, Hypothesis tries ``effort(100)`` examples of a law, and
    ``some`` and ``share`` sample what can be listed. What a loop needs to make one document (nesting it so deep, so
    many keys) is no effort. ``tests/test_house.py`` finds loops that do not ask.

    Args:
        count: the rounds.
        least: what the quick profile does at least, where ``count`` is no less: with fewer the test says nothing.
    """
    return max(count * ROUNDS[PROFILE] // 100, min(count, least))


def some(items: Iterable[T], count: int, *, least: int = 10) -> list[T]:
    """Return ``effort(count)`` of the items, spread evenly from the first on; in ``long`` all of them."""
    found = list(items)
    wanted = len(found) if WHOLE else min(effort(count, least=least), len(found))
    return [found[number * len(found) // wanted] for number in range(wanted)]


def share(items: Iterable[T], turn: int, *, least: int = 3) -> list[T]:
    """Return all the items; in the quick profile one in so many, others at the next turn.

    Args:
        items: each of which is to be tried together with many other things.
        turn: the number of the other thing.
        least: how many are tried at each turn, where there are so many.
    """
    found = list(items)
    step = max(1, len(found) // effort(len(found), least=least))
    return found[turn % step :: step]


def recorded(items: Iterable[T]) -> list[T]:
    """Return every tenth of some recorded documents from the first on in the quick profile, else all of them."""
    return list(items)[::EVERY]


def shared_dir() -> Path:
    """Return the folder of the test data; where it is missing, skip whoever asks (under CI: fail)."""
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
