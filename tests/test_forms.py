"""Forms: a compiled description reads each native object once, and writes it back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest

import agentmsg as am
from agentmsg.errors import AgentMsgError
from agentmsg.formats import KEEP, Unreadable, marked, write_as
from agentmsg.formats.forms import Const, Described, Form, Hatch, Inside, Key, Rows, Spare, Text, Whole
from agentmsg.formats.spelling import same_document
from agentmsg.values.frozen import plain_copy
from agentmsg_codecs import CodecName
from agentmsg_codecs.anthropic.response import AnthropicResponseCodec
from data import effort, some
from support.changed_once import changed_once
from support.documents import documents

if TYPE_CHECKING:
    from cattrs import Converter


def _anthropic(*parts: Any, **fields: Any) -> dict[str, Any]:
    native: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude"}
    native |= {"content": [*parts], "stop_reason": "end_turn", "stop_sequence": None}
    return {**native, "usage": {"input_tokens": 5, "output_tokens": 7}, **fields}


_TEXT = {"type": "text", "text": "hi"}
ANSWERS = [
    _anthropic(_TEXT),
    _anthropic(stop_details=None),
    _anthropic({"type": "thinking", "thinking": "hm", "signature": "s"}, _TEXT, stop_reason="refusal"),
    _anthropic({"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, stop_reason="tool_use"),
    # Unusual parts that come back.
    _anthropic({**_TEXT, "citations": None}, {"type": "redacted_thinking", "data": "x"}, {"type": "unknown"}, "x"),
    _anthropic(
        _TEXT,
        usage={
            "input_tokens": 5,
            "output_tokens": 7,
            "cache_read_input_tokens": 1,
            "cache_creation_input_tokens": 2,
            "output_tokens_details": {"thinking_tokens": 3, "x": 1},
            "service_tier": "standard",
        },
    ),
]

NAMES: tuple[am.CodecName, ...] = get_args(CodecName)
DESCRIBED = [name for name in NAMES if am.get_codec(name).described]
"""The codecs whose format is described in forms."""


def _check_return(codec: am.Codec, document: Any) -> bool:
    """Check that a read object comes back; return False if it is refused."""
    try:
        history = codec.read(plain_copy(document))
    except AgentMsgError:
        return False
    assert same_document(codec.write(history), document), document
    return True


@pytest.mark.parametrize("native", ANSWERS)
def test_each_single_change_of_an_answer_comes_back(native: Any) -> None:
    """With one value changed, one key less or one key more, a response comes back exactly or is refused."""
    codec = am.get_codec("anthropic-response")
    assert _check_return(codec, native)
    assert sum(_check_return(codec, document) for document in changed_once(native)) > 0


@pytest.mark.parametrize("name", DESCRIBED)
def test_each_single_change_of_a_document_comes_back(name: am.CodecName) -> None:
    """The same of golden and recorded documents."""
    codec = am.get_codec(name)
    short = [document for _, document in documents(name) if len(str(document)) < 1_500]
    for document in some(short, effort(8)):
        assert sum(_check_return(codec, changed) for changed in changed_once(document)) > 0


def test_hooks_of_yours_replace_forms() -> None:
    """A hook registered before first use reads and writes all objects of its class, also inside others."""
    codec = AnthropicResponseCodec()
    converter: Converter = codec.engine.parts.converter
    converter.register_structure_hook_func(
        lambda kind: kind is am.TextBlock, lambda native, _: am.TextBlock(native["text"].upper())
    )
    converter.register_unstructure_hook_func(
        lambda kind: kind is am.TextBlock, lambda block: {"type": "text", "text": block.text.lower()}
    )
    converter.register_structure_hook_func(lambda kind: kind is am.CacheHint, lambda _, __: am.CacheHint(ttl="5m"))
    converter.register_unstructure_hook_func(lambda kind: kind is am.CacheHint, lambda _: {"type": "mine"})
    assert codec.read(_anthropic(_TEXT))[0].text == "HI"
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}, "cache_control": {"type": "mine"}}
    document = _anthropic(_TEXT, call)
    history = codec.read(plain_copy(document))
    assert history[0].tool_calls[0].cache == am.CacheHint(ttl="5m")
    assert same_document(codec.write(history), document)
    assert _check_return(codec, _anthropic({**_TEXT, "text": "Hi"}))


def test_generated_code_shows_in_tracebacks() -> None:
    """``linecache`` knows the lines of a generated function, under the name of the format and the function."""
    import linecache

    codec = AnthropicResponseCodec()
    codec.engine.fill()
    codec.read(_anthropic(_TEXT))
    assert "def read_text(d: Any, _: Any = None) -> Any:" in "".join(linecache.getlines("<anthropic: read_text>"))


def test_what_only_unusual_objects_need_is_compiled_for_the_first_of_them() -> None:
    """A reader ends at the usual object, and calls a function for any other that is made on its first call."""
    form = Form("text", am.TextBlock, "text", (Key("text", "text", Text()), Key("id", "item_id", Text(), "may")))
    names = Described("toy", (form,), {}).names
    read, name = names.readers["text"], "read_rest_of_text"
    assert read({"type": "text", "text": "a"}) == am.TextBlock("a")
    waiting = names.scope[name]
    assert read({"type": "text", "text": "a", "id": "b"}) == am.TextBlock("a", item_id="b")
    assert names.scope[name] is not waiting
    assert f"def {name}(d: Any, text_: Any) -> Any:" in "".join(names.sources())


def _read(form: Form, native: dict[str, Any]) -> Any:
    return Described("toy", (form,), {}).names.readers[form.name](native)


def test_a_hatch_is_not_asked_without_what_it_must_have() -> None:
    """An object without a required key is refused before the hatch's function sees it."""
    asked: list[Any] = []

    def get(native: Any) -> dict[str, Any]:
        asked.append(native)
        return {"text": native["a"]}

    def put(block: Any) -> dict[str, Any]:
        return {"a": block.text}

    hatch = Hatch(keys=("a", "b"), cells={"text": KEEP}, get=get, put=put, must=("a",))
    form = Form("toy", am.TextBlock, "text", (hatch,))
    assert _read(form, {"type": "text", "a": "x"}).text == "x"
    for native in ({"type": "text"}, {"type": "text", "b": 1}):
        with pytest.raises(Unreadable, match="a is missing"):
            _read(form, native)
    assert len(asked) == 1


COUNTED = Form("usage", am.Usage, None, (
    Key("total", "total", Whole(), "may", is_odd=True),
    Inside("of_input", (Key("total", "input", Whole(), "may", is_odd=True),), "may", space="toy.input"),
    Inside("of_output", (Key("total", "output", Whole(), "may", is_odd=True),), "may", space="toy.output"),
))  # fmt: skip


@pytest.mark.parametrize(
    ("native", "fields", "extras"),
    [
        ({"total": "x", "of_input": {"total": 1}}, {"input": 1}, {"toy": {"total": "x"}}),
        ({"of_input": {"total": "x", "y": 1}, "total": 2}, {"total": 2}, {"toy.input": {"total": "x", "y": 1}}),
        ({"of_output": {"total": [1]}, "of_input": {}}, {}, {"toy.output": {"total": [1]}}),
        ({"of_output": "x", "of_input": {"total": "x"}}, {}, {"toy.input": {"total": "x"}, "toy": {"of_output": "x"}}),
        ({"of_input": {"total": None}, "total": 3}, {"total": 3}, {}),
    ],
)
def test_odd_keys_are_extras_at_their_level(native: Any, fields: Any, extras: Any) -> None:
    """An unreadable value under an inner object's key is that object's extra: it comes back, and is supported."""
    described = Described("toy", (COUNTED,), {})
    usage = described.names.readers["usage"](plain_copy(native))
    assert am.same(usage, am.Usage(**fields, extras=extras))
    assert same_document(write_as(described.shapes["usage"], usage, "toy"), native)
    cell = Rows(described).row("usage").fields["extras"]
    assert cell(usage.extras, usage) is usage.extras
    taken = usage.evolve(input=1, output=1, total=1)
    assert not taken.extras or not {"total"} & {key for own in cell(taken.extras, taken).values() for key in own}


@pytest.mark.parametrize(
    ("native", "metadata", "notes"),
    [
        ({"a": 0, "spare": None}, {}, {"inner": {"/x": True}}),
        ({"a": 1, "spare": [], "model": 5}, {"k": 1, "a": 1, "spare": [], "model": 5}, {"inner": {"/x": True}}),
        ({"a": False, "spare": None, "model": {}}, {}, {"toy.outer": {"a": "false", "model": "{}"}}),
        ({"a": [None], "spare": None}, {"a": [None]}, {}),
        ({"a": None, "model": "m"}, {}, {"toy.outer": {"a": "null", "spare": "absent"}}),
    ],
    ids=str,
)
def test_odd_values_may_have_a_field(native: Any, metadata: Any, notes: Any) -> None:
    """Other constants, and values without meaning, are in a field; what is held there keeps its extras and notes."""
    told = {"k": 1} if "k" in metadata else {}

    def get(_: Any) -> dict[str, Any]:
        held = am.Msg("assistant", "hi", response_metadata=told, extras={"inner": {"y": 2}}, id=None, created_at=None)
        return {"held": marked(held, "inner", x=True)}

    cells = {"content": KEEP, "response_metadata": KEEP}
    form = Form("outer", am.Msg, None, (
        Const("a", 0),
        Spare("spare"),
        Key("model", "model", Text(), "may", is_odd=True),
        Hatch(keys=("inner",), cells=cells, get=get, put=dict, must=("inner",), holds=True),
    ), space="toy.outer", odd_in="response_metadata", fixed={"role": "assistant"})  # fmt: skip
    found = _read(form, {**native, "inner": 1, "z": 3})
    assert found.content == (am.TextBlock("hi"),)
    assert found.response_metadata == metadata
    assert list(found.response_metadata) == list(metadata)
    assert found.extras == {"inner": {"y": 2}, "toy.outer": {"z": 3}}
    assert found.notes == {"inner": {"/x": True}, **notes}
