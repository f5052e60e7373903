"""Ids and names that the library made are plain texts in documents, or left out, whatever field has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest

import agentmsg as am
from agentmsg.model.generated import MADE_KINDS, MadeName
from agentmsg.testing.laws import honest_account
from data import some
from support.documents import documents

if TYPE_CHECKING:
    from collections.abc import Iterator

_TEXTS = {name: kind("f" if kind is MadeName else "m") for name, kind in MADE_KINDS.items()}
_MADE: dict[str, Any] = {**_TEXTS, "created_at": am.Msg("user").created_at}
_CALL = am.ToolUseBlock("c", "f", {})
_TEXT = am.TextBlock("t")
_BLOCKS: tuple[Any, ...] = (
    _TEXT,
    am.ThinkingBlock("t"),
    am.ThinkingBlock("t", signature=am.Signature("openai", "s")),
    am.RefusalBlock("t"),
    *(_CALL.evolve(id=None, kind=kind) for kind in ("function", "custom", "server")),
    *(am.ToolResultBlock("c", (_TEXT,), kind=kind) for kind in ("function", "custom", "server")),
    am.ImageBlock(am.URLSource("https://x.test/a.png")),
    am.AudioBlock(am.Base64Source("aGk=", "audio/wav")),
    am.FileBlock(am.URLSource("https://x.test/a.pdf")),
    am.FileBlock(am.FileSource("f")),
    am.SourceBlock(url="https://x.test"),
    am.DataBlock({"a": 1}),
)


def _made(obj: Any) -> Any:
    """Return an object with made values in all of its fields that may have them."""
    fields: Any = attrs.fields(obj.__class__)
    names = {field.alias for field in fields} & _MADE.keys()
    return obj.evolve(**{name: _MADE[name] for name in names if getattr(obj, name) in (None, "c")})


def _histories() -> Iterator[am.History]:
    for role in ("system", "user", "assistant", "tool"):
        for block in _BLOCKS:
            held = am.ToolResultBlock("c", (_made(block),)) if type(block) is am.TextBlock else _made(block)
            for said in (_made(block), held):
                yield am.History([am.Msg("assistant", (_CALL,)), _made(am.Msg(role, (said,), id=None))])


def _as_made(obj: Any) -> Any:
    """Return a message or block with its own ids, and names of results, as if the library had made them."""
    fields: Any = attrs.fields(obj.__class__)
    kinds = {field.alias: MADE_KINDS[field.alias] for field in fields if field.alias in MADE_KINDS}
    if type(obj) is not am.ToolResultBlock:
        kinds.pop("name", None)
    changes = {name: kind(value) for name, kind in kinds.items() if isinstance(value := getattr(obj, name), str)}
    content = getattr(obj, "content", ())
    return obj.evolve(**changes, **({"content": tuple(map(_as_made, content))} if content else {}))


@pytest.mark.parametrize("name", am.codec_names())
def test_ids_that_were_read_may_be_made(name: am.CodecName) -> None:
    """Law 3 for what was read, with its notes, had the library made all ids and names of results."""
    for _, document in some(documents(name), 60):
        history = am.decode(document, name)
        honest_account(am.get_codec(name), history.evolve(messages=map(_as_made, history.messages)))


@pytest.mark.parametrize("name", am.codec_names())
def test_made_values_are_plain_or_left_out(name: am.CodecName) -> None:
    """Law 3, whatever the library made: what is written is plain data, and reads back as the same."""
    for history in _histories():
        honest_account(am.get_codec(name), history)
