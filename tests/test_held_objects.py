"""Other libraries' objects go in unchanged: of SDKs and LangChain, models, data classes; nothing is imported."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import subprocess
import sys
import uuid
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypedDict, cast

import attrs
import pytest

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable

ASKED = {"role": "user", "content": "Weather in Paris?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"town": "Paris"}'}}],
}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "Sunny"}
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-5",
    "choices": [{"index": 0, "message": CALLED, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
}
ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "abc"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "weather", "input": {"town": "Paris"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 7},
}


def _completion() -> Any:
    chat = import_module("openai.types.chat")
    return chat.ChatCompletion.model_validate(COMPLETION)


def _answer() -> Any:
    return import_module("anthropic.types").Message.model_validate(ANSWER)


# -- the idioms of the SDKs' own documentation -------------------------------------------------------------------------


def test_an_answer_of_openai_goes_in_as_it_is() -> None:
    """The object that the client returns equals the document on the wire."""
    completion = _completion()
    assert am.recognize(completion) == "openai-response"
    assert am.detect(completion) == am.detect(COMPLETION)
    assert am.same(am.decode(completion, "openai-response"), am.decode(COMPLETION, "openai-response"))
    assert am.encode(am.decode(completion, "openai-response"), "openai-response") == COMPLETION
    converted = am.convert(completion, "openai-response", "anthropic")
    assert converted.document == am.convert(COMPLETION, "openai-response", "anthropic").document


def test_messages_append_of_openai() -> None:
    """``messages.append(response.choices[0].message)`` makes a readable conversation, alone and in a body."""
    messages: list[Any] = [ASKED]
    messages.append(_completion().choices[0].message)
    messages.append(TOLD)
    plain = [ASKED, CALLED, TOLD]
    assert am.recognize(messages) == "openai"
    assert cast("Any", am.encode(am.decode(messages, "openai"), "openai")) == plain
    body = {"model": "gpt-5", "messages": messages}
    assert am.encode(am.decode(body, "openai"), "openai") == {"model": "gpt-5", "messages": plain}
    assert (
        am.convert(body, "openai", "anthropic").document
        == am.convert({"model": "gpt-5", "messages": plain}, "openai", "anthropic").document
    )
    assert am.Msg.decode(messages[1], "openai").tool_calls[0].name == "weather"


def test_messages_append_of_anthropic() -> None:
    """``messages.append({"role": "assistant", "content": response.content})`` makes a readable conversation."""
    answer = _answer()
    messages: list[Any] = [ASKED]
    messages.append({"role": "assistant", "content": answer.content})
    plain = [ASKED, {"role": "assistant", "content": ANSWER["content"]}]
    assert am.recognize(messages) == "anthropic"
    assert cast("Any", am.encode(am.decode(messages, "anthropic"), "anthropic")) == plain
    assert am.recognize(answer) == "anthropic-response"
    assert am.encode(am.decode(answer, "anthropic-response"), "anthropic-response") == ANSWER
    assert am.Msg.decode({"role": "assistant", "content": answer.content}, "anthropic").tool_calls[0].id == "t1"


def test_what_openai_parsed_itself_is_not_sent() -> None:
    """An attribute that the SDK never sends doesn't belong to the message."""
    model: Any = import_module("openai").BaseModel

    class Parsed(model):  # type: ignore[misc]
        __api_exclude__: ClassVar[set[str]] = {"parsed_arguments"}
        role: str
        content: str
        parsed_arguments: Any = None

    held = Parsed(role="user", content="x", parsed_arguments={"a": 1})
    assert am.encode(am.decode(held, "openai"), "openai") == {"role": "user", "content": "x"}


def test_messages_of_langchain_go_in_as_they_are() -> None:
    """Messages, lists of them and states are read as the framework itself stores them."""
    core = import_module("langchain_core.messages")
    load = import_module("langchain_core.load")
    messages = [
        core.SystemMessage("Be brief."),
        core.HumanMessage("Weather?", id="h1"),
        core.AIMessage("", tool_calls=[{"name": "weather", "args": {"town": "Paris"}, "id": "c1"}]),
        core.ToolMessage("Sunny", tool_call_id="c1", name="weather"),
        core.AIMessage("Sunny.", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
    ]
    for held in (messages, {"messages": messages}, messages[2]):
        assert am.recognize(held) == "langchain"
        read = am.decode(held, "langchain")
        assert am.same(am.decode(load.dumpd(held), "langchain-lc"), am.decode(held, "langchain-lc"))
        assert [message.text for message in read] == [message.text for message in am.decode(held, "langchain-lc")]
    history = am.decode(messages, "langchain")
    assert [message.role for message in history] == ["system", "user", "assistant", "tool", "assistant"]
    assert history[2].tool_calls[0].input == {"town": "Paris"}
    assert am.convert(messages, "langchain", "openai").document["messages"][2]["tool_calls"][0]["id"] == "c1"
    again = core.messages_from_dict(am.encode(am.History(history.messages), "langchain"))
    assert [message.content for message in again] == [message.content for message in messages]


def test_a_chunk_of_langchain_goes_in_as_it_is() -> None:
    """``decode_chunk`` takes the items of the framework's streams."""
    core = import_module("langchain_core.messages")
    chunk = am.decode_chunk(core.AIMessageChunk("Hel"), "langchain")
    assert chunk == am.decode_chunk({"type": "AIMessageChunk", "content": "Hel"}, "langchain")


# -- a single message --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "message",
    [
        ASKED,
        {"role": "assistant", "content": [{"type": "text", "text": "x"}]},
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "x", "name": "Ada", "unknown": {"a": 1}},
        {"role": "odd", "content": 7},
        {"role": "user", "content": []},
    ],
)
def test_a_single_message_is_a_document(codec: am.CodecName, message: dict[str, Any]) -> None:
    """One message of a provider is read and comes back exactly; more messages make it a list."""
    history = am.decode(message, codec)
    assert am.encode(history, codec) == message
    assert am.loads(am.dumps(history, codec), codec) == history
    assert history.messages_for(codec) == [message]
    assert am.encode(am.loads(am.dumps(history, "json"), "json"), codec) == message
    if message is ASKED:
        assert cast("Any", am.encode([*history, am.Msg.assistant("y")], codec))["messages"][0] == message
        written: Any = am.encode(history.extended(am.Msg.assistant("y")), codec)
        assert written[0] == message


def test_what_is_no_single_message_is_refused() -> None:
    """Neither a response nor an object without a role is a message of a request; the error has the path."""
    refused: list[tuple[am.CodecName, Any]] = [
        ("anthropic", ANSWER),
        ("openai", COMPLETION),
        ("openai", {}),
        ("anthropic", {"a": 1}),
    ]
    for codec, document in refused:
        with pytest.raises(am.DecodeError) as caught:
            am.decode(document, codec)
        assert caught.value.path == ("messages",)
    assert am.recognize(CALLED) == "openai"
    assert am.recognize({"role": "assistant", "content": ANSWER["content"]}) == "anthropic"


# -- models and data classes ------------------------------------------------------------------------------------------


class Typed(TypedDict):
    """A dictionary with types."""

    role: str
    content: str


@dataclasses.dataclass
class Data:
    """A dataclass whose last field was not set."""

    content: str
    role: str = "user"
    name: str | None = None
    tool_calls: list[Any] = dataclasses.field(default_factory=list[Any])


@attrs.frozen
class Attrs:
    """The same in attrs."""

    content: str
    role: str = "user"
    name: str | None = None
    tool_calls: list[Any] = attrs.field(factory=list[Any])


def _models() -> list[Any]:
    pydantic: Any = import_module("pydantic")
    older: Any = import_module("pydantic.v1")

    class Model(pydantic.BaseModel):  # type: ignore[misc]
        model_config = pydantic.ConfigDict(extra="allow")
        content: str
        role: Literal["user"] = "user"
        name: str | None = None
        tool_calls: list[Any] = pydantic.Field(default_factory=list)

    class Older(older.BaseModel):  # type: ignore[misc]
        content: str
        role: str = "user"
        name: str | None = None

    return [Model(content="x"), Older(content="x")]


def test_models_and_data_classes_are_what_they_say() -> None:
    """A meaningful default is written, a field that was never set isn't; in lists and bodies too."""
    wanted = {"role": "user", "content": "x"}
    typed: Typed = {"role": "user", "content": "x"}
    held = [Data("x"), Attrs("x"), typed, *_models()]
    for one in held:
        assert am.encode(am.decode(one, "openai"), "openai") == wanted
        assert am.recognize(one) == am.recognize(wanted)
    assert cast("Any", am.encode(am.decode(held, "openai"), "openai")) == [wanted] * len(held)
    assert am.encode(am.decode({"messages": tuple(held)}, "openai"), "openai") == {"messages": [wanted] * len(held)}
    assert am.encode(am.decode(Data("x", name="Ada"), "openai"), "openai") == {**wanted, "name": "Ada"}


def test_aliases_and_unknown_fields_of_models_are_those_of_the_wire() -> None:
    """A model is dumped as it would be sent: by aliases, with unknown fields and with None that was set."""
    pydantic: Any = import_module("pydantic")

    class Model(pydantic.BaseModel):  # type: ignore[misc]
        model_config = pydantic.ConfigDict(extra="allow")
        kind: str = pydantic.Field(alias="role")
        content: str | None = None
        refusal: str | None = None

    document = {"role": "assistant", "content": "x", "refusal": None, "new_key": [1]}
    assert am.encode(am.decode(Model.model_validate(document), "openai"), "openai") == document


def test_nothing_is_imported_for_objects() -> None:
    """Objects are recognised by their classes' methods: no SDK is imported for that."""
    code = (
        "import sys, agentmsg as am, dataclasses\n"
        "D = dataclasses.make_dataclass('D', ['role', 'content'])\n"
        "am.decode([D('user', 'x')], 'openai')\n"
        "print([m for m in ('pydantic', 'openai', 'anthropic', 'langchain_core') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class _Anything:
    """Makes a model with a field of any value, beside two others."""

    def __call__(self, value: Any) -> Any:
        pydantic: Any = import_module("pydantic")
        made = pydantic.create_model("Anything", role=(str, "user"), content=(str, "x"), value=(Any, None))
        return made(role="user", content="x", value=value)


# What JSON has a form for, as pydantic writes it.
AS_JSON: dict[str, tuple[Any, Any]] = {
    "a time with a date": (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "2026-01-01T00:00:00Z"),
    "a date": (dt.date(2026, 1, 1), "2026-01-01"),
    "a span of time": (dt.timedelta(seconds=3), "PT3S"),
    "a decimal number": (decimal.Decimal("1.50"), "1.50"),
    "an id": (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    "a word of a list": (enum.Enum("Odd", {"A": "a"}).A, "a"),  # type: ignore[attr-defined]
    "a set": ({1}, [1]),
    "a tuple": ((1, 2), [1, 2]),
    "an object inside": (_Anything()(1), {"role": "user", "content": "x", "value": 1}),
}
# What would become another value, and the code of the error.
NO_JSON: dict[str, tuple[Any, str]] = {
    "NaN": (float("nan"), "number"),
    "infinity": (float("inf"), "number"),
    "keys that are numbers": ({1: "a", "1": "b"}, "key"),
    "a key that is None": ({None: 1}, "key"),
    "a key that is a tuple": ({(1, 2): 3}, "key"),
    "bytes": (b"abc", "type"),
    "bytes that are no text": (b"\xff", "type"),
    "a complex number": (1j, "type"),
}


@pytest.mark.parametrize("kind", AS_JSON)
def test_values_of_models_become_the_json_that_they_have(kind: str) -> None:
    """Times, ids, words of a list and the like are what the model's own dump has for them."""
    value, wanted = AS_JSON[kind]
    for held in (value, [value], {"k": value}):
        (message,) = am.decode([_Anything()(held)], "openai")
        extras: Any = message.extras["openai"]
        assert am.thaw(extras["value"]) == (
            wanted if held is value else [wanted] if isinstance(held, list) else {"k": wanted}
        )


@pytest.mark.parametrize("kind", NO_JSON)
def test_values_of_models_never_become_other_values(kind: str) -> None:
    """NaN, odd keys, bytes: what JSON has no form for is refused, with the place; so in LangChain's messages."""
    value, code = NO_JSON[kind]
    core = import_module("langchain_core.messages")
    held = [
        _Anything()(value),
        core.AIMessage("", tool_calls=[{"name": "f", "args": {"value": value}, "id": "c1"}]),
        core.HumanMessage("x", additional_kwargs={"value": value}),
        core.AIMessage("x", response_metadata={"value": value}),
        core.ToolMessage("x", tool_call_id="c1", artifact={"value": value}),
        core.HumanMessage([{"type": "odd", "value": value}]),
    ]
    for message in held:
        with pytest.raises(am.AgentMsgError) as caught:
            am.decode([message], "openai" if message is held[0] else "langchain")
        assert caught.value.code == code
        assert "value" in caught.value.path


# -- hostile objects ---------------------------------------------------------------------------------------------------


def _boom(*_: Any, **__: Any) -> NoReturn:
    msg = "no"
    raise RuntimeError(msg)


def _of(**members: Any) -> Any:
    return type("Odd", (), members)()


def _model(dump: Callable[..., Any]) -> Any:
    return _of(model_dump=dump)


def _nested(_: Any, **__: Any) -> Any:
    return {"role": "user", "content": [_model(_nested)]}


def _too_deep(*_: Any, **__: Any) -> Any:
    raise RecursionError


def _itself(self: Any, **_: Any) -> Any:
    return self


def _loop() -> Any:
    data = Data("x")
    data.tool_calls = [data]
    return data


def _cycle(self: Any, **_: Any) -> Any:
    found: dict[str, Any] = {"role": "user"}
    found["content"] = found
    return found


def _bad_field() -> Any:
    cls = dataclasses.make_dataclass("Bad", ["role", "content"])
    cls.content = property(_boom, lambda *_: None)  # type: ignore[attr-defined]
    return cls("user", "x")


HOSTILE: dict[str, Callable[[], Any]] = {
    "raises": lambda: _model(_boom),
    "gives itself": lambda: _model(_itself),
    "gives a number": lambda: _model(lambda *_, **__: 7),
    "gives bytes": lambda: _model(lambda *_, **__: {"role": "user", "content": b"x"}),
    "gives odd keys": lambda: _model(lambda *_, **__: {1: 2}),
    "gives other objects without end": lambda: _model(_nested),
    "calls itself without end": lambda: _model(_too_deep),
    "gives a cycle": lambda: _model(_cycle),
    "holds itself": _loop,
    "has a field that raises": _bad_field,
    "has no method": lambda: _of(model_dump=7),
    "has odd fields": lambda: _of(__attrs_attrs__=7),
    "has odd data fields": lambda: _of(__dataclass_fields__=7),
    "has an older model's mark": lambda: _of(__fields_set__=7),
    "is a class": lambda: Data,
    "is a message of ours": lambda: am.Msg.user("x"),
    "is a history of ours": lambda: am.History.of("x"),
    "is many": lambda: [Data(7)] * 1000,  # type: ignore[arg-type]
}


CALLS: tuple[Callable[[Any], object], ...] = (
    lambda held: am.decode(held, "openai"),
    lambda held: am.decode(held, "langchain-lc"),
    lambda held: am.convert(held, "anthropic", "openai"),
    am.recognize,
    am.detect,
)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_objects_are_a_typed_error(kind: str) -> None:
    """Whatever an object does when it is used, the result is a history or one AgentMsgError, for each format."""
    for make in (HOSTILE[kind], lambda: [ASKED, HOSTILE[kind]()], lambda: {"messages": [HOSTILE[kind]()]}):
        for call in CALLS:
            try:
                call(make())
            except am.AgentMsgError as error:
                words = str(error)
            else:
                continue
            assert "\n" not in words
            assert len(words) < 600, words
    if kind not in ("gives a number", "is many"):
        with pytest.raises(am.DecodeError):
            am.decode([HOSTILE[kind]()], "openai")


def test_ours_are_told_to_be_encoded() -> None:
    """A message or a history isn't a document: the error explains how to make one."""
    for held in (am.Msg.user("x"), [am.Msg.user("x")], am.TextBlock("x")):
        with pytest.raises(am.DecodeError, match=r"agentmsg\.encode"):
            am.decode(held, "openai")
