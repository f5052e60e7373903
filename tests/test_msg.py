"""Msg: making, changing and asking; no returned value can change it."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import enum
import pickle
from functools import partial
from itertools import product
from typing import Any, Literal, cast

import attrs
import pydantic
import pytest

import agentmsg as am
from agentmsg import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    InvalidMessage,
    Made,
    Msg,
    MsgBuilder,
    RefusalBlock,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    same,
)
from agentmsg.model.generated import is_made

CALL = ToolUseBlock("c1", "add", {"a": 1})
BAD_CALL = ToolUseBlock("c2", "add", raw_input="{oops")
FULL = Msg(
    "assistant",
    [ThinkingBlock("hm"), TextBlock("one"), CALL, TextBlock("two"), BAD_CALL],
    id="m1",
    created_at=dt.datetime(2026, 1, 2, 3, 4, 5),
    name="Bob",
    recipient="Al",
    model="m-1",
    metadata={"a": [1, {"b": 2}]},
    response_metadata={"x": {"y": 1}},
    structured={"city": "Rome"},
    usage=Usage(input=1),
    finish_reason="tool_use",
    embedding=[0.5, -0.0],
    extras={"openai": {"z": 1}},
    notes={"openai": {"w": "null"}},
)


# -- making --------------------------------------------------------------------------------------------------


def test_the_constructor() -> None:
    """A role and content are enough: a text becomes one block, an id and a time are made."""
    message = Msg("user", "Hi")
    assert (message.role, message.content) == ("user", (TextBlock("Hi"),))
    assert isinstance(message.id, Made)
    assert len(message.id) == 36
    assert is_made(message.created_at)
    assert message.created_at is not None
    assert message.created_at.tzinfo is dt.UTC
    assert Msg("user").content == Msg("user", "").content == ()
    assert Msg("user", id=None, created_at=None).id is None
    assert Msg("user").id != Msg("user").id


def test_factories() -> None:
    """Each factory makes its role; further fields are those of the constructor."""
    for factory, role in (
        (Msg.system, "system"),
        (Msg.developer, "developer"),
        (Msg.user, "user"),
        (Msg.assistant, "assistant"),
    ):
        message = factory("x", id="1", name="n")
        assert (message.role, message.text, message.id, message.name) == (role, "x", "1", "n")
    assert Msg.chat("moderator", "ok").role == "moderator"
    assert Msg.chat(Role.USER, "ok").is_user
    removal = Msg.remove("m7")
    assert (removal.remove_id, removal.text, removal.name, removal.is_remove) == ("m7", "", None, True)


def test_assistant_messages_take_calls() -> None:
    """Calls are blocks or mappings; of two ids call_id links; a text of arguments is kept."""
    message = Msg.assistant(
        "Let me see.",
        tool_calls=[
            CALL,
            {"id": "item", "call_id": "call", "name": "f", "arguments": '{"a":1.10}'},
            {"id": "c3", "name": "g", "args": {"b": [2]}},
            {"name": "h", "input": None},
            {"name": "i"},
        ],
    )
    first, second, third, fourth, fifth = message.tool_calls
    assert first is CALL
    assert (second.id, second.item_id, second.raw_input, second.input) == (
        "call",
        "item",
        '{"a":1.10}',
        {"a": 1.1},
    )
    assert (third.id, third.item_id, third.input) == ("c3", None, {"b": [2]})
    assert (fourth.id, fourth.input, fifth.input) == (None, None, {})
    assert Msg.assistant("", tool_calls=[CALL]).content == (CALL,)
    wrong: list[tuple[Any, str, tuple[str, ...]]] = [
        ({"id": "x"}, "required", ("name",)),
        ({"name": "f", "args": {}, "input": {}}, "schema", ()),
        ({"name": "f", "odd": 1}, "schema", ("odd",)),
        ({"name": 5}, "type", ("name",)),
    ]
    for call, code, path in wrong:
        with pytest.raises(InvalidMessage) as caught:
            Msg.assistant(tool_calls=[call])
        assert (caught.value.code, caught.value.path) == (code, ("tool_calls", 0, *path))


def test_tool_messages() -> None:
    """A tool message holds one result; arguments about the result go there."""
    message = Msg.tool("22 C", tool_call_id="c1", name="weather", error="late", error_type="timeout", id="m")
    assert message.content == (ToolResultBlock("c1", "22 C", name="weather", error="late", error_type="timeout"),)
    assert (message.id, message.text, message.tool_call_id) == ("m", "22 C", "c1")
    assert (message.is_error, message.ok, message.error, message.error_type) == (
        True,
        False,
        "late",
        "timeout",
    )
    fine = Msg.tool("x", tool_call_id="c", structured={"a": 1}, artifact=[1], status="success")
    assert (fine.ok, fine.error, fine.error_type) == (True, None, None)
    assert fine.tool_results[0].structured == {"a": 1}


NONE: Any = None
REQUIRED: dict[str, tuple[Any, str]] = {
    "assistant text": (lambda: Msg.assistant(""), "text"),
    "builder role": (lambda: Msg.builder().text("x").build(), "role"),
    "chat role, then text": (lambda: Msg.chat("", ""), "role"),
    "chat text": (lambda: Msg.chat("x", ""), "text"),
    "removal id": (lambda: Msg.remove(""), "id"),
    "system text": (lambda: Msg.system(""), "text"),
    "tool id": (lambda: Msg.tool("x", tool_call_id=""), "tool_call_id"),
    "tool id that is None": (lambda: Msg.tool("x", tool_call_id=NONE), "tool_call_id"),
    "tool text, then id": (lambda: Msg.tool("", tool_call_id=""), "text"),
    "user text": (lambda: Msg.user(""), "text"),
}


@pytest.mark.parametrize("name", list(REQUIRED))
def test_factories_ask_for_role_text_and_tool_id(name: str) -> None:
    """A missing part is refused with code "required" and its path, in the order role, text, tool id."""
    make, part = REQUIRED[name]
    with pytest.raises(InvalidMessage) as caught:
        make()
    assert (caught.value.code, caught.value.path) == ("required", (part,))


WRONG: dict[str, tuple[dict[str, Any], tuple[str | int, ...]]] = {
    "content of texts": ({"content": ["a"]}, ("content", 0)),
    "content that is a message": ({"content": Msg.user("x")}, ("content",)),
    "content that is a number": ({"content": 5}, ("content",)),
    "embedding of integers": ({"embedding": [1.0, 2]}, ("embedding", 1)),
    "embedding that is a number": ({"embedding": 5}, ("embedding",)),
    "embedding with nan": ({"embedding": [float("nan")]}, ("embedding", 0)),
    "id that is a number": ({"id": 5}, ("id",)),
    "metadata that are pairs": ({"metadata": [("a", 1)]}, ("metadata",)),
    "role that is None": ({"role": None}, ("role",)),
    "structured that is an object": ({"structured": object()}, ("structured",)),
    "time that is a text": ({"created_at": "2026-01-01"}, ("created_at",)),
    "usage that is a dict": ({"usage": {}}, ("usage",)),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_the_constructor_coerces_nothing(name: str) -> None:
    """A value of the wrong type is refused with code and path, by evolve and the builder too."""
    fields, path = WRONG[name]
    start, make = Msg.user("x"), cast("Any", Msg)
    for attempt in (partial(make, **{"role": "user", **fields}), partial(start.evolve, **fields)):
        with pytest.raises(InvalidMessage) as caught:
            attempt()
        assert (caught.value.code, caught.value.path) == ("type", path)
    with pytest.raises(InvalidMessage) as caught:
        start.to_builder().set(**fields).build()
    assert (caught.value.code, caught.value.path) == ("type", path)


def test_of_derives_the_role() -> None:
    """Results make a tool message; calls, thinking and refusals an assistant's; anything else a user's."""
    assert Msg.of(TextBlock("x")).role == "user"
    assert Msg.of(TextBlock("x"), CALL).role == "assistant"
    assert Msg.of(ThinkingBlock("x")).role == "assistant"
    assert Msg.of(RefusalBlock("x")).role == "assistant"
    assert Msg.of(ToolResultBlock("c", "x")).role == "tool"
    assert Msg.of().content == ()


def test_the_builder() -> None:
    """A builder collects fields and blocks; it may continue after build without changing what it built."""
    builder = Msg.builder().role("user").name("Al").id("1").text("a").metadata({"x": 1}, y=2)
    first = builder.build()
    second = builder.add(ImageBlock(URLSource("u"))).metadata(z=3).build()
    assert (first.role, first.name, first.id, first.text) == ("user", "Al", "1", "a")
    assert first.metadata == {"x": 1, "y": 2}
    assert len(first.content) == 1
    assert [type(block) for block in second.content] == [TextBlock, ImageBlock]
    assert second.metadata == {"x": 1, "y": 2, "z": 3}
    assert builder.content("new").build().text == "new"
    assert Msg.builder().role("user").set(content="a").text("b").build().text == "a\nb"
    assert Msg.builder().role("user").text("").build().content == ()
    with pytest.raises(InvalidMessage) as caught:
        MsgBuilder().set(contents="x")  # type: ignore[call-arg]
    assert (caught.value.code, caught.value.path) == ("schema", ("contents",))


def test_a_builder_starts_from_a_message() -> None:
    """``to_builder().build()`` returns the same message, notes included."""
    again = FULL.to_builder().build()
    assert again == FULL
    assert same(again, FULL)
    assert again.notes == FULL.notes
    assert FULL.to_builder().text("three").build().text == "one\ntwo\nthree"


# -- changing ------------------------------------------------------------------------------------------------


def test_changing_gives_a_copy() -> None:
    """The methods evolve and with_... change one thing of a copy; everything else stays, notes included."""
    for changed, field in (
        (FULL.with_id("m2"), "id"),
        (FULL.with_name("Eve"), "name"),
        (FULL.with_content("x"), "content"),
        (FULL.with_metadata(k=1), "metadata"),
        (FULL.with_response_metadata(k=1), "response_metadata"),
        (FULL.evolve(role="user"), "role"),
    ):
        for each in attrs.fields(Msg):
            assert (getattr(changed, each.name) != getattr(FULL, each.name)) == (each.name == field)
    assert FULL.with_metadata(k=1).metadata == {"a": [1, {"b": 2}], "k": 1}
    assert FULL.metadata == {"a": [1, {"b": 2}]}


def test_clone() -> None:
    """A clone has a new id and time, and names its origin in its metadata."""
    clone = FULL.clone(name="Eve")
    assert clone.id not in {None, "m1"}
    assert isinstance(clone.id, Made)
    assert clone.name == "Eve"
    assert clone.metadata == {
        "a": [1, {"b": 2}], "clone_from": "m1", "original_created_at": "2026-01-02T03:04:05",
    }  # fmt: skip
    assert clone.same_content(FULL)
    assert FULL.clone().name == "Bob"
    bare = Msg("user", "x", id=None, created_at=None).clone()
    assert bare.metadata == {}
    assert type(Msg.user("x").clone().metadata["clone_from"]) is str


def test_nothing_handed_out_changes_the_message() -> None:
    """No field can be set, and everything that fields and accessors return is read-only all the way down."""
    for field in attrs.fields(Msg):
        with pytest.raises(AttributeError):
            setattr(FULL, field.name, None)
    with pytest.raises(TypeError, match="read-only"):
        FULL.metadata["x"] = 1  # type: ignore[index]
    inner: Any = FULL.metadata["a"]
    with pytest.raises(TypeError, match="read-only"):
        inner.append(1)
    with pytest.raises(TypeError, match="read-only"):
        inner[1]["b"] = 3
    assert isinstance(FULL.embedding, tuple)
    assert isinstance(FULL.content, tuple)
    assert isinstance(FULL.tool_calls, tuple)
    structured: Any = FULL.get_structured_data()
    with pytest.raises(TypeError, match="read-only"):
        structured["city"] = "Oslo"


def test_lists_handed_in_stay_the_callers() -> None:
    """Later changes to a passed list or dict don't show in the message."""
    content: list[Any] = [TextBlock("a")]
    metadata: dict[str, Any] = {"deep": [1]}
    embedding = [1.0]
    message = Msg("user", content, metadata=metadata, embedding=embedding)
    content.clear()
    metadata["deep"].append(2)
    embedding.append(2.0)
    assert (message.text, message.metadata, message.embedding) == ("a", {"deep": [1]}, (1.0,))


# -- comparing -----------------------------------------------------------------------------------------------


def test_equality_hash_pickle_and_copy() -> None:
    """A message equals its copies and its unpickled self, with the same hash."""
    for again in (pickle.loads(pickle.dumps(FULL)), copy.copy(FULL), copy.deepcopy(FULL)):
        assert again == FULL
        assert hash(again) == hash(FULL)
        assert same(again, FULL)
        assert again.notes == FULL.notes
    made = Msg.user("x")
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(again.id, Made)
    assert is_made(again.created_at)
    assert {FULL, FULL.evolve(), made} == {FULL, made}


def test_same_is_strict_where_equality_is_not() -> None:
    """True, 1 and 1.0, 0.0 and -0.0, orders of keys, offsets of times: some are equal, none are the same."""
    values: list[Any] = [True, 1, 1.0, False, 0, 0.0, -0.0, None, "", [], {}, [1], [True], [1.0]]
    for index, one in enumerate(values):
        for other_index, other in enumerate(values):
            left, right = (
                Msg("user", structured={"v": one}, id=None),
                Msg("user", structured={"v": other}, id=None),
            )
            assert same(left.structured, right.structured) == (index == other_index), (one, other)
    assert Msg("user", structured={"v": 1}).structured == Msg("user", structured={"v": True}).structured
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    noon = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
    paris = noon.astimezone(dt.timezone(dt.timedelta(hours=1)))
    assert noon == paris
    assert not same(noon, paris)
    assert not same(noon, noon.replace(tzinfo=None))
    assert not same((1,), [1])
    assert not same("1", 1)


def test_made_values_equal_none_and_their_own_text() -> None:
    """A made id or time is the same as None, its plain value or another made one, but equal (==) only to that value."""
    message = Msg.user("x")
    assert message.id is not None
    assert message.created_at is not None
    plain = message.evolve(id=str(message.id), created_at=message.created_at.replace(fold=0))
    assert type(plain.id) is str
    assert plain == message
    assert same(plain, message)
    assert same(message, message.evolve(id=None, created_at=None))
    assert same(message.evolve(id=None, created_at=None), message)
    assert not same(plain, message.evolve(id=None))
    assert same(message, Msg.user("x"))
    assert message != Msg.user("x")
    assert message != message.evolve(id=None)


def test_what_is_computed_from_a_made_time_is_not_made() -> None:
    """Shifting and moving a made time give times that were meant; copies and pickles of it stay made."""
    made = Msg.user("x").created_at
    assert made is not None
    hour = dt.timedelta(hours=1)
    for computed in (made + hour, hour + made, made - hour, made.astimezone(dt.timezone(hour))):
        assert not is_made(computed)
    assert (made + hour) - made == hour
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    assert is_made(pickle.loads(pickle.dumps(made)))
    assert is_made(copy.deepcopy(made))


def test_a_time_that_a_caller_passes_is_given() -> None:
    """Only the library's own value counts as made: what a caller computes from one, with its mark or not, is given."""
    message = Msg.user("x")
    made = message.created_at
    assert made is not None
    computed = made.replace(microsecond=0)
    twice = dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=dt.UTC)
    for time in (made, computed, twice):
        for given in (
            Msg("user", "x", created_at=time),
            message.evolve(created_at=time),
            message.to_builder().set(created_at=time).build(),
            Msg.builder().role("user").set(created_at=time).build(),
        ):
            assert given.created_at == time
            assert not is_made(given.created_at)
            losses: list[am.Loss] = []
            am.encode([given], "openai", losses=losses)
            assert [loss.path[-1] for loss in losses] == ["created_at"]
    for kept in (
        message.evolve(name="a"),
        message.to_builder().text("y").build(),
        copy.deepcopy(message),
        message.clone(),
    ):
        assert is_made(kept.created_at)


def test_same_content() -> None:
    """same_content compares role and content only, strictly."""
    assert FULL.same_content(FULL.clone().with_metadata(z=1))
    assert not FULL.same_content(FULL.evolve(role="user"))
    assert not Msg.user("a").same_content(Msg.user("b"))


# -- accessors -----------------------------------------------------------------------------------------------


def test_text_and_length() -> None:
    """The text is that of the text blocks, and in tool messages that of the results."""
    assert FULL.text == "one\ntwo"
    assert FULL.length == 7
    results = [ToolResultBlock("c", "a"), ToolResultBlock("d", [TextBlock("b"), ImageBlock(URLSource("u"))])]
    assert Msg("tool", results).text == "a\nb"
    assert Msg("assistant", [TextBlock("x"), *results]).text == "x"
    image = Msg("user", [ImageBlock(URLSource("u"))])
    assert (image.text, image.length, bool(image)) == ("", 0, True)
    assert not hasattr(Msg, "__len__")


def test_blocks_by_class() -> None:
    """blocks, first and has find blocks by class, in order."""
    assert FULL.blocks(TextBlock) == (TextBlock("one"), TextBlock("two"))
    assert FULL.first(TextBlock) == TextBlock("one")
    assert FULL.first(ImageBlock) is None
    assert FULL.has(ThinkingBlock)
    assert not FULL.has(AudioBlock)


def test_calls_and_results() -> None:
    """Calls with valid and with invalid arguments are separate."""
    assert FULL.tool_calls == (CALL,)
    assert FULL.invalid_tool_calls == (BAD_CALL,)
    assert FULL.tool_results == ()
    assert FULL.tool_call_id is None
    assert FULL.remove_id is None
    assert FULL.sender == "Bob"


@pytest.mark.parametrize("role", ["system", "developer", "user", "assistant", "tool", "remove"])
def test_roles_can_be_asked_for(role: Any) -> None:
    """Exactly one of the is_... properties holds."""
    message = Msg(role=role)
    names = ["system", "developer", "user", "assistant", "tool", "remove"]
    assert [name for name in names if getattr(message, f"is_{name}")] == [role]


def test_matching() -> None:
    """``match`` takes messages and blocks apart, by name and by position."""
    match FULL:
        case Msg(role="assistant", tool_calls=[ToolUseBlock(name=name, input={"a": a}), *_]):
            assert (name, a) == ("add", 1)
        case _:
            pytest.fail("no match")
    match Msg.user("hi"):
        case Msg("user", [TextBlock(text)]):
            assert text == "hi"
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("length", [0, 1, 49, 50, 51, 1000])
def test_str_is_short(length: int) -> None:
    """``str`` shows role, link and text; after more than 50 characters the first 47 and three dots."""
    text = "x" * length
    shown = text if length <= 50 else "x" * 47 + "..."
    assert str(Msg("user", text)) == f"Msg(user): {shown}"
    result = ToolResultBlock("c1", text)
    assert str(Msg("tool", [result])) == f"Msg(tool) [c1]: {shown}"


def test_repr_is_bounded() -> None:
    """``repr`` leaves out absent fields, and has at most 2,000 characters, however large the message."""
    assert repr(Msg("user", "hi", id=None, created_at=None)) == "Msg(role='user', content=(TextBlock(text='hi'),))"
    assert repr(CALL) == "ToolUseBlock(id='c1', name='add', input={'a': 1})"
    huge = [
        Msg.user("x" * 1_000_000),
        Msg("user", [TextBlock("a")] * 5000),
        Msg("user", metadata={str(i): i for i in range(5000)}),
        Msg("user", [ImageBlock(Base64Source("A" * 1_000_000))]),
    ]
    for message in huge:
        assert len(repr(message)) <= 2000
        assert repr(message).isprintable()


def test_to_chat() -> None:
    """The plain form has the role and the text."""
    assert FULL.to_chat() == {"role": "assistant", "content": "one\ntwo"}


# -- structured output ---------------------------------------------------------------------------------------


class Unit(enum.StrEnum):
    """An enum in a user's class."""

    C = "c"
    F = "f"


@attrs.frozen
class Place:
    """An attrs class with typical fields."""

    city: str
    degrees: float = 0.0
    tags: list[str] = attrs.field(factory=list[str])
    unit: Unit = Unit.C
    near: tuple[str, ...] = ()
    inhabitants: int | None = None
    kind: Literal["big", "small"] = "big"
    counts: dict[str, int] = attrs.field(factory=dict[str, int])
    code: int | str = 0


@dataclasses.dataclass
class Trip:
    """A dataclass that holds attrs classes."""

    stops: list[Place]
    done: bool = False


class Weather(pydantic.BaseModel):
    """A pydantic model."""

    city: str
    at: dt.date | None = None
    tags: list[str] = []


def _get(value: Any, cls: Any) -> Any:
    return Msg("assistant", structured=value).get_structured_data(cls)


def test_structured_data_becomes_attrs_dataclass_or_pydantic() -> None:
    """Structured output becomes classes of all three kinds, nested; an int serves as a float."""
    place = {
        "city": "Rome",
        "degrees": 20,
        "tags": ["a"],
        "unit": "f",
        "near": ["b"],
        "inhabitants": 3,
        "code": "x",
    }
    assert _get(place, Place) == Place("Rome", 20, ["a"], Unit.F, ("b",), 3, "big", {}, "x")
    assert _get({"stops": [place], "done": True}, Trip).stops[0].unit is Unit.F
    assert _get({"city": "Rome", "at": "2026-01-02"}, Weather).at == dt.date(2026, 1, 2)
    assert _get([1, 2], list[int]) == [1, 2]
    assert _get({"big": 2**70}, dict[str, int]) == {"big": 2**70}


def test_structured_data_may_be_any_json() -> None:
    """Without a class the JSON itself is returned; False, 0, "" and {} are data, None is none."""
    values: list[Any] = [False, 0, "", [], {}]
    for value in values:
        message = Msg("assistant", structured=value)
        assert message.has_structured_data()
        assert message.get_structured_data() == value
    assert not Msg("assistant").has_structured_data()
    with pytest.raises(InvalidMessage) as caught:
        Msg("assistant").get_structured_data(Place)
    assert (caught.value.code, caught.value.path) == ("required", ("structured",))


MISFITS: dict[str, tuple[Any, Any, str]] = {
    "attrs: absent": ({}, Place, "city"),
    "attrs: bool for int": ({"city": "x", "inhabitants": True}, Place, "inhabitants"),
    "attrs: bool for float": ({"city": "x", "degrees": False}, Place, "degrees"),
    "attrs: float for int or text": ({"city": "x", "code": 1.0}, Place, "code"),
    "attrs: list for object": ([], Place, "list of 0"),
    "attrs: list for dict": ({"city": "x", "counts": [1]}, Place, "counts"),
    "attrs: no member": ({"city": "x", "unit": "K"}, Place, "unit"),
    "attrs: not literal": ({"city": "x", "kind": "tiny"}, Place, "kind"),
    "attrs: null": ({"city": None}, Place, "city"),
    "attrs: number for text": ({"city": 5}, Place, "city"),
    "attrs: text for int": ({"city": "x", "inhabitants": "5"}, Place, "inhabitants"),
    "attrs: text for list": ({"city": "x", "tags": "abc"}, Place, "tags"),
    "attrs: text for object": ("city", Place, "'city'"),
    "attrs: text for tuple": ({"city": "x", "near": "abc"}, Place, "near"),
    "dataclass: deep": ({"stops": [{"city": "x"}, {"city": 1}]}, Trip, "stops[1].city"),
    "dataclass: int for bool": ({"stops": [], "done": 1}, Trip, "done"),
    "plain: text for number": ("5", int, "int"),
    "pydantic: number for text": ({"city": 5}, Weather, "city"),
    "pydantic: text for list": ({"city": "x", "tags": "abc"}, Weather, "tags"),
    "union": ("x", int | None, "int"),
}


@pytest.mark.parametrize("name", list(MISFITS))
def test_structured_data_is_not_coerced(name: str) -> None:
    """A value that doesn't fit raises a typed error with the path, whichever library made the class."""
    value, cls, named = MISFITS[name]
    with pytest.raises(InvalidMessage) as caught:
        _get(value, cls)
    assert (caught.value.code, caught.value.path) == ("schema", ("structured",))
    assert named in str(caught.value)


def test_classes_that_raise_give_a_typed_error() -> None:
    """Any error of a user's class becomes the one typed error, with its words."""

    @attrs.frozen
    class Fussy:
        x: int

        def __attrs_post_init__(self) -> None:
            msg = "never happy"
            raise RuntimeError(msg)

    with pytest.raises(InvalidMessage, match="never happy"):
        _get({"x": 1}, Fussy)


_EVOLVED: tuple[Any, ...] = (
    Msg.user("x"),
    TextBlock("x"),
    ToolResultBlock("c1", "x"),
    ToolUseBlock("c1", "f", {"x": 1}),
    Usage(input=1),
)
_NEW: tuple[Any, ...] = (None, True, 1, 2.5, float("nan"), "y", "\ud800", b"z", [1], (), {"a": [1]}, {1: 2}, object())


@pytest.mark.parametrize("owner", _EVOLVED, ids=lambda owner: type(owner).__name__)
def test_evolve_takes_and_refuses_what_the_class_does(owner: Any) -> None:
    """A copy with one other field equals the one that ``__init__`` makes, or raises the same error."""
    cls = cast("Any", type(owner))
    # The call itself decides what a new input does to the old text.
    names = [field.alias for field in attrs.fields(cls) if field.init and field.alias not in ("input", "raw_input")]

    def outcome(evolve: Any, name: str, value: Any) -> Any:
        try:
            made = evolve(owner, **{name: value})
        except Exception as error:  # noqa: BLE001 - both must raise the same
            return type(error), str(error), getattr(error, "path", None), getattr(error, "code", None)
        return made, made.notes, type(getattr(made, name))

    outcomes = [(outcome(cls.evolve, *each), outcome(attrs.evolve, *each)) for each in product(names, _NEW)]
    assert any(isinstance(ours[0], type) for ours, _ in outcomes)
    for ours, theirs in outcomes:
        assert ours == theirs
    assert outcome(cls.evolve, "nobody", 1)[0] is TypeError
