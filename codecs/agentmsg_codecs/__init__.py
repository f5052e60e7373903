"""The codecs that ship with agentmsg: a module, or a package, for each format family.

``CODECS`` is the one table of them, in alphabetical order. It names each codec as ``"module:attribute"``, so
that a codec is imported when it is first asked for and not before.
"""

from __future__ import annotations

__all__ = ["CODECS"]

CODECS: dict[str, str] = {
    "json": "agentmsg_codecs.json:JsonCodec",
    "langchain": "agentmsg_codecs.langchain:LangChainCodec",
    "msgpack": "agentmsg_codecs.msgpack:MsgpackCodec",
}
