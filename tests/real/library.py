"""Real libraries, each in its own environment, behind a worker that loads and makes their messages.

A variable names the Python of an environment; for JavaScript packages, the worker beside them.
``python tests/real/prepare.py FOLDER`` makes all environments and prints how to set the variables.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["VARIABLES", "Library", "python_of", "start"]

VARIABLES = {
    "agentscope1": "AGENTMSG_REAL_AGENTSCOPE1",
    "agentscope2": "AGENTMSG_REAL_AGENTSCOPE2",
    "bedrock": "AGENTMSG_REAL_BEDROCK",
    "clusters": "AGENTMSG_REAL_CLUSTERS",
    "gemini": "AGENTMSG_REAL_GEMINI",
    "langchain_js": "AGENTMSG_REAL_LANGCHAIN_JS",
    "langgraph": "AGENTMSG_REAL_LANGGRAPH",
    "lionpride": "AGENTMSG_REAL_LIONPRIDE",
    "openapi": "AGENTMSG_REAL_OPENAPI",
    "openapi_ts": "AGENTMSG_REAL_OPENAPI_TS",
    "pydantic_ai": "AGENTMSG_REAL_PYDANTIC_AI",
    "recipes": "AGENTMSG_REAL_RECIPES",
    "sdks": "AGENTMSG_REAL_THROUGH",
    "through": "AGENTMSG_REAL_THROUGH",
    "transformers": "AGENTMSG_REAL_TRANSFORMERS",
    "vercel": "AGENTMSG_REAL_VERCEL",
}
_HERE = Path(__file__).resolve().parent
_GONE = b'{"error": "the worker has ended"}'


class Library:
    """A worker beside a real library.

    Args:
        command: starts it.
        folder: its working folder.
    """

    def __init__(self, command: list[str], folder: Path) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NODE_"))}
        self._worker = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, requests: Iterable[Any]) -> list[dict[str, Any]]:
        """Return the responses to some requests, in order."""
        lines = [json.dumps(request).encode() + b"\n" for request in requests]
        # Write while reading: a pipe's buffer is small, and both sides would wait for each other.
        writer = Thread(target=self._write, args=(lines,))
        writer.start()
        assert self._worker.stdout is not None
        answers = [json.loads(self._worker.stdout.readline() or _GONE) for _ in lines]
        writer.join()
        return answers

    def _write(self, lines: list[bytes]) -> None:
        assert self._worker.stdin is not None
        self._worker.stdin.writelines(lines)
        self._worker.stdin.flush()

    def load(self, natives: Iterable[Any]) -> list[dict[str, Any]]:
        """Return each native message as the library has loaded it, and how it writes it."""
        return self.ask({"load": native} for native in natives)

    def make(self, requests: Iterable[Any]) -> list[dict[str, Any]]:
        """Return each message that the library made, and how it writes it."""
        return self.ask({"make": request} for request in requests)

    def close(self) -> None:
        """End the worker."""
        assert self._worker.stdin is not None
        self._worker.stdin.close()
        self._worker.wait(timeout=30)
        assert self._worker.stdout is not None
        self._worker.stdout.close()


def start(name: str) -> Library:
    """Start a library by its name in the table; if its environment is missing, skip (under CI: fail)."""
    place = python_of(name)
    if place.endswith(".mjs"):
        return Library(["node", place], _HERE)
    return Library([place, "-m", f"real.workers.with_{name}"], _HERE.parent)


def python_of(name: str) -> str:
    """Return the Python of an environment, or the worker; if it is missing, skip (under CI: fail)."""
    place = os.environ.get(VARIABLES[name])
    if place:
        return place
    reason = f"{VARIABLES[name]} is not set: `python tests/real/prepare.py FOLDER` makes it and says what to set"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
