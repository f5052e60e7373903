"""Reads and dumps documents with the real pydantic-ai; runs in its own environment.

Its requests are ``{"body": messages}``; the response is the library's own dump of them. See the test beside it.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from real.workers.serve import serve

adapter: Any = import_module("pydantic_ai.messages").ModelMessagesTypeAdapter


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the package's dump of one document, or the error if it refuses it."""
    try:
        messages = adapter.validate_json(json.dumps(request["body"]))
    except ValueError as error:
        return {"error": str(error)}
    return {"dumped": json.loads(adapter.dump_json(messages))}


serve(answer)
