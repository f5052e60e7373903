"""Parts that LangChain's integrations pass on as a provider has them: Bedrock's reasoning, tools that a provider ran.

They are read like the provider's own format; see the pages of ``bedrock``, ``gemini`` and ``openai-responses``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    is_object,
    media,
    natives,
    speed,
    text_at,
    tool_arguments,
    word_at,
)
from agentmsg.formats.forms import Arguments, Form, Hatch, Key, Object, Spare, Text
from agentmsg_codecs.langchain.blocks.dialects import has_object, inner_object
from agentmsg_codecs.langchain.blocks.v1 import (
    CACHE,
    ID,
    is_only_text,
    make_signature,
    make_text,
    required,
    via,
)
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- Bedrock's reasoning ----------------------------------------------------------------------------------------------


_REASONING = inner_object(
    "reasoning_content",
    lambda native: {
        "thinking": text_at(native, "text"),
        "signature": None if (value := word_at(native, "signature")) is None else make_signature("bedrock", value),
    },
    lambda block: {"text": block.thinking, "signature": block.signature and block.signature.value},
    "thinking", "signature", must=1,
)  # fmt: skip
_is_of_bedrock = speed.says_only(am.Signature, "value", provider="bedrock")


# -- tools that a provider ran ----------------------------------------------------------------------------------------


def _call(provider: str, tag: str, name: str, names: Mapping[str, str]) -> Form:
    """Return the form of a call whose arguments are keys of the part.

    Args:
        provider: who ran the tool.
        tag: of the part.
        name: of the tool.
        names: the keys of the input, by those of the part.
    """

    def write(block: Any) -> Native:
        given = tool_arguments.input_copy(block)
        return {key: given[names[key]] for key in names}

    args = required(
        tuple(names), ("input",), lambda part: {"input": adopt({names[key]: part[key] for key in names})}, write
    )
    keys = frozenset(names.values())
    return _served(provider, tag, name, args, lambda block: has_object(block) and block.input.keys() == keys)


def _served(provider: str, tag: str, name: str, args: Hatch | Key, when: Callable[[Any], bool]) -> Form:
    return Form(
        tag, am.ToolUseBlock, tag, (args, ID, CACHE, Spare("status", "completed")), when=when, notes={"shape": tag},
        fixed={"kind": "server", "provider": provider, "name": name, "id": None},
    )  # fmt: skip


def _made(data: Any) -> am.Base64Source:
    """Return the source of an image that OpenAI's tool made; its type is what the data tells."""
    if type(data) is not str:
        raise Unreadable
    return am.Base64Source(data, media.guess_media_type(data))


def _is_made(block: Any) -> bool:
    source = block.source
    return type(source) is am.Base64Source and am.same(source, _made(source.data))


_OUTPUT = required(
    ("code_execution_result",),
    ("content", "tool_call_id"),
    lambda part: {"tool_call_id": None, "content": (make_text(text=text_at(part, "code_execution_result")),)},
    lambda block: {"code_execution_result": block.content[0].text},
)
HOSTED = (
    Form("reasoning_content", am.ThinkingBlock, "reasoning_content", (_REASONING, ID, CACHE),
         when=lambda block: block.signature is None or _is_of_bedrock(block.signature),
         notes={"shape": "reasoning_content"}, fits=lambda part: is_object(part.get("reasoning_content"))),
    Form("reasoning_content_text", am.ThinkingBlock, "reasoning_content", (
        Key("reasoning_content", "thinking", Text()), ID, CACHE,
    ), notes={"shape": "reasoning_content-text"}, fits=lambda part: type(part.get("reasoning_content")) is str),
    _served("openai", "web_search_call", "web_search", Key("action", "input", Object()), has_object),
    _call("openai", "file_search_call", "file_search", {"queries": "queries"}),
    _call("openai", "code_interpreter_call", "code_interpreter", {"code": "code", "container_id": "container_id"}),
    Form("mcp_call", am.ToolUseBlock, "mcp_call", (
        Key("name", "name", Text()), Key("arguments", "input", Arguments()), ID, CACHE, Spare("error"),
    ), notes={"shape": "mcp_call"}, fits=lambda part: "server_label" in part,
         when=lambda block: natives.has_extra(block, FAMILY, "server_label"),
         fixed={"kind": "server", "provider": "openai", "id": None}),
    Form("image_generation_call", am.ImageBlock, "image_generation_call", (
        Key("result", "source", via(_made, lambda source: source.data)), ID, CACHE, Spare("status", "completed"),
    ), when=_is_made, notes={"shape": "image_generation_call"}),
    _call("google", "executable_code", "code_execution", {"language": "language", "executable_code": "code"}),
    Form("code_execution_result", am.ToolResultBlock, "code_execution_result", (_OUTPUT, ID, CACHE),
         when=lambda block: block.tool_call_id is None and len(block.content) == 1 and is_only_text(block.content[0]),
         notes={"shape": "code_execution_result"},
         fixed={"kind": "server", "provider": "google", "name": "code_execution"}),
)  # fmt: skip
