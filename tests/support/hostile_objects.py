"""Unexpected objects as arguments: of every kind, some of which raise when they are used."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import io
import pathlib
import sys
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn
from unittest.mock import MagicMock, Mock

import agentmsg as am

__all__ = ["HOSTILE", "Boom"]


class Boom(Exception):
    """Raised by hostile objects only."""


def _boom(*_: object, **__: object) -> NoReturn:
    raise Boom


def _with_itself(self: Any, **_: Any) -> list[Any]:
    return [self, {"role": self}]


class _BadMapping(Mapping[str, Any]):
    """A mapping that raises a foreign error as soon as it is read."""

    def __getitem__(self, key: str) -> Any:
        raise Boom

    def __iter__(self) -> Iterator[str]:
        raise Boom

    def __len__(self) -> int:
        return 3


class _Promising(_BadMapping):
    """A mapping with keys, but no values for them."""

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("role", "content"))


def _kind(name: str, base: type = object, **methods: Any) -> type[Any]:
    return type(name, (base,), methods)


_BadItems = _kind("BadItems", dict, items=_boom)
_BadLength = _kind("BadLength", dict, __len__=_boom)
_BadTruth = _kind("BadTruth", __bool__=_boom)
_BadEquality = _kind("BadEquality", __eq__=_boom, __hash__=None)
_BadHash = _kind("BadHash", __hash__=_boom)
_BadRepr = _kind("BadRepr", __repr__=_boom, __str__=_boom)
_BadIteration = _kind("BadIteration", __iter__=_boom)
_BadList = _kind("BadList", list, __iter__=_boom, __len__=_boom)
_BadAttributes = _kind("BadAttributes", __getattr__=_boom)
_BadModel = _kind("BadModel", model_dump=_boom)
_LyingModel = _kind("LyingModel", model_dump=_with_itself)
_BadFields = _kind("BadFields", __attrs_attrs__=7, __dataclass_fields__=7)
_Liar = _kind("Liar", __class__=property(_boom))
_Text = _kind("Text", str)
_Number = _kind("Number", int)
_Words = enum.Enum("_Words", {"USER": "user"})


class _TextWords(enum.StrEnum):
    USER = "user"


def _breaking() -> Iterator[Any]:
    yield 1
    raise Boom


def _cycle() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


def _loop() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


def _deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(5000):
        found = [found]
    return found


def _such_roles() -> dict[str, Any]:
    return {"messages": [{"role": {}, "type": []}]}


HOSTILE: Mapping[str, Callable[[], Any]] = {
    # plain values
    "None": lambda: None, "true": lambda: True, "7": lambda: 7, "-1": lambda: -1, "1.5": lambda: 1.5,
    "nan": lambda: float("nan"), "a huge number": lambda: 10**5000, "an empty text": lambda: "",
    "a word": lambda: "nonsense", "a surrogate": lambda: "\ud800", "JSON": lambda: '[{"role":"user","content":"x"}]',
    "bytes": lambda: b"\xff\x00", "no bytes": lambda: b"", "a bytearray": lambda: bytearray(b"{"),
    "a view": lambda: memoryview(b"[1]"), "a view of numbers": lambda: memoryview(array.array("d", [1.0])),
    # subclasses of plain classes
    "a text of a class": lambda: _Text("user"), "a number of a class": lambda: _Number(3),
    "an enum": lambda: _Words["USER"], "an enum of texts": lambda: _TextWords.USER,
    # containers
    "a list": list, "a dict": dict, "an entry": lambda: {"a": 1}, "a key of 1": lambda: {1: 2},
    "a key of None": lambda: {None: 2}, "a tuple": lambda: (1,), "a set": lambda: {1}, "a range": lambda: range(3),
    "lists": lambda: [[]], "a deque": lambda: collections.deque([1]), "an iterator": lambda: iter([1, 2]),
    "a UserDict": lambda: collections.UserDict({"role": "user"}), "a UserList": lambda: collections.UserList([1]),
    "a cycle": _cycle, "a loop": _loop, "deep lists": _deep,
    # lookalikes of a message
    "a role that is a list": lambda: {"role": [], "content": "x"},
    "a role that is a dict": lambda: {"role": {}, "content": {}},
    "messages of such roles": _such_roles,
    "a type that is a list": lambda: [{"role": "user", "content": [{"type": []}]}],
    "an object of an SDK": lambda: types.SimpleNamespace(role="user", content="x"),
    "a mock": Mock, "a magic mock": MagicMock,
    # other objects
    "a path": lambda: pathlib.Path("x"), "an object": object, "a class": lambda: int, "a module": lambda: sys,
    "a function": lambda: _boom, "an exception": lambda: ValueError("x"), "a date": lambda: dt.date(2020, 1, 1),
    "a time": lambda: dt.datetime(2020, 1, 1), "a decimal": lambda: decimal.Decimal("1.5"),
    "a uuid": lambda: uuid.UUID(int=1), "a file": lambda: io.BytesIO(b"[]"), "an ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    # our own objects, in the wrong place
    "a message": lambda: am.Msg.user("x"), "a history": lambda: am.History.of("x"),
    "a block": lambda: am.TextBlock("x"),
    "a codec": lambda: am.get_codec("openai"), "an account": lambda: am.Losses([], codec="x"),
    "a chunk": lambda: am.MsgChunk(role="user"), "limits": am.Limits,
    # objects that raise
    "bad items": lambda: _BadItems(a=1), "bad items inside": lambda: [_BadItems(role="user")],
    "a bad mapping": _BadMapping, "a promising mapping": _Promising, "a bad length": lambda: _BadLength(a=1),
    "a bad truth": _BadTruth, "a bad equality": _BadEquality, "a bad hash": _BadHash, "a bad repr": _BadRepr,
    "bad reprs": lambda: [_BadRepr()], "a bad iteration": _BadIteration, "a bad list": lambda: _BadList([1]),
    "bad attributes": _BadAttributes, "a generator that raises": _breaking, "a liar": _Liar,
    # objects that claim to be convertible to plain data
    "a model that raises": _BadModel, "a model that lies": _LyingModel, "bad fields": _BadFields,
}  # fmt: skip
"""By name, what makes each of them anew."""
