"""Conversions between OpenAI and Anthropic formats: single ones to the letter, and those of all documents."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats.spelling import same_document
from support.documents import documents
from support.strict import (
    anthropic_request_problems,
    anthropic_response_problems,
    openai_request_problems,
    openai_response_problems,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from agentmsg.formats.codec import Codec

__all__ = ["PAIRS", "PROBLEMS", "account_of", "conversions", "converts", "returns", "told"]

PAIRS: tuple[tuple[am.CodecName, am.CodecName], ...] = (
    ("openai", "anthropic"),
    ("anthropic", "openai"),
    ("openai-response", "anthropic-response"),
    ("anthropic-response", "openai-response"),
    ("openai-response", "anthropic"),
    ("anthropic-response", "openai"),
)
PROBLEMS: Mapping[str, Callable[[Any], list[str]]] = {
    "anthropic": anthropic_request_problems,
    "anthropic-response": anthropic_response_problems,
    "openai": openai_request_problems,
    "openai-response": openai_response_problems,
}


@cache
def conversions(source: am.CodecName, target: am.CodecName) -> tuple[tuple[str, Any, am.Conversion], ...]:
    """Return each golden and recorded document of a format with its name and its conversion to another format."""
    return tuple((name, document, am.convert(document, source, target)) for name, document in documents(source))


def told(loss: am.Loss) -> str:
    """Return a loss as a line without its reason: ``messages/0/name dropped (annotation)``."""
    return f"{'/'.join(map(str, loss.path))} {loss.kind} ({loss.level})"


def account_of(losses: Iterable[am.Loss]) -> list[str]:
    """Return the lines of a loss report."""
    return list(map(told, losses))


def returns(document: Any, result: am.Conversion, source: am.CodecName, target: am.CodecName | Codec) -> bool:
    """Whether a conversion and its loss report rebuild the history, and the very document."""
    restored = am.restore(am.decode(result.document, target), result.losses)
    return am.same(restored, result.history) and same_document(am.encode(restored, source), document)


def converts(
    document: Any, source: am.CodecName, target: am.CodecName | Codec, into: Any, *account: str, types: bool = True
) -> am.Conversion:
    """Check the result and the losses of a conversion; return the conversion.

    The types of the target's own package accept the result, and the source can be restored.

    Args:
        document: in the format ``source``.
        source: its format.
        target: the other format.
        into: the exact document that is written.
        account: the losses, one line each, in order; see ``told``.
        types: whether the types of the target's package accept it; they lack fields of compatible servers.
    """
    result: am.Conversion = am.convert(document, source, target)
    assert result.document == into, result.document
    assert same_document(result.document, into)
    assert account_of(result.losses) == list(account), account_of(result.losses)
    assert returns(document, result, source, target)
    name = target if isinstance(target, str) else target.name
    assert (PROBLEMS[name](into) == []) is types
    return result
