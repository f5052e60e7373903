"""The real libraries, each started once a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from real.library import start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from real.library import Library


def _fixture(name: str) -> Callable[[], Iterator[Library]]:
    def library() -> Iterator[Library]:
        found = start(name)
        yield found
        found.close()

    return pytest.fixture(scope="session", name=name)(library)


lionpride, agentscope1, agentscope2, langchain_js, vercel = map(
    _fixture, ["lionpride", "agentscope1", "agentscope2", "langchain_js", "vercel"]
)
gemini, bedrock, pydantic_ai, transformers, sdks = map(
    _fixture, ["gemini", "bedrock", "pydantic_ai", "transformers", "sdks"]
)
