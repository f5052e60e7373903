"""Schemas: from forms, the JSON Schema of the native objects that they read.

A schema describes what is read, not what is usual: if the format has a closed set of words, and others are read with a
mark, the set is under ``examples``. Keys that no item names are allowed, because they are extras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats.forms.context import Schemas
from agentmsg.formats.forms.items import Beside, Const, Hatch, Inside, Key, Lifted, Place, Single, Spare, Spread
from agentmsg.values.frozen import thaw

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.formats.forms.described import Described
    from agentmsg.formats.forms.form import Form
    from agentmsg.formats.forms.items import Item

UNTOLD = "not all of this is read: plain functions refuse some, and tell no schema"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(*described: Described) -> dict[str, Any]:
    """Return the JSON Schema of a format's native objects, as ``$defs``: each form, and ``place_NAME``.

    Args:
        described: of descriptions with the same name, such as dialects, the first counts.
    """
    defs: dict[str, Any] = {}
    made = _Schemas()
    for each in reversed(described):
        defs |= {name: made.whole(form) for name, form in each.forms.items()}
        defs |= {f"place_{name}": {"anyOf": [made.form(form) for form in forms]} for name, forms in each.places.items()}
    return {"$schema": _DIALECT, "$defs": defs}


class _Schemas(Schemas):
    """Makes the schemas of forms."""

    def whole(self, form: Form) -> dict[str, Any]:
        """Return the schema of the native objects of a form."""
        made = self._object(form.items)
        if form.odd_in is not None:
            made["properties"] |= {item.native: {} for item in form.items if isinstance(item, Const)}
        if form.tag is not None:
            is_must = form.tagged == "always"
            made["properties"] = {
                form.tag_key: {"const": form.tag} if is_must else {"enum": [form.tag, None]},
                **made["properties"],
            }
            made["required"] = [*([form.tag_key] if is_must else []), *made["required"]]
        more: dict[str, Any] = thaw(form.schema)
        made["properties"] |= more.get("properties", {})
        made["required"] += more.get("required", [])
        if not _is_told(form):
            made["$comment"] = UNTOLD
        return made

    def _object(self, items: Iterable[Item]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required: list[str] = []
        for item in items:
            for key, schema, is_must in self._keys(item):
                properties[key] = schema if is_must else _or_null(schema)
                required += [key] if is_must else []
        return {"type": "object", "properties": properties, "required": required}

    def _keys(self, item: Item | Place | Beside) -> list[tuple[str, dict[str, Any], bool]]:
        """Return the keys of an item, each with its schema and whether it is required."""
        if isinstance(item, Key):
            schema = item.value.schema(self)
            if item.known is not None:
                schema = {**schema, "examples": sorted(item.known)}
            return [(item.native, schema, item.need == "must")]
        if isinstance(item, Const):
            return [(item.native, {"enum": [item.value]}, False)]
        if isinstance(item, Inside):
            return [(item.native, self._object(item.items), item.need == "must")]
        if isinstance(item, Spare):
            return [(item.native, {}, False)]
        if isinstance(item, Lifted):
            return [key for place in item.places for key in self._keys(place)]
        if isinstance(item, Place):
            return [(item.native, item.value.schema(self), False)]
        if isinstance(item, Beside):
            return [(key, {}, False) for key in item.keys]
        if isinstance(item, (Single, Spread)):
            return [key for each in item.items for key in self._keys(each)]
        own: dict[str, Any] = thaw(item.schema)
        return [(key, own.get(key, {}), key in item.must) for key in item.keys]


def _is_told(form: Form) -> bool:
    """Whether plain functions that refuse native objects state in a schema which they accept."""
    for item in form.plain_items:
        if isinstance(item, Beside) or (isinstance(item, Hatch) and any(key not in item.schema for key in item.keys)):
            return False
    return form.fits is None or bool(form.schema)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may also be null."""
    if not schema:
        return schema
    if set(schema) == {"enum"}:
        return {"enum": [*schema["enum"], None]}
    if set(schema) == {"anyOf"}:
        return {"anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"anyOf": [schema, {"type": "null"}]}
