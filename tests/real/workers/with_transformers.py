"""Renders rows with the real transformers; runs in its own environment.

Its requests are ``{"template": text, "row": row}``; see the tests beside it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from real.workers.serve import serve

render: Any = import_module("transformers.utils.chat_template_utils").render_jinja_template


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return a row rendered by a template, or the error if the template refuses it."""
    row = request["row"]
    texts, _ = render([row["messages"]], tools=row.get("tools"), chat_template=request["template"])
    return {"text": texts[0]}


serve(answer)
