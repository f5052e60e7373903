"""Grouping: containers are written as they were read, and notes can't override the predicates."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from agentmsg import History, Msg, ToolResultBlock
from agentmsg.formats.grouping import Grouping, containers, is_contained, seat_of, seated
from agentmsg.formats.spelling import with_note
from agentmsg.testing import plant_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

# As in Anthropic: tool results and the user's next text share one user turn; results join by default.
TURNS = Grouping(
    family="turns",
    may_join=lambda group, message: message.role in ("tool", "user") and group[0].role in ("tool", "user"),
    joins=lambda group, message: message.role == "tool" and group[-1].role == "tool",
)
# As in interfaces that show whole replies: a result can only be in the reply with its call.
REPLIES = Grouping(
    family="replies",
    may_join=lambda group, message: message.role in ("assistant", "tool") and group[0].role == "assistant",
    joins=lambda group, message: message.role == "assistant",
    must_join=lambda group, message: message.role == "tool" and group[0].role == "assistant",
)
# As in LangChain: a result is a message of its own, but may be in a user's, alone or beside the user's text.
PARTS = Grouping(
    family="parts",
    may_join=lambda group, message: (
        message.role == "tool" if not group else {message.role, group[-1].role} in ({"tool"}, {"tool", "user"})
    ),
    stands_free=lambda message: message.role == "tool",
)
# The same, but the next results join those in a user's message.
LOOSE = Grouping(
    family="loose",
    may_join=lambda group, message: message.role in ("tool", "user") and (not group or group[0].role != "assistant"),
    joins=lambda group, message: message.role == "user",
    stands_free=lambda message: message.role == "tool",
)


def _message(role: str, number: int) -> Msg:
    if role == "tool":
        return Msg("tool", [ToolResultBlock(f"c{number}", "x")], id=str(number), created_at=None)
    return Msg.chat(role, f"text {number}", id=str(number), created_at=None)


@st.composite
def _grouped(draw: st.DrawFn, grouping: Grouping) -> list[list[Msg]]:
    """Draw containers that a document of the format may hold, within ``may_join`` and ``must_join``."""
    groups: list[list[Msg]] = []
    for number, role in enumerate(draw(st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=8))):
        message = _message(role, number)
        group = groups[-1] if groups else []
        must = bool(group) and grouping.must_join(group, message)
        if must or (group and grouping.may_join(group, message) and draw(st.booleans())):
            group.append(message)
        else:
            groups.append([message])
    return groups


@given(groups=st.one_of(_grouped(TURNS)))
def test_turns_come_back_in_their_containers(groups: list[list[Msg]]) -> None:
    """Messages read in some containers are written in the same, by the default rule or by seats."""
    assert _ids(containers(seated(groups, TURNS), TURNS)) == _ids(groups)


@given(groups=_grouped(REPLIES))
def test_replies_come_back_in_their_containers(groups: list[list[Msg]]) -> None:
    """The same for a format where some messages must join."""
    assert _ids(containers(seated(groups, REPLIES), REPLIES)) == _ids(groups)


@given(data=st.data(), grouping=st.sampled_from([PARTS, LOOSE]))
def test_free_messages_stay_free(data: st.DataObject, grouping: Grouping) -> None:
    """A free message stays free, and one that was alone in a container is alone in one again."""
    groups: list[list[Msg] | Msg] = []
    for group in data.draw(_grouped(grouping)):
        is_free = len(group) == 1 and grouping.stands_free(group[0]) and data.draw(st.booleans())
        groups.append(group[0] if is_free else group)
    read = seated(groups, grouping)
    assert all(seat_of(message, grouping.family) is None for message in read if message in groups)
    written = containers(read, grouping)
    assert written == [(group,) if isinstance(group, Msg) else tuple(group) for group in groups]
    free = [isinstance(group, Msg) and grouping.stands_free(group) for group in groups]
    assert [not is_contained(group, grouping) for group in written] == free


def test_what_may_not_open_a_container_stands_free() -> None:
    """A seat puts no message into a container that can't be in one."""
    grouping = Grouping(family="parts", may_join=lambda group, message: False, stands_free=lambda _: True)
    seat = with_note(_message("tool", 0), "parts", {"seat": 0})
    assert not is_contained((seat,), grouping)


def test_what_is_not_joined_is_not_asked_whether_it_could() -> None:
    """``may_join`` can be slow: it is only called if a seat or the default needs it."""

    def refuse(*_: object) -> bool:
        raise AssertionError

    messages = [_message(role, number) for number, role in enumerate(("user", "tool", "tool", "user"))]
    assert len(containers(messages, Grouping(family="parts", may_join=refuse))) == len(messages)


def test_seats_of_the_past_are_forgotten() -> None:
    """The given containers decide the groups, whatever was noted before."""
    group = seated([[_message("tool", 0), _message("user", 1)]], TURNS)
    apart = [[group[0]], [_message("assistant", 2)], [group[1]]]
    assert not any(message.notes for message in seated(apart, TURNS))


def test_default_containers_need_no_seats() -> None:
    """If the default groups as in the document, no message gets a note."""
    groups = [
        [_message("user", 0)],
        [_message("assistant", 1)],
        [_message("tool", 2), _message("tool", 3)],
        [_message("user", 4)],
    ]
    assert not any(message.notes for message in seated(groups, TURNS))


def test_seats_keep_neighbours_apart_and_together() -> None:
    """Two results in separate containers stay separate; a result and a user's text in one stay together."""
    apart = [[_message("tool", 0)], [_message("tool", 1)]]
    together = [[_message("tool", 0), _message("user", 1)]]
    for groups in (apart, together):
        assert _ids(containers(seated(groups, TURNS), TURNS)) == _ids(groups)
        assert any(message.notes for message in seated(groups, TURNS))


@given(groups=_grouped(TURNS), seed=st.integers(0, 2**32))
def test_planted_seats_never_join_what_may_not(groups: list[list[Msg]], seed: int) -> None:
    """Whatever seats are planted, every written container is one that the format allows."""
    rng = random.Random(seed)
    planted = plant_notes(History([message for group in groups for message in group]), rng, ("turns",), ("seat",))
    seats = [with_note(message, "turns", {"seat": rng.choice([0, 1, 2, None, "1"])}) for message in planted]
    written = containers(seats, TURNS)
    assert [message.id for group in written for message in group] == [message.id for message in planted]
    for group in written:
        for number in range(1, len(group)):
            assert TURNS.may_join(group[:number], group[number])


def test_a_deleted_middle_does_not_tear_a_container() -> None:
    """When a message is deleted from a seated container, the rest stays together."""
    group = [_message("tool", 0), _message("user", 1), _message("tool", 2)]
    read = seated([group], TURNS)
    assert _ids(containers([read[0], read[2]], TURNS)) == [["0", "2"]]


def _ids(groups: Sequence[Sequence[Msg]]) -> list[list[str | None]]:
    return [[message.id for message in group] for group in groups]
