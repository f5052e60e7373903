"""Hooks that cattrs generates for the classes of the model, to compare the canonical codecs' own with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from cattrs import gen

from agentmsg_codecs.canonical.fields import ROLE_NUMBERS, ROLES, SPECS, Spec
from agentmsg_codecs.canonical.shapes import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable


def generated_hooks(engine: Any, cls: type) -> tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]:
    """Return hooks that cattrs generates for one of our classes, to replace ours in tests.

    cattrs reads and writes mappings of fields; the shape converts them, as it does for the plain path.
    """
    cattrs_gen: Any = gen
    spec: Spec = SPECS[cls]
    options: dict[str, Any] = {"_cattrs_use_alias": True}
    structure: Any = cattrs_gen.make_dict_structure_fn(cls, engine.converter, **options)
    unstructure: Any = cattrs_gen.make_dict_unstructure_fn(
        cls, engine.converter, _cattrs_omit_if_default=True, **options
    )

    absent = {field.name: None for field in spec.fields if field.default is None}

    def read(native: Any, _: Any) -> Any:
        given: dict[str, Any] = {**absent, **engine.shape.open(spec, native)[0]}
        role = given.get("role")
        if engine.shape.key == "msgpack" and type(role) is int:
            given["role"] = ROLES[role]
        return structure(given, cls)

    def write(obj: Any) -> Any:
        found: dict[str, Any] = unstructure(obj)
        fields: dict[str, Any] = {}
        for field in spec.fields:
            value: Any = found.get(field.name, ABSENT)
            if field.kind == "input":
                value = ABSENT if obj.raw_input is not None else obj.input
            elif field.kind == "role" and engine.shape.key == "msgpack":
                value = ROLE_NUMBERS.get(value, value)
            elif field.always and value is ABSENT:
                value = []
            if value is not ABSENT and (value is not None or field.default is not None):
                fields[field.name] = list(cast("Any", value)) if isinstance(value, tuple) else value
        return engine.shape.close(spec, fields, None, {})

    return read, write
