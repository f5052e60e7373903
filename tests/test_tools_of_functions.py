"""Tools made of functions and pydantic models."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType, Required, TypedDict

import jsonschema
import pydantic
import pytest

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable


class Unit(enum.Enum):
    """A unit."""

    C = "celsius"
    F = "fahrenheit"


class Place(TypedDict, total=False):
    """A place."""

    name: str
    height: float


class Marked(TypedDict, total=False):
    """Of these one is needed; the hints of this module are texts."""

    a: Required[int]
    b: int


class Inner(pydantic.BaseModel):
    """Inside."""

    x: int


class Query(pydantic.BaseModel):
    """Search for a text.

    More for programmers.
    """

    text: str = pydantic.Field(description="what to look for")
    inner: Inner | None = None


# A type, a value that fits it, and one that doesn't.
TYPES: dict[str, tuple[Any, Any, Any]] = {
    "text": (str, "a", 1), "whole": (int, 1, "a"), "number": (float, 1.5, "a"), "flag": (bool, True, "a"),
    "nothing": (None, None, 1), "list": (list[int], [1], ["a"]), "sequence": (Sequence[str], ["a"], [1]),
    "tuple": (tuple[int, ...], [1], ["a"]), "mapping": (dict[str, int], {"a": 1}, {"a": "b"}), "plain": (list, [1], 1),
    "optional": (int | None, None, "a"), "literal": (Literal["a", "b"], "a", "c"), "enum": (Unit, "celsius", "kelvin"),
    "object": (Place, {"name": "a"}, {"name": 1}), "model": (Query, {"text": "a", "inner": {"x": 1}}, {"text": 1}),
    "marked": (Marked, {"a": 1}, {"b": 1}), "new type": (NewType("Id", int), 1, "a"),
    "described": (Annotated[int, "how many"], 1, "a"), "field": (Annotated[int, pydantic.Field(ge=1)], 1, "a"),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types_have_the_schema_of_their_values(name: str) -> None:
    """The schema accepts what fits the type, and refuses what doesn't."""
    hint, good, bad = TYPES[name]

    def tool(given: Any) -> None: ...

    tool.__annotations__["given"] = hint
    schema: Any = am.thaw(am.ToolSpec.from_function(tool).parameters)
    assert jsonschema.Draft202012Validator(schema).is_valid({"given": good})
    assert not jsonschema.Draft202012Validator(schema).is_valid({"given": bad})


def test_a_function_is_a_tool() -> None:
    """Its name, first paragraph and parameters; a default isn't required."""

    async def find(text: Annotated[str, "what to look for"], limit: int = 3, at: object = object) -> str:
        """Find a text in all notes.

        More for programmers.
        """
        return text

    spec = am.ToolSpec.from_function(find, strict=True)
    assert (spec.name, spec.description, spec.strict) == ("find", "Find a text in all notes.", True)
    assert am.thaw(spec.parameters) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "what to look for"},
            "limit": {"type": "integer", "default": 3},
            "at": {},
        },
        "required": ["text"],
        "additionalProperties": False,
    }


def test_a_model_is_a_tool() -> None:
    """Its parameters are the model's schema."""
    spec = am.ToolSpec.from_model(Query, name="search")
    assert (spec.name, str(spec.description).partition("\n")[0]) == ("search", "Search for a text.")
    schema: Any = am.thaw(spec.parameters)
    assert jsonschema.Draft202012Validator(schema).is_valid({"text": "a", "inner": {"x": 1}})
    assert not jsonschema.Draft202012Validator(schema).is_valid({"inner": {"x": "a"}})


class _Other:
    class Inner(pydantic.BaseModel):
        """Another of this name."""

        y: int

    class Query(pydantic.BaseModel):
        """It has one inside."""

        inner: _Other.Inner


def test_types_of_one_name_are_not_mixed_up() -> None:
    """Two models with inner ones of the same name are refused at the second, unless these are the same."""

    def clash(one: Query, two: Annotated[Any, None]) -> None: ...

    clash.__annotations__ = {"one": Query, "two": Query}
    assert "$defs" in (am.ToolSpec.from_function(clash).parameters or {})
    clash.__annotations__ = {"one": Query, "two": _Other.Query}
    with pytest.raises(am.InvalidMessage, match="two types are called 'Inner'") as caught:
        am.ToolSpec.from_function(clash)
    assert (caught.value.code, caught.value.path) == ("type", ("two",))


def test_a_default_of_an_enum_is_its_value() -> None:
    """The default of a parameter is told as the model would give it."""

    def f(unit: Unit = Unit.C) -> None: ...

    parameters: Any = am.ToolSpec.from_function(f).parameters
    assert parameters["properties"]["unit"]["default"] == "celsius"


class Notes:
    """Notes of a user."""

    def find(self, text: str, limit: int = 3) -> str:
        """Find a text."""
        return text * limit

    def __call__(self, text: str, limit: int = 3) -> str:
        """Find a text."""
        return self.find(text, limit)


@pytest.mark.parametrize(
    ("called", "name", "limit"),
    [
        (Notes().find, "find", 3), (Notes(), "Notes", 3), (partial(Notes.find, Notes()), "find", 3),
        (partial(Notes().find, limit=1), "find", 1), (partial(partial(Notes()), limit=1), "Notes", 1),
    ],
    ids=["bound method", "object", "partial of self", "partial", "partial of a partial"],
)  # fmt: skip
def test_whatever_is_called_is_a_tool(called: Callable[..., Any], name: str, limit: int) -> None:
    """A bound method, an object with ``__call__`` and a partial have a name, a description and parameters, too."""
    spec = am.ToolSpec.from_function(called)
    assert (spec.name, spec.description) == (name, "Find a text.")
    assert am.thaw(spec.parameters) == {
        "type": "object",
        "properties": {"text": {"type": "string"}, "limit": {"type": "integer", "default": limit}},
        "required": ["text"],
        "additionalProperties": False,
    }


def test_a_method_without_an_object_is_refused() -> None:
    """No model gives ``self``."""
    with pytest.raises(am.InvalidMessage, match="isn't bound") as caught:
        am.ToolSpec.from_function(Notes.find)
    assert caught.value.path == ("self",)


class Node(pydantic.BaseModel):  # noqa: D101 - it has no docstring
    kids: list[Node] = []


def test_a_model_that_holds_itself_is_an_object() -> None:
    """At the top, where providers look; one without a docstring has no description, not that of its base."""
    spec = am.ToolSpec.from_model(Node)
    schema: Any = am.thaw(spec.parameters)
    assert (spec.description, schema["type"], [*schema["properties"]]) == (None, "object", ["kids"])
    assert jsonschema.Draft202012Validator(schema).is_valid({"kids": [{"kids": []}]})
    assert not jsonschema.Draft202012Validator(schema).is_valid({"kids": [{"kids": 1}]})


@pytest.mark.parametrize("hint", [bytes, complex, "missing", lambda: 1])
def test_a_type_without_a_schema_is_refused(hint: Any) -> None:
    """By the name of the parameter; so are arguments that no model gives by name."""

    def tool(given: Any) -> None: ...

    def spread(*given: str) -> None: ...

    tool.__annotations__["given"] = hint
    with pytest.raises(am.InvalidMessage):
        am.ToolSpec.from_function(tool)
    with pytest.raises(am.InvalidMessage) as error:
        am.ToolSpec.from_function(spread)
    assert error.value.path == ("given",)


def test_fields_describe_arguments() -> None:
    """A field of pydantic's describes an argument, as an annotation or as its default, which it may have or not."""

    def find(
        city: Annotated[str, pydantic.Field(description="The city")],
        unit: str = pydantic.Field(description="A unit"),
        most: int = pydantic.Field(3, description="How many"),
    ) -> str:
        """Find."""
        return city

    parameters: Any = am.ToolSpec.from_function(find).parameters
    assert parameters["required"] == ["city", "unit"]
    assert parameters["properties"] == {
        "city": {"type": "string", "description": "The city"},
        "unit": {"type": "string", "description": "A unit"},
        "most": {"type": "integer", "description": "How many", "default": 3},
    }
