"""The JSON Schema of the canonical JSON form, made from the field table; descriptions come from the model's docstrings.

The schema accepts what the reader accepts, and refuses what it refuses, as far as a schema can. It can't distinguish
1.0 from 1, and can't check duplicate keys, levels of nesting, the fields of users' block classes, and whether
``raw_input`` says the same as ``input``. Unknown keys are allowed wherever the reader keeps them as
``extras["agentmsg"]``, and so are unknown tags of blocks and tools; unknown sources aren't.

A key with a default may be absent, in what is read and in what is written; where it holds a single value, it may be
null instead, as generated clients write it. openapi-typescript requires a key with a
``default``, so there is none: words say it, and ``default_factory``, which datamodel-code-generator takes.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from agentmsg import BaseBlock, History, Msg, Settings
from agentmsg.formats import EMPTY, dump_json
from agentmsg_codecs.canonical.fields import FAMILY, REQUIRED, SOURCES, SPECS, TOOLS, VERSION, Field, Spec
from agentmsg_codecs.canonical.kinds import FREE, KINDS, list_schema, ref

if TYPE_CHECKING:
    from collections.abc import Iterable


_OWN_BLOCK, _LATER_TOOL = "A block of an application, or of a later version.", "A tool of a later version."
_TYPES = {str: "string", int: "integer", bool: "boolean"}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of all documents that the codec ``json`` reads, as new plain data."""
    message_alone = {"allOf": [ref("Msg"), {"not": {"required": [FAMILY]}}]}
    blocks = [spec for cls, spec in SPECS.items() if issubclass(cls, BaseBlock)]
    return {
        "$schema": _DIALECT,
        "$id": f"urn:agentmsg:canonical:{VERSION}",
        "title": "agentmsg canonical JSON",
        "description": "A conversation; or its messages alone, or one message alone.",
        "anyOf": [ref(History.__name__), list_schema(ref(Msg.__name__)), message_alone],
        "$defs": {
            **_tagged("Block", "A content block; one with an unknown tag is kept as it is.", blocks, _OWN_BLOCK),
            **_tagged("Source", "Where media come from.", SOURCES.values(), None),
            **_tagged("Tool", "A tool; one with an unknown tag is kept as it is.", TOOLS.values(), _LATER_TOOL),
            **{cls.__name__: _object(spec) for cls, spec in SPECS.items()},
        },
    }


def _tagged(name: str, about: str, specs: Iterable[Spec], other: str | None) -> dict[str, Any]:
    """Return the definitions of objects distinguished by "type": each known value has a class, all others share one.

    The known ones stand apart, because a discriminator of OpenAPI has no place for any other value.
    """
    found = {str(spec.tag): ref(spec.cls.__name__) for spec in specs}
    mapping = {tag: target["$ref"] for tag, target in found.items()}
    known = {"oneOf": [*found.values()], "discriminator": {"propertyName": "type", "mapping": mapping}}
    if other is None:
        return {name: {"description": about, **known}}
    tag = {"type": "string", "not": {"enum": [*found]}}
    unknown = {"description": other, "type": "object", "properties": {"type": tag}, "required": ["type"]}
    return {
        name: {"description": about, "oneOf": [known, ref(f"Other{name}")]},
        f"Other{name}": {**unknown, "additionalProperties": True},
    }


def _object(spec: Spec) -> dict[str, Any]:
    words = _field_words(spec.cls)
    const = {"const": spec.tag, "type": "integer"} if isinstance(spec.tag, int) else {"const": spec.tag}
    tag = {} if spec.tag is None else {spec.key: const}
    fields = {field.name: _field(field, words.get(field.name)) for field in spec.fields}
    required = [*tag, *(field.name for field in spec.fields if field.default is REQUIRED)]
    return {
        "description": _first_sentence(spec.cls),
        "type": "object",
        "properties": {**tag, **fields},
        **({"required": required} if required else {}),
        # Unknown keys are read as extras["agentmsg"], so an object can't have both.
        "if": {"properties": {"extras": {"type": "object", "required": [FAMILY]}}, "required": ["extras"]},
        "then": {"propertyNames": {"enum": sorted(spec.names)}},
    }


def _field(field: Field, words: str | None) -> dict[str, Any]:
    schema = ref(field.of.__name__) if field.kind == "object" else dict(KINDS[field.kind].schema)
    if field.kind == "asked":
        schema = _asked(field.name)
    if field.takes_null and schema:
        is_ref = "type" not in schema
        schema = {"anyOf": [schema, {"type": "null"}]} if is_ref else {**schema, "type": [schema["type"], "null"]}
    if field.default in ((), EMPTY):
        schema = {**schema, "default_factory": "list" if field.default == () else "dict"}
    elif field.default is not REQUIRED and field.default is not None:
        words = f"{words} If absent or null: {dump_json(field.default).decode()}."
    return {"description": words, **schema} if words else schema


def _asked(name: str) -> dict[str, Any]:
    """Return the schema of a setting that is a word or an object."""
    said, keys, needed = Settings.asked[name]
    may = {key: [_TYPES[kind], *([] if key == needed else ["null"])] for key, kind in keys.items() if kind is not dict}
    inner = {key: {"type": may[key]} if key in may else FREE for key in keys}
    must = {"minProperties": 1} if needed is None else {"required": [needed]}
    return {
        "anyOf": [{"enum": [*said]}, {"type": "object", "properties": inner, **must, "additionalProperties": False}]
    }


# -- words -------------------------------------------------------------------------------------------------------------

_ENTRY = re.compile(r"^ {4}([a-z_]+(?:, [a-z_]+)*): (.+(?:\n {8}.+)*)", re.MULTILINE)


def _first_sentence(cls: type) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def _field_words(cls: type) -> dict[str, str]:
    """Return the descriptions of fields from the docstrings of a class and its bases."""
    words: dict[str, str] = {}
    for owner in reversed(cls.__mro__):
        for names, text in _ENTRY.findall(cleandoc(owner.__doc__ or "")):
            words |= dict.fromkeys(names.split(", "), " ".join(text.split()))
    return words
