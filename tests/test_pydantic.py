"""The model as types of pydantic: fields are read by our reader, written in the canonical form, and have a schema."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from typing import Annotated, Any, cast

import attrs
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

import agentmsg as am
from agentmsg.model.blocks import BLOCK_TAGS
from agentmsg.testing import histories
from support.grand_tour import grand_tour

HISTORY: TypeAdapter[am.History] = TypeAdapter(am.History)
MSG: TypeAdapter[am.Msg] = TypeAdapter(am.Msg)
BLOCK: TypeAdapter[am.Block] = TypeAdapter(am.Block)


@am.register_block("test_pydantic.place")
@attrs.frozen
class Place(am.BaseBlock):
    """A block of a user."""

    city: str = attrs.field(kw_only=True)


@am.register_block("test_pydantic.aside")
@attrs.frozen(repr=False, eq=False)
class Aside(am.TextBlock):
    """A text of a user's own class."""


class Case(BaseModel):
    """A service's model: a field of most kinds."""

    model_config = ConfigDict(frozen=True)

    history: am.History
    last: am.Msg | None = None
    more: tuple[am.Msg, ...] = ()
    blocks: tuple[am.Block, ...] = ()
    by_name: dict[str, am.TextBlock | am.ImageBlock] = {}
    source: am.Source | None = None
    tool: am.Tool | None = None
    usage: am.Usage | None = None


class Entry(BaseModel):
    """Another, of immutable values."""

    model_config = ConfigDict(frozen=True)

    history: am.History
    message: am.Msg
    block: am.Block


def case() -> Case:
    """Return a case with all its fields."""
    return Case(
        history=grand_tour(),
        last=am.Msg.assistant("Let me see.", tool_calls=[{"name": "f", "id": "c", "input": {"a": 1}}]),
        more=(am.Msg.user("Hello", id="m", created_at=None),),
        blocks=(
            am.TextBlock("a"),
            cast("Any", Place(city="Oslo")),
            am.ImageBlock.from_url("https://example.org/a.png"),
        ),
        by_name={"cover": am.ImageBlock.from_url("https://example.org/b.png"), "title": am.TextBlock("b")},
        source=am.TextSource("c"),
        tool=am.ToolSpec("f", parameters={"type": "object"}),
        usage=am.Usage(input=3, cost=0.5),
    )


def values(model: BaseModel) -> dict[str, Any]:
    """Return the fields of a model unchanged."""
    return {name: getattr(model, name) for name in type(model).model_fields}


def as_any(value: Any) -> Any:
    """Return a value without a type for type checkers."""
    return value


def errors(kind: Any, value: Any) -> list[Any]:
    """Return pydantic's errors for a value."""
    with pytest.raises(ValidationError) as raised:
        TypeAdapter(kind).validate_python(value)
    found: list[Any] = as_any(raised.value.errors())
    return found


# -- reading and writing -----------------------------------------------------------------------------------------------


def test_an_instance_is_taken_as_it_is() -> None:
    """A history, message or block is the value of the field itself, even of a subclass."""
    history, aside = grand_tour(), Aside("x")
    assert Case(history=history).history is history
    assert TypeAdapter(am.TextBlock).validate_python(aside) is aside
    assert BLOCK.validate_python(aside) is aside
    assert MSG.validate_python(history[0], strict=True) is history[0]


@given(histories())
def test_what_is_dumped_is_read_as_the_same(history: am.History) -> None:
    """For every history both dumps are the canonical form, and read back as the same."""
    document = am.encode(history, "json")
    assert HISTORY.dump_python(history) == document
    assert json.loads(HISTORY.dump_json(history)) == document
    assert am.same(HISTORY.validate_python(document), history)
    assert am.same(HISTORY.validate_json(HISTORY.dump_json(history)), history)
    for message in history:
        dumped = MSG.dump_python(message)
        assert am.same(MSG.validate_python(dumped), message)
        for block in message.content:
            assert am.same(BLOCK.validate_json(BLOCK.dump_json(block)), block)


def test_dumped_data_is_plain() -> None:
    """The result of python mode holds no class of ours: made ids are plain texts."""

    def kinds(value: Any) -> set[Any]:
        kind: Any = as_any(value).__class__
        inside: Any = [*value, *value.values()] if kind is dict else value if kind is list else ()
        return {kind}.union(*map(kinds, inside))

    history = am.History.of("Hello", am.Msg.user("x", metadata={"a": [{"b": 1.5}]}))
    assert kinds(HISTORY.dump_python(history)) == {dict, list, str, int, float}
    assert kinds(HISTORY.dump_python(history, mode="json")) == {dict, list, str, int, float}


def test_models_go_there_and_back() -> None:
    """Optional fields, tuples, dicts and unions of a model are dumped and read again, plain and as JSON."""
    whole = case()
    for again in (Case.model_validate(whole.model_dump()), Case.model_validate_json(whole.model_dump_json())):
        assert again == whole
        assert all(am.same(value, values(again)[name]) for name, value in values(whole).items())


def test_models_are_copied_pickled_and_hashed() -> None:
    """A model with fields of ours is copied, pickled and, if it is frozen, hashed like any other."""
    whole = case()
    for again in (copy.copy(whole), copy.deepcopy(whole), pickle.loads(pickle.dumps(whole)), whole.model_copy()):
        assert again == whole
    entry = Entry(history=whole.history, message=whole.more[0], block=whole.blocks[0])
    assert hash(entry) == hash(entry.model_copy(deep=True)) == hash(Entry.model_validate_json(entry.model_dump_json()))
    changed = whole.model_copy(update={"last": None})
    assert changed.last is None
    assert changed.history is whole.history


def test_lists_of_messages_are_histories() -> None:
    """A field for a history takes messages, but no texts or mappings that Python code would have to convert."""
    message = am.Msg.user("Hello")
    assert HISTORY.validate_python([message, message]) == am.History((message, message))
    assert HISTORY.validate_python([{"role": "user", "content": "Hello"}])[0].id is None
    assert errors(am.History, ["Hello"])[0]["loc"] == (0,)


def test_a_message_is_an_object_or_what_to_dict_gives() -> None:
    """A message is read from its own object, even with an odd key, and from a document of just one."""
    message = am.Msg.user("Hello")
    assert am.same(MSG.validate_python(message.to_dict()), message)
    odd = {"role": "user", "content": "x", "agentmsg": 1}
    assert MSG.dump_python(MSG.validate_python(odd)) == odd
    assert errors(am.Msg, am.History.of("a", "b").to_dict())[0]["type"] == "schema"


def test_a_field_takes_blocks_of_its_class_only() -> None:
    """The tag decides; that of a registered subclass is accepted, and a union takes each of its own."""
    assert TypeAdapter(am.TextBlock).validate_python({"type": "test_pydantic.aside", "text": "x"}) == Aside("x")
    assert TypeAdapter(Place).validate_python({"type": "test_pydantic.place", "city": "Oslo"}) == Place(city="Oslo")
    assert type(BLOCK.validate_python({"type": "of a later version", "a": 1})) is am.NativeBlock
    (error,) = errors(am.TextBlock, {"type": "image", "source": {"type": "url", "url": "u"}})
    assert (error["type"], error["loc"], error["input"]) == ("schema", ("type",), "image")
    (error,) = errors(am.TextBlock, am.RefusalBlock("no"))
    assert (error["type"], error["loc"]) == ("type", ())
    (error,) = errors(am.TextBlock, {"type": "test_pydantic.aside"})
    assert (error["type"], error["loc"]) == ("required", ("text",))


# Objects of the classes that are newer than the grand tour, whose bytes are frozen.
NEWER = (
    am.ApprovalRequestBlock("ap", "c1", reason="It writes.", signature=am.Signature("vercel", "c2ln")),
    am.ApprovalResponseBlock("ap", False, reason="Not today.", kind="server"),
)
PARTS = (
    *(cls for cls in BLOCK_TAGS if cls.__module__.startswith("agentmsg.")),
    *(am.URLSource, am.Base64Source, am.FileSource, am.TextSource, am.BlocksSource),
    *(am.ToolSpec, am.NativeTool, am.Usage, am.Citation, am.CacheHint, am.Signature),
)


def _found(value: Any, cls: type[Any]) -> Any:
    """Return the first object of a class inside a value."""
    kind: Any = as_any(value).__class__
    if kind is cls:
        return value
    inside: Any = value if kind is tuple else ()
    if attrs.has(kind):
        inside = [getattr(value, field.name) for field in attrs.fields(kind)]
    return next((found for item in inside if (found := _found(item, cls)) is not None), None)


@pytest.mark.parametrize("cls", PARTS, ids=lambda cls: cls.__name__)
def test_every_class_is_a_type(cls: type[Any]) -> None:
    """Each class of the model is read from its dump, and its schema allows that and no other kind."""
    adapter: TypeAdapter[Any] = TypeAdapter(cls)
    part = _found((grand_tour(), NEWER), cls)
    assert part is not None
    dumped = adapter.dump_python(part)
    assert am.same(adapter.validate_python(dumped), part)
    assert am.same(adapter.validate_json(adapter.dump_json(part)), part)
    schema = adapter.json_schema()
    assert schema == adapter.json_schema(mode="serialization")
    validator: Any = Draft202012Validator(schema)
    validator.validate(dumped)
    for wrong in (7, "text", None, [dumped]):
        assert not validator.is_valid(wrong)
        (error,) = errors(cls, wrong)
        assert error["type"] in {"type", "required", "schema"}


def test_what_has_no_canonical_form_is_refused_at_once() -> None:
    """A class that nothing could be read as is refused when the type is made."""

    @attrs.frozen
    class Unregistered(am.BaseBlock):
        pass

    with pytest.raises(am.InvalidMessage, match="register_block"):
        TypeAdapter(Unregistered)
    with pytest.raises(am.InvalidMessage, match="MsgChunk has no canonical form"):
        TypeAdapter(am.MsgChunk)


# -- errors ------------------------------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], tuple[str | int, ...], str, Any]] = [
    ({"history": 7}, ("history",), "type", 7),
    ({"history": [{"role": 7}]}, ("history", 0, "role"), "type", 7),
    (
        {"history": {"agentmsg": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": 1}]}]}},
        ("history", "messages", 0, "content", 0, "text"),
        "type",
        1,
    ),
    ({"history": {"agentmsg": 2, "messages": []}}, ("history", "agentmsg"), "version", 2),
    ({"history": [], "last": {"content": []}}, ("last", "role"), "required", {"content": []}),
    ({"history": [], "last": {"role": "user", "usage": {"input": "3"}}}, ("last", "usage", "input"), "type", "3"),
    ({"history": [], "more": [{"role": "user"}, []]}, ("more", 1), "type", []),
    ({"history": [], "blocks": [{"type": "image"}]}, ("blocks", 0, "source"), "required", {"type": "image"}),
    ({"history": [], "source": {"type": "url", "url": None}}, ("source", "url"), "type", None),
    ({"history": [], "tool": {"type": "tool", "name": 1}}, ("tool", "name"), "type", 1),
    ({"history": [], "usage": {"output": 1.0}}, ("usage", "output"), "type", 1.0),
]


@pytest.mark.parametrize(("document", "loc", "code", "value"), WRONG, ids=lambda value: str(value)[:40])
def test_errors_lead_to_the_fault(document: dict[str, Any], loc: Any, code: str, value: Any) -> None:
    """Our error is one of pydantic's: our code as its type, the path from the root of the body, the invalid part."""
    with pytest.raises(ValidationError) as of_data:
        Case.model_validate(document)
    with pytest.raises(ValidationError) as of_json:
        Case.model_validate_json(json.dumps(document))
    for raised in (of_data, of_json):
        (error,) = as_any(raised.value.errors())
        assert (error["type"], error["loc"], error["input"]) == (code, loc, value)
        assert error["ctx"]["code"] == code
        assert error["ctx"]["codec"] == "json"
        assert error["msg"] == error["ctx"]["message"]
        assert json.loads(raised.value.json())[0]["loc"] == list(loc)


def test_nothing_is_coerced() -> None:
    """A number for a text, a text for a number, or NaN is refused in every mode of pydantic."""
    for wrong in ({"role": "user", "id": 7}, {"role": "user", "structured": float("nan")}, {"role": b"user"}):
        for is_strict in (True, False):
            with pytest.raises(ValidationError):
                MSG.validate_python(wrong, strict=is_strict)
    with pytest.raises(ValidationError):
        MSG.validate_json('{"role": "user", "structured": NaN}')
    assert MSG.validate_json('{"role": "user", "structured": 123456789012345678901234567890}').structured == (
        123456789012345678901234567890
    )


def test_messages_of_errors_stand_as_they_are() -> None:
    """Braces in refused values are not placeholders for pydantic to fill in."""
    (error,) = errors(am.Source, {"type": "{code}{message}"})
    assert "'{code}{message}'" in error["msg"]


class Hostile:
    """An object that raises at any access."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


def nested(levels: int) -> Any:
    """Return a list with this many levels."""
    value: Any = None
    for _ in range(levels):
        value = [value]
    return value


HOSTILE: dict[str, Any] = {
    "object": Hostile(),
    "object inside": [Hostile()],
    "object as a tag": {"type": Hostile()},
    "object among messages": [am.Msg.user("x"), Hostile()],
    "object for messages": {"agentmsg": 1, "messages": Hostile()},
    "deep": {"role": "user", "structured": nested(200)},
    "deeper": nested(100_000),
    "surrogate": {"role": "user", "metadata": {"\ud800": float("nan")}},
    "key": {"role": "user", 1: 2},
    "huge": 10**5000,
    "class": am.Msg,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_is_given_is_an_error_of_pydantic(name: str) -> None:
    """No object, depth or text raises anything but a ValidationError, which can be printed."""
    value = HOSTILE[name]
    openai: Any = Annotated[am.History, am.As("openai")]
    for kind in (am.History, am.Msg, am.Block, am.TextBlock, am.Source, am.Usage, openai):
        for error in errors(kind, value):
            assert error["type"] == error["ctx"]["code"]


def test_deep_messages_go_there_and_back() -> None:
    """Everything that the model can hold is read again, however deep it is."""
    message = am.Msg("user", structured=nested(126))
    assert am.same(MSG.validate_python(MSG.dump_python(message)), message)
    assert am.same(HISTORY.validate_json(HISTORY.dump_json(am.History([message])))[0], message)


def test_a_value_of_another_class_is_a_warning() -> None:
    """A value put into a model unchecked causes a warning when it is dumped, as in pydantic."""
    wrong = Case.model_construct(history=am.History(), last="no message")
    with pytest.warns(UserWarning, match="Msg is needed"):
        assert wrong.model_dump()["last"] == "no message"


# -- JSON Schema -------------------------------------------------------------------------------------------------------


def test_schemas_are_those_of_the_command_line() -> None:
    """The definitions are those that ``agentmsg schema`` prints; pydantic finds each of them."""
    ours = am.get_codec("json").schema()
    assert ours is not None
    found = HISTORY.json_schema()
    assert found["$defs"] == ours["$defs"]
    assert found["anyOf"] == ours["anyOf"]
    assert TypeAdapter(am.Usage).json_schema() == ours["$defs"]["Usage"]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_schemas_of_models_allow_what_is_dumped(mode: Any) -> None:
    """The schema of a model refers to existing definitions, and allows the model's dump."""
    schema = Case.model_json_schema(mode=mode)
    Draft202012Validator.check_schema(schema)
    validator: Any = Draft202012Validator(schema)
    dumped = json.loads(case().model_dump_json())
    validator.validate(dumped)
    assert not validator.is_valid({**dumped, "usage": {"input": "3"}})
    used = {part.partition('"')[0] for part in json.dumps(schema).split("#/$defs/")[1:]}
    assert used == set(schema["$defs"])
    assert schema["properties"]["blocks"]["items"] == {"$ref": "#/$defs/Block"}


def test_classes_of_one_name_are_told_apart() -> None:
    """A user's model with the name of a class of ours gets a definition of its own."""

    class Msg(BaseModel):
        text: str

    class Both(BaseModel):
        mine: Msg
        yours: am.Msg

    schema = Both.model_json_schema()
    mine, yours = (schema["properties"][name]["$ref"].rpartition("/")[2] for name in ("mine", "yours"))
    assert set(schema["$defs"][mine]["properties"]) == {"text"}
    assert "role" in schema["$defs"][yours]["properties"]


def test_a_block_of_a_user_has_a_schema() -> None:
    """Its definition has its tag."""

    class Trip(BaseModel):
        places: list[Place]

    schema = Trip.model_json_schema()
    assert schema["properties"]["places"]["items"] == {"$ref": "#/$defs/Place"}
    assert schema["$defs"]["Place"]["properties"] == {"type": {"const": "test_pydantic.place"}}


def test_pydantic_is_not_imported() -> None:
    """Without pydantic there is no cost: As, its arguments and the whole model work without it."""
    code = (
        "import sys; import agentmsg as am\n"
        "am.As('openai'); am.As['anthropic']; am.Block; am.History.of('x').digest()\n"
        "sys.exit('pydantic' in sys.modules or 'pydantic_core' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- documents of other formats ----------------------------------------------------------------------------------------

CHAT = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi", "name": "ada"}]}


class Foreign(BaseModel):
    """A model with documents of several formats."""

    body: Annotated[am.History, am.As("openai")]
    answer: Annotated[am.History | None, am.As("anthropic-response")] = None
    message: Annotated[am.Msg, am.As("langchain")] | None = None
    packed: Annotated[am.History, am.As("msgpack")] | None = None


def test_fields_are_documents_of_their_formats() -> None:
    """Each field is read from a document of its format, and dumped as that document, plain and as JSON."""
    document = {
        "body": CHAT,
        "answer": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": [{"type": "text", "text": "Hello!"}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 9},
        },
        "message": {"type": "human", "data": {"content": "Hi", "type": "human"}},
        "packed": None,
    }
    model = Foreign.model_validate(document)
    assert model.body == am.decode(CHAT, "openai")
    assert isinstance(model.message, am.Msg)
    assert model.model_dump() == document
    assert json.loads(model.model_dump_json()) == document
    assert Foreign.model_validate_json(json.dumps(document)) == model


def test_options_and_codecs_are_taken() -> None:
    """Options of the codec are given by name, or with a configured codec."""
    for way in (am.As("openai", container="list"), am.As(am.get_codec("openai", container="list"))):
        adapter: TypeAdapter[am.History] = TypeAdapter(Annotated[am.History, way])
        assert adapter.dump_python(am.History.of("Hi")) == [{"role": "user", "content": "Hi"}]
    assert hash(am.As("openai")) == hash(am.As("openai"))
    assert repr(am.As("openai")) == "As('openai')"


def test_the_short_form_is_the_same_annotation() -> None:
    """``am.As["openai"]`` is the short form of the annotation beside History, alone and in a union."""
    short_for = as_any(am.As)
    assert short_for["openai"] == Annotated[am.History, am.As("openai")]
    short: TypeAdapter[Any] = TypeAdapter(as_any(short_for["anthropic"] | None))
    document = {"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]}
    assert short.dump_python(short.validate_python(document)) == document
    assert short.validate_python(None) is None


def test_bytes_are_documents_too() -> None:
    """Bytes are read as such; a binary format is base64 in JSON."""
    model = Foreign(body=json.dumps(CHAT).encode(), packed=am.dumps(am.decode(CHAT, "openai"), "msgpack"))  # type: ignore[arg-type]
    assert model.body == model.packed
    assert type(model.model_dump()["packed"]) is bytes
    again = Foreign.model_validate_json(model.model_dump_json())
    assert again == model == Foreign.model_validate(model.model_dump(mode="json"))
    (error,) = errors(Foreign, {"body": [], "packed": "no base64"})
    assert (error["type"], error["loc"][0]) == ("syntax", "packed")


def test_errors_of_documents_lead_to_the_fault() -> None:
    """The path of the error is that in the document, and the context names the format."""
    for wrong, loc in (
        ({"messages": 7}, ("body", "messages")),
        ([{"role": "user", "content": "x"}, 7], ("body", 1)),
        ("a text", ("body",)),
        (b"[", ("body",)),
    ):
        (error,) = errors(Foreign, {"body": wrong})
        assert (error["loc"], error["ctx"]["codec"]) == (loc, "openai")
    (error,) = errors(Annotated[am.Msg, am.As("openai")], [])
    assert error["msg"] == "one message is needed, the document holds 0"


def test_lost_content_stops_the_dump() -> None:
    """Content that the format can't hold makes the dump fail, caused by our error; ``on_loss`` and ``carry`` help."""
    history = am.History((am.Msg.assistant("Hi", structured={"a": 1}),))
    strict: TypeAdapter[am.History] = TypeAdapter(Annotated[am.History, am.As("anthropic")])
    with pytest.raises(PydanticSerializationError, match="would lose content") as raised:
        strict.dump_python(history)
    assert isinstance(raised.value.__cause__, am.LossError)
    assert raised.value.__cause__.losses
    with pytest.raises(PydanticSerializationError, match="would lose content"):
        strict.dump_json(history)
    loose: TypeAdapter[am.History] = TypeAdapter(Annotated[am.History, am.As("anthropic", on_loss="ignore")])
    assert loose.dump_python(history) == am.encode(history, "anthropic", on_loss="ignore")
    carried: TypeAdapter[am.History] = TypeAdapter(Annotated[am.History, am.As("langchain", carry=True)])
    assert am.same(am.restore(carried.validate_python(carried.dump_python(history)))[0].structured, {"a": 1})


def test_mistakes_in_annotations_are_told_at_once() -> None:
    """An unknown format, option or word is refused where it is written, a wrong type when the model is made."""
    with pytest.raises(am.CodecLookupError, match="did you mean openai"):
        am.As("opnai")  # type: ignore[arg-type]
    with pytest.raises(am.CodecLookupError, match="did you mean openai"):
        as_any(am.As)["opnai"]
    with pytest.raises(am.CodecLookupError, match="no option"):
        am.As("openai", thinkin="text")  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    with pytest.raises(am.InvalidMessage, match="on_loss"):
        am.As("openai", on_loss="never")  # type: ignore[arg-type]
    with pytest.raises(am.InvalidMessage, match="beside History or Msg"):
        TypeAdapter(Annotated[list[am.Msg], am.As("openai")])


def test_schemas_of_documents_name_the_format() -> None:
    """The schema is that of the format if there is one; else it allows anything, with a description."""
    schema = Foreign.model_json_schema()
    assert schema["properties"]["body"]["title"] == am.get_codec("openai").title
    assert "openai" in schema["properties"]["body"]["description"]
    validator: Any = Draft202012Validator(schema)
    assert validator.is_valid({"body": CHAT})
    packed = schema["properties"]["packed"]["anyOf"][0]
    assert (packed["type"], packed["contentEncoding"]) == ("string", "base64")
    same: TypeAdapter[am.History] = TypeAdapter(Annotated[am.History, am.As("json")])
    assert same.json_schema() == HISTORY.json_schema()


@pytest.mark.parametrize("kind", [am.CallFields, am.MessageFields])
def test_mappings_are_types_too(kind: Any) -> None:
    """The mappings that stand for calls and messages are types of pydantic, on each version of Python."""
    given = {"role": "user", "name": "f"}
    assert TypeAdapter[Any](kind).validate_python(given).items() <= given.items()
    with pytest.raises(ValidationError):
        TypeAdapter[Any](kind).validate_python({})
