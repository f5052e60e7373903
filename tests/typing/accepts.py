"""What a strict type checker must accept, and the types it must infer. For mypy and pyright."""
# pyright: strict

from __future__ import annotations

import dataclasses
import json
from io import BytesIO
from typing import IO, TYPE_CHECKING, Annotated, Any, assert_never, assert_type

import attrs
from pydantic import BaseModel

from agentmsg import (
    JSON,
    ApprovalRequestBlock,
    ApprovalResponseBlock,
    As,
    AudioBlock,
    BaseBlock,
    Block,
    Citation,
    CodecName,
    CompactionBlock,
    ContentBlock,
    Conversion,
    DataBlock,
    FileBlock,
    History,
    ImageBlock,
    Losses,
    Msg,
    MsgBuilder,
    NativeBlock,
    Recorder,
    RefusalBlock,
    Role,
    Source,
    SourceBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolsBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
    approximate_tokens,
    codec_names,
    collect,
    convert,
    decode,
    decode_parts,
    dump,
    dump_lines,
    encode,
    filter_messages,
    get_codec,
    load,
    load_lines,
    recognize,
    register_block,
    transcode,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path

    from agentmsg import CallFields, MessageFields


@attrs.frozen
class Place:
    """A user's class for structured output."""

    city: str


@dataclasses.dataclass
class Trip:
    """Another."""

    stops: list[Place]


@register_block("poll")
@attrs.frozen
class PollBlock(BaseBlock):
    """A user's block."""

    question: str


def making() -> None:
    """Factories take what they declare and return messages."""
    assert_type(Msg.user("Hi"), Msg)
    assert_type(Msg.tool("22 C", tool_call_id="c1", name="weather", error="late"), Msg)
    assert_type(Msg.assistant(tool_calls=[ToolUseBlock("c1", "f", {"a": [1]})]), Msg)
    assert_type(Msg.assistant("x", tool_calls=[{"id": "c1", "name": "f", "args": {}}]), Msg)
    assert_type(Msg.chat("moderator", "ok", metadata={"a": 1}, created_at=None), Msg)
    assert_type(Msg.user("x", id="m1", embedding=[0.5], structured={"a": [1]}), Msg)
    assert_type(Msg.of(TextBlock("x"), PollBlock("Tea?")), Msg)
    assert_type(Msg.builder().role("user").text("Hi").build(), Msg)
    assert_type(Msg.user("x").to_builder(), MsgBuilder)
    Msg(Role.ASSISTANT, "x")
    Msg("assistant", [TextBlock("x", citations=[Citation("https://x")])], metadata={"a": [1, {"b": None}]})
    Msg(role="user", content=(ImageBlock(URLSource("https://x")),), usage=Usage(input=1), embedding=[0.5])
    ImageBlock.from_url("https://x")
    assert_type(ImageBlock.from_bytes(b""), ImageBlock)
    assert_type(History.of("Hello", {"role": "user", "content": "x"}, Msg.user("x")), History)
    History([Msg.user("x")], tools=[ToolSpec("add", parameters={"type": "object"})])
    assert_type(Recorder(on_message=print).add("x").history, History)
    assert_type(Usage(input=1) + Usage(output=1), Usage)


def changing(message: Msg, call: ToolUseBlock, history: History) -> None:
    """Copies have the type of the original."""
    assert_type(message.evolve(name="x"), Msg)
    assert_type(message.evolve(role="moderator", content="x", usage=None, extras={"openai": {"x": 1}}), Msg)
    assert_type(message.with_metadata(a=1).with_name(None).clone(name="x"), Msg)
    assert_type(call.evolve(input={"a": 1}), ToolUseBlock)
    assert_type(TextBlock("x").evolve(text="y"), TextBlock)
    assert_type(history[0], Msg)
    assert_type(history[1:], History)
    assert_type(history + (message,), History)
    assert_type(history + ["text", {"role": "user", "content": "x"}], History)
    assert_type(History(["text", {"role": "user", "content": "x"}]), History)
    assert_type(history.extended("text", message), History)
    assert_type(
        history.filter(role="user", name=None, id=["a", None], block=(TextBlock, ImageBlock), where=bool), History
    )
    assert_type(history.exclude(block=ToolUseBlock), History)
    assert_type(history.trim(max_tokens=4096, counter=lambda each: each.length, start_on="human"), History)
    assert_type(filter_messages([message], include_types=["ai"], match="all"), History)
    assert_type(sum(map(approximate_tokens, history)), int)


def asking(message: Msg) -> None:
    """The types of accessors follow from their arguments."""
    assert_type(message.role, str)
    assert_type(message.content, tuple[Block, ...])
    assert_type(message.blocks(TextBlock), tuple[TextBlock, ...])
    assert_type(message.blocks(PollBlock), tuple[PollBlock, ...])
    assert_type(message.first(ImageBlock), ImageBlock | None)
    assert_type(message.tool_calls, tuple[ToolUseBlock, ...])
    assert_type(message.tool_results, tuple[ToolResultBlock, ...])
    assert_type(message.get_structured_data(Place), Place)
    assert_type(message.get_structured_data(Trip).stops[0].city, str)
    assert_type(message.id, str | None)
    metadata: Mapping[str, JSON] = message.metadata
    data: JSON = message.get_structured_data()
    print(metadata, data)
    if (image := message.first(ImageBlock)) is not None:
        source: Source = image.source
        print(source)


def any_block(block: ContentBlock) -> Mapping[str, JSON]:
    """Every block of ours and of a user's satisfies the protocol."""
    fields: Mapping[str, JSON] = block.metadata
    return fields


any_block(TextBlock("x"))
any_block(PollBlock("x"))


def matching(message: Msg) -> str:
    """Patterns narrow messages and blocks."""
    match message:
        case Msg(role="assistant", tool_calls=[ToolUseBlock(name=name), *_]):
            assert_type(name, str)
            return name
        case Msg("user", [TextBlock(text)]):
            assert_type(text, str)
            return text
        case Msg(role="tool", tool_results=[ToolResultBlock(error=str(error))]):
            return error
        case _:
            return ""


def telling_blocks_apart(block: Block) -> str:
    """Patterns narrow the union of blocks."""
    match block:
        case TextBlock():
            return block.text
        case ImageBlock(source=URLSource(url)):
            assert_type(url, str)
            return url
        case _:
            return ""


def converting(history: History, path: Path, binary: IO[bytes], text: IO[str]) -> None:
    """A history converts itself, and files are read and written in one call."""
    assert_type(History.from_json(history.to_json()), History)
    assert_type(History.from_dict(history.to_dict()), History)
    assert_type(History.decode([], "openai"), History)
    assert_type(Msg.decode({}, get_codec("openai")), Msg)
    history.messages_for("openai", losses=[], thinking="text").append({})
    assert_type(encode(["text", {"role": "user", "content": "x"}], "openai"), dict[str, Any])
    assert_type(encode(history, "openai-response"), dict[str, Any])
    assert_type(history.encode("anthropic-response", on_loss="ignore"), dict[str, Any])
    assert_type(convert([], recognize([]), "anthropic"), Conversion[dict[str, Any]])
    assert_type(load("a.json"), History)
    assert_type(load(path, "openai", duplicates="error"), History)
    assert_type(load(binary), History)
    assert_type(load(text), History)
    for each in load_lines(path):
        assert_type(each, History)
    with load_lines(binary, "json") as lines:
        assert_type(next(lines), History)
    dump(history, path, "openai", force=True, losses=[])
    dump(["text"], text, "json")
    dump_lines([history, Msg.user("x"), "text", ["text", Msg.user("x")]], "log.jsonl", append=True)
    dump_lines(history, BytesIO(), "msgpack")


class Chat(BaseModel):
    """A user's model with fields of ours."""

    body: Annotated[History, As("openai")]
    last: Annotated[Msg | None, As("anthropic", on_loss="ignore")] = None
    blocks: list[Block] = []
    source: Source | None = None


def fields(chat: Chat) -> None:
    """An object beside a class in Annotated doesn't change its type."""
    assert_type(chat.body, History)
    assert_type(chat.last, Msg | None)
    chat.blocks.append(TextBlock("x"))
    Chat(body=History.of("x"), source=URLSource("u"))


def documents(history: History, message: Msg, raw: bytes, body: dict[str, Any], rows: list[dict[str, str]]) -> bytes:
    """What is written has the type of the format's documents; options are known by name."""
    assert_type(encode(history, "anthropic", thinking="text", on_loss="ignore"), dict[str, Any])
    assert_type(encode(rows, "openai", container="list"), list[Any])
    assert_type(encode(message, "langchain"), dict[str, Any])
    assert_type(encode(history, "langchain", form="flat"), list[Any])
    assert_type(encode(history, "langchain", container="object"), dict[str, Any])
    assert_type(encode("text", "msgpack"), list[Any])
    assert_type(history.encode("gemini", turns="merged"), dict[str, Any])
    assert_type(history.encode("vercel"), list[Any])
    assert_type(message.encode("vercel"), dict[str, Any])
    assert_type(message.encode("langgraph"), list[Any])
    assert_type(history.encode(get_codec("plugin", own=1), own=2), Any)
    assert_type(convert(body, "openai", "anthropic", model="m").document, dict[str, Any])
    assert_type(convert(body, "openai", "langchain").document, list[Any])
    assert_type(convert(raw, "openai", recognize(raw)).document, bytes)
    plain: Conversion = convert(body, "openai", recognize(body))
    print(plain.losses)
    return convert(raw, "openai", "langchain").document


def agent(history: History, client: Callable[..., object], run: Callable[[str, Any], str]) -> History:
    """The loop in which a service runs tools, and switches its provider."""
    while True:
        history += decode(client(**encode(history, "anthropic", thinking="text")), "anthropic-response")
        request = encode(history.with_settings(model="gpt-5"), "openai", on_loss="ignore")
        history = history + decode(client(messages=request["messages"]), "openai-response")
        contents = encode(history, "gemini")["contents"]
        history = history + decode(client(contents=contents), "gemini-response", turns="kept")
        calls = history[-1].tool_calls
        for call in calls:
            text = run(call.name, call.args["city"])
            history = history + (call.result(text) if text else call.result(error="nothing", status="error"))
            history = history + Msg.tool(text, tool_call_id=call.id, name=call.name)
        if not calls:
            return history + "Thanks" + {"role": "user", "content": "Bye"}


def storing(history: History, rows: list[dict[str, str]], role: str) -> History:
    """Rows of a database become messages, and messages rows."""
    for message in history:
        at: datetime | None = message.created_at
        print(message.id, at, message.to_json())
    asked: MessageFields = {"role": "user", "content": "x"}
    call: CallFields = {"id": "c1", "name": "f", "args": {"a": 1}}
    said = Msg.assistant(tool_calls=[call, {"name": "f", "arguments": "{}"}])
    copies = [Msg(message.role, message.content) for message in history]
    copies += [Msg(role=row["role"], content=row["content"]) for row in rows]
    return History.of(*rows) + rows + copies + [Msg(role, "x"), asked, said]


def exhausting(block: Block) -> str:
    """A match over all blocks of ours needs no other case; yours are blocks wherever blocks are taken."""
    Msg.user("x").with_content([block, PollBlock("Tea?")])
    match block:
        case TextBlock() | RefusalBlock() | ThinkingBlock() | CompactionBlock():
            return "words"
        case ImageBlock() | AudioBlock() | VideoBlock() | FileBlock() | SourceBlock():
            return "media"
        case ToolUseBlock() | ToolResultBlock() | ToolsBlock() | ApprovalRequestBlock() | ApprovalResponseBlock():
            return "tools"
        case DataBlock(data) | NativeBlock(value=data):
            return str(data)
        case _:
            assert_never(block)


def naming(history: History, codec: CodecName, plugin: str) -> None:
    """A codec's name is a known word; an unknown one goes through ``get_codec``."""
    assert_type(encode(history, codec), dict[str, Any] | list[Any])
    encode(history, get_codec(plugin, version=1))
    for name in codec_names():
        history.messages_for(name)


def loading(raw: bytes, body: Any) -> None:
    """What is read by ``json.loads`` is of type Any, and so is what is not known of its result: never unknown."""
    done = convert(json.loads(raw), "openai", "anthropic", model=body["model"])
    assert_type(done.losses, Losses)
    for message in done.document["messages"]:
        print(message["role"])
    assert_type(convert(body, "openai", "langchain").document, Any)
    assert_type(convert(raw, "openai", "langchain").document, bytes)
    assert_type(convert(json.loads(raw), "openai", "json", on_loss="error").history, History)
    assert_type(encode(body, "openai"), dict[str, Any])
    for each in encode(body, "langchain"):
        print(each["type"])
    assert_type(decode(body["request"], "openai") + decode(body["answer"], "openai-response"), History)
    assert_type(decode_parts(body), History)
    assert_type(History.of(*body, *json.loads(raw)), History)
    answer = collect(body, "openai")
    print(answer[0].text)
    for chunk in transcode(body, "openai", "anthropic"):
        print(chunk)
