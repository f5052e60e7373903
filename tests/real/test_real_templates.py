"""Rows as the real transformers renders them: the tests' templates do the same there as here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import agentmsg as am
from support.chat_templates import TOOLS, rendered
from support.documents import documents

if TYPE_CHECKING:
    from real.library import Library

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("source", ["anthropic", "gemini", "openai", "sharegpt"])
def test_rows_are_rendered_as_they_are(source: am.CodecName, transformers: Library) -> None:
    """Rows converted from another format go to a template unchanged, and none is refused."""
    rows = [am.encode(am.decode(document, source), "hf", on_loss="ignore") for _, document in documents(source)]
    # Rows of preferences have other keys; a template renders their lists one by one.
    chats = [row for row in rows if row.get("messages")]
    rows = [row for row in chats if all("content" in message for message in row["messages"])]
    answers = transformers.ask({"template": TOOLS, "row": row} for row in rows)
    assert [answer.get("error") for answer in answers if "error" in answer] == []
    assert [answer["text"] for answer in answers] == [rendered(TOOLS, row) for row in rows]
