"""The difference between two histories, as losses; ``restore`` is its inverse.

It compares two histories without knowing how one became the other. Where each message and block went decides only how
well a report reads: whatever ``placing`` finds, every difference that is left is told, so ``restore(back, losses)`` is
the first history. A loss is told only where the default of ``restore`` goes wrong: each message is the next one, each
block the next one of its message, each field as it is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.fitting.aligning import align_blocks
from agentmsg.fitting.extra_keys import lost_keys
from agentmsg.fitting.levels import EXTRAS, PROMPT_ROLES, level_of_loss
from agentmsg.fitting.links import Links, is_link
from agentmsg.fitting.longest_run import longest_run, moved_of
from agentmsg.fitting.losses import Loss
from agentmsg.fitting.placing import Placed, Run, Spot, in_turn, placed
from agentmsg.fitting.survival import level_of_added, level_of_became, level_of_gone, level_of_result_field
from agentmsg.fitting.words import adds_nothing, all_words, held
from agentmsg.model.blocks import BLOCK_TAGS, ToolResultBlock, ToolUseBlock
from agentmsg.model.equality import changes_of, same
from agentmsg.model.generated import given
from agentmsg.model.settings import Settings
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentmsg.fitting.losses import Keys, Kind, Path
    from agentmsg.formats.capabilities import Level
    from agentmsg.model.base import Noted
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

__all__ = ["difference"]

_CONTENT = frozenset({"content"})
_NEIGHBOURS, _ELSEWHERE = "neighbours are one block here", "is elsewhere now"
_RESULT_FIELDS = frozenset({"structured", "error", "status"})


def difference(history: History, back: History, codec: str = "") -> list[Loss]:
    """Return what is different in another history, in the order of the first.

    Args:
        history: the first, such as the one given to a writer.
        back: the other, such as what the document reads as.
        codec: the name of the format that made the difference.
    """
    report = _Report(codec)
    if history is not back:
        report.messages(history.messages, back.messages)
        report.rest(history, back)
    return report.losses


class _Report:
    """Makes the losses of one comparison."""

    def __init__(self, codec: str) -> None:
        self.codec = codec
        self.losses: list[Loss] = []
        self.links = Links()

    def tell(self, path: Path, kind: Kind, level: Level, why: str = "", *, was: Any = None, now: Any = None) -> None:
        self.losses.append(Loss(path, kind, self.codec, level, was, now, why))

    def messages(self, old: Sequence[Msg], new: Sequence[Msg]) -> None:
        start, end = self.beginning(old, new), 0
        while end < min(len(old), len(new)) - start:
            places = in_turn(old[-1 - end], new[-1 - end])
            if places is None or len(places) < len(old[-1 - end].content):
                break
            end += 1
        mine, theirs = range(start, len(old) - end), range(start, len(new) - end)
        if mine or theirs:
            self.placed(old, new, (mine, theirs))
        for index in range(mine.stop, len(old)):
            other = new[index - len(old) + len(new)]
            self.message(index, old[index], other, in_turn(old[index], other) or {})
        for number in self.links.broken(old):
            self.losses[number] = attrs.evolve(self.losses[number], level="content")

    def beginning(self, old: Sequence[Msg], new: Sequence[Msg]) -> int:
        """Compare the messages at the beginning that surely are each in its turn; return their number."""
        start, least = 0, min(len(old), len(new))
        places = in_turn(old[0], new[0]) if least else None
        while start < least and places is not None:
            after = start + 1
            following = in_turn(old[after], new[after]) if after < least else None
            is_part = len(places) < len(old[start].content)
            # What is missing may be in the next message, unless that surely is the next one's.
            is_last = after == len(old) == len(new)
            if is_part and not is_last and (following is None or len(new) > len(old)):
                break
            self.message(start, old[start], new[start], places)
            start, places = after, following
        return start

    def message(self, index: int, old: Msg, new: Msg, places: dict[int, int]) -> None:
        """Compare a message with the one in its turn, given the places of the blocks that are still there."""
        if old is new:
            return
        path: Path = ("messages", index)
        self.fields(path, old, new, _CONTENT)
        if len(places) < len(old.content):
            self.items((*path, "content"), old.content, new.content, _Matched(places))
        else:
            for place, block in enumerate(old.content):
                self.item((*path, "content", place), block, new.content[place])

    def placed(self, old: Sequence[Msg], new: Sequence[Msg], ranges: tuple[range, range]) -> None:
        """Compare messages whose blocks may be anywhere in the other's."""
        mine, theirs = ranges
        found = placed(old, new, mine, theirs)
        resting = [i for i in mine if _rests(new, found, i)]
        moved = {resting[n] for n in moved_of([found.runs[i][0].message for i in resting])}
        usual = set(resting) - moved
        last = -1
        for i in mine:
            runs = found.runs.get(i, [])
            if not runs:
                self.gone(i, old[i], found)
                continue
            # Instructions that came after other messages, and come before them now, mean something else.
            is_lifted = runs[0].message < last and old[i].role in PROMPT_ROLES
            last = max(last, runs[-1].message)
            spots = tuple((run.message, run.first) for run in runs)
            if len(runs) > 1:
                self.tell(("messages", i), "split", "annotation", "one message each", now=spots)
            elif i not in usual and runs[0].first and not is_lifted:
                self.tell(("messages", i), "merged", "annotation", "neighbours are one message", now=spots)
            elif i not in usual:
                self.tell(("messages", i), "moved", "content", _ELSEWHERE, now=spots)
            base = _base(new, runs)
            self.fields(("messages", i), old[i], base, _CONTENT)
            self.items(("messages", i, "content"), old[i].content, base.content, _matched(i, old[i], runs, found))
        added = (m for m in theirs if m not in found.owned and not found.is_all_taken(new, m))
        for number, m in enumerate(added, start=len(old)):
            is_content = any(level_of_added(each) == "content" for each in new[m].content)
            self.tell(("messages", number), "invented", "content" if is_content else "annotation", now=((m, 0),))

    def gone(self, index: int, message: Msg, found: Placed) -> None:
        """Tell a message of which there is no block."""
        spots = (found.joined.get((index, place)) for place in range(len(message.content)))
        where = next(filter(None, spots), None)
        if where is None:
            self.tell(("messages", index), "dropped", "content", was=message)
        else:
            why = "neighbours are one message"
            self.tell(("messages", index), "merged", "annotation", why, was=message, now=(where,))

    def items(
        self, path: Path, old: Sequence[Any], new: Sequence[Any], matched: _Matched, said: tuple[str, str] = ("", "")
    ) -> None:
        """Compare two lists of blocks or tools.

        Args:
            path: of the list.
            old: the list.
            new: the other.
            matched: where each is.
            said: what is said beside the lists: before, and now.
        """
        places = matched.places
        order = sorted(places)
        stay = {order[n] for n in longest_run([places[j] for j in order])}
        for j, block in enumerate(old):
            at: Path = (*path, j)
            if j in matched.apart:
                why = "is in another message now"
                self.tell(at, "moved", "annotation", why, was=block, now=matched.apart[j])
            elif j in stay:
                is_whole = places[j] in matched.wholes or adds_nothing(new[places[j]], said[0])
                self.item(at, block, new[places[j]], is_whole=is_whole, apart=matched.inner.get(j))
            elif j in places:
                was = None if same(block, new[places[j]]) else block
                level = "annotation" if was is None else level_of_became(block, new[places[j]])
                self.tell(at, "moved", level, _ELSEWHERE, was=was, now=places[j])
            elif j in matched.joined:
                level = level_of_became(block, new[matched.joined[j]])
                self.tell(at, "merged", level, _NEIGHBOURS, was=block, now=matched.joined[j])
            else:
                tag = BLOCK_TAGS.get(class_of(block))
                why = f"no place for a {tag} block here" if tag else ""
                self.tell(at, "dropped", level_of_gone(block, said[1]), why, was=block)
        added = sorted(set(range(len(new))).difference(places.values()))
        for number, k in enumerate(added, start=len(old)):
            self.tell((*path, number), "invented", level_of_added(new[k], said[0]), now=k)

    def item(
        self, at: Path, old: Any, new: Any, *, is_whole: bool = False, apart: Mapping[int, Any] | None = None
    ) -> None:
        """Compare a block or tool with what it became.

        Args:
            at: where it was.
            old: the block or tool.
            new: what it is now.
            is_whole: whether that holds the words of others, too.
            apart: for blocks inside a result, where they are if they left it.
        """
        if old is new:
            return
        if type(old) is not type(new):
            tag, other = (BLOCK_TAGS.get(class_of(each), "foreign") for each in (old, new))
            why = f"what was {tag} is {other} here"
            self.tell(at, "changed", level_of_became(old, new), why, was=old, now=new)
            return
        is_result = isinstance(old, ToolResultBlock)
        self.fields(at, old, new, _CONTENT if is_result else frozenset(), is_whole=is_whole)
        if is_result and (apart or not same(old.content, new.content)):
            places, joined = align_blocks(old.content, new.content)
            matched = _Matched(places, joined, apart or {}, wholes=frozenset(joined.values()))
            self.items((*at, "content"), old.content, new.content, matched, (all_words(old), all_words(new)))

    def fields(
        self, path: Path, old: Noted, new: Noted, skipped: frozenset[str] = frozenset(), *, is_whole: bool = False
    ) -> None:
        if old is new:
            return
        kind_of_owner: type = type(old)
        for name, _, was, now in changes_of(kind_of_owner)(old, new):
            if name in skipped or same(was, now) or _is_said(name, old, new):
                continue
            if is_link(name, old):
                self.links.add((*path, name), len(self.losses), was, now)
            # What the library made says nothing; zero and false say something.
            left = given(now)
            is_gone = not left and not isinstance(left, (int, float))
            kind: Kind = "dropped" if is_gone else "invented" if was is None else "changed"
            if name == EXTRAS and (keys := list(lost_keys(was, now))):
                for way, how, one, other, order in keys:
                    self.key((*path, name, *way), how, (one, other), old, order)
                continue
            is_there = is_whole and name in ("text", "thinking") and was in now
            level = "annotation" if is_there else _level((*path, name), was, left, (old, new))
            self.tell((*path, name), kind, level, was=was, now=left)

    def key(self, path: Path, kind: Kind, values: tuple[Any, Any], owner: Noted, order: Keys) -> None:
        """Tell a lost key of extras."""
        was, now = values
        level = level_of_loss(path, was, now, owner)
        self.losses.append(Loss(path, kind, self.codec, level, was, now, order=order))

    def rest(self, history: History, back: History) -> None:
        """Compare what stands beside the messages."""
        apart = {"messages", "tools"}
        asked, left = history.settings, back.settings
        if left is None and not same(asked, Settings()):
            left = Settings()
        if asked is not None and left is not None:
            apart.add("settings")
            self.fields(("settings",), asked, left)
        self.fields((), history, back, frozenset(apart))
        if history.tools is not back.tools and not same(history.tools, back.tools):
            matched = _Matched(_matched_tools(history.tools, back.tools))
            self.items(("tools",), history.tools, back.tools, matched)


@attrs.define
class _Matched:
    """Where the items of a list are in another.

    Attributes:
        places: by their places.
        joined: for those that aren't there, the place of the one that holds their words, too.
        apart: for those that are in another message, its index and the place there.
        inner: the same for blocks inside results, by the place of the result.
        wholes: the places of those that hold the words of several.
    """

    places: dict[int, int]
    joined: Mapping[int, int] = attrs.field(factory=dict[int, int])
    apart: Mapping[int, Any] = attrs.field(factory=dict[int, Any])
    inner: Mapping[int, Mapping[int, Any]] = attrs.field(factory=dict[int, "Mapping[int, Any]"])
    wholes: frozenset[int] = frozenset()


def _matched(index: int, message: Msg, runs: list[Run], found: Placed) -> _Matched:
    """Return where the blocks of a message are in its runs."""
    spots = [(run.message, k) for run in runs for k in run.blocks]
    at = {spot: number for number, spot in enumerate(spots)}
    mine = [(j, (index, j)) for j in range(len(message.content))]

    def among(where: Mapping[Spot, Spot]) -> dict[int, int]:
        return {j: at[where[spot]] for j, spot in mine if where.get(spot) in at}

    apart = {j: found.apart[spot] for j, spot in mine if spot in found.apart} if found.apart else {}
    inner = {j: found.inner[spot] for j, spot in mine if spot in found.inner} if found.inner else {}
    wholes = frozenset(at[spot] for spot in found.wholes.intersection(at)) if found.wholes else frozenset[int]()
    return _Matched(among(found.places), among(found.joined), apart, inner, wholes)


def _rests(new: Sequence[Msg], found: Placed, index: int) -> bool:
    """Whether ``restore`` finds a message without a loss, if it is in its turn: the front of one."""
    runs = found.runs.get(index, ())
    return len(runs) == 1 and not runs[0].first and not found.is_all_taken(new, runs[0].message)


def _base(new: Sequence[Msg], runs: list[Run]) -> Msg:
    """Return a message of some runs, with the fields of the one that holds the first."""
    first = runs[0]
    message = new[first.message]
    if len(runs) == 1 and not first.first and len(first.blocks) == len(message.content):
        return message
    return message.evolve(content=tuple(new[run.message].content[k] for run in runs for k in run.blocks))


def _matched_tools(old: Sequence[Any], new: Sequence[Any]) -> dict[int, int]:
    """Return where tools are in another list, by their names; if there are as many, the others in order."""
    by_name: dict[Any, list[int]] = {}
    for k, tool in enumerate(new):
        by_name.setdefault(_name(tool), []).append(k)
    found = {n: waiting.pop(0) for n, tool in enumerate(old) if (waiting := by_name.get(_name(tool)))}
    if len(old) == len(new):
        left = sorted(set(range(len(new))).difference(found.values()))
        found.update(zip((n for n in range(len(old)) if n not in found), left, strict=True))
    return found


def _name(tool: Any) -> str:
    return repr(getattr(tool, "name", None) or getattr(tool, "value", None) or getattr(tool, "kind", None))


def _is_said(name: str, old: Noted, new: Noted) -> bool:
    """Whether what a call loses comes back with its text, or with its input: each says the other."""
    if name not in ("input", "raw_input") or not isinstance(old, ToolUseBlock) or not isinstance(new, ToolUseBlock):
        return False
    if old.significant_text is None:
        return name == "raw_input" and not same(old.input, new.input)
    return name == "input" and old.significant_text != new.significant_text


def _level(path: Path, was: Any, now: Any, owners: tuple[Any, Any]) -> Level:
    """Return the level of a lost field."""
    old, new = owners
    name, level = str(path[-1]), level_of_loss(path, was, now, old)
    if name in _RESULT_FIELDS and isinstance(old, ToolResultBlock):
        return level_of_result_field(name, old, new, level)
    is_source = name == "source" and level == "content" and now is not None
    return "annotation" if is_source and held(old) == held(new) else level
