"""The types of the OpenAI and Anthropic packages made strict: what they refuse, those servers would refuse as well.

Unchanged, these types accept nearly everything: TypedDicts allow unknown keys, an ``Iterable`` is checked only when
it is iterated, and a union takes a broken part for one of the lenient response classes. So each type's schema is
rewritten: lists for iterables, no unknown keys, no coercion, and no response class beside a TypedDict.

Only types are checked; rules of a conversation (who follows whom, which id answers which) are not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, cast

from anthropic import types as anthropic
from anthropic.types import beta as anthropic_beta
from anthropic.types.beta.message_create_params import MessageCreateParams as BetaMessageCreateParams
from anthropic.types.message_create_params import MessageCreateParams
from openai.types import chat as openai
from openai.types import responses as openai_items
from openai.types.chat.completion_create_params import CompletionCreateParams, Function
from openai.types.responses.response_create_params import ResponseCreateParams
from pydantic import TypeAdapter
from pydantic_core import SchemaValidator, ValidationError

__all__ = [
    "AnthropicTypes",
    "anthropic_call_problems",
    "anthropic_request_problems",
    "anthropic_request_types",
    "anthropic_response_problems",
    "anthropic_response_types",
    "openai_call_problems",
    "openai_request_problems",
    "openai_response_problems",
    "responses_call_problems",
    "responses_request_problems",
    "responses_response_problems",
    "strict",
]

AnthropicTypes = Literal["stable", "beta"]
Check = Callable[[Any], list[str]]
Schema = dict[str, Any]

# One member of a union reports that this isn't its tag: its other errors help nobody.
_TAGS = {"role", "type"}
# The response classes, and types of Python objects.
_LENIENT = {"is-instance", "lax-or-strict", "model"}


class _Strictly:
    """Rewrites one schema, and keeps its definitions to resolve references."""

    def __init__(self, schema: Schema) -> None:
        found: list[Schema] = schema["definitions"] if schema["type"] == "definitions" else []
        self.definitions = {each["ref"]: each for each in found}
        self.special: Mapping[str, Callable[[Schema], Schema]] = {
            "generator": self.generator,
            "json-or-python": lambda schema: self.rewritten(schema["json_schema"]),
            "model": self.model,
            "model-fields": self.closed,
            "typed-dict": self.closed,
            "union": self.union,
        }

    def rewritten(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self.rewritten(item) for item in cast("list[Any]", value)]
        if not isinstance(value, dict):
            return value
        schema = cast("Schema", value)
        kind = schema.get("type")
        special = self.special.get(kind) if isinstance(kind, str) else None
        return self.inside(schema) if special is None else special(schema)

    def inside(self, schema: Schema) -> Schema:
        # Literals list their values under "expected", and defaults are values too: these aren't schemas.
        kept = {"default", "expected", "metadata"}
        return {key: value if key in kept else self.rewritten(value) for key, value in schema.items()}

    def closed(self, schema: Schema) -> Schema:
        """Allow no other keys, unless the type declares them, as in the schema of a tool's input."""
        return {**self.inside(schema), "extra_behavior": "allow" if "extras_schema" in schema else "forbid"}

    def generator(self, schema: Schema) -> Schema:
        return {**self.inside(schema), "type": "list"}

    def model(self, schema: Schema) -> Schema:
        """Return the fields alone: for a class pydantic would use its finished validator, and ignore all of this."""
        fields = self.rewritten(schema["schema"])
        return {**fields, "ref": schema["ref"]} if "ref" in schema else fields

    def union(self, schema: Schema) -> Schema:
        choices: list[Any] = schema["choices"]
        if any(self.kind(choice) == "typed-dict" for choice in choices):
            choices = [choice for choice in choices if self.kind(choice) not in _LENIENT]
        else:
            choices = [choice for choice in choices if self.kind(choice) not in _LENIENT - {"model"}]
        return {**schema, "choices": self.rewritten(choices)}

    def kind(self, choice: Any) -> str:
        # A member of a union may be in a pair, beside its label.
        schema: Schema = cast("tuple[Schema, str]", choice)[0] if isinstance(choice, tuple) else choice
        if schema["type"] == "definition-ref":
            return self.kind(self.definitions[schema["schema_ref"]])
        return str(schema["type"])


@cache
def strict(tp: Any) -> Check:
    """Return a function from a plain document to the reasons why it doesn't have this type; none: it has.

    Args:
        tp: any type that pydantic can validate.
    """
    # A class that isn't built yet has a placeholder for its schema, which dict() builds.
    schema = cast("Schema", dict(TypeAdapter(tp).core_schema))
    validator = SchemaValidator(_Strictly(schema).rewritten(schema))

    def problems(document: Any) -> list[str]:
        try:
            validator.validate_json(json.dumps(document), strict=True)
        except ValidationError as error:
            return _told(error)
        return []

    return problems


def _told(error: ValidationError) -> list[str]:
    """Return one line for each error, without those of union members with another tag."""
    errors = error.errors(include_url=False, include_context=False)
    strangers = {each["loc"][:-1] for each in errors if each["type"] == "literal_error" and each["loc"][-1] in _TAGS}
    meant = [
        each for each in errors if not any(each["loc"][:length] in strangers for length in range(len(each["loc"]) + 1))
    ]
    return [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in meant or errors]


def _places(types: Mapping[str, Any], body: Any) -> list[str]:
    if not isinstance(body, dict):
        return ["the body is no object"]
    given = cast("dict[str, Any]", body)
    if "messages" not in given:
        return ["messages: missing"]
    return [f"{key}.{line}" for key, tp in types.items() if key in given for line in strict(tp)(given[key])]


_OPENAI: Mapping[str, Any] = {
    "messages": list[openai.ChatCompletionMessageParam],
    "tools": list[openai.ChatCompletionToolUnionParam],
    "functions": list[Function],
}
_ANTHROPIC: Mapping[AnthropicTypes, Mapping[str, Any]] = {
    "stable": {
        "messages": list[anthropic.MessageParam],
        "system": str | list[anthropic.TextBlockParam],
        "tools": list[anthropic.ToolUnionParam],
    },
    "beta": {
        "messages": list[anthropic_beta.BetaMessageParam],
        "system": str | list[anthropic_beta.BetaTextBlockParam],
        "tools": list[anthropic_beta.BetaToolUnionParam],
    },
}
_ANSWERS: Mapping[AnthropicTypes, Any] = {"stable": anthropic.Message, "beta": anthropic_beta.BetaMessage}


def openai_request_problems(body: Any) -> list[str]:
    """Return why the openai package's types refuse a request body, or a bare list of messages; nothing: they don't.

    Messages, tools and functions are checked, the other parameters are not.
    """
    return _places(_OPENAI, {"messages": body} if isinstance(body, list) else body)


def openai_call_problems(body: Any) -> list[str]:
    """Return why ``client.chat.completions.create(**body)`` lacks a parameter, or has one of another type."""
    return strict(CompletionCreateParams)(body)


def openai_response_problems(document: Any) -> list[str]:
    """Return why ``openai.types.chat.ChatCompletion`` refuses a response; nothing: it doesn't."""
    return strict(openai.ChatCompletion)(document)


def responses_request_problems(body: Any) -> list[str]:
    """Return why the openai package's types refuse the items and tools of a request, or a list of items."""
    given = cast("dict[str, Any]", {"input": body} if isinstance(body, list) else body)
    types: Mapping[str, Any] = {
        "input": str | list[openai_items.ResponseInputItemParam],
        "tools": list[openai_items.ToolParam],
    }
    return [f"{key}.{line}" for key, tp in types.items() if key in given for line in strict(tp)(given[key])]


def responses_call_problems(body: Any) -> list[str]:
    """Return why ``client.responses.create(**body)`` lacks a parameter, or has one of another type."""
    return strict(ResponseCreateParams)(body)


def responses_response_problems(document: Any) -> list[str]:
    """Return why ``openai.types.responses.Response`` refuses a response; nothing: it doesn't."""
    return strict(openai_items.Response)(document)


def anthropic_request_types(body: Any) -> AnthropicTypes | None:
    """Return which types of the anthropic package accept a request body: the stable ones if they do, or none."""
    return next((name for name, types in _ANTHROPIC.items() if not _places(types, body)), None)


def anthropic_request_problems(body: Any) -> list[str]:
    """Return why both the stable and the beta types of the anthropic package refuse a request body.

    Nothing: one of them accepts it; ``anthropic_request_types`` returns which. Messages, system and tools are checked,
    the other parameters are not.
    """
    return _both({name: _places(types, body) for name, types in _ANTHROPIC.items()})


def anthropic_call_problems(body: Any) -> list[str]:
    """The same for ``client.messages.create(**body)``, or for the beta of it."""
    types: Mapping[AnthropicTypes, Any] = {"stable": MessageCreateParams, "beta": BetaMessageCreateParams}
    return _both({name: strict(tp)(body) for name, tp in types.items()})


def anthropic_response_types(document: Any) -> AnthropicTypes | None:
    """Return which types of the anthropic package accept a response: the stable ones if they do, or none."""
    return next((name for name, tp in _ANSWERS.items() if not strict(tp)(document)), None)


def anthropic_response_problems(document: Any) -> list[str]:
    """Return why both ``Message`` and ``BetaMessage`` of the anthropic package refuse a response.

    Nothing: one of them accepts it; ``anthropic_response_types`` returns which.
    """
    return _both({name: strict(tp)(document) for name, tp in _ANSWERS.items()})


def _both(problems: Mapping[AnthropicTypes, list[str]]) -> list[str]:
    if not all(problems.values()):
        return []
    return [f"{name}: {line}" for name, lines in problems.items() for line in lines]
