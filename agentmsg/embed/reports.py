"""Losses and findings as pydantic types: what a conversion lost, and what a provider would refuse.

A loss is an object of its fields; its values are in the canonical form. A loss report is an object of the header that
it has on file, its losses, and the spellings that make a document exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from agentmsg.embed.errors import fail
from agentmsg.embed.fields import unexpected
from agentmsg.errors import AgentMsgError, DecodeError, excerpt, is_a
from agentmsg.fitting.account_file import from_lines, loss_from, loss_to, to_lines
from agentmsg.fitting.losses import Kind, Loss, Losses, relisted
from agentmsg.formats.capabilities import Level
from agentmsg.formats.sending.findings import Finding, Severity
from agentmsg.values.copies import copy_document
from agentmsg.values.text import dump_json, parse_json
from agentmsg.values.types import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["core_schema", "json_schema"]

_DEPTH = 200


def _said(value: Any, name: str, **texts: tuple[str, ...]) -> dict[str, Any]:
    """Return an object of a report, whose path and texts are of the right types."""
    held = copy_document(value, _DEPTH)
    if not is_object(held):
        raise DecodeError(f"{name} is an object, not {excerpt(held)}", code="type")
    path = held.get("path")
    if not is_list(path) or not all(type(step) in (str, int) for step in path):
        raise DecodeError("a path is a list of names and numbers", code="type", path=("path",))
    for key, words in texts.items():
        text = held.get(key)
        if type(text) is not str or (words and text not in words):
            wanted = f"one of {', '.join(words)}" if words else "a text"
            raise DecodeError(f"{key} is {wanted}, not {excerpt(text)}", code="type", path=(key,))
    return held


def _read_loss(value: Any) -> Loss:
    return loss_from(_said(value, "a loss", kind=get_args(Kind), level=get_args(Level), codec=(), why=()))


def _read_losses(value: Any) -> Losses:
    held = copy_document(value, _DEPTH)
    if not is_object(held) or not is_list(held.get("losses")) or not is_list(held.get("spelling", [])):
        raise DecodeError("a loss report is an object with a list of losses", code="type", path=("losses",))
    losses, spelling = held.pop("losses"), held.pop("spelling", [])
    found: list[Loss] = []
    try:
        for loss in losses:
            found.append(_read_loss(loss))  # noqa: PERF401 - how many there are is the path
    except AgentMsgError as error:
        raise error.at("losses", len(found)) from None
    return relisted(from_lines(map(dump_json, [held, *spelling])), found)


def _write_losses(losses: Losses) -> dict[str, Any]:
    header, *spelling = map(parse_json, to_lines(relisted(losses, ())))
    return {**header, "losses": [loss_to(loss) for loss in losses], "spelling": spelling}


def _read_finding(value: Any) -> Finding:
    severities = get_args(Severity)
    held = _said(value, "a finding", code=(), severity=severities, message=(), fix=())
    return Finding(held["code"], held["severity"], tuple(held["path"]), held["message"], held["fix"])


def _write_finding(finding: Finding) -> dict[str, Any]:
    severity, path = finding.severity, list(finding.path)
    return {"code": finding.code, "severity": severity, "path": path, "message": finding.message, "fix": finding.fix}


_TEXT: Any = {"type": "string"}
_PATH: Any = {"type": "array", "items": {"anyOf": [_TEXT, {"type": "integer"}]}}


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_LOSS = _object(
    "path", "kind", "codec", "level", "why",
    path=_PATH, kind={"type": "string", "enum": list(get_args(Kind))}, codec=_TEXT,
    level={"type": "string", "enum": list(get_args(Level))}, was={}, now={}, why=_TEXT,
)  # fmt: skip
_LOSSES = _object(
    "agentmsg-losses", "codec", "losses",
    **{"agentmsg-losses": {"type": "integer"}}, codec=_TEXT, losses={"type": "array", "items": _LOSS},
    spelling={"type": "array", "items": {"type": "object"}},
)  # fmt: skip
_FINDING = _object(
    "code", "severity", "path", "message", "fix",
    code=_TEXT, severity={"type": "string", "enum": list(get_args(Severity))}, path=_PATH, message=_TEXT, fix=_TEXT,
)  # fmt: skip
_TYPES: Mapping[type[Any], tuple[Callable[[Any], Any], Callable[[Any], Any], dict[str, Any]]] = {
    Loss: (_read_loss, loss_to, _LOSS),
    Losses: (_read_losses, _write_losses, _LOSSES),
    Finding: (_read_finding, _write_finding, _FINDING),
}


def core_schema(cls: type[Any]) -> Any:
    """Return how pydantic validates and serializes losses, loss reports or findings."""
    from pydantic_core import core_schema as schemas  # noqa: PLC0415 - pydantic asks

    read, write, _ = _TYPES[cls]

    def validated(value: Any) -> Any:
        if is_a(value, cls):
            return value
        try:
            return read(value)
        except AgentMsgError as error:
            fail(error, value, cls.__name__)

    def written(value: Any) -> Any:
        if not is_a(value, cls):
            raise unexpected(value, cls.__name__)
        return write(value)

    serialization = schemas.plain_serializer_function_ser_schema(written)
    ref = f"agentmsg.{cls.__name__}:reports"
    return schemas.no_info_plain_validator_function(validated, serialization=serialization, ref=ref)


def json_schema(cls: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of losses, loss reports or findings."""
    return {"title": cls.__name__, **_TYPES[cls][2]}
