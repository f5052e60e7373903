"""What the workers share: a request a line, an answer a line. Runs beside a real library, and knows only JSON."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["serve"]


def serve(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer each line of stdin with one line; what goes wrong is an answer, too."""
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test shall see it
            reply = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
