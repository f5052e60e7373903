"""The mixed history that all competitors read and write: seeded, so it is the same on every machine.

One turn is eleven messages: text and images of a user, thinking and text with usage, calls with nested
input, results, answers. About 710 bytes of canonical JSON per message. Every id and time is given: none is made.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MESSAGES", "mixed_history"]

MESSAGES = 1000
_START = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)
_PROSE = (
    "agent answer the of a which table reads 42 and because invoice weather Zürich naïve “quoted” result-set "
    "please then compare total per quarter finds no row where price is above 3.5 % line\nbreak café 東京 "
    "retries function returns left join under heavy load again step by step the plan"
)
_WORDS = _PROSE.split(" ")
_TOOLS = ("search_documents", "run_query", "get_weather", "send_mail")


class _Author:
    """Writes messages, each with the next id and time."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.count = 0

    def words(self, least: int, most: int) -> str:
        return " ".join(self.random.choices(_WORDS, k=self.random.randint(least, most)))

    def token(self, length: int) -> str:
        return "".join(self.random.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=length))

    def say(self, role: Any, *content: am.Block, **fields: Any) -> am.Msg:
        self.count += 1
        at = _START + timedelta(seconds=7.25 * self.count)
        return am.Msg(role, content, id=f"msg_{self.count:06}{self.token(14)}", created_at=at, **fields)

    def answer(self, *content: am.Block, finish: str = "stop") -> am.Msg:
        read, written = self.random.randint(500, 9000), self.random.randint(20, 900)
        usage = am.Usage(input=read, output=written, total=read + written, cache_read=read // 2, reasoning=written // 3)
        return self.say("assistant", *content, model="claude-sonnet-4-5", usage=usage, finish_reason=finish)

    def text(self, least: int = 40, most: int = 80) -> am.TextBlock:
        return am.TextBlock(self.words(least, most))

    def image(self) -> am.ImageBlock:
        if self.random.random() < 0.5:
            return am.ImageBlock.from_url(f"https://example.org/images/{self.token(24)}.png")
        return am.ImageBlock(am.Base64Source(self.token(320), "image/png"))

    def thinking(self) -> am.ThinkingBlock:
        return am.ThinkingBlock(self.words(45, 80), signature=am.Signature("anthropic", self.token(120)))

    def call(self) -> am.ToolUseBlock:
        given = {
            "query": self.words(6, 12),
            "filters": {
                "language": ["de", "en"],
                "year": {"from": self.random.randint(1990, 2010), "to": 2026},
                "score": round(self.random.random(), 3),
                "strict": self.random.random() < 0.5,
            },
            "sort": [{"by": "date", "descending": True}, {"by": "relevance", "descending": False}],
            "limit": self.random.randint(1, 50),
            "cursor": None,
        }
        return am.ToolUseBlock(f"call_{self.token(20)}", self.random.choice(_TOOLS), given)

    def result(self, call: am.ToolUseBlock) -> am.Msg:
        block = am.ToolResultBlock(str(call.id), (self.text(40, 80),), name=call.name, status="success")
        return self.say("tool", block)


def _messages(author: _Author) -> Iterator[am.Msg]:
    yield author.say("system", author.text(80, 120))
    while True:
        yield author.say("user", author.text(), name="ada")
        yield author.answer(author.thinking(), author.text(20, 40))
        yield author.say("user", author.text(20, 40), author.image(), metadata={"channel": "web", "attempt": 1})
        first, second = author.call(), author.call()
        yield author.answer(author.text(10, 20), first, second, finish="tool_use")
        yield author.result(first)
        yield author.result(second)
        third = author.call()
        yield author.answer(author.thinking(), third, finish="tool_use")
        yield author.result(third)
        yield author.answer(author.text())
        yield author.say("user", author.text())
        yield author.answer(author.text(50, 90))


def mixed_history(count: int = MESSAGES, seed: int = 7) -> am.History:
    """Return the first ``count`` messages of the conversation that this seed makes."""
    return am.History(islice(_messages(_Author(seed)), count))
