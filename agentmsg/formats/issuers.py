"""Issuers: who made an opaque payload, such as a signature or redacted thinking. It goes back to that issuer only.

Some formats carry what other makers' models made: Bedrock hosts many of them, and several servers speak Anthropic's or
OpenAI's format. So the model's name says who the issuer is, if it tells; else it is the format's own provider. A reader
marks each payload whose issuer isn't who its field would name (``with_issuers``), and cells ask ``issuer_of``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agentmsg.formats.shapes import marked
from agentmsg.model.blocks import ThinkingBlock
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmsg.model.base import BaseBlock
    from agentmsg.model.msg import Msg

MARK = "/issuer"
"""The mark of a block whose payload was made by the one that it names."""
WORDS = {
    "ai21": "ai21", "jamba": "ai21",
    "amazon": "amazon", "nova": "amazon", "titan": "amazon",
    "anthropic": "anthropic", "claude": "anthropic",
    "cohere": "cohere", "command": "cohere",
    "deepseek": "deepseek",
    "doubao": "bytedance", "ernie": "baidu", "granite": "ibm", "hunyuan": "tencent", "longcat": "meituan",
    "gemini": "google", "gemma": "google", "google": "google",
    "grok": "xai", "xai": "xai",
    "llama": "meta", "meta": "meta",
    "codestral": "mistral", "devstral": "mistral", "magistral": "mistral", "ministral": "mistral", "mistral": "mistral",
    "mixtral": "mistral", "pixtral": "mistral", "voxtral": "mistral",
    "kimi": "moonshot", "moonshot": "moonshot", "moonshotai": "moonshot",
    "chatgpt": "openai", "codex": "openai", "gpt": "openai", "openai": "openai",
    "glm": "zai", "zai": "zai", "zhipu": "zai",
    "mimo": "xiaomi", "xiaomi": "xiaomi",
    "minimax": "minimax",
    "nemotron": "nvidia", "nvidia": "nvidia",
    "palmyra": "writer", "writer": "writer",
    "phi": "microsoft", "sonar": "perplexity",
    "qwen": "alibaba", "qwq": "alibaba",
}  # fmt: skip
"""Who makes a model, by the first word of its name that tells: ``us.anthropic.claude-opus-4`` is Anthropic's."""
_OF_OPENAI = re.compile(r"(?:^|[^a-z0-9])o[1-9](?:$|[^a-z0-9])")
_NAME_WORDS = re.compile(r"[a-z]+\d*")


@lru_cache(maxsize=512)
def issuer_of_model(name: str | None) -> str | None:
    """Return who makes a model, in the words of ``Signature.provider``; None if its name doesn't tell."""
    if name is None:
        return None
    lower = name[:256].lower()
    for word in _NAME_WORDS.findall(lower):
        found = WORDS.get(word) or WORDS.get(word.rstrip("0123456789"))
        if found is not None:
            return found
    return "openai" if _OF_OPENAI.search(lower) else None


def issuer_of(block: BaseBlock) -> str | None:
    """Return who made a block's payload: as marked, else as its signature says; None if nothing tells."""
    for note in block.notes.values() if block.notes else ():
        if is_mapping(note) and type(note.get(MARK)) is str:
            return str(note[MARK])
    return None if block.signature is None else block.signature.provider


def is_foreign(block: BaseBlock, family: str, providers: Iterable[str | None]) -> bool:
    """Whether a block's payload was marked as made by somebody else than these providers, and by another format.

    What a format carried goes back into this format: its server knows whose bytes they are.
    """
    own = block.notes.get(family) if block.notes else None
    if not block.notes or (is_mapping(own) and MARK in own):
        return False
    issuer = issuer_of(block)
    return issuer is not None and issuer not in providers


def with_issuers(messages: list[Msg], family: str, carrier: str, model: str | None = None) -> list[Msg]:
    """Return messages just read whose opaque payloads say who made them, where their fields don't.

    Args:
        messages: with models of their own, or else of this one.
        family: of the reader; the mark stands in its note.
        carrier: the provider that its fields name, and whose payloads they are if no name tells.
        model: what the document says for all messages.
    """
    if model is None and all(message.model is None for message in messages):
        return messages
    return [with_issuer(message, family, carrier, model) for message in messages]


def with_issuer(message: Msg, family: str, carrier: str, model: str | None = None) -> Msg:
    """Return one message as ``with_issuers`` does."""
    if message.role != "assistant":
        return message
    issuer = issuer_of_model(message.model) or (model and issuer_of_model(model))
    if issuer is None or issuer == carrier:
        return message
    content = [_issued(block, family, carrier, issuer) for block in message.content]
    if all(new is old for new, old in zip(content, message.content, strict=True)):
        return message
    return message.evolve(content=content)


def _issued(block: Any, family: str, carrier: str, issuer: str | None) -> Any:
    signature = block.signature
    is_sealed = type(block) is ThinkingBlock and block.redacted is not None
    is_signed = signature is not None and signature.provider == carrier
    return marked(block, family, issuer=issuer) if is_sealed or is_signed else block
