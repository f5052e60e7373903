"""Losses and findings as pydantic types: what a conversion lost, and what a provider would refuse.

A loss is an object of its fields; its values are in the canonical form, and ``output`` binds it to the converted
history. A loss report is an object of the header that it has on file, its losses, and the spellings that make a
document exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import attrs

from agentmsg.embed.fields import fail, unexpected
from agentmsg.errors import AgentMsgError, is_a
from agentmsg.fitting.account_file import from_lines, loss_from, loss_to, to_lines
from agentmsg.fitting.losses import Loss, Losses, relisted
from agentmsg.formats.sending.findings import Finding
from agentmsg.values.copies import copy_document
from agentmsg.values.text import dump_json, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DEPTH = 200
# The keys of a loss report that aren't its header's; the others are as on file.
_OF_REPORTS: Mapping[str, tuple[Any, bool]] = {
    "agentmsg-losses": (int, True),
    "codec": (str, True),
    "losses": (list[Loss], True),
    "spelling": (list[dict[str, Any]], False),
}


def _read_losses(held: dict[str, Any]) -> Losses:
    losses, spelling = held.pop("losses"), held.pop("spelling", [])
    return relisted(from_lines(map(dump_json, [held, *spelling])), losses)


def _write_losses(losses: Losses) -> dict[str, Any]:
    header, *spelling = map(parse_json, to_lines(relisted(losses, ())))
    own = [loss_to(attrs.evolve(loss, origin=None)) for loss in losses]  # what they are bound to, the header says
    return {**header, "losses": own, "spelling": spelling}


def _read_finding(held: dict[str, Any]) -> Finding:
    held["path"] = tuple(held["path"])
    return Finding(**held)


def _write_finding(finding: Finding) -> dict[str, Any]:
    return {**attrs.asdict(finding), "path": list(finding.path)}


_TYPES: Mapping[type[Any], tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    Loss: (loss_from, loss_to),
    Losses: (_read_losses, _write_losses),
    Finding: (_read_finding, _write_finding),
}


def _keys(cls: type[Any]) -> Mapping[str, tuple[Any, bool]]:
    """Return the types of an object's keys, and which it must have: the fields of the class, with lists for tuples."""
    if cls is Losses:
        return _OF_REPORTS
    hints: dict[str, Any] = get_type_hints(cls)
    found = {field.name: (hints[field.name], field.default in (attrs.NOTHING, "")) for field in attrs.fields(cls)}
    if cls is Loss:  # of its report, a loss holds what tells the output
        del found["origin"]
        found["output"] = (dict[str, Any], False)
    return {
        name: (list.__class_getitem__(get_args(hint)[0]) if get_origin(hint) is tuple else hint, is_needed)
        for name, (hint, is_needed) in found.items()
    }


def core_schema(cls: type[Any], handler: Any) -> Any:
    """Return how pydantic validates, serializes and describes losses, loss reports or findings."""
    from pydantic_core import core_schema as schemas  # noqa: PLC0415 - pydantic asks

    read, write = _TYPES[cls]

    def validated(value: Any, inner: Callable[[Any], Any]) -> Any:
        if is_a(value, cls):
            return value
        try:
            return read(inner(copy_document(value, _DEPTH)))
        except AgentMsgError as error:
            fail(error, value, cls.__name__)

    def written(value: Any) -> Any:
        if not is_a(value, cls):
            raise unexpected(value, cls.__name__)
        return write(value)

    keys = {
        name: schemas.typed_dict_field(handler.generate_schema(hint), required=is_needed)
        for name, (hint, is_needed) in _keys(cls).items()
    }
    extra: Any = "allow" if cls is Losses else "ignore"
    held = schemas.typed_dict_schema(keys, cls_name=cls.__name__, extra_behavior=extra, config={"strict": True})
    serialization = schemas.plain_serializer_function_ser_schema(written)
    ref = f"agentmsg.{cls.__name__}:reports"
    return schemas.no_info_wrap_validator_function(validated, held, serialization=serialization, ref=ref)
