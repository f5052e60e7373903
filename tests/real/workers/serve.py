"""Shared by the workers: one request a line, one response a line. Runs beside a real library, and knows only JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["serve"]


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Respond to each line of stdin with one line; errors are responses too."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - the test shall see any error
            reply = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
