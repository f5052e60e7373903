"""The documents that each codec is tested with: golden ones, and the recorded ones that ``recorded`` returns."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, TypeGuard, cast

from agentmsg import get_codec, thaw
from agentmsg.values.frozen import plain_copy
from data import corpus, golden, recorded
from support.agentscope_messages import AGENTSCOPE_0, AGENTSCOPE_1, AGENTSCOPE_2, AGENTSCOPE_JAVA, MEMORY
from support.by_hand import LIONPRIDE, SYNAPTIC
from support.grand_tour import grand_tour
from support.langgraph_documents import langgraph_documents
from support.vercel_messages import VERCEL, VERCEL_OLD, VERCEL_UI, VERCEL_UI_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["documents"]


def _tour(codec: str) -> Iterator[tuple[str, Any]]:
    chosen = get_codec(codec)
    tour = grand_tour()
    yield "grand tour", thaw(chosen.write(tour))
    for index in range(len(tour)):
        yield f"message {index} of the grand tour", thaw(chosen.write(tour[index : index + 1]))


def _langchain() -> Iterator[tuple[str, Any]]:
    for path in golden("langchain"):
        forms = json.loads(path.read_text())
        for form in ("message_to_dict", "model_dump"):
            if isinstance(forms[form], dict) and "__error__" not in forms[form]:
                yield f"{path.stem}, {form}, in a list", [forms[form]]
                yield f"{path.stem}, {form}, alone", forms[form]
    for name, messages in _recorded_lists():
        yield name, messages
        yield f"{name}, as state", {"messages": messages}


def _langchain_lc() -> Iterator[tuple[str, Any]]:
    natives: list[Any] = []
    for path in golden("langchain"):
        native = json.loads(path.read_text())["dumpd"]
        if "__error__" not in native:
            yield f"{path.stem}, dumpd, alone", native
            yield f"{path.stem}, dumpd, in a list", [native]
            natives.append(native)
    for name, messages in _recorded_lists():
        yield name, list(map(_enveloped, messages))
    for case in next(document["cases"] for name, document in _golden("langchain_ops") if name.endswith("/load")):
        if "kwargs" in case["input"] and case["input"]["id"][0] != "os":
            yield f"load, {case['description']}", case["input"]
    first = {native["id"][-1]: native for native in reversed(natives)}
    human, ai, tool = first["HumanMessage"], first["AIMessage"], first["ToolMessage"]
    yield "all golden messages", natives
    yield "state", {"messages": natives, "steps": 3, "meta": {"__lc_escaped__": {"lc": 1}}}
    for name in ("ChatPromptValue", "ChatPromptValueConcrete"):
        kwargs = {"messages": natives, **({"type": name} if name.endswith("Concrete") else {})}
        yield name, {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "chat", name], "kwargs": kwargs}
    generation = {"text": ai["kwargs"]["content"], "generation_info": {"k": 1}, "type": "ChatGeneration", "message": ai}
    own = ["langchain", "schema", "output", "ChatGeneration"]
    yield "generation", {"lc": 1, "type": "constructor", "id": own, "kwargs": generation}
    outputs = {"generations": [[generation]], "llm_output": None, "run": None, "type": "LLMResult"}
    yield "outputs of a run", outputs
    yield "inputs of a run", {"messages": [[human, ai], [human]]}
    serialized = {"lc": 1, "type": "not_implemented", "id": ["x", "Model"], "repr": "Model()"}
    inputs = {"messages": [[human, ai, tool]]}
    yield "run", {"id": "r1", "name": "Model", "serialized": serialized, "inputs": inputs, "outputs": outputs}
    yield "LangChain JS", list(map(_of_javascript, (human, ai, tool)))


def _langgraph() -> Iterator[tuple[str, Any]]:
    golden_ones = [(path.stem, json.loads(path.read_text())) for path in golden("langchain")]
    bodies = [(name, forms["model_dump"]) for name, forms in golden_ones if "type" in forms["model_dump"]]
    for name, messages in _recorded_lists():
        whole = [message.get("data", message) for message in messages]
        bodies += [(f"{name}, {index}", body) for index, body in enumerate(whole)]
    natives = [forms["dumpd"] for _, forms in golden_ones]
    yield from langgraph_documents(bodies, [native for native in natives if "__error__" not in native])
    for case in next(document["cases"] for name, document in _golden("langchain_ops") if "langgraph" in name):
        yield f"golden, {case['description']}", case["decoded"]


def _enveloped(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as an envelope: without empty values, except the lists of calls."""
    message = message.get("data", message)
    name = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
    kept = ("content", "tool_calls", "invalid_tool_calls")
    kwargs = {key: value for key, value in message.items() if key in kept or value not in (None, {}, [])}
    own = ["langchain", "schema", "messages", name[message["type"]]]
    return {"lc": 1, "type": "constructor", "id": own, "kwargs": kwargs}


def _of_javascript(native: dict[str, Any]) -> dict[str, Any]:
    """Return an envelope in the spelling of LangChain JS: another prefix, no type, empty objects written."""
    kwargs: dict[str, Any] = {"additional_kwargs": {}, "response_metadata": {}, **native["kwargs"]}
    del kwargs["type"]
    return {**native, "id": ["langchain_core", "messages", native["id"][-1]], "kwargs": kwargs}


def _recorded_lists() -> list[tuple[str, list[Any]]]:
    """Return the lists of LangChain messages inside all recordings."""
    paths = corpus("langchain")
    return recorded(found for path in paths for found in _message_lists(json.loads(path.read_text()), path.stem))


def _message_lists(value: Any, name: str) -> Iterator[tuple[str, list[Any]]]:
    """Return every list of LangChain messages inside a recording."""
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            if key == "messages" and _are_messages(inner):
                yield f"{name}/{key}", inner
            else:
                yield from _message_lists(inner, f"{name}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from _message_lists(inner, f"{name}/{index}")


def _are_messages(value: object) -> TypeGuard[list[Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) and "type" in item for item in items)


def _golden(system: str) -> Iterator[tuple[str, Any]]:
    for path in golden(system):
        yield f"golden {system}/{path.stem}", json.loads(path.read_text())


def _requests(system: str, key: str = "messages") -> Iterator[tuple[str, Any]]:
    """Return the recorded request bodies with a conversation, whatever the server's response."""
    yield from recorded(
        (f"{name}, request", interaction["request"])
        for name, interaction in _interactions(system)
        if key in interaction["request"]
    )


def _answers(system: str, key: str) -> Iterator[tuple[str, Any]]:
    """Return the recorded responses with a message, under a key that no error body has."""
    yield from recorded(
        (f"{name}, response", interaction["response"])
        for name, interaction in _interactions(system)
        if interaction["status"] == _OK
        and isinstance(interaction.get("response"), dict)
        and key in interaction["response"]
    )


def _interactions(system: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in corpus(system):
        if path.suffix == ".json":
            for index, interaction in enumerate(json.loads(path.read_text())["interactions"]):
                yield f"{system}/{path.stem}/{index}", interaction


def _lines(system: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return every tenth line of files with one conversation a line: all are similar."""
    for path in corpus(system):
        if path.suffix == ".jsonl":
            lines = list(enumerate(path.read_text().splitlines(), 1))[::10]
            yield from ((f"{path.stem}, line {number}", json.loads(line)) for number, line in recorded(lines))


_PAIR = (("user", "Sky?"), ("assistant", "Blue."), ("assistant", "Green."))


def _openai() -> Iterator[tuple[str, Any]]:
    for name, messages in _golden("openai_chat"):
        yield name, messages
        yield f"{name}, as body", {"model": "m", "messages": messages}
    # The other two in the folder aren't bodies of OpenAI: arguments as objects, prompt beside completion.
    for name, body in _golden("hf_messages"):
        if name.endswith(("_simple", "_openai_finetune_weight")):
            yield name, body
    yield from _requests("openai_chat")
    agents = list(_lines("openai_chat"))
    for name, row in agents:
        yield name, row["messages"]
    yield "fine-tuning row", _unweighted(agents[0][1]["messages"])
    asked, blue, green = ({"role": role, "content": text} for role, text in _PAIR)
    request = {"messages": [asked], "tools": [], "parallel_tool_calls": False}
    yield "a preference", {"input": request, "preferred_output": [blue], "non_preferred_output": [green]}
    for name, row in _lines("hf_messages"):
        # Files with a column of images are rows, which OpenAI doesn't have.
        if "images" not in row and all(isinstance(message["content"], str) for message in row["messages"]):
            yield name, row
    for path in recorded(corpus("agent_trajectory_swe_agent")):
        yield path.stem, json.loads(path.read_text())["messages"]


def _unweighted(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a row of a fine-tuning file with one answer that is not to be learnt."""
    first = next(index for index, message in enumerate(messages) if message["role"] == "assistant")
    return {"messages": [{**each, "weight": 0} if index == first else each for index, each in enumerate(messages)]}


def _anthropic() -> Iterator[tuple[str, Any]]:
    yield from _golden("anthropic")
    yield from _golden("anthropic_beta")
    yield from _requests("anthropic")
    yield from _requests("bedrock_invoke")


def _anthropic_response() -> Iterator[tuple[str, Any]]:
    yield from _golden("anthropic_response")
    yield from _answers("anthropic", "content")
    yield from _answers("bedrock_invoke", "content")


def _openai_response() -> Iterator[tuple[str, Any]]:
    yield from _golden("openai_chat_response")
    yield from _answers("openai_chat", "choices")


def _openai_responses() -> Iterator[tuple[str, Any]]:
    yield from _golden("openai_responses")
    for name, items in _golden("openai_agents"):
        if name.endswith(("_items", "/to_input_list")):
            yield name, items
            yield f"{name}, one item", items[-1]
    yield from _requests("openai_responses", "input")


def _openai_responses_response() -> Iterator[tuple[str, Any]]:
    yield from _golden("openai_responses_response")
    # A compacting endpoint's response includes the user's messages.
    answers = _answers("openai_responses", "output")
    yield from ((name, answer) for name, answer in answers if answer["object"] == "response")


def _bedrock() -> Iterator[tuple[str, Any]]:
    for name, body in _golden("bedrock"):
        yield name, body
        yield f"{name}, messages", body["messages"]
    yield from _requests("bedrock")


def _bedrock_response() -> Iterator[tuple[str, Any]]:
    yield from _golden("bedrock_response")
    yield from _answers("bedrock", "output")


def _pydantic_ai() -> Iterator[tuple[str, Any]]:
    """Return histories, and their messages alone."""
    yield from _golden("pydantic_ai")
    found = [(path.stem, json.loads(path.read_text())["messages"]) for path in corpus("pydantic_ai")]
    for name, messages in recorded(found):
        yield f"pydantic_ai/{name}", messages
        yield f"pydantic_ai/{name}, first", messages[0]
        yield f"pydantic_ai/{name}, in an object", {"messages": messages, "agent": "support"}


def _gemini() -> Iterator[tuple[str, Any]]:
    for name, body in _golden("gemini"):
        yield name, body
        yield f"{name}, contents", body["contents"]
    yield from _requests("gemini", "contents")


def _gemini_response() -> Iterator[tuple[str, Any]]:
    yield from _golden("gemini_response")
    yield from _answers("gemini", "candidates")


def _hf() -> Iterator[tuple[str, Any]]:
    yield from _golden("hf_messages")
    # Text written by a template has no messages.
    yield from ((name, row) for name, row in _golden("hf_rows") if "text" not in row)
    yield from _lines("hf_messages")
    yield "texts", {"prompt": "2+2=", "completion": " 4", "label": True}
    yield "a pair of texts", {"prompt": "Sky?", "chosen": "Blue.", "rejected": "Green."}
    sky, green = [{"role": "user", "content": "Sky?"}], {"role": "assistant", "content": "Green."}
    blue = {"role": "assistant", "content": "Blue.", "reasoning_content": "Clear."}
    yield "a pair of messages (Axolotl)", {"messages": sky, "chosen": blue, "rejected": green}
    seen, heard = {"role": "user", "content": "<image><video>What?"}, {"role": "user", "content": "<audio>And that?"}
    yield "tokens of all media", {"messages": [seen, heard], "images": ["a"], "videos": ["b"], "audios": ["c"]}
    parts = [{"type": "image"}, {"type": "audio"}, {"type": "video"}, {"type": "video", "video": "c"}]
    mixed = [{"role": "user", "content": parts}, heard, seen]
    yield "placeholders and tokens", {"messages": mixed, "images": ["a"], "videos": ["b"], "audios": ["c"]}
    yield (
        "tokens and words",
        {"messages": [seen, {"role": "user", "content": parts[:1]}], "images": ["a"], "videos": ["b"]},
    )
    yield "tokens and frames", {"messages": [seen, heard], "images": ["a"], "videos": [["b"]], "audios": [None]}
    drawn = {"role": "assistant", "content": "<image>A dog, <video>running."}
    yield "tokens in an answer (ms-swift)", {"messages": [drawn], "images": ["a"], "videos": ["b"]}
    said = '{"name": "f", "arguments": {"q": 1}}'
    asked = {"role": "tool_call", "content": said}
    found, odd = {"role": "tool_response", "content": "1"}, {"role": "tool_result", "content": "2", "loss": 0}
    unthought = {"role": "assistant", "content": "<think>\n\n</think>\n\nTwo."}
    yield "roles of ms-swift", {"messages": [{"role": "user", "content": "Both?"}, asked, found, asked, odd, unthought]}
    calls = [{"name": "f", "arguments": {"q": 1}}, {"type": "function", "function": {"name": "f", "arguments": "{"}}]
    result = {"role": "tool", "content": {"t": 21}}
    yield (
        "flat calls, results without names",
        {"messages": [{"role": "assistant", "tool_calls": calls}, result, result]},
    )


def _lionpride() -> Iterator[tuple[str, Any]]:
    found = list(_golden("lionpride"))
    yield from found
    yield "all golden messages", [message for _, message in found]
    yield "every class of content", LIONPRIDE
    pile = {"id": "1" * 32, "metadata": {"lion_class": "lionpride.core.pile.Pile"}, "strict_type": False}
    yield "a pile", {**pile, "items": LIONPRIDE[:9]}
    yield "no more than content", {"content": {"instruction": "Hello"}}


def _sharegpt() -> Iterator[tuple[str, Any]]:
    for system in ("sharegpt", "sharegpt_rows", "alpaca"):
        yield from _golden(system)
    yield from _lines("sharegpt")
    said = [{"role": "user", "value": "Hello"}, {"role": "model", "value": "<think>Hm</think>Hi", "weight": 0}]
    asked, called = {"from": "human", "value": "<image>Look"}, '{"name": "f", "arguments": {}}'
    ran = [{"role": "function_call", "value": called}, {"role": "tool", "value": "So"}]
    yield "roles beside values", {"conversations": [*said, *ran]}
    hermes = f"Well.\n<tool_call>\n{called}\n</tool_call>\n<tool_call>{called}</tool_call>"
    yield "a list of turns", [asked, {"from": "assistant", "value": hermes}, {"from": "user", "value": ""}]
    chosen, rejected = {"from": "gpt", "value": "Blue."}, {"from": "gpt", "value": "Green."}
    yield "a pair of texts", {"conversations": [asked], "chosen": "Blue.", "rejected": "Green.", "images": ["a.png"]}
    yield "a rejected turn", {"conversations": [chosen], "rejected": {"from": "function_call", "value": called}}
    yield "a pair", {"conversations": [asked], "chosen": chosen, "rejected": rejected, "images": [{"path": "a.png"}]}
    told = '{"tool_call_id": "call_1", "name": "f", "content": {"t": 21}}'
    results = "\n".join(f"<tool_response>\n{text}\n</tool_response>" for text in (told, "2"))
    called_twice = {"from": "gpt", "value": f"<think>\n</think>\n{hermes}"}
    yield "parallel results (Hermes)", {"conversations": [asked, called_twice, {"from": "tool", "value": results}]}
    asked_twice = {"from": "human", "value": "<image>\n<image>\nCompare"}
    yield "several images (LLaVA-NeXT)", {"conversations": [asked_twice, chosen], "image": ["a.png", "b.png"]}
    yield "Alpaca, all columns", {"instruction": "Add", "input": "1 2", "output": "3", "history": [], "id": 1}


def _synaptic() -> Iterator[tuple[str, Any]]:
    natives: list[Any] = []
    for name, document in _golden("synaptic"):
        yield name, document
        natives += document if isinstance(document, list) else [document]
    messages = [native for native in natives if "role" in native]
    yield "all golden messages, as stored", messages
    yield "all golden messages, as state", {"messages": messages, "steps": 3}
    yield "all golden chunks", [native for native in natives if "role" not in native]
    yield "every variant, block and field", SYNAPTIC


def _arcaelas() -> Iterator[tuple[str, Any]]:
    found = list(_golden("arcaelas"))
    for name, message in found:
        yield f"{name}, alone", message
        yield f"{name}, in a list", [message]
    for generation in ("v10", "v19", "v2"):
        messages = [message for name, message in found if f"/{generation}_" in name]
        yield f"arcaelas {generation}", messages
        yield f"arcaelas {generation}, as body", {"name": "Support_Assistant", "messages": messages}
    # The golden documents of the first generation have no result; its page has this one.
    result = {"role": "tool", "content": "Data", "tool_id": "calc_123", "timestamp": "2025-10-12T10:30:45.123Z"}
    yield "arcaelas v10, result", [found[0][1], result]


def _riffer() -> Iterator[tuple[str, Any]]:
    found = list(_golden("riffer"))
    for name, message in found:
        yield f"{name}, alone", message
        yield f"{name}, in a list", [message]
    for version in ("v09", "latest"):
        messages = [message for name, message in found if f"/{version}_" in name]
        yield f"riffer {version}", messages
        yield f"riffer {version}, as body", {"prompt": "x", "messages": messages}
    files = [{"media_type": "image/png", "data": "iVBORw0KGgo=", "filename": "a.png"}, {"url": "https://x.test/b.pdf"}]
    yield "riffer latest, files", [{"role": "user", "content": "Look", "id": "u-1", "files": files}]


def _vercel() -> Iterator[tuple[str, Any]]:
    for name, messages in _golden("vercel_model"):
        yield name, messages
        yield f"{name}, as body", {"model": "m", "messages": messages}
        yield f"{name}, last message", messages[-1]
    for path in corpus("vercel_ai"):
        for index, span in enumerate(json.loads(path.read_text())["spans"]):
            if "ai.prompt.messages" in span:
                yield f"{path.stem}/{index}", span["ai.prompt.messages"]
            if "messages" in span.get("ai.prompt", {}):
                yield f"{path.stem}/{index}", span["ai.prompt"]
    yield "every part", VERCEL
    yield "parts of older versions", VERCEL_OLD
    yield "a call of a language model", {"prompt": VERCEL_OLD, "toolChoice": {"type": "auto"}}


def _vercel_ui() -> Iterator[tuple[str, Any]]:
    for name, messages in _golden("vercel_ui"):
        yield name, messages
        yield f"{name}, as body", {"id": "chat", "messages": messages, "trigger": "submit-message"}
        yield f"{name}, last message", messages[-1]
    yield from recorded((path.stem, json.loads(path.read_text())["messages"]) for path in corpus("vercel_ai_ui"))
    for name, messages in _golden("vercel_ui_v4"):
        yield name, messages
        yield f"{name}, last message", messages[-1]
    yield "every part", VERCEL_UI
    yield "rows of databases", VERCEL_UI_ROWS


def _agentscope() -> Iterator[tuple[str, Any]]:
    """Return messages alone, in lists, and in the state of an agent; a conversation of each version."""
    for system in ("agentscope_py", "agentscope_py_v1"):
        found = list(_golden(system))
        for name, message in found:
            yield name, message
            yield f"{name}, in a list", [message]
        yield f"{system}, all", [message for _, message in found]
        yield f"{system}, in a state", {"session_id": "s1", "summary": "", "context": [message for _, message in found]}
    for version, written in (("2", AGENTSCOPE_2), ("1", AGENTSCOPE_1), ("0", AGENTSCOPE_0)):
        yield f"every block of {version}.x", written
    yield "a memory of 1.x", MEMORY
    yield "the entries of a memory", MEMORY["content"]
    yield "a session of 1.x", {"agent": {"memory": MEMORY, "toolkit": {"active_groups": []}}}
    yield "a session of 2.x", {"agent": {"state": {"session_id": "s1", "summary": "", "context": AGENTSCOPE_2}}}


def _agentscope_java() -> Iterator[tuple[str, Any]]:
    found = list(_golden("agentscope_java"))
    for name, message in found:
        yield name, message
        yield f"{name}, in a list", [message]
    for version in ("2", "1"):
        yield f"all of {version}.x", [message for name, message in found if ("v1" in name) is (version == "1")]
    yield "every block of Java", AGENTSCOPE_JAVA


_OK = 200
_SOURCES: Mapping[str, Callable[[], Iterator[tuple[str, Any]]]] = {
    "agentscope": _agentscope,
    "agentscope-java": _agentscope_java,
    "anthropic": _anthropic,
    "anthropic-response": _anthropic_response,
    "arcaelas": _arcaelas,
    "bedrock": _bedrock,
    "bedrock-response": _bedrock_response,
    "gemini": _gemini,
    "gemini-response": _gemini_response,
    "hf": _hf,
    "json": lambda: _tour("json"),
    "langchain": _langchain,
    "langchain-lc": _langchain_lc,
    "langgraph": _langgraph,
    "lionpride": _lionpride,
    "msgpack": lambda: _tour("msgpack"),
    "openai": _openai,
    "openai-response": _openai_response,
    "openai-responses": _openai_responses,
    "openai-responses-response": _openai_responses_response,
    "pydantic-ai": _pydantic_ai,
    "riffer": _riffer,
    "sharegpt": _sharegpt,
    "synaptic": _synaptic,
    "vercel": _vercel,
    "vercel-ui": _vercel_ui,
}


@cache
def documents(codec: str) -> tuple[tuple[str, Any], ...]:
    """Return names and documents for a codec; a codec without any is an error, never an empty test."""
    found = tuple((name, plain_copy(document)) for name, document in _SOURCES[codec]())
    assert found, f"no documents for {codec}"
    return found
