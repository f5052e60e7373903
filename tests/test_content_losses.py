"""Text for a model, and data to act on, is lost as content, wherever it was; notes hold none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import agentmsg as am
from agentmsg.formats.spelling import keep

if TYPE_CHECKING:
    from agentmsg.formats.codec import Codec

CODECS = tuple(am.get_codec(name) for name in am.codec_names())
# Those that keep only extras of their own family.
NATIVE = tuple(codec for codec in CODECS if not codec.caps.everything)
FAMILIES = tuple(sorted({codec.family for codec in NATIVE} | {"strange"}))
SAID = {"text": "SECRET PLAN"}

each_target = pytest.mark.parametrize("target", NATIVE, ids=lambda codec: codec.name)
each_family = pytest.mark.parametrize("family", FAMILIES)


def lost(history: am.History, target: Codec) -> list[am.Loss]:
    """Return the losses of a history in a format."""
    return list(am.convert(am.encode(history, "json"), "json", target).losses)


def of(content: Any, family: str, **extras: Any) -> am.History:
    """Return the history of one user message with unknown fields of a family."""
    return am.History([am.Msg("user", content, id=None, created_at=None, extras={family: extras})])


@each_target
@each_family
@pytest.mark.parametrize("key", ["zq", "blocks"])
def test_unknown_fields_of_a_message_that_says_nothing_else_are_content(target: Codec, family: str, key: str) -> None:
    """In a message without other content, an unknown field is content; losing it raises an error."""
    history = of((), family, **{key: [SAID]})
    if not (losses := lost(history, target)):
        assert family == target.family, "only its own family may carry it"
        return
    assert any(loss.level == "content" for loss in losses)
    with pytest.raises(am.LossError):
        am.encode(history, target)


@each_target
@each_family
def test_content_beside_content_is_content(target: Codec, family: str) -> None:
    """A content part under an unknown key, and a key for content, are content beside a text too."""
    for extras in ({"zq": [{"type": "text", **SAID}]}, {"zq": [SAID]}, {"tool_calls": [{"function": {"name": "f"}}]}):
        losses = lost(of("hi", family, **extras), target)
        # A response can't hold a user's message at all.
        told = [loss for loss in losses if loss.path in {("messages", 0), ("messages", 0, "extras", family, *extras)}]
        assert told or family == target.family
        assert all(loss.level == "content" for loss in told)


@each_target
@each_family
def test_what_no_model_reads_is_an_annotation(target: Codec, family: str) -> None:
    """A weight, a flag, a stamp, and empty content keys aren't content beside a text."""
    history = of("hi", family, weight=1, seen=True, stamp={"at": "now"}, tool_calls=[], error=None)
    told = [loss for loss in lost(history, target) if "extras" in loss.path]
    assert {loss.level for loss in told} <= {"annotation"}


@each_target
def test_a_block_that_says_nothing_else_loses_content(target: Codec) -> None:
    """The same for an empty text, and for a result without content."""
    extras: Any = {"strange": {"zq": "SECRET PLAN"}}
    call = am.Msg.assistant(tool_calls=[{"name": "f", "id": "c1", "args": {}}])
    results: Any = am.ToolResultBlock("c1", (), extras=extras)
    for history in (
        am.History([am.Msg("user", [am.TextBlock("", extras=extras)], id=None, created_at=None)]),
        am.History([am.Msg("user", "x"), call, am.Msg("tool", [results], id=None, created_at=None)]),
    ):
        assert any(loss.level == "content" for loss in lost(history, target))


@pytest.mark.parametrize("codec", NATIVE, ids=lambda codec: codec.name)
def test_each_family_names_its_content(codec: Codec) -> None:
    """A codec names the keys of its family's content, including those of every format."""
    home = am.get_codec(codec.family)
    assert home.content_keys >= {"content", "text", "tool_calls", "choices", "partial_json", "error"}


def _read(native: dict[str, Any]) -> am.TextBlock:
    """Read a text, and a language that is under two names."""
    return am.TextBlock(str(native["text"]).strip(), phase=native.get("lang") or native.get("language"))


@pytest.mark.parametrize(
    ("native", "is_kept"),
    [
        ({"text": " a"}, True),
        ({"text": "a", "lang": None}, True),
        ({"text": "a", "language": "en", "lang": ""}, True),
        ({"text": "a", "lang": "en", "language": "de"}, False),  # nobody reads the second
        ({"text": "a", "lang": {"zq": ["", None, 0]}}, True),
        ({"text": "a", "flag": "anything"}, False),
    ],
)
def test_a_note_keeps_only_what_was_read(native: dict[str, Any], *, is_kept: bool) -> None:
    """A native value is kept as a note if it is empty, or if each of its words affects the result."""
    block = am.TextBlock("a", phase="en" if "en" in native.values() else None)
    plain = {"text": "a", **({"lang": "en"} if block.phase else {})}
    known = frozenset({"text", "lang", "language", "flag"})
    kept = keep(block, native, plain, family="x", known=known, read=_read)
    assert (kept is not None) is is_kept
    odd = keep(block, native, plain, family="x", known=known, read=_read, odd=frozenset({"flag", "language"}))
    assert odd is not None, "what the default spelling lacks may be an extra"
    assert bool(odd.extras) is not is_kept
