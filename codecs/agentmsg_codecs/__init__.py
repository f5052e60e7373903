"""The codecs that ship with agentmsg: a module, or a package, for each format family.

``CODECS`` is the one table of them, in alphabetical order. It names each codec as ``"module:attribute"``, so
that a codec is imported when it is first asked for and not before.
"""

from __future__ import annotations

__all__ = ["CODECS"]

CODECS: dict[str, str] = {
    "agentscope": "agentmsg_codecs.agentscope:AgentScopeCodec",
    "agentscope-java": "agentmsg_codecs.agentscope.java:AgentScopeJavaCodec",
    "anthropic": "agentmsg_codecs.anthropic:AnthropicCodec",
    "anthropic-response": "agentmsg_codecs.anthropic.response:AnthropicResponseCodec",
    "arcaelas": "agentmsg_codecs.arcaelas:ArcaelasCodec",
    "json": "agentmsg_codecs.json:JsonCodec",
    "langchain": "agentmsg_codecs.langchain:LangChainCodec",
    "langchain-lc": "agentmsg_codecs.langchain.lc:LangChainLcCodec",
    "langgraph": "agentmsg_codecs.langchain.langgraph:LangGraphCodec",
    "lionpride": "agentmsg_codecs.lionpride:LionprideCodec",
    "msgpack": "agentmsg_codecs.msgpack:MsgpackCodec",
    "openai": "agentmsg_codecs.openai:OpenAICodec",
    "openai-response": "agentmsg_codecs.openai.response:OpenAIResponseCodec",
    "riffer": "agentmsg_codecs.riffer:RifferCodec",
    "synaptic": "agentmsg_codecs.synaptic:SynapticCodec",
}
