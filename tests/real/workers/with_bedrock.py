"""Validates documents with the real botocore; runs in its own environment.

Its requests are ``{"body": request}``, ``{"response": response}`` and ``{"event": event}``; see the tests beside it.
"""

from __future__ import annotations

import base64
from importlib import import_module
from typing import Any

from real.workers.serve import serve

loader: Any = import_module("botocore.loaders").Loader()
model: Any = import_module("botocore.model").ServiceModel(
    loader.load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime"
)
validator: Any = import_module("botocore.validate").ParamValidator()
converse: Any = model.operation_model("Converse")
SHAPES: dict[str, Any] = {
    "body": converse.input_shape,
    "response": converse.output_shape,
    "event": model.operation_model("ConverseStream").output_shape.members["stream"],
}
CONTAINERS: dict[str, Any] = {"structure": dict, "list": list}


def with_bytes(value: Any, shape: Any) -> Any:
    """Return a document whose blobs are bytes, as the package wants them."""
    kind = shape.type_name
    if kind == "blob":
        return base64.b64decode(value, validate=True)
    if type(value) is not CONTAINERS.get(kind) or getattr(shape, "is_document_type", False):
        return value
    if kind == "list":
        return [with_bytes(item, shape.member) for item in value]
    members = shape.members
    return {key: with_bytes(value[key], members[key]) if key in members else value[key] for key in value}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the package's response to one document, or the error if it refuses it."""
    kind, document = next(iter(request.items()))
    shape = SHAPES[kind]
    # The model is part of the address.
    given = {**document, "modelId": "m"} if kind == "body" else document
    report = validator.validate(with_bytes(given, shape), shape)
    errors = report.generate_report().splitlines()
    if kind != "body":
        # A client doesn't check responses, so compare the names and types of their keys here.
        errors = [line for line in errors if not line.startswith(("Missing required", "Invalid length"))]
    return {"error": "; ".join(errors)} if errors else {"ok": True}


serve(answer)
