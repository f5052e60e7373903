"""Where the test data stands, the lists of files that parametrized tests run through, and how hard tests try.

The data is not part of the project: it is looked for at ``$AGENTMSG_SHARED``, else in ``shared`` beside the
checkout.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["PROFILE", "SHARED", "corpus", "golden", "shared_dir"]

# How hard tests try: quick, default, ci or long.
PROFILE = os.environ.get("AGENTMSG_PROFILE") or ("ci" if os.environ.get("CI") == "true" else "default")

SHARED = Path(os.environ.get("AGENTMSG_SHARED") or Path(__file__).resolve().parents[2] / "shared")


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
