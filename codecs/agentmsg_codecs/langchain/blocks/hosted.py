"""Parts that LangChain's integrations pass on as a provider has them: Bedrock's reasoning, tools that a provider ran.

They are read like the provider's own format; see the pages of ``bedrock``, ``gemini`` and ``openai-responses``.
"""

from __future__ import annotations

import agentmsg as am
from agentmsg.formats import (
    is_object,
    speed,
    text_at,
    word_at,
)
from agentmsg.formats.forms import Form, Key, Text
from agentmsg_codecs.langchain.blocks.dialects import inner_object
from agentmsg_codecs.langchain.blocks.v1 import (
    CACHE,
    ID,
    make_signature,
)

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


HOSTED = (
    Form("reasoning_content", am.ThinkingBlock, "reasoning_content", (_REASONING, ID, CACHE),
         when=lambda block: block.signature is None or _is_of_bedrock(block.signature),
         notes={"shape": "reasoning_content"}, fits=lambda part: is_object(part.get("reasoning_content"))),
    Form("reasoning_content_text", am.ThinkingBlock, "reasoning_content", (
        Key("reasoning_content", "thinking", Text()), ID, CACHE,
    ), notes={"shape": "reasoning_content-text"}, fits=lambda part: type(part.get("reasoning_content")) is str),
)  # fmt: skip
