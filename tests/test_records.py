"""Records: named values that never change, the base of forms and capability tables."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from attrs.exceptions import FrozenInstanceError

from agentmsg.formats.forms import Inside, Key, Text
from agentmsg.formats.records import Record

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

TEXT = Text()
KEY = Key("title", "name", TEXT, "may", lacks="/short")


class _Pair(Record):
    left: int
    right: int = 0


class _Named(_Pair):
    _: KW_ONLY
    name: str
    right: int = 1


def test_values_and_defaults() -> None:
    """Values are passed by position or name; others are the defaults, those of bases too."""
    assert (KEY.native, KEY.field, KEY.value, KEY.need, KEY.lacks, KEY.known) == (
        "title", "name", TEXT, "may", "/short", None,
    )  # fmt: skip
    assert [*_Named(2, name="x").set_values()] == [("left", 2), ("name", "x")]
    assert [*_Pair(left=2, right=3).set_values()] == [("left", 2), ("right", 3)]


@pytest.mark.parametrize(
    ("cls", "args", "named", "told"),
    [
        (Key, ("a",), {}, "Key: missing: field, value"),
        (Key, ("a", "b", TEXT, "may", None), {}, "Key: at most 4 values by position"),
        (Key, ("a", "b", TEXT), {"native": "c"}, "Key: passed twice: native"),
        (Inside, ("a", ()), {"spaec": "c"}, "Inside: missing: space; unknown: spaec"),
    ],
)
def test_wrong_values_are_refused(cls: Any, args: tuple[Any, ...], named: dict[str, Any], told: str) -> None:
    """What is missing, passed twice or unknown is told."""
    with pytest.raises(TypeError) as caught:
        cls(*args, **named)
    assert str(caught.value) == told


def test_records_never_change() -> None:
    """Nothing can be set or deleted; ``evolve`` and ``copy.replace`` make a copy."""
    with pytest.raises(FrozenInstanceError):
        KEY.field = "id"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        del KEY.field  # pyright: ignore[reportAttributeAccessIssue]
    assert repr(KEY.evolve(need="must")) == "Key(native='title', field='name', value=Text(), lacks='/short')"
    assert repr(KEY) == "Key(native='title', field='name', value=Text(), need='may', lacks='/short')"


def test_copies() -> None:
    """Copies and pickles have the same values; a record is equal only to itself."""
    for twin in (copy.copy(KEY), copy.deepcopy(KEY), pickle.loads(pickle.dumps(KEY))):
        assert twin != KEY
        assert repr(twin) == repr(KEY)
