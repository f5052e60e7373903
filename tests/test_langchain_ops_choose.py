"""Choosing, trimming and counting compared with langchain-core: its own results, and the reasons for differences.

Each reason knows which cases it explains, and how many: one more, or one less, fails.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from data import shared_dir

# Untyped on purpose, as in test_langchain_real.
core: Any = import_module("langchain_core.messages")
core_utils: Any = import_module("langchain_core.messages.utils")

Case: TypeAlias = dict[str, Any]
Reasons: TypeAlias = Mapping[str, tuple[Callable[[Case, Any, Any], bool], int]]


def _cases(operation: str) -> list[Case]:
    path = shared_dir() / "golden" / "langchain_ops" / f"{operation}.json"
    cases: list[Case] = json.loads(path.read_bytes())["cases"]
    return cases


def _read(document: Any) -> am.History:
    return am.decode(document, "langchain")


def _native(messages: Sequence[am.Msg]) -> list[Any]:
    found: list[Any] = core.messages_from_dict(am.encode(messages, "langchain", losses=[]))
    return found


def _their_count(message: am.Msg) -> int:
    return int(core_utils.count_tokens_approximately(_native([message])))


def _agreed(cases: Sequence[Case], ours: Callable[[Case], Any], theirs: Callable[[Case], Any], why: Reasons) -> int:
    """Return how many cases agree, and compare the others with their reasons."""
    found: Counter[str] = Counter()
    same = 0
    for case in cases:
        mine, wanted = ours(case), theirs(case)
        if am.same(mine, wanted):
            same += 1
            continue
        told = [reason for reason, (explains, _) in why.items() if explains(case, mine, wanted)]
        assert len(told) == 1, f"{case['params']}: {mine} is not {wanted}, explained by {told}"
        found[told[0]] += 1
    assert found == {reason: count for reason, (_, count) in why.items()}
    return same


# -- filter_messages ---------------------------------------------------------------------------------------------------

_FILTER: Reasons = {
    "one text for exclude_tool_calls is refused, not overlooked": (
        lambda case, ours, theirs: ours == "/exclude_tool_calls" and case["params"] == {"exclude_tool_calls": "call_1"},
        1,
    ),
}


def _filtered(case: Case) -> Any:
    try:
        return tuple(am.filter_messages(_read(case["input"]), **case["params"]))
    except am.InvalidMessage as error:
        return "/" + "/".join(map(str, error.path))


def test_filter_messages_agrees() -> None:
    """Of 14 golden cases 13 give the same messages, and one is refused."""
    cases = _cases("filter_messages")
    assert _agreed(cases, _filtered, lambda case: tuple(_read(case["output"])), _FILTER) == 13


def _words(*words: str) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.lists(st.sampled_from(words), max_size=2))


_IDS = ("1", "2", "3")
_NAMES = ("ada", "bob", "f")
_CALLS = ("c1", "c2", "c3")


def _block(kind: int, id: str) -> am.Block:
    return am.TextBlock("Well.") if kind == 0 else am.ToolUseBlock(id, "f", {"a": kind})


def _says(role: Any, id: str, name: str | None, kinds: Sequence[tuple[int, str]]) -> am.Msg:
    """Return a message as it is also in LangChain's documents."""
    own: dict[str, Any] = {"id": id, "created_at": None}
    if role == "tool":
        return am.Msg.tool("ok", tool_call_id=kinds[0][1], name=name, status="success", **own)
    if role == "assistant":
        return am.Msg(role, [_block(*kind) for kind in kinds], name=name, **own)
    return am.Msg(role=role, content="one two three", name=name, **own)


_ROLES = ("user", "assistant", "tool", "system", "developer", "moderator")
_KINDS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(_CALLS)), min_size=1, max_size=3)
_MESSAGES = st.builds(_says, st.sampled_from(_ROLES), st.sampled_from(_IDS), st.sampled_from((None, *_NAMES)), _KINDS)
_TALKS = st.lists(_MESSAGES, max_size=6).map(lambda messages: _read(am.encode(messages, "langchain", losses=[])))
_TYPES = ("human", "ai", "tool", "system", "chat")


@given(
    _TALKS,
    st.fixed_dictionaries(
        {
            "include_names": _words(*_NAMES),
            "exclude_names": _words(*_NAMES),
            "include_types": _words(*_TYPES),
            "exclude_types": _words(*_TYPES),
            "include_ids": _words(*_IDS),
            "exclude_ids": _words(*_IDS),
            "exclude_tool_calls": st.one_of(st.booleans(), _words(*_CALLS)),
        }
    ),
)
def test_filter_messages_does_what_langchain_does(talk: am.History, conditions: dict[str, Any]) -> None:
    """For any conditions the same messages stay, with the same calls in them."""
    wanted = core_utils.filter_messages(_native(talk), **conditions)
    kept = _native(am.filter_messages(talk, **conditions))
    assert [_picture(message) for message in kept] == [_picture(message) for message in wanted]


def _picture(message: Any) -> Any:
    return message.type, message.id, message.name, message.text, getattr(message, "tool_calls", None)


# -- trim_messages -----------------------------------------------------------------------------------------------------


def _trim_cases() -> list[Case]:
    first, *cases = _cases("trim_messages")
    whole = _read(first["input"])
    return [case | {"history": whole[: len(whole) - case["params"].get("drop_last", 0)]} for case in cases]


def _trimmed(case: Case, *, keep_tool_pairs: bool) -> Any:
    given = {key: value for key, value in case["params"].items() if key not in ("drop_last", "text_splitter")}
    counts = given.pop("token_counter")
    history: am.History = case["history"]
    try:
        return tuple(
            history.trim(
                max_tokens=given.pop("max_tokens"),
                counter=_one if counts == "len" else _their_count,
                keep_system=given.pop("include_system", False),
                keep_tool_pairs=keep_tool_pairs,
                **given,
            )
        )
    except am.InvalidMessage:
        return "refused"


def _one(message: am.Msg) -> int:
    return 1


def _wanted(case: Case) -> Any:
    return "refused" if "__error__" in case["output"] else tuple(_read(case["output"]))


def _words_more(case: Case, ours: Any, theirs: Any) -> bool:
    return len(ours) == len(theirs) and ours[0].id == theirs[0].id and ours[0].text.endswith(theirs[0].text)


def _calls_stay(case: Case, ours: Any, theirs: Any) -> bool:
    return ours[:-1] == theirs and case["params"].get("allow_partial") and len(ours[-1].tool_calls) == 1


def _system_first(case: Case, ours: Any, theirs: Any) -> bool:
    return bool(theirs == "refused" and case["params"].get("include_system") and ours[0].role == "system")


def _torn(case: Case, ours: Any, theirs: Any) -> bool:
    """Whether their result has a call without its result, or the other way round."""
    if theirs == "refused":
        return False
    answered = {message.tool_call_id for message in case["history"]} - {None}
    calls = {call.id for message in theirs for call in message.tool_calls} & answered
    return calls != {message.tool_call_id for message in theirs} - {None}


_SPLIT: Reasons = {
    "the block at the edge is cut between words, where LangChain drops it": (_words_more, 2),
    "the system's messages are kept with both strategies": (_system_first, 1),
}


def test_trim_agrees() -> None:
    """Of 102 golden cases 96 give the same, if calls and results may be separated as in LangChain."""
    reasons: Reasons = {**_SPLIT, "of several calls those stay that fit": (_calls_stay, 3)}
    assert _agreed(_trim_cases(), lambda case: _trimmed(case, keep_tool_pairs=False), _wanted, reasons) == 96


def test_trim_differs_where_langchain_tears_calls_and_results_apart() -> None:
    """Of 102 golden cases LangChain leaves half a pair in 12, and 87 give the same."""
    reasons: Reasons = {**_SPLIT, "a call and its results stay together": (_torn, 12)}
    assert _agreed(_trim_cases(), lambda case: _trimmed(case, keep_tool_pairs=True), _wanted, reasons) == 87


@given(_TALKS, st.integers(-1, 70), st.sampled_from(("first", "last")), st.booleans(), st.data())
def test_trim_does_what_langchain_does(
    talk: am.History, most: int, strategy: Any, keep_system: bool, data: st.DataObject
) -> None:
    """For any budget and roles the same messages stay, if pairs may be separated.

    Only with the one system message that LangChain keeps, and without ``end_on``, which removes it there.
    """
    roles = st.one_of(st.none(), st.lists(st.sampled_from(("human", "ai", "tool")), min_size=1, max_size=2))
    is_last = strategy == "last"
    keep_system = (
        keep_system and is_last and [message.role in ("system", "developer") for message in talk][1:2] != [True]
    )
    start_on = data.draw(roles) if is_last else None
    end_on = None if keep_system else data.draw(roles)
    wanted = core_utils.trim_messages(
        _native(talk), max_tokens=most, token_counter=core_utils.count_tokens_approximately, strategy=strategy,
        include_system=keep_system, start_on=start_on, end_on=end_on,
    )  # fmt: skip
    kept = talk.trim(
        max_tokens=most,
        counter=_their_count, strategy=strategy, keep_system=keep_system, start_on=start_on, end_on=end_on,
        keep_tool_pairs=False,
    )  # fmt: skip
    assert _native(kept) == wanted


# -- count_tokens_approximately ----------------------------------------------------------------------------------------


def _counted(case: Case) -> int:
    names = {"extra_tokens_per_message": "tokens_per_message"}
    ours = ("chars_per_token", "extra_tokens_per_message", "tokens_per_image")
    options = {names.get(key, key): value for key, value in case["params"].items() if key in ours}
    return sum(am.approximate_tokens(message, **options) for message in _read(case["input"]))


def _about(*starts: str) -> Callable[[Case, Any, Any], bool]:
    return lambda case, ours, theirs: case["description"].startswith(starts)


_COUNT: Reasons = {
    "calls count by their JSON and 10 tokens around it, not by the repr of Python": (_about("ai tool calls count"), 6),
    "calls count beside a list of blocks, too": (_about("ai list content", "conversation"), 12),
    "media count by their size, not by the repr of a block": (_about("other blocks"), 6),
    "what a provider counted is not ours to scale by": (_about('scaling {"use_usage'), 1),
}  # fmt: skip


def test_count_agrees() -> None:
    """Of 60 golden cases 35 give the same number."""
    assert _agreed(_cases("count_tokens_approximately"), _counted, lambda case: case["output"], _COUNT) == 35


_PLAINLY = [
    case
    for case in _cases("count_tokens_approximately")
    if not case["params"] and not case["description"].startswith(("ai list content", "other blocks"))
]


@pytest.mark.parametrize("case", _PLAINLY, ids=[case["description"] for case in _PLAINLY])
def test_count_is_near(case: Case) -> None:
    """Without options the number is within a fifth of LangChain's, unless that overlooks calls or counts a repr."""
    assert abs(_counted(case) - case["output"]) <= case["output"] / 5


@given(_TALKS)
def test_texts_count_as_in_langchain(talk: am.History) -> None:
    """A message without calls and media counts the same, name, role and link of a result included."""
    plain = [message for message in talk if not message.tool_calls]
    assert [am.approximate_tokens(message) for message in plain] == [_their_count(message) for message in plain]
