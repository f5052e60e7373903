"""Parts that LangChain's integrations leave as a provider says them: Bedrock's reasoning, tools that a provider ran.

They are read as the provider's own format is; see the pages of ``bedrock``, ``gemini`` and ``openai-responses``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    adopt,
    is_mapping,
    is_object,
    maker,
    object_at,
    text_at,
    tool_arguments,
    word_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Spare, Text
from agentmsg_codecs.langchain.blocks.dialects import held
from agentmsg_codecs.langchain.blocks.v1 import CACHE, ID, is_only_text, says_only

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_make_signature = maker(am.Signature, "provider", "value")
_make_text = maker(am.TextBlock, "text")


# -- Bedrock's reasoning ----------------------------------------------------------------------------------------------


def _read_reasoning(native: Native) -> Native:
    value = word_at(native, "signature")
    signature = None if value is None else _make_signature("bedrock", value)
    return {"thinking": text_at(native, "text"), "signature": signature}


def _write_reasoning(block: Any) -> Native:
    return {"text": block.thinking, "signature": None if block.signature is None else block.signature.value}


_is_own_signature = says_only(am.Signature, "value", provider="bedrock")


def _is_of_bedrock(block: Any) -> bool:
    return block.signature is None or _is_own_signature(block.signature)


_REASONING = held("reasoning_content", _read_reasoning, _write_reasoning, "thinking", "signature", must=1)


# -- tools that a provider ran ----------------------------------------------------------------------------------------


def _says_input(keys: frozenset[str] | None) -> Callable[[Any], bool]:
    """Return the test of calls whose input is an object, with these keys alone."""

    def test(block: Any) -> bool:
        if not block.is_valid or not is_mapping(block.input) or block.significant_text is not None:
            return False
        return keys is None or block.input.keys() == keys

    return test


def _call(provider: str, tag: str, name: str, names: Mapping[str, str]) -> Form:
    """Return the form of a call whose arguments are keys of the part.

    Args:
        provider: who ran the tool.
        tag: of the part.
        name: of the tool.
        names: the keys of the input, by those of the part.
    """

    def read(part: Native) -> Native:
        return {"input": adopt({names[key]: part[key] for key in names})}

    def write(block: Any) -> Native:
        given = tool_arguments.input_copy(block)
        return {key: given[names[key]] for key in names}

    said = Hatch(keys=tuple(names), cells={"input": KEEP}, get=read, put=write, must=tuple(names))
    return _served(provider, tag, name, said, _says_input(frozenset(names.values())))


def _served(provider: str, tag: str, name: str, said: Hatch, when: Callable[[Any], bool], **how: Any) -> Form:
    return Form(
        tag, am.ToolUseBlock, tag, (said, ID, CACHE, Spare("status", "completed")), when=when, notes={"shape": tag},
        fixed={"kind": "server", "provider": provider, "name": name, "id": None}, **how,
    )  # fmt: skip


def _read_action(part: Native) -> Native:
    return {"input": adopt(object_at(part, "action"))}


def _write_action(block: Any) -> Native:
    return {"action": tool_arguments.input_copy(block)}


def _read_output(part: Native) -> Native:
    return {"tool_call_id": None, "content": (_make_text(text_at(part, "code_execution_result")),)}


def _write_output(block: Any) -> Native:
    return {"code_execution_result": block.content[0].text}


_ACTION = Hatch(keys=("action",), cells={"input": KEEP}, get=_read_action, put=_write_action, must=("action",))
_OUTPUT = Hatch(
    keys=("code_execution_result",), cells=dict.fromkeys(("content", "tool_call_id"), KEEP), get=_read_output,
    put=_write_output, must=("code_execution_result",),
)  # fmt: skip


def _is_text(block: Any) -> bool:
    return block.tool_call_id is None and len(block.content) == 1 and is_only_text(block.content[0])


HOSTED = (
    Form("reasoning_content", am.ThinkingBlock, "reasoning_content", (_REASONING, ID, CACHE), when=_is_of_bedrock,
         notes={"shape": "reasoning_content"}, fits=lambda part: is_object(part.get("reasoning_content"))),
    Form("reasoning_content_text", am.ThinkingBlock, "reasoning_content", (
        Key("reasoning_content", "thinking", Text()), ID, CACHE,
    ), notes={"shape": "reasoning_content-text"}, fits=lambda part: type(part.get("reasoning_content")) is str),
    _served("openai", "web_search_call", "web_search", _ACTION, _says_input(None)),
    _call("openai", "file_search_call", "file_search", {"queries": "queries"}),
    _call("openai", "code_interpreter_call", "code_interpreter", {"code": "code", "container_id": "container_id"}),
    _call("google", "executable_code", "code_execution", {"language": "language", "executable_code": "code"}),
    Form("code_execution_result", am.ToolResultBlock, "code_execution_result", (_OUTPUT, ID, CACHE), when=_is_text,
         notes={"shape": "code_execution_result"},
         fixed={"kind": "server", "provider": "google", "name": "code_execution"}),
)  # fmt: skip
