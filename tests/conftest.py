"""Set-up shared by all tests: how hard they try, which of them run, and where the test data is.

``AGENTMSG_PROFILE`` chooses ``quick`` (the default), ``ci`` or ``long``; see ``data.effort``.
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from data import PROFILE, SHARED, effort, shared_dir

if TYPE_CHECKING:
    from pathlib import Path

# The codecs that ``--codec`` names.
_WORDS = pytest.StashKey[frozenset[str]]()

# No deadline and no slowness check: both measure the machine, not the code.
_PLAIN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=effort(100))

settings.register_profile("quick", _PLAIN)
settings.register_profile(
    "ci", _PLAIN, derandomize=True, database=None, print_blob=True
)  # the same examples each time, so that a failing run can be repeated
settings.register_profile("long", _PLAIN)
settings.load_profile(PROFILE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs all tests of one codec."""
    told = "run only the tests that name this codec, or its family; may be given several times"
    parser.addoption("--codec", metavar="NAME", action="append", help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse an unknown codec before collecting any test."""
    names = config.getoption("--codec")
    if names:
        from support.by_codec import chosen_words

        config.stash[_WORDS] = chosen_words(names)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that don't concern the chosen codecs."""
    words = config.stash.get(_WORDS, None)
    if words is None:
        return
    from support.by_codec import concerns

    others = [item for item in items if not concerns(item, words)]
    if others:
        config.hook.pytest_deselected(items=others)
        left_out = set(others)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run quick tests on all processors, like ``-n auto --dist worksteal``, unless told otherwise."""
    option = config.option
    if PROFILE == "quick" and not option.markexpr:
        option.markexpr = "not slow"
    # Without pytest-xdist there is no such option. A worker process starts no more workers.
    alone = getattr(option, "numprocesses", 0) is not None or "PYTEST_XDIST_WORKER" in os.environ
    if not alone and not option.tx and not option.usepdb:
        option.numprocesses = "auto"
        if option.dist == "no":
            option.dist = "worksteal"  # an idle worker takes tests from the others


def pytest_collection_finish() -> None:
    """Freeze imported objects, so that the garbage collector skips them: scanning them took much of the time."""
    gc.freeze()


def pytest_report_header() -> str:
    """Report at the top of each run what it runs on."""
    return f"agentmsg: profile {PROFILE}, test data {SHARED if SHARED.is_dir() else 'missing'}"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the test data."""
    return shared_dir()
