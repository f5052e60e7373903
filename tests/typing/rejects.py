"""What a strict type checker must refuse: exactly the lines marked so. For mypy and pyright."""
# pyright: strict

from __future__ import annotations

import attrs

from agentmsg import (
    As,
    Base64Source,
    FileBlock,
    History,
    ImageBlock,
    Msg,
    NativeBlock,
    Recorder,
    Role,
    Signature,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    URLSource,
    Usage,
    convert,
    decode,
    dump,
    dump_lines,
    dumps,
    encode,
    load,
    load_lines,
    loads,
)


@attrs.frozen
class Place:
    """A user's class for structured output."""

    city: str


message = Msg.user("x")
history = History([message])

Msg.tool("22 C")  # error: a tool message needs the id of its call
Msg.tool("22 C", "c1")  # error: the id is given by name
Msg.user()  # error: a message needs a text
Msg.user(5)  # error: a text is a text
Msg.chat("moderator")  # error: a message needs a text
Msg.user("x", nme="ada")  # error: a field misspelt
Msg.assistant("x", metdata={})  # error: a field misspelt
Msg.chat("moderator", "x", usage=5)  # error: usage is Usage
Msg.tool("x", tool_call_id="c1", eror="late")  # error: a field misspelt
Msg.tool("x", tool_call_id="c1", error=5)  # error: an error is a text
Msg.builder().set(contents="x")  # error: a field misspelt
Msg.remove()  # error: a removal needs an id
Msg()  # error: a message needs a role
Msg(Role.ASISTANT)  # error: a role misspelt
Msg("user", content=5)  # error: content is a text or blocks
Msg("user", [{"type": "text"}])  # error: content is blocks
Msg("user", ["x"])  # error: content is blocks
Msg("user", "x", id=5)  # error: an id is a text
Msg("user", "x", created_at="2026-01-01")  # error: a time is a datetime
Msg("user", "x", usage={"input": 1})  # error: usage is Usage
Msg("user", "x", metdata={})  # error: a field misspelt
Msg("user", "x", metadata=[("a", 1)])  # error: metadata are a mapping
Msg.assistant("x", tool_calls=[5])  # error: a call is a block or a mapping
message.metadata["x"] = 1  # error: metadata are read-only
message.role = "user"  # error: no field can be set
message.content[0] = TextBlock("x")  # error: content is a tuple
message.content.append(TextBlock("x"))  # error: content is a tuple
message.content[0].metadata["x"] = 1  # error: metadata are read-only
message.surprise  # error: no such field
len(message)  # error: a message has no length, see Msg.length
message.blocks("text")  # error: blocks are asked for by class
message.first(str)  # error: a text is no block
message.first(TextBlock).text  # error: there may be none
message.get_structured_data(Place).town  # error: the class has no such field
number: int = message.get_structured_data(Place)  # error: a Place is no number
message.id.upper()  # error: there may be none
message.evolve(nme="ada")  # error: a field misspelt
message.evolve(content=5)  # error: content is a text or blocks
message.with_id(5)  # error: an id is a text

TextBlock()  # error: a text is needed
TextBlock(b"x")  # error: a text is a text
ImageBlock()  # error: a source is needed
ImageBlock(None)  # error: a source is needed
ImageBlock("https://x")  # error: a source is an object
FileBlock(name="a.pdf")  # error: a source is needed
URLSource()  # error: a URL is needed
Base64Source(b"x")  # error: base64 is a text
ToolUseBlock("c1")  # error: a call has a name
ToolUseBlock("c1", "f", raw_input={})  # error: raw_input is a text
ToolUseBlock("c1", "f").input = {}  # error: no field can be set
ToolResultBlock(content="x")  # error: the id, perhaps None, is needed
NativeBlock({"type": "x"})  # error: the family is needed
Signature("x")  # error: provider and value are needed
ToolSpec("f", parameters=[])  # error: parameters are a mapping
Usage(input="5")  # error: a counter is a number
Usage(1)  # error: counters are given by name

history.append(message)  # error: a history has no append
history[0] = message  # error: a history cannot change
history.messages = ()  # error: no field can be set
History([5])  # error: messages are Msg
History.of(5)  # error: neither message, text nor mapping
history + [5]  # error: messages are Msg
history + 5  # error: neither messages, message, text nor mapping
history + b"hi"  # error: bytes are no text
encode(history, "anthropic", thinkng="text")  # error: an option misspelt
encode(history, "anthropic", thinking="txt")  # error: no such word
encode(history, "anthropic", wire="json")  # error: an option of others
encode(history, "anthropic", max_tokens=5)  # error: a setting is no option
encode(history, "langchain", thinking="text")  # error: an option of others
encode(history, "langchain").get("x")  # error: a list
encode(history, "openai", container="list")["messages"]  # error: a list
convert(b"[]", "openai", "anthropic").document["messages"]  # error: bytes
convert([], "openai", "anthropic", modle="x")  # error: an argument misspelt
history.encode("openai", thinkng="text")  # error: an option misspelt
message.encode("openai", thinkng="text")  # error: an option misspelt
history.messages_for("openai", thinkng="text")  # error: an option misspelt
decode([], "openai", thinkng="text")  # error: an option misspelt
loads(b"[]", "openai", thinkng="text")  # error: an option misspelt
dumps(history, "openai", thinkng="text")  # error: an option misspelt
load("missing.json", "openai", thinkng="text")  # error: an option misspelt
load_lines("missing.json", "openai", thinkng="text")  # error: an option misspelt
dump(history, "/nowhere/a.json", "openai", thinkng="text")  # error: an option misspelt
dump_lines(history, "/nowhere/a.jsonl", "openai", thinkng="text")  # error: an option misspelt
As("openai", thinkng="text")  # error: an option misspelt
ToolUseBlock("c1", "f").result(5)  # error: a result is a text or blocks
ToolUseBlock("c1", "f").result("x", eror="late")  # error: a field misspelt
ToolUseBlock("c1", "f").args["x"] = 1  # error: arguments are read-only
history.messages_for(5)  # error: a codec is a name or a codec
history.extended(5)  # error: neither message, text nor mapping
load(5)  # error: a path or a file
load("missing.json", duplicates="first")  # error: no such policy
load_lines(5)  # error: a path or a file
dump(history, "a.json")  # error: a codec is needed
dump(5, "a.json", "json")  # error: a history
dump_lines(5, "a.jsonl")  # error: messages or histories
convert([], "opnai", "anthropic")  # error: a codec misspelt
convert([], "openai", "antropic")  # error: a codec misspelt
loads(b"[]", "opnai")  # error: a codec misspelt
decode([], "open-ai")  # error: a codec misspelt
encode(history, "langchian")  # error: a codec misspelt
dumps(history, "JSON")  # error: a codec misspelt
dumps(history, 5)  # error: a codec is a name or a codec
message.encode("opnai")  # error: a codec misspelt
history.messages_for("opnai")  # error: a codec misspelt
Msg.decode({}, "opnai")  # error: a codec misspelt
load("missing.json", "opnai")  # error: a codec misspelt
encode(history, "openai-response").append(1)  # error: a response is an object
encode(history, "openai", on_loss="ingore")  # error: a word misspelt
Recorder(on_message="x")  # error: a listener can be called
