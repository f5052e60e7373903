"""Synaptic's filter_messages and trim_messages (crate synaptic, measured behaviour), as lines of agentmsg.

One row for each of its rules, with ``match="all"``.
"""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am

TALK = am.History(
    [
        am.Msg.system("You are helpful.", id="s"),
        am.Msg.user("Hello", id="h", name="Alice"),
        am.Msg.assistant("Hi", id="a"),
        am.Msg.tool("72", tool_call_id="c", id="t", name="weather"),
        am.Msg.chat("moderator", "Approved.", id="m", name="Bob"),
        am.Msg.chat("judge", "Guilty.", id=None),
        am.Msg.remove("r"),
    ]
)


@pytest.mark.parametrize(
    ("rule", "conditions", "kept"),
    [
        ("the type of a user's message is human", {"include_types": ["human"]}, "h"),
        ("that of an AI's is assistant", {"include_types": ["assistant"]}, "a"),
        ("system, tool and remove are types", {"include_types": ["system", "tool", "remove"]}, "str"),
        ("the type of a chat message is its own role", {"include_types": ["moderator"]}, "m"),
        ("chat is no type of any", {"include_types": ["chat"]}, ""),
        ("types can be left out", {"exclude_types": ["human", "moderator"]}, "sat-r"),
        ("names are included", {"include_names": ["Alice"]}, "h"),
        ("a message without a name is not among included names", {"include_names": ["Alice", "Bob"]}, "hm"),
        ("a message without a name stays where names are left out", {"exclude_names": ["Alice"]}, "satm-r"),
        ("ids are included", {"include_ids": ["a", "s"]}, "sa"),
        ("a message without an id is not among included ids", {"include_ids": ["a"]}, "a"),
        ("a message without an id stays where ids are left out", {"exclude_ids": ["a"]}, "shtm-r"),
        ("the id of a removal counts", {"include_ids": ["r"]}, "r"),
        ("a removal has no name", {"include_names": ["r"]}, ""),
        ("all conditions must hold", {"include_types": ["human"], "include_ids": ["a"]}, ""),
        ("and include and exclude both", {"include_types": ["human", "tool"], "exclude_ids": ["h"]}, "t"),
        ("an empty list of names includes nothing", {"include_names": []}, ""),
        ("nor of types", {"include_types": []}, ""),
        ("nor of ids", {"include_ids": []}, ""),
        ("an empty list leaves nothing out", {"exclude_types": [], "exclude_ids": []}, "shatm-r"),
        ("without conditions all stay", {}, "shatm-r"),
        # Ours: Synaptic doesn't know this type, and would include nothing.
        ("ai means assistant", {"include_types": ["ai"]}, "a"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_synaptic_filter_messages(rule: str, conditions: dict[str, Any], kept: str) -> None:
    """Each rule keeps the same messages as there."""
    found = am.filter_messages(TALK, match="all", **conditions)
    assert "".join(message.id or "-" for message in found) == kept, rule


def _length(message: am.Msg) -> int:
    return message.length


ABCD = am.History([am.Msg.system("12345"), am.Msg.user("12"), am.Msg.assistant("1234"), am.Msg.user("1")])


@pytest.mark.parametrize(
    ("rule", "most", "how", "kept"),
    [
        ("first keeps the longest beginning that fits", 11, {"strategy": "first", "keep_system": False}, [5, 2, 4]),
        ("it stops at the first that does not fit", 8, {"strategy": "first", "keep_system": False}, [5, 2]),
        ("nothing may fit", 4, {"strategy": "first", "keep_system": False}, []),
        ("last keeps the longest end that fits", 7, {"keep_system": False}, [2, 4, 1]),
        ("it skips none that does not fit", 4, {"keep_system": False}, [1]),
        ("a leading system message is kept, and counts", 10, {}, [5, 4, 1]),
        ("it is kept where nothing fits beside it", 5, {}, [5]),
        ("even above the budget", 1, {}, [5]),
        ("the sum may be the budget itself", 12, {}, [5, 2, 4, 1]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_synaptic_trim_messages(rule: str, most: int, how: dict[str, Any], kept: list[int]) -> None:
    """Each rule keeps the same messages as there; ``include_system`` is ``keep_system``."""
    assert [message.length for message in ABCD.trim(max_tokens=most, counter=_length, **how)] == kept, rule


def test_synaptic_documented_example() -> None:
    """The example of its documentation: a character counter, and a system message that stays."""
    trimmed = ABCD.trim(
        max_tokens=4096, counter=lambda message: len(message.text) // 4, strategy="last", keep_system=True
    )
    assert trimmed is ABCD
