"""What doesn't reach the framework's next request, by the client's reason: each is a rule for the facts of a row.

A fact is what the script finds: ``- key = value`` isn't sent, ``+ key = value`` is sent besides, ``! error`` is why
nothing is sent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _always(_: str, __: list[str]) -> bool:
    return True


def _and_a_newline(fact: str, added: list[str]) -> bool:
    return f"{fact[2:]}\n" in added


def _as_an_integer(fact: str, added: list[str]) -> bool:
    return fact[2:].removesuffix(".0") in added


def _beside(start: str) -> Callable[[str, list[str]], bool]:
    return lambda _, added: any(other.startswith(start) for other in added)


class Left(NamedTuple):
    """A reason: of which pairs and ways, for which facts, and what must hold with all that is sent besides."""

    why: str
    pairs: str
    way: str
    fact: str
    holds: Callable[[str, list[str]], bool] = _always

    def explains(self, row: dict[str, Any], fact: str) -> bool:
        """Whether this is the reason of a fact of a row."""
        is_mine = row["pair"] in self.pairs.split() and row["way"] in self.way.split()
        return is_mine and bool(re.fullmatch(self.fact, fact, re.DOTALL)) and self.holds(fact, row.get("added", []))


REASONS = (
    Left("the client takes no addresses of files", "langchain:openai", "again", r"! .*does not support file URLs.*"),
    Left("the client takes no addresses of files", "vercel:openai vercel-ui:openai", "again",
         r"! .*file parts with URLs' functionality not supported.*"),
    Left("the client fetches gs:// addresses, which name no server",
         "pydantic-ai:openai pydantic-ai:gemini agentscope:gemini", "again",
         r"! .*(URL protocol \"gs\" is not allowed|No connection adapters were found for 'gs:).*"),
    Left("the client's message holds bytes, which no document has: it is refused by name",
         "langchain:gemini langchain:bedrock", "out", r"! DecodeError: langchain, \S*: bytes is not JSON: .*"),
    Left("the client's redacted reasoning is bytes, which no document holds", "langchain:bedrock", "into",
         r"- assistant\.content\.reasoning_content\.redacted_content = .*"),
    Left("the client sends the result of any tool of Google's as that of code", "langchain:gemini", "out",
         r"- model\.parts\.code_execution_result\..*"),
    Left("the client sends the result of a tool that Nova ran as the user's", "langchain:bedrock", "out",
         r"- assistant\.content\.tool_(use|result)\..*", _beside("<server_tool_use>")),
    Left("the client strips a final newline", "langchain:gemini", "into", r"- text = .*", _and_a_newline),
    Left("the client takes an unclosed <think> for thinking", "pydantic-ai:openai", "into", r"- text = .*",
         _beside("text = <think>")),
    Left("the client sends unsigned reasoning as the user's text, in tags", "pydantic-ai:bedrock", "out",
         r"- user\.content\.text = <assistant/thinking>.*"),
    Left("a result of a server's tool without its call has no part", "vercel-ui:anthropic", "into", r"- .*",
         _beside("text = <server/tool/result ")),
    Left("the SDK cuts the media type of a data URL at the first semicolon", "vercel-ui:gemini", "into",
         r"- model\.parts\.inline_data\.mime_type = .*;.*"),
    Left("the recorded id of the call is empty", "vercel:openai vercel-ui:openai", "into",
         r"- tool\.tool_call_id = \*"),
    Left("the recorded base64 is cut short, and Google's client decodes it", "langchain:gemini", "again",
         r"! Error: Invalid base64-encoded string: .*"),
    Left("the recorded bytes are a dump of JavaScript's", "langchain:bedrock pydantic-ai:bedrock", "again",
         r"- (<Buffer>|Buffer\.data = .*)"),
    Left("it arrives: JavaScript's 1 is JSON's 1.0", "vercel:gemini vercel-ui:gemini", "again", r"- .* = \d+\.0",
         _as_an_integer),
    Left("more arrives than the client itself keeps of the answer: a refusal", "langchain:openai", "into",
         r"\+ (<refusal>|refusal\..*)"),
    Left("more arrives than the client itself keeps of the answer: an action", "langchain-v1:openai-responses", "into",
         r"\+ (<\w+>|api\..*)"),
    Left("more arrives than the client itself keeps of the answer: media", "langchain:gemini agentscope:gemini", "into",
         r"\+ model\.parts\.inline_data\..*"),
)  # fmt: skip


def facts_of(row: dict[str, Any], found: Any) -> Iterator[str]:
    """Yield the facts of a row's fault: an error, what is missing, or what is sent besides."""
    sign = "!" if "failed" in row else "-" if row["missing"] else "+"
    yield from (f"{sign} {each}" for each in ([found] if isinstance(found, str) else found))


def reasons_of(row: dict[str, Any], found: Any) -> set[Left] | None:
    """Return the reasons of a row's fault; None if one of its facts has none."""
    reasons: set[Left] = set()
    for fact in facts_of(row, found):
        mine = {left for left in REASONS if left.explains(row, fact)}
        if not mine:
            return None
        reasons |= mine
    return reasons
