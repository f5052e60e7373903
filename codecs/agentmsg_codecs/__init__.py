"""The codecs that ship with agentmsg: a module, or a package, for each format family.

``CODECS`` is their only table, in alphabetical order. It names each codec as ``"module:attribute"``, so that a codec is
imported on first use. ``CodecName`` repeats the names for type checkers, which can't take them from a table; they
report a name that the table has and ``CodecName`` lacks.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["CODECS", "CodecName"]

CodecName: TypeAlias = Literal[
    "agentscope",
    "agentscope-java",
    "anthropic",
    "anthropic-response",
    "arcaelas",
    "bedrock",
    "bedrock-response",
    "gemini",
    "gemini-response",
    "hf",
    "json",
    "langchain",
    "langchain-lc",
    "langgraph",
    "lionpride",
    "msgpack",
    "openai",
    "openai-response",
    "openai-responses",
    "openai-responses-response",
    "pydantic-ai",
    "riffer",
    "sharegpt",
    "synaptic",
    "vercel",
    "vercel-ui",
]
"""The name of a codec that ships with agentmsg; ``agentmsg.get_codec`` takes those of others, too."""

CODECS: dict[str, str] = {
    "agentscope": "agentmsg_codecs.agentscope:AgentScopeCodec",
    "agentscope-java": "agentmsg_codecs.agentscope.java:AgentScopeJavaCodec",
    "anthropic": "agentmsg_codecs.anthropic:AnthropicCodec",
    "anthropic-response": "agentmsg_codecs.anthropic.response:AnthropicResponseCodec",
    "arcaelas": "agentmsg_codecs.arcaelas:ArcaelasCodec",
    "bedrock": "agentmsg_codecs.bedrock:BedrockCodec",
    "bedrock-response": "agentmsg_codecs.bedrock.response:BedrockResponseCodec",
    "gemini": "agentmsg_codecs.gemini:GeminiCodec",
    "gemini-response": "agentmsg_codecs.gemini.response:GeminiResponseCodec",
    "hf": "agentmsg_codecs.hf:HfCodec",
    "json": "agentmsg_codecs.json:JsonCodec",
    "langchain": "agentmsg_codecs.langchain:LangChainCodec",
    "langchain-lc": "agentmsg_codecs.langchain.lc:LangChainLcCodec",
    "langgraph": "agentmsg_codecs.langchain.langgraph:LangGraphCodec",
    "lionpride": "agentmsg_codecs.lionpride:LionprideCodec",
    "msgpack": "agentmsg_codecs.msgpack:MsgpackCodec",
    "openai": "agentmsg_codecs.openai:OpenAICodec",
    "openai-response": "agentmsg_codecs.openai.response:OpenAIResponseCodec",
    "openai-responses": "agentmsg_codecs.openai_responses:OpenAIResponsesCodec",
    "openai-responses-response": "agentmsg_codecs.openai_responses.response:OpenAIResponsesResponseCodec",
    "pydantic-ai": "agentmsg_codecs.pydantic_ai:PydanticAICodec",
    "riffer": "agentmsg_codecs.riffer:RifferCodec",
    "sharegpt": "agentmsg_codecs.sharegpt:ShareGptCodec",
    "synaptic": "agentmsg_codecs.synaptic:SynapticCodec",
    "vercel": "agentmsg_codecs.vercel:VercelCodec",
    "vercel-ui": "agentmsg_codecs.vercel.ui:VercelUICodec",
}
