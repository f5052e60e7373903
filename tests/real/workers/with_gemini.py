"""Validates documents with the real google-genai; runs in its own environment.

Its requests are ``{"body": request}`` and ``{"response": response}``; see the tests beside it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from real.workers.serve import serve

types: Any = import_module("google.genai.types")


def body_problems(body: dict[str, Any]) -> None:
    """Validate the parts of a request one by one, as the package's calls take them.

    Raises:
        ValidationError: if the package refuses it.
    """
    for content in body["contents"]:
        types.Content.model_validate(content)
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
    for tool in body.get("tools", ()):
        types.Tool.model_validate(tool)
    types.GenerationConfig.model_validate(body.get("generationConfig", {}))
    types.ToolConfig.model_validate(body.get("toolConfig", {}))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the package's response to one document, or the error if it refuses it."""
    if "response" in request:
        types.GenerateContentResponse.model_validate(request["response"])
    else:
        body_problems(request["body"])
    return {"ok": True}


serve(answer)
