"""Strict reading: ``unknown="error"`` refuses by name what the model has no place for."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from click.testing import CliRunner
from fastapi import Body, FastAPI
from fastapi.testclient import TestClient
from pydantic import TypeAdapter, ValidationError

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_object
from data import some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KNOWN: dict[str, Any] = {
    "agentmsg": 1,
    "messages": [
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "u"}}], "usage": {"input": 1}},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "x", "citations": [{"url": "u"}], "cache": {"kind": "ephemeral"}},
                {"type": "tool_use", "id": "c", "name": "f", "input": {"free": {"form": 1}}},
            ],
        },
        {
            "role": "tool",
            "content": [{"type": "tool_result", "tool_call_id": "c", "content": [{"type": "text", "text": "y"}]}],
        },
    ],
    "tools": [{"type": "tool", "name": "f", "parameters": {"free": 1}}],
}
# What is changed at a place, and how the error calls it.
CASES: list[tuple[tuple[Any, ...], Any, str]] = [
    (("messages", 0, "role"), "usr", "role 'usr'"),
    (("messages", 0, "content", 0, "type"), "imgae", "block type 'imgae'"),
    (("messages", 2, "content", 0, "content", 0, "type"), "txt", "block type 'txt'"),
    (("messages", 1, "content", 0, "cache", "kind"), "ephem", "type 'ephem'"),
    (("messages", 1, "content", 1, "kind"), "functon", "type 'functon'"),
    (("tools", 0, "kind"), "functon", "type 'functon'"),
    *(
        ((*path, "surprise"), value, "key 'surprise'")
        for value in (1, None, {"a": [1]})
        for path in (
            (),
            ("messages", 0),
            ("messages", 0, "usage"),
            ("messages", 0, "content", 0),
            ("messages", 0, "content", 0, "source"),
            ("messages", 1, "content", 0, "citations", 0),
            ("messages", 1, "content", 0, "cache"),
            ("messages", 1, "content", 1),
            ("messages", 2, "content", 0, "content", 0),
            ("tools", 0),
        )
    ),
]
# Under these keys there is free-form JSON, or what a provider reports.
FREE = frozenset(
    {
        "action", "additional_kwargs", "args", "arguments", "artifact", "billing", "context", "context_management",
        "conversation",
        "data", "format", "groundingMetadata", "input", "inputSchema", "input_schema", "instruction", "json",
        "logprobs", "metadata", "metrics", "node_metadata", "output", "output_config", "parameters", "reasoning",
        "response", "responseJsonSchema", "response_metadata", "result", "schema", "stop_details", "text",
        "tool_usage", "tools", "usage", "usageMetadata", "usage_metadata", "value", "videoMetadata",
    }
)  # fmt: skip


def _with(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = plain_copy(document, 250)
    _at(copy, path[:-1])[path[-1]] = value
    return copy


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _objects(value: Any, path: tuple[Any, ...] = (), free: frozenset[str] = FREE) -> Iterator[tuple[Any, ...]]:
    if is_object(value):
        yield path
    items: Any = value.items() if is_object(value) else enumerate(value) if is_list(value) else ()
    for key, item in items:
        if key not in free:
            yield from _objects(item, (*path, key), free)


@pytest.mark.parametrize(("path", "value", "word"), CASES)
def test_the_canonical_form_is_read_strictly(path: tuple[Any, ...], value: Any, word: str) -> None:
    """An unknown key, role or type is kept by default, and named with its place by a strict reader."""
    assert am.same(am.decode(KNOWN, "json", unknown="error"), am.decode(KNOWN, "json"))
    document = _with(KNOWN, path, value)
    am.decode(document, "json")
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, "json", unknown="error")
    assert (caught.value.code, caught.value.codec, caught.value.path) == ("unknown", "json", path)
    assert f"{word} at /{'/'.join(map(str, path))}" in caught.value.message


def test_each_is_named() -> None:
    """One error names all, in the order of the document, and its path is that of the first; too many are counted."""
    document = _with(_with(KNOWN, ("messages", 1, "content", 1, "b"), 1), ("messages", 0, "a"), 1)
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, "json", unknown="error")
    assert caught.value.path == ("messages", 0, "a")
    assert caught.value.message == "unknown: key 'a' at /messages/0/a, key 'b' at /messages/1/content/1/b"
    many = {**KNOWN, **{f"k{number}": 1 for number in range(50)}}
    with pytest.raises(am.DecodeError, match="and 30 more"):
        am.decode(many, "json", unknown="error")


ASK: Any = {"role": "user", "content": "x"}
# Documents by codec, in which the last step of a path is unknown, or holds an unknown word.
INNER: list[tuple[am.CodecName, Any, str]] = [
    ("openai", {"messages": [], "response_format": {"type": "json_object", "typo": 1}}, "response_format/typo"),
    ("openai", {"messages": [], "response_format": {"typ": "text"}}, "response_format/typ"),
    ("openai", {"messages": [], "response_format": {"type": "jsn"}}, "response_format/type"),
    ("openai", {"messages": [], "response_format": {"type": "json_schema", "json_schema": {"schma": {}}}},
     "response_format/json_schema/schma"),
    ("openai", {"messages": [], "tool_choice": {"type": "function", "function": {"nam": "f"}}},
     "tool_choice/function/nam"),
    ("openai", {"messages": [], "tool_choice": "requird"}, "tool_choice"),
    ("openai", {"messages": [], "tools": [{"type": "function", "function": {"nam": "f"}}]}, "tools/0/function/nam"),
    ("openai", [ASK, {"role": "usr", "content": "x"}], "1/role"),
    ("openai", {"messages": [{**ASK, "content": [{"type": "text", "txt": "x"}]}]}, "messages/0/content/0/txt"),
    ("openai", [{**ASK, "content": [{"type": "image_url", "image_url": {"ur": "x"}}]}], "0/content/0/image_url/ur"),
    ("openai", [{"role": "assistant", "content": "functon", "tool_calls": [
        {"id": "c", "type": "functon", "function": {"name": "f", "arguments": "{}"}}]}], "0/tool_calls/0/type"),
    ("openai", [{"role": "assistant", "content": [{"type": "refusl", "refusal": "x"}]}], "0/content/0/type"),
    ("openai", [{**ASK, "content": [{"type": "text", "text": "x", "prompt_cache_breakpoint": {"mode": "explict"}}]}],
     "0/content/0/prompt_cache_breakpoint/mode"),
    ("openai", [{"role": "usr", "content": "usr"}], "0/role"),
    ("openai-response", {"object": "chat.completon", "choices": [{"index": 0, "message": {"role": "assistant"}}]},
     "object"),
    ("openai-response", {"object": "chat.completion", "choices": [{"index": 0, "message": {
        "role": "assistant", "content": "x", "annotations": [{"type": "url_citaton", "url_citation": {"url": "u"}}]}}]},
     "choices/0/message/annotations/0/type"),
    ("openai", [{**ASK, "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephem"}}]}],
     "0/content/0/cache_control/type"),
    ("openai-response", {"object": "chat.completion", "choices": [{"index": 0, "mesage": ASK}]}, "choices/0/mesage"),
    ("openai-response", {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistnt"}}]},
     "choices/0/message/role"),
    ("anthropic", {"messages": [], "thinking": {"type": "enabled", "budget": 1}}, "thinking/budget"),
    ("anthropic", {"messages": [], "thinking": {"type": "enabeld", "budget_tokens": 1}}, "thinking/type"),
    ("anthropic", {"messages": [], "tool_choice": {"type": "tool", "nam": "f"}}, "tool_choice/nam"),
    ("anthropic", {"messages": [], "metadata": {"userid": "x"}}, "metadata/userid"),
    ("anthropic", {"messages": [], "output_config": {"format": {"type": "json_schema", "schma": {}}}},
     "output_config/format/schma"),
    ("anthropic", [{**ASK, "content": [{"type": "image", "source": {"type": "bse64", "data": "x"}}]}],
     "0/content/0/source/type"),
    ("anthropic", [{**ASK, "content": [{"type": "image", "source": {"type": "base64", "dat": "x"}}]}],
     "0/content/0/source/dat"),
    ("anthropic", [{**ASK, "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "txt"}]}]}],
     "0/content/0/content/0/type"),
    ("anthropic", [{**ASK, "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephem"}}]}],
     "0/content/0/cache_control/type"),
    ("anthropic", [ASK, {"rol": "user", "content": "x"}], "1/rol"),
    ("anthropic", {"messages": [], "tools": [{"name": "f", "input_schem": {}}]}, "tools/0/input_schem"),
    ("openai-responses", {"input": "x", "reasoning": {"effort": "low", "efort": 1}}, "reasoning/efort"),
    ("openai-responses", {"input": "x", "reasoning": {"budget": 1}}, "reasoning/budget"),
    ("openai-responses", {"input": "x", "text": {"formt": {"type": "text"}}}, "text/formt"),
    ("openai-responses", {"input": "x", "tool_choice": {"type": "function", "nam": "f"}}, "tool_choice/nam"),
    ("openai-responses", {"input": [ASK, {"role": "usr", "content": "x"}]}, "input/1/role"),
    ("openai-responses", [{"type": "mesage", **ASK}], "0/type"),
    ("openai-responses", [{**ASK, "content": [{"type": "input_txt", "text": "x"}]}], "0/content/0/type"),
    ("openai-responses", [{"type": "function_call", "call_id": "c", "nam": "f", "arguments": "{}"}], "0/nam"),
    ("openai-responses-response", {"object": "response", "output": [{"type": "message", "role": "assistnt"}]},
     "output/0/role"),
    ("openai-responses-response", {"object": "response", "output": [], "text": {"format": {"type": "txt"}}},
     "text/format/type"),
    ("gemini", {"contents": [], "generationConfig": {"topK": 1, "topKk": 1}}, "generationConfig/topKk"),
    ("gemini", {"contents": [], "generation_config": {"thinking_config": {"thinking_budgt": 1}}},
     "generation_config/thinking_config/thinking_budgt"),
    ("gemini", {"contents": [], "toolConfig": {"functionCallingConfig": {"mod": "ANY"}}},
     "toolConfig/functionCallingConfig/mod"),
    ("gemini", {"contents": [], "tools": [{"functionDeclarations": [{"nam": "f"}]}]},
     "tools/0/functionDeclarations/0/nam"),
    ("gemini", [{"role": "model", "parts": [{"functionCall": {"nam": "f"}}]}], "0/parts/0/functionCall/nam"),
    ("bedrock", {"messages": [], "inferenceConfig": {"maxTokens": 5, "x": {"y": 1}}}, "inferenceConfig/x"),
    ("bedrock", {"messages": [], "toolConfig": {"tools": [{"toolSpec": {"nam": "f"}}]}},
     "toolConfig/tools/0/toolSpec/nam"),
    ("bedrock", {"messages": [], "toolConfig": {
        "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {}}}}], "toolChoice": {"tol": {"name": "f"}}}},
     "toolConfig/toolChoice/tol"),
    ("bedrock", [{"role": "user", "content": [{"image": {"format": "png", "source": {"byts": "x"}}}]}],
     "0/content/0/image/source/byts"),
    ("langchain", [{"type": "humn", "content": "x"}], "0/type"),
    ("langchain", [{"type": "human", "data": {"type": "humn", "content": "x"}}], "0/data/type"),
    ("langchain", [{"type": "human", "content": [{"type": "image", "source": {"type": "bas64", "data": "x"}}]}],
     "0/content/0/source/type"),
    ("langchain-lc", [{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "HumanMessage"],
                       "kwargs": {"type": "humn", "content": "x"}}], "0/kwargs/type"),
    ("langchain", [{"type": "ai", "content": "", "tool_calls": [
        {"type": "tool_cll", "name": "f", "args": {}, "id": "c"}]}], "0/tool_calls/0/type"),
    ("agentscope-java", [{"role": "TOOL", "content": [{"type": "tool_reslt", "id": "c", "name": "f", "output": []}]}],
     "0/content/0/type"),
    ("pydantic-ai", [{"kind": "request", "parts": [{"part_kind": "usr-prompt", "content": "x"}]}],
     "0/parts/0/part_kind"),
    ("hf", {"messages": [{**ASK, "content": [{"type": "txt", "text": "x"}]}]}, "messages/0/content/0/type"),
    ("vercel-ui", [{"id": "1", "role": "user", "prts": []}], "0/prts"),
    ("sharegpt", {"conversations": [{"from": "humn", "value": "x"}]}, "conversations/0/from"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "document", "path"), INNER, ids=[f"{name}-{path}" for name, _, path in INNER])
def test_the_innermost_is_named(name: am.CodecName, document: Any, path: str) -> None:
    """What is unknown inside a known object is named, not what holds it; its place leads there."""
    am.decode(document, name)
    with pytest.raises(am.DecodeError) as caught:
        am.decode(document, name, unknown="error")
    assert caught.value.code == "unknown"
    assert "/".join(map(str, caught.value.path)) == path
    last = caught.value.path[-1]
    assert {repr(last), repr(_at(document, caught.value.path))} & set(caught.value.message.split())


@pytest.mark.parametrize("name", [name for name in am.codec_names() if name.endswith("-response")])
def test_the_role_of_a_response_is_named(name: am.CodecName) -> None:
    """A role that no response has is unknown to a strict reader, although some readers refuse it anyway."""
    answer = am.encode(am.Msg.assistant("x"), name, on_loss="ignore")
    (place,) = [path for path in _objects(answer, free=frozenset()) if "role" in _at(answer, path)]
    with pytest.raises(am.DecodeError) as caught:
        am.decode(_with(answer, (*place, "role"), "assistnt"), name, unknown="error")
    assert (caught.value.code, caught.value.path) == ("unknown", (*place, "role"))
    assert "'assistnt'" in caught.value.message


# What a reader may not know any more, either, where the key beside it, or below it, is misspelt.
BESIDE = frozenset({"errorText", "id", "incomplete_details", "kind", "providerOptions", "request_id", "type", "usage"})


def _typos(document: Any, tried: set[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the document with one key misspelt, and the path of that key; each key of each shape once."""
    for path in _objects(document):
        for key, value in _at(document, path).items():
            shape = (*("*" if isinstance(step, int) else step for step in path), key)
            if shape not in tried:
                tried.add(shape)
                typo = (*path, f"{key[:-1]}zq")
                wrong = _with(document, typo, value)
                del _at(wrong, path)[key]
                yield typo, wrong


_Path = tuple[Any, ...]
each_strict = pytest.mark.parametrize(
    "name", [name for name in am.codec_names() if name not in ("json", "langgraph", "msgpack")]
)


def _refusals(
    name: am.CodecName, damaged: Callable[[Any, set[_Path]], Iterator[tuple[_Path, Any]]]
) -> Iterator[tuple[_Path, am.DecodeError]]:
    """Yield the errors of documents that are read strictly until they are damaged in one place, with that place."""
    tried: set[_Path] = set()
    for _, document in some(documents(name), 60):
        with suppress(am.DecodeError):
            am.decode(document, name, unknown="error")
            for place, wrong in damaged(document, tried):
                try:
                    am.decode(wrong, name, unknown="error")
                except am.DecodeError as error:
                    yield place, error


@each_strict
def test_a_typo_is_blamed_or_what_holds_it(name: am.CodecName) -> None:
    """Where a key is misspelt, the error names it, or an object around it, and nothing that is right."""
    found = [(typo, error) for typo, error in _refusals(name, _typos) if error.code == "unknown"]
    told = [(typo, error) for typo, error in found if not error.path or error.path[-1] not in BESIDE]
    assert not [
        (typo, error.message)
        for typo, error in told
        if error.path != typo[: len(error.path)] and repr(typo[-1]) not in error.message
    ]
    assert sum(error.path == typo for typo, error in told) > 0.8 * len(told)


def _odd_words(document: Any, tried: set[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the document with one word misspelt that says what an object is, and the path; each of a place once."""
    for path in _objects(document):
        for key in ("type", "role", "kind", "part_kind", "from"):
            word = _at(document, path).get(key)
            shape = (*("*" if isinstance(step, int) else step for step in path), key, word)
            if isinstance(word, str) and shape not in tried:
                tried.add(shape)
                yield (*path, key), _with(document, (*path, key), f"{word[:-1]}zq")


@each_strict
def test_a_misspelt_word_is_blamed_or_what_holds_it(name: am.CodecName) -> None:
    """Where the word is wrong that says what an object is, the error leads there, or to an object around it."""
    assert not [
        (place, error.message)
        for place, error in _refusals(name, _odd_words)
        # LangChain says the type of a message twice: either may be the wrong one.
        if error.path != place[: len(error.path)] and not (name == "langchain" and place[-2:] == ("data", "type"))
    ]


@pytest.mark.parametrize("name", [name for name in am.codec_names() if name not in ("langgraph", "msgpack")])
def test_every_codec_reads_strictly(name: am.CodecName) -> None:
    """A new key in any object of a document that is known throughout is refused, there or further out."""
    tried: set[str] = set()
    for _, document in some(documents(name), 60):
        try:
            am.decode(document, name, unknown="error")
        except am.DecodeError:
            continue
        for path in _objects(document):
            shape = "/".join("*" if isinstance(step, int) else step for step in path)
            # What a provider says of its filters and the like is kept whole, and not looked into.
            is_kept = any(word in shape for word in ("rovider", "Metadata", "content_filters"))
            # LangChain says calls twice: what the second says more is a spelling.
            is_twice = name.startswith("langchain") and shape.endswith("tool_calls/*")
            if shape not in tried and not is_kept and not is_twice:
                tried.add(shape)
                with pytest.raises(am.DecodeError) as caught:
                    am.decode(_with(document, (*path, "x_new"), "!"), name, unknown="error")
                found = caught.value.path
                assert found[: len(path)] == path or path[: len(found) - 1] == found[:-1]


def _ways(raw: bytes, path: Path) -> dict[str, Callable[[am.CodecName, Any], Any]]:
    path.write_bytes(raw)
    return {
        "decode": lambda name, unknown: am.decode(json.loads(raw), name, unknown=unknown),
        "loads": lambda name, unknown: am.loads(raw, name, unknown=unknown),
        "History.decode": lambda name, unknown: am.History.decode(json.loads(raw), name, unknown=unknown),
        "convert": lambda name, unknown: am.convert(raw, name, "json", unknown=unknown),
        "convert plain data": lambda name, unknown: am.convert(json.loads(raw), name, "json", unknown=unknown),
        "decode_parts": lambda name, unknown: am.decode_parts([json.loads(raw)], name, unknown=unknown),
        "load": lambda name, unknown: am.load(path, name, unknown=unknown),
        "load_lines": lambda name, unknown: list(am.load_lines(path, name, unknown=unknown)),
    }


@pytest.mark.parametrize("way", list(_ways(b"[]", Path(os.devnull))))
def test_every_way_in_may_be_strict(way: str, tmp_path: Path) -> None:
    """What reads, reads strictly if asked, and knows no third way."""
    raw = json.dumps({"messages": [{"role": "user", "content": "x", "surprise": 1}]}).encode()
    read = _ways(raw, tmp_path / "a.jsonl")[way]
    read("openai", "keep")
    with pytest.raises(am.DecodeError) as caught:
        read("openai", "error")
    assert caught.value.code == "unknown"
    assert caught.value.path[-3:] == ("messages", 0, "surprise")
    with pytest.raises(am.InvalidMessage):
        read("openai", "ignore")


def test_a_strict_body_is_refused_at_its_place() -> None:
    """FastAPI answers 422 with the place; pydantic's error has our code."""
    app = FastAPI()

    @app.post("/")
    def take(history: Annotated[am.History, am.As("json", unknown="error"), Body()]) -> int:
        return len(history)

    client = TestClient(app)
    assert client.post("/", json=KNOWN).json() == 3
    answer = client.post("/", json=_with(KNOWN, ("messages", 0, "role"), "usr"))
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", "messages", 0, "role"]
    strict = TypeAdapter(Annotated[am.Msg, am.As("openai", unknown="error")])
    with pytest.raises(ValidationError) as caught:
        strict.validate_python({"role": "user", "content": "x", "nme": "Ada"})
    assert caught.value.errors()[0]["type"] == "unknown"
    with pytest.raises(am.InvalidMessage):
        am.As("json", unknown="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["hello", "User", "asistant", "", "Hello there", "moderator"])
def test_a_role_by_position_is_a_known_one(word: str) -> None:
    """``Msg("hello")`` means a text; any other word is a role where it is called one."""
    for given in ((word,), (word, "text")):
        with pytest.raises(am.InvalidMessage) as caught:
            am.Msg(*given)
        assert (caught.value.code, caught.value.path) == ("unknown", ("role",))
        assert f"Msg.user({word!r})" in caught.value.message
    assert am.Msg(role=word, content="text").role == word
    assert am.Msg("user").evolve(role=word).role == word
    assert am.Msg.builder().role(word).build().role == word


ODD = {"agentmsg": 1, "messages": [{"role": "usr", "content": [{"type": "txt", "text": "x"}], "surprise": 1}]}
COMMANDS = {
    "convert": ["-t", "json", "-o", "out.jsonl"],
    "trim": ["--max-messages", "9", "-o", "out.jsonl"],
    "filter": ["--role", "user", "-o", "out.jsonl"],
    "redact": ["-o", "out.jsonl"],
    "check": ["--for", "openai"],
    "stats": [],
}


@pytest.mark.parametrize("more", [[], ["-f", "json"], ["-f", "each"], ["--join"]])
@pytest.mark.parametrize("command", list(COMMANDS))
def test_the_command_line_may_be_strict(
    command: str, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --unknown error a document with unknown names is refused, and they are named; the others are read."""
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(f"{json.dumps(KNOWN)}\n{json.dumps(ODD)}\n")
    wanted = ["--at", ""] if "--join" in more else []
    arguments = [command, "a.jsonl", *COMMANDS[command], *more, *wanted]
    if "--join" in more and command not in ("convert", "check", "stats"):
        return  # parts are no document to write
    kept, strict = (
        CliRunner().invoke(program, [*arguments, "--force", *also]) for also in ([], ["--unknown", "error"])
    )
    assert "unknown" not in kept.stderr
    told = strict.stderr + "".join(path.read_text() for path in tmp_path.glob("out*.bad.jsonl"))
    # Parts of one conversation are one document, and its error ends the run.
    assert strict.exit_code == (1 if command in ("check", "stats") or "--join" in more else 3)
    for word in ("role 'usr'", "block type 'txt'", "key 'surprise'"):
        assert word in told
    assert CliRunner().invoke(program, [*arguments, "--unknown", "maybe"]).exit_code == 2


@pytest.mark.parametrize("arguments", [["show", "a.json"], ["diff", "a.json", "b.json"], ["diff", "b.json", "a.json"]])
def test_whoever_looks_at_one_document_may_be_strict(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same holds for commands that read one document."""
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps(ODD))
    Path("b.json").write_text(json.dumps(KNOWN))
    assert "unknown" not in CliRunner().invoke(program, arguments).stderr
    strict = CliRunner().invoke(program, [*arguments, "--unknown", "error"])
    assert strict.exit_code > 0
    assert "role 'usr'" in strict.stderr
