"""Free-form JSON, frozen: no returned value can change, and nothing outside JSON is accepted."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmsg import AgentMsgError, InvalidMessage, Msg, same
from agentmsg.values.frozen import FrozenDict, FrozenList, adopt, freeze, plain_copy, thaw
from data import effort

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)

WRITES_TO_A_DICT: dict[str, Callable[[Any], object]] = {
    "clear": lambda value: value.clear(),
    "del": lambda value: value.__delitem__("a"),
    "pop": lambda value: value.pop("a"),
    "popitem": lambda value: value.popitem(),
    "set": lambda value: value.__setitem__("z", 1),
    "setdefault": lambda value: value.setdefault("z", 1),
    "update": lambda value: value.update(z=1),
    "|=": lambda value: value.__ior__({"z": 1}),
}
WRITES_TO_A_LIST: dict[str, Callable[[Any], object]] = {
    "*=": lambda value: value.__imul__(2),
    "+=": lambda value: value.__iadd__([1]),
    "append": lambda value: value.append(1),
    "clear": lambda value: value.clear(),
    "del": lambda value: value.__delitem__(0),
    "del slice": lambda value: value.__delitem__(slice(None)),
    "extend": lambda value: value.extend([1]),
    "insert": lambda value: value.insert(0, 1),
    "pop": lambda value: value.pop(),
    "remove": lambda value: value.remove(value[0]),
    "reverse": lambda value: value.reverse(),
    "set": lambda value: value.__setitem__(0, 1),
    "set slice": lambda value: value.__setitem__(slice(None), []),
    "sort": lambda value: value.sort(),
}


def _matched(value: Any) -> Any:
    match value:
        case {"a": child}:
            return child
        case _:
            return None


def _extended(value: Any) -> list[Any]:
    plain: list[Any] = []
    plain.extend(value)
    return plain


def _sliced(value: Any) -> list[Any]:
    plain: list[Any] = [0]
    plain[:] = value
    return plain


# Every way in which a container returns its children.
READS_OF_A_DICT: dict[str, Callable[[Any], Any]] = {
    "[]": lambda value: value["a"],
    "copy": lambda value: value.copy()["a"],
    "copy.copy": lambda value: copy.copy(value)["a"],
    "dict()": lambda value: dict(value)["a"],
    "get": lambda value: value.get("a"),
    "items": lambda value: next(item for key, item in value.items() if key == "a"),
    "iter": lambda value: value[next(iter(value))],
    "match": _matched,
    "reversed": lambda value: value[list(reversed(value))[-1]],
    "values": lambda value: next(iter(value.values())),
    "{**}": lambda value: {**value}["a"],
    "|": lambda value: (value | {"z": 1})["a"],
    "| from the right": lambda value: ({"z": 1} | value)["a"],
}
READS_OF_A_LIST: dict[str, Callable[[Any], Any]] = {
    "*": lambda value: (value * 2)[0],
    "* from the right": lambda value: (2 * value)[0],
    "+": lambda value: (value + [1])[0],  # noqa: RUF005 - the operator is the case
    "+ from the right": lambda value: ([1] + value)[1],  # noqa: RUF005 - the operator is the case
    "[*]": lambda value: [*value][0],  # noqa: RUF015 - a way out
    "[:]": lambda value: value[:][0],
    "[0]": lambda value: value[0],
    "copy": lambda value: value.copy()[0],
    "copy.copy": lambda value: copy.copy(value)[0],
    "extend": lambda value: _extended(value)[0],
    "iter": lambda value: next(iter(value)),
    "list()": lambda value: list(value).pop(),
    "reversed": lambda value: list(reversed(value))[-1],
    "slice": lambda value: _sliced(value)[0],
    "sorted": lambda value: sorted(value, key=str).pop(),
    "tuple()": lambda value: tuple(value)[-1],
}


def _nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


MAKERS = {"adopted": adopt, "frozen": freeze}


@pytest.fixture(params=list(MAKERS))
def make(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Run a test with a value frozen at once and with one frozen when it is returned."""
    return MAKERS[request.param]


@pytest.mark.parametrize("name", list(WRITES_TO_A_DICT))
def test_a_dict_is_read_only(make: Callable[[Any], Any], name: str) -> None:
    """Every method that would change a dict raises TypeError and leaves it unchanged."""
    value = make({"a": 1, "b": {"c": 2}})
    with pytest.raises(TypeError, match="read-only"):
        WRITES_TO_A_DICT[name](value)
    assert value == {"a": 1, "b": {"c": 2}}


@pytest.mark.parametrize("name", list(WRITES_TO_A_LIST))
def test_a_list_is_read_only(make: Callable[[Any], Any], name: str) -> None:
    """Every method that would change a list raises TypeError and leaves it unchanged."""
    value = make([1, [2], 0])
    with pytest.raises(TypeError, match="read-only"):
        WRITES_TO_A_LIST[name](value)
    assert value == [1, [2], 0]


def test_all_mutators_are_named(make: Callable[[Any], Any]) -> None:
    """The tables above have every method of dict and list that isn't for reading."""
    reads = {"copy", "count", "fromkeys", "get", "index", "items", "keys", "values"}
    plains: list[Any] = [{}, []]
    for plain in plains:
        for name in set(dir(plain)) - reads:
            if not name.startswith("__"):
                assert getattr(make(plain).__class__, name) is not getattr(plain.__class__, name), name


def test_init_changes_nothing(make: Callable[[Any], Any]) -> None:
    """Calling ``__init__`` again neither adds nor removes anything."""
    fields, items = make({"a": 1}), make([1])
    with pytest.raises(TypeError):
        fields.__init__(z=1)
    fields.__init__({"z": 1})
    items.__init__([2, 3])
    assert fields == {"a": 1}
    assert items == [1]


@pytest.mark.parametrize("name", list(READS_OF_A_DICT))
def test_what_a_dict_hands_out_is_frozen(make: Callable[[Any], Any], name: str) -> None:
    """Whichever way a child is taken out of a dict, changing it fails, so the dict stays unchanged."""
    value = make({"a": {"b": [1]}})
    child = READS_OF_A_DICT[name](value)
    with pytest.raises(TypeError, match="read-only"):
        child["b"] = 2
    with pytest.raises(TypeError, match="read-only"):
        child["b"].append(2)
    assert value == {"a": {"b": [1]}}


@pytest.mark.parametrize("name", list(READS_OF_A_LIST))
def test_what_a_list_hands_out_is_frozen(make: Callable[[Any], Any], name: str) -> None:
    """Whichever way a child is taken out of a list, changing it fails, so the list stays unchanged."""
    value = make([{"b": [1]}])
    child = READS_OF_A_LIST[name](value)
    with pytest.raises(TypeError, match="read-only"):
        child["b"] = 2
    with pytest.raises(TypeError, match="read-only"):
        child["b"].append(2)
    assert value == [{"b": [1]}]


@given(VALUES)
def test_frozen_equals_plain(value: Any) -> None:
    """A frozen value equals the plain one, both ways, and thaws to it, types and order of keys included."""
    for frozen in (freeze(value), adopt(plain_copy(value))):
        assert frozen == value
        assert value == frozen
        assert same(frozen, value)
        assert repr(thaw(frozen)) == repr(value)


@given(VALUES)
def test_serializers_take_frozen_values(value: Any) -> None:
    """The json module writes frozen values, used or not, like plain ones."""
    for frozen in (freeze(value), adopt(plain_copy(value))):
        assert json.dumps(frozen) == json.dumps(value)


def test_orjson_takes_frozen_values() -> None:
    """The orjson module writes frozen values, used or not, like plain ones."""
    value = {"a": [1, {"b": None}], "c": "x"}
    assert orjson.dumps(freeze(value)) == orjson.dumps(adopt(plain_copy(value))) == orjson.dumps(value)


@given(VALUES)
def test_frozen_values_survive_pickle_and_copy(value: Any) -> None:
    """A frozen value survives pickle, and stays frozen; its copies are itself."""
    for frozen in (freeze(value), adopt(plain_copy(value))):
        again = pickle.loads(pickle.dumps(frozen))
        assert same(again, frozen)
        assert isinstance(again, (FrozenDict, FrozenList)) == isinstance(frozen, (FrozenDict, FrozenList))
        assert copy.copy(frozen) is frozen
        assert copy.deepcopy(frozen) is frozen


@given(VALUES)
def test_equal_values_hash_alike(value: Any) -> None:
    """A frozen value is hashable, and equal ones have the same hash, used or not."""
    assert hash(freeze(value)) == hash(adopt(plain_copy(value))) == hash(freeze(thaw(freeze(value))))


def test_the_caller_may_go_on_changing_its_own() -> None:
    """A frozen value is a copy: later changes to the original don't show."""
    original: dict[str, Any] = {"a": [1]}
    frozen = freeze(original)
    original["a"].append(2)
    original["b"] = 1
    assert frozen == {"a": [1]}


def test_thaw_gives_the_callers_own_copy(make: Callable[[Any], Any]) -> None:
    """A thawed value is plain all the way down, and changing it doesn't show in the frozen one."""
    frozen = make({"a": [{"b": 1}]})
    plain = thaw(frozen)
    assert [type(each) for each in (plain, plain["a"], plain["a"][0])] == [dict, list, dict]
    plain["a"][0]["b"] = 2
    assert frozen == {"a": [{"b": 1}]}


def test_merging_gives_frozen_dicts(make: Callable[[Any], Any]) -> None:
    """``|`` of a frozen dict returns a frozen dict, with the right side winning."""
    merged = make({"a": 1, "b": 1}) | {"b": 2}
    assert isinstance(merged, FrozenDict)
    assert merged == {"a": 1, "b": 2}
    assert FrozenDict.fromkeys(["a"], 1) == {"a": 1}


def test_constructors_take_what_dict_and_list_take() -> None:
    """FrozenDict takes a mapping or pairs, FrozenList any iterable; both check and freeze everything."""
    assert FrozenDict([("a", [1])]) == {"a": [1]}
    assert FrozenDict() == {}
    assert isinstance(FrozenDict({"a": [1]})["a"], FrozenList)
    assert FrozenList(iter([1, {"a": 1}])) == [1, {"a": 1}]
    with pytest.raises(InvalidMessage):
        FrozenList([{1}])


REFUSED: dict[str, tuple[Any, str, tuple[str | int, ...]]] = {
    "bytes": ({"a": b"x"}, "type", ("a",)),
    "complex": ([1j], "type", (0,)),
    "infinity": ({"a": [float("inf")]}, "number", ("a", 0)),
    "key that is a number": ({"a": {1: 2}}, "key", ("a", 1)),
    "key that is None": ({None: 1}, "key", ("None",)),
    "key with a surrogate": ({"\ud800": 1}, "surrogate", ("\ud800",)),
    "nan": ({"a": float("nan")}, "number", ("a",)),
    "object": ({"a": object}, "type", ("a",)),
    "set": ({"a": [{"b": {1}}]}, "type", ("a", 0, "b")),
    "surrogate": (["x\udfff"], "surrogate", (0,)),
    "too many digits": ([10**4300], "integer-range", (0,)),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_no_json_is_refused(name: str) -> None:
    """Values outside JSON are refused with code and path inside the value, and a printable message."""
    value, code, path = REFUSED[name]
    for refuse in (freeze, plain_copy):
        with pytest.raises(InvalidMessage) as caught:
            refuse(value)
        assert (caught.value.code, caught.value.path) == (code, path)
        assert str(caught.value).isascii()
        assert str(caught.value).isprintable()


def test_integers_of_any_size_that_can_be_written() -> None:
    """Python reads and writes at most 4,300 digits; such an integer is kept exactly."""
    longest = 10**4300 - 1
    assert freeze([longest, -longest]) == [longest, -longest]
    assert len(str(longest)) == sys.get_int_max_str_digits()


def test_subclasses_become_exact_types() -> None:
    """Texts and numbers of derived classes (enums, other libraries' numbers) become plain ones."""

    class Word(str):
        __slots__ = ()

    class Number(int):
        pass

    frozen = freeze({Word("k"): [Word("é"), Number(3), (1, 2)]})
    assert [type(key) for key in frozen] == [str]
    assert [type(item) for item in frozen["k"]] == [str, int, FrozenList]


def test_depth_has_a_limit() -> None:
    """128 levels are accepted; one more, or a million, raises a typed error."""
    assert freeze(_nested(128)) == _nested(128)
    for depth in (129, 1_000, 20_000):
        value = _nested(depth)
        with pytest.raises(InvalidMessage) as caught:
            freeze(value)
        assert caught.value.code == "depth"


def test_a_cycle_is_a_depth_error() -> None:
    """A value that contains itself is refused, without an endless loop."""
    loop: list[Any] = []
    loop.append({"a": loop})
    with pytest.raises(InvalidMessage) as caught:
        Msg.user("x", metadata={"loop": loop})
    assert caught.value.code == "depth"
    assert caught.value.path[:3] == ("metadata", "loop", 0)


def test_freezing_needs_no_stack() -> None:
    """The deepest value is frozen even if the caller has used up nearly all of the stack."""
    value = _nested(128)

    def deep(levels: int) -> Any:
        return deep(levels - 1) if levels else freeze(value)

    frame, used = sys._getframe(), 0
    while frame.f_back:
        frame, used = frame.f_back, used + 1
    assert deep(sys.getrecursionlimit() - used - 30) is not None


def test_the_deepest_value_can_be_used() -> None:
    """Equality, hash, repr, copy, pickle and thaw of the deepest value work from an ordinary stack."""
    for frozen in (freeze(_nested(128)), adopt(_nested(128))):
        assert frozen == _nested(128)
        assert same(frozen, freeze(_nested(128)))
        assert thaw(frozen) == _nested(128)
        assert pickle.loads(pickle.dumps(frozen)) == frozen
        assert hash(frozen) == hash(freeze(_nested(128)))
        assert repr(frozen) == repr(_nested(128))


def test_threads_may_share_a_lazily_frozen_value() -> None:
    """16 threads that use one value for the first time see the same and only frozen children."""

    def look(value: Any) -> bool:
        first = [item["c"] for item in value["b"]]
        keys = [*value, *(key for item in value.values() for each in item for key in each)]
        frozen = all(isinstance(item, FrozenDict) for item in value["b"])
        return frozen and first == list(range(50)) and len(keys) == 51 and hash(value) != 0

    with ThreadPoolExecutor(16) as pool:
        for _ in range(effort(50)):
            shared = adopt({"b": [{"c": index} for index in range(50)]})
            assert all(pool.map(look, [shared] * 16))


def test_all_errors_are_of_one_family() -> None:
    """Refusals of free-form JSON are an AgentMsgError and, for callers of constructors, a ValueError."""
    with pytest.raises(AgentMsgError):
        freeze({1})
    with pytest.raises(ValueError, match="not JSON"):
        freeze({1})
