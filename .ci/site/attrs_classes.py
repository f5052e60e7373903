"""A Griffe extension: classes of attrs get the parameters that attrs gives their ``__init__``.

Griffe reads source, and there is no such method in it.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

import attrs
import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["AttrsClasses"]

_KINDS: dict[Any, griffe.ParameterKind] = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


class AttrsClasses(griffe.Extension):
    """Adds ``__init__`` to the classes of attrs that write none themselves."""

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Add the method, if the class is one of attrs."""
        if "__init__" in cls.members or not any("attrs." in str(each.value) for each in cls.decorators):
            return
        made = getattr(import_module(cls.module.path), cls.name)
        if attrs.has(made):
            init = griffe.Function("__init__", parameters=griffe.Parameters(*_parameters(cls, made)))
            cls.set_member("__init__", init)


def _parameters(cls: griffe.Class, made: type[Any]) -> Iterator[griffe.Parameter]:
    yield griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
    fields = {field.alias: field for field in attrs.fields(made)}
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind not in _KINDS:
            continue  # of a base, whose subclasses have fields of their own
        default = None if parameter.default is parameter.empty else _default(parameter.default)
        yield griffe.Parameter(
            name, annotation=_annotation(cls, fields.get(name)), kind=_KINDS[parameter.kind], default=default
        )


def _annotation(cls: griffe.Class, field: attrs.Attribute[Any] | None) -> griffe.Expr | str | None:
    """Return the annotation of a field as an expression, whose names become links."""
    text = field.type if field is not None else None
    if not isinstance(text, str):
        return getattr(text, "__name__", None)
    return griffe.get_expression(ast.parse(text, mode="eval").body, parent=cls, parse_strings=False)


def _default(value: Any) -> str:
    return "..." if value is attrs.NOTHING or isinstance(value, attrs.Factory) else repr(value)  # type: ignore[arg-type]
