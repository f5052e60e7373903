"""Descriptions of the tools that a model may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import attrs

from agentmsg.errors import InvalidMessage, refused
from agentmsg.model.base import CacheHint, Noted, Tagged, free_json, free_mapping
from agentmsg.model.checks import instance, items_of, optional_text, text
from agentmsg.values.frozen import EMPTY, JSON, freeze_mapping


def _parameters(value: Mapping[str, Any] | None) -> Mapping[str, JSON] | None:
    try:
        return None if value is None else freeze_mapping(value)
    except InvalidMessage as error:
        raise error.at("parameters") from None


@attrs.frozen(repr=False, eq=False)
class ToolSpec(Noted):
    """A tool that the client runs.

    Attributes:
        name: as the model calls it.
        description: for the model.
        parameters: JSON Schema of the input; None if the source states none.
        strict: whether the provider must hold the model to the schema; None means the same as False. Formats whose
            tools are strict unless they say otherwise are read and written accordingly.
        kind: "function", or "custom" for a tool that takes free text.
        cache: a request to cache the prompt up to and including this tool.
        metadata: the application's own; never part of a prompt.
    """

    flags: ClassVar[Mapping[str, str]] = {"strict": "is_strict"}
    """The fields whose None means false, and the properties that say so."""

    name: str = attrs.field(validator=text)
    description: str | None = attrs.field(default=None, validator=optional_text)
    parameters: Mapping[str, JSON] | None = attrs.field(default=None, converter=_parameters)
    strict: bool | None = attrs.field(default=None, validator=instance(bool), kw_only=True)
    kind: str = attrs.field(default="function", validator=text, kw_only=True)
    cache: CacheHint | None = attrs.field(default=None, validator=instance(CacheHint), kw_only=True)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)

    @property
    def is_strict(self) -> bool:
        """Whether the provider must hold the model to the schema."""
        return bool(self.strict)

    @classmethod
    def from_function(cls, function: Callable[..., Any], *, name: str | None = None, **fields: Any) -> Self:
        """Return the tool that a function is: its name, the first paragraph of its docstring, and its parameters.

        Types of JSON, enums, ``Literal``, unions, ``TypedDict`` and classes with ``model_json_schema`` have a schema; a
        text in ``Annotated`` describes its parameter. What has a default isn't required.

        Args:
            function: the function, which may be asynchronous, a bound method, a partial, or an object that is called.
            name: another name.
            fields: other fields, such as ``description`` and ``strict``.

        Raises:
            InvalidMessage: code "type", at the parameter, if its type has no schema, or it isn't given by name.
        """
        from agentmsg.model.signatures import called_of, described, schema_of_function  # noqa: PLC0415 - few need it

        parameters, (called, named) = schema_of_function(function), called_of(function)
        told: dict[str, Any] = {"description": described(called), "parameters": parameters, **fields}
        return cls(name or named.__name__, **told)

    @classmethod
    def from_model(cls, model: Any, *, name: str | None = None, **fields: Any) -> Self:
        """Return the tool whose arguments are a pydantic model, or another class with ``model_json_schema``.

        Args:
            model: the class. Its name and docstring are the tool's.
            name: another name.
            fields: other fields, such as ``description`` and ``strict``.

        Raises:
            InvalidMessage: code "type" if it is no such class.
        """
        from agentmsg.model.signatures import described  # noqa: PLC0415 - the same

        try:
            parameters: dict[str, Any] = {**model.model_json_schema()}
            top = parameters.pop("$ref", "").rpartition("/")[2]  # of a model that holds itself
            parameters = {**parameters["$defs"][top], **parameters} if top else parameters
            called: str = name or model.__name__
        except Exception as error:
            raise refused("model", model, "a class with model_json_schema") from error
        words: str | None = parameters.pop("description", None) or described(model)
        told: dict[str, Any] = {"description": words, "parameters": parameters}
        return cls(called, **{**told, **fields})


@attrs.frozen(repr=False, eq=False)
class NativeTool(Noted):
    """A tool without an equivalent elsewhere (most run at the provider), kept verbatim for its own family.

    Attributes:
        codec: the family of formats that may write it.
        value: the native description.
    """

    codec: str = attrs.field(validator=text)
    value: JSON = attrs.field(converter=free_json)


Tool: TypeAlias = Annotated[ToolSpec | NativeTool, Tagged("Tool")]
"""A description of a tool."""


def as_tools(value: Iterable[Tool]) -> tuple[Tool, ...]:
    """Return tools as a tuple.

    Raises:
        InvalidMessage: code "type" if an item isn't a tool.
    """
    return items_of(value, "tools", lambda tool: isinstance(tool, (ToolSpec, NativeTool)), "not a tool:")
