"""Any object as any argument of the public API gives a result or one typed error, never a bare TypeError."""

from __future__ import annotations

import inspect
import io
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

import attrs
import pytest

import agentmsg as am
from agentmsg.errors import CODES
from agentmsg.files.load_and_dump import Lines
from data import share
from support.hostile_objects import HOSTILE, Boom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CALL = am.Msg.assistant("x", tool_calls=[{"name": "f", "id": "1", "input": {"a": 1}}])
RESULT = am.Msg.tool("r", tool_call_id="1", name="f")
HISTORY = am.History.of("hi", CALL, RESULT, am.Msg.assistant("bye"))
DOCUMENT = am.encode(HISTORY, "openai")
CONVERSION = am.convert(DOCUMENT, "openai", "riffer")
OUTPUT = am.decode(CONVERSION.document, "riffer")
# The right value of each required argument, by name. Others: a text.
RIGHT: dict[str, Any] = {
    "raw": am.dumps(HISTORY, "openai"), "codec": "openai", "document": DOCUMENT, "messages": HISTORY,
    "source": "openai", "target": "anthropic", "history": OUTPUT, "losses": CONVERSION.losses, "output": OUTPUT,
    "message": CALL, "chunk": am.MsgChunk(role="user"), "role": "user", "tool_call_id": "1", "max_tokens": 100,
    "a": HISTORY, "b": HISTORY, "value": {"a": 1}, "tokenizer": str.split, "data": "aGk=", "tools": (), "parts": (),
    "chunks": [am.MsgChunk(role="user")], "path": ("messages", 0), "kind": "dropped", "level": "content",
    "other": CALL, "cls": am.TextBlock, "index": 0, "items": (), "block": am.TextBlock("x"), "usages": (),
}  # fmt: skip
# Values that a call uses up, made anew for each.
FRESH: dict[str, Callable[[], Any]] = {"path_or_file": lambda: io.BytesIO(RIGHT["raw"])}
# Instances to call methods on, by class.
INSTANCES: dict[str, tuple[Callable[[], Any], ...]] = {
    "Accumulator": (am.Accumulator,),
    "Base64Source": (lambda: am.Base64Source("aGk=", "image/png"),),
    "Codec": (),  # the tests of documents check the arguments of codecs
    "Conversion": (lambda: CONVERSION,),
    "History": (lambda: HISTORY,),
    "ImageBlock": (lambda: am.ImageBlock(am.URLSource("x")),),
    "Losses": (lambda: CONVERSION.losses,),
    "Msg": (lambda: CALL, lambda: RESULT),
    "MsgBuilder": (lambda: am.Msg.builder().role("user"),),
    "MsgChunk": (lambda: am.MsgChunk(role="user"),),
    "Recorder": (am.Recorder,),
    "ToolUseBlock": (lambda: CALL.content[1],),
    "Usage": (lambda: am.Usage(input=1),),
}
OPERATORS = ("__getitem__", "__add__", "__iadd__")
# Python's own: Python decides what a sequence and a mapping raise.
PROTOCOLS = {"index", "count", "clear", "pop", "popitem", "setdefault", "update", "fromkeys", "copy", "get", "append"}
# Errors of a caller's function are the caller's: no argument is wrong.
CALLBACKS = {
    "where": "a function", "counter": "a function", "on_message": "a function", "tokenizer": "a function",
    "guard": "a function", "spelling": "a function", "items": "a function",
}  # fmt: skip
# Aliases of types, made values and texts aren't functions.
NO_FUNCTIONS = {
    "JSON",
    "Block",
    "CallFields",
    "CodecName",
    "MessageFields",
    "ContentBlock",
    "Made",
    "Source",
    "Tool",
    "__version__",
}


def _targets() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield everything public that takes arguments, with its name."""
    for name in am.__all__:
        thing = getattr(am, name)
        if name in NO_FUNCTIONS or not callable(thing):
            continue
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, (BaseException, dict, list)):
            yield from _methods(name, thing)


def _methods(name: str, cls: type[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for method in dir(cls):
        if (method.startswith("_") and method not in OPERATORS) or method in PROTOCOLS:
            continue
        if isinstance(inspect.getattr_static(cls, method), (classmethod, staticmethod)):
            yield f"{name}.{method}", getattr(cls, method)
            continue
        for number, make in enumerate(INSTANCES.get(name, ()), 1):
            if callable(getattr(make(), method)):
                yield f"{name}{number}.{method}", _bound(make, method)


def _bound(make: Callable[[], Any], method: str) -> Callable[..., Any]:
    """Return a method of an instance that is made for each call."""

    def call(*args: Any, **options: Any) -> Any:
        return getattr(make(), method)(*args, **options)

    call.__signature__ = inspect.signature(getattr(make(), method))  # type: ignore[attr-defined]
    return call


TARGETS = [(name, target) for name, target in _targets() if inspect.signature(target).parameters]


def _arguments(target: Callable[..., Any], hostile: inspect.Parameter, value: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call: the right ones if they are required, and a hostile one."""
    args: list[Any] = []
    options: dict[str, Any] = {}
    several = any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(target).parameters.values())
    for each in inspect.signature(target).parameters.values():
        if each.kind in {each.VAR_POSITIONAL, each.VAR_KEYWORD}:
            if each is hostile and each.kind is each.VAR_POSITIONAL:
                args.append(value)
            elif each is hostile:
                options["extras"] = value
            continue
        if each is not hostile and each.default is not each.empty:
            continue
        given = value if each is hostile else FRESH.get(each.name, lambda name=each.name: RIGHT.get(name, "x"))()
        if each.kind is each.POSITIONAL_ONLY or (several and each.kind is each.POSITIONAL_OR_KEYWORD):
            args.append(given)
        else:
            options[each.name] = given
    return args, options


def _look_at(result: Any) -> None:
    """Use a result as people do: iterate, show, hash and write it."""
    if inspect.isgenerator(result) or isinstance(result, Lines):
        result = list(islice(result, 1000))
    several: Any = [*result] if type(result) is list else [result]
    for each in several:
        if isinstance(each, (am.History, am.Msg)):
            am.loads(am.dumps(each, "json"), "json")
        if attrs.has(each.__class__) and hasattr(each, "notes"):
            assert repr(each)
            hash(each)


def _check(error: am.AgentMsgError) -> None:
    assert error.code in CODES, error
    assert len(str(error)) < 1000


@pytest.mark.parametrize("number", range(len(TARGETS)), ids=[name for name, _ in TARGETS])
def test_any_object_is_taken_or_refused(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile object as any one argument gives a sound result, or an error of ours with a code."""
    monkeypatch.chdir(tmp_path)  # a text may be the name of a file
    name, target = TARGETS[number]
    for parameter in inspect.signature(target).parameters.values():
        # One in several, others for each parameter, if there is little time.
        number += 1
        for hostile, make in share(HOSTILE.items(), number, least=10):
            if CALLBACKS.get(parameter.name) == hostile or (parameter.name in CALLBACKS and hostile in _CALLABLE):
                continue
            args, options = _arguments(target, parameter, make())
            try:
                _look_at(target(*args, **options))
            except am.AgentMsgError as error:
                _check(error)
            except Exception as error:
                # The end of a loop over a sequence isn't an error.
                if not (isinstance(error, IndexError) and "__getitem__" in name):
                    msg = f"{name}({parameter.name}={hostile}): {error!r}"
                    raise AssertionError(msg) from error


_CALLABLE = {"a class", "a function", "a mock", "a magic mock"}


def test_errors_of_somebodys_function_are_for_the_caller() -> None:
    """Errors of the caller's condition, counter, tokenizer or listener are raised unchanged."""
    boom = HOSTILE["a function"]()
    calls: list[Callable[[], object]] = [
        lambda: HISTORY.filter(where=boom),
        lambda: HISTORY.trim(max_tokens=3, counter=boom),
        lambda: am.token_counter(boom)(CALL),
        lambda: am.Recorder(on_message=boom).add(CALL),
    ]
    for call in calls:
        with pytest.raises(Boom):
            call()


# -- options and limits ----------------------------------------------------------------------------------------------

OPTIONS = [
    (name, field.alias or field.name)
    for name in am.codec_names()
    for field in attrs.fields(type(am.get_codec(name)))
    if field.init
]


def _check_option(error: am.CodecLookupError, codec: str, option: str) -> None:
    words = str(error)
    assert (error.code, error.codec) == ("option", codec)
    assert words.startswith(f"{codec}: {option} must be ")
    assert len(words) < 250
    for internal in ("Attribute(", "attrs", "validator", "instances of", "\n"):
        assert internal not in words


@pytest.mark.parametrize(("codec", "option"), OPTIONS)
def test_any_object_as_an_option_is_taken_or_refused_in_one_sentence(codec: str, option: str) -> None:
    """The error for a refused option has the allowed and the given value, in one line without classes of attrs."""
    refusals = 0
    for make in HOSTILE.values():
        try:
            chosen = am.get_codec(codec, **{option: make()})
        except am.CodecLookupError as error:
            refusals += 1
            _check_option(error, codec, option)
        else:
            am.dumps(HISTORY, chosen, losses=[])
    assert refusals > len(HOSTILE) // 2


@pytest.mark.parametrize("limit", [field.name for field in attrs.fields(am.Limits)])
def test_a_limit_is_a_whole_number_above_0(limit: str) -> None:
    """Limits refuse every value that isn't a bound."""
    for value in (-1, 0, True, 1.5, float("nan"), float("inf"), "7", None, b"7", [7]):
        with pytest.raises(am.InvalidMessage) as caught:
            am.Limits(**{limit: value})  # type: ignore[arg-type]
        assert caught.value.code == "option"
        assert caught.value.path == (limit,)
        assert str(caught.value).count("\n") == 0
    huge = am.Limits(**{limit: 10**30})
    assert am.loads(RIGHT["raw"], "openai", limits=huge) == am.loads(RIGHT["raw"], "openai")


def test_words_that_say_nothing_are_refused() -> None:
    """An unknown word as an argument is never taken for the default: that would lose content silently."""
    calls: dict[str, Callable[[], object]] = {
        "on_loss": lambda: am.encode(HISTORY, "openai", on_loss="ignroe"),  # type: ignore[call-overload]
        "duplicates": lambda: am.loads(b"[]", "openai", duplicates="first"),  # type: ignore[arg-type]
        "edits": lambda: am.restore(OUTPUT, CONVERSION.losses, edits="kep"),  # type: ignore[arg-type]
        "carry": lambda: am.convert(DOCUMENT, "openai", "riffer", carry=cast("Any", "no")),
        "level": lambda: CONVERSION.losses.filter(level="contents"),  # type: ignore[arg-type]
        "keep_system": lambda: HISTORY.trim(max_tokens=3, keep_system="no"),  # type: ignore[arg-type]
        "exact": lambda: CALL.digest(exact="no"),  # type: ignore[arg-type]
    }
    for name, call in calls.items():
        with pytest.raises(am.InvalidMessage) as caught:
            call()
        assert caught.value.path == (name,)


def test_an_account_that_is_none_is_refused() -> None:
    """Losses with unknown paths, or with values that no loss holds, raise a LossError."""
    odd = [
        am.Loss(("messages", "x"), "changed", "x", "content"),
        am.Loss(("messages", 0, "content", "y", "z"), "dropped", "x", "content", 1),
        am.Loss(("messages", 0, "role"), "changed", "x", "content", 3),
        am.Loss((), "dropped", "x", "content"),
        am.Loss(("messages", 0), "merged", "x", "content", None, "?"),
        am.Loss(([],), "dropped", "x", "content"),  # type: ignore[arg-type]
        am.Loss(3, "dropped", "x", "content"),  # type: ignore[arg-type]
        am.Loss(("messages", -1), "moved", "x", "content", None, ((9, 9),)),
        am.Loss(("tools", 2), "dropped", "x", "content", None),
    ]
    for loss in odd:
        try:
            restored = am.restore(HISTORY, [loss])
        except am.AgentMsgError as error:
            _check(error)
        else:
            assert isinstance(restored, am.History)
