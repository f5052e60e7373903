"""The errors: one family, each with codec, path and a stable code; printable and picklable."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from agentmsg import (
    AgentMsgError,
    CodecLookupError,
    DecodeError,
    EncodeError,
    FileError,
    InvalidMessage,
    LossError,
    Msg,
    TextBlock,
)
from agentmsg.errors import CODES, excerpt

BUILTIN: dict[type[AgentMsgError], type[Exception]] = {
    AgentMsgError: Exception,
    CodecLookupError: LookupError,
    DecodeError: ValueError,
    EncodeError: ValueError,
    FileError: OSError,
    InvalidMessage: ValueError,
    LossError: Exception,
}


@pytest.mark.parametrize("cls", list(BUILTIN))
def test_errors_are_caught_as_what_they_are(cls: type[AgentMsgError]) -> None:
    """Each error is an AgentMsgError and the standard exception that a caller would expect."""
    assert issubclass(cls, AgentMsgError)
    assert issubclass(cls, BUILTIN[cls])


@pytest.mark.parametrize("cls", list(BUILTIN))
def test_errors_survive_pickle_and_copy(cls: type[AgentMsgError]) -> None:
    """A pickled or copied error keeps class, text, codec, path, code and notes."""
    error = cls("wrong", code="type", path=("messages", 0), codec="json")
    error.add_note("seen on Monday")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is cls
        assert (again.message, again.code, again.path, again.codec) == (
            "wrong",
            "type",
            ("messages", 0),
            "json",
        )
        assert str(again) == str(error) == "json, /messages/0: wrong"
        assert again.args == error.args
        assert again.__notes__ == ["seen on Monday"]


def test_a_loss_error_brings_its_losses() -> None:
    """LossError has the losses that stopped an encoding, through pickle too."""
    error = LossError("lost", losses=["one", "two"])
    assert error.losses == ("one", "two")
    assert pickle.loads(pickle.dumps(error)).losses == ("one", "two")
    assert error.code == "content-loss"


def test_defaults() -> None:
    """An error needs only its message; then its code is "schema" and it has no path and no codec."""
    error = DecodeError("wrong")
    assert (error.code, error.path, error.codec, str(error)) == ("schema", (), None, "wrong")


def test_outer_levels_put_their_steps_in_front() -> None:
    """``at`` extends the path on its left, and names the codec only if none is named yet."""
    error = DecodeError("wrong", path=("name",)).at("content", 2).at("messages", 0, codec="json")
    assert error.path == ("messages", 0, "content", 2, "name")
    assert error.at(codec="other").codec == "json"
    assert str(error) == "json, /messages/0/content/2/name: wrong"


def test_every_code_is_explained() -> None:
    """CODES has the meaning of each code, in alphabetical order."""
    assert list(CODES) == sorted(CODES)
    assert all(CODES.values())


class _Loud:
    def __repr__(self) -> str:
        msg = "no repr today"
        raise RuntimeError(msg)


class _Lines:
    def __repr__(self) -> str:
        return "several\nlines\x1b[31m"


ODD_VALUES: dict[str, Any] = {
    "None": None,
    "accents": "é" * 1000,
    "big integer": 10**5000,
    "big negative integer": -(10**5000),
    "bool": True,
    "bytes": b"\x00\xff" * 500,
    "control characters": "\x1b[31m\x07\u202e\u2066\U000e0041" * 50,
    "dict": {str(i): i for i in range(10_000)},
    "list": [1] * 10_000,
    "message": Msg.user("x" * 10_000),
    "object": object(),
    "repr has lines": _Lines(),
    "repr raises": _Loud(),
    "surrogate": "\ud800",
}


@pytest.mark.parametrize("name", list(ODD_VALUES))
def test_excerpts_are_short_and_printable(name: str) -> None:
    """Whatever the value, its excerpt is at most 80 printable ASCII characters."""
    text = excerpt(ODD_VALUES[name])
    assert len(text) <= 80
    assert text.isascii()
    assert text.isprintable()


def test_keys_in_paths_are_printable() -> None:
    """A path keeps the keys of the data exactly; the error's text shows them escaped and cut."""
    key = "\x1b[2J\n\u202e" + "k" * 1_000_000
    with pytest.raises(InvalidMessage) as caught:
        Msg.user("x", metadata={key: {1}})
    assert caught.value.path == ("metadata", key)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


def test_errors_name_the_field() -> None:
    """A constructor's error has the path of the refused value, even inside free-form JSON."""
    with pytest.raises(InvalidMessage) as caught:
        TextBlock("x", metadata={"a": [0, {"b": float("nan")}]})
    assert caught.value.path == ("metadata", "a", 1, "b")
    with pytest.raises(InvalidMessage) as caught:
        TextBlock(5)  # type: ignore[arg-type]
    assert (caught.value.path, caught.value.code) == (("text",), "type")
