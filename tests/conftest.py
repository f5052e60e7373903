"""Set-up that all tests share: how hard Hypothesis tries, and where the test data stands.

``AGENTMSG_PROFILE`` chooses quick, default, ci or long; without it CI=true means ci.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from data import PROFILE, SHARED, shared_dir

if TYPE_CHECKING:
    from pathlib import Path

# No deadline and no complaint about slowness: both measure the machine, not the code.
_PLAIN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("quick", _PLAIN, max_examples=10)
settings.register_profile("default", _PLAIN, max_examples=100)
settings.register_profile(
    "ci", _PLAIN, max_examples=300, derandomize=True, database=None, print_blob=True
)  # the same examples each time: a red run can be repeated
settings.register_profile("long", _PLAIN, max_examples=20_000, derandomize=False)
settings.load_profile(PROFILE)


def pytest_report_header() -> str:
    """Say at the top of each run what it ran on."""
    return f"agentmsg: profile {PROFILE}, test data {SHARED if SHARED.is_dir() else 'missing'}"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of the test data."""
    return shared_dir()
