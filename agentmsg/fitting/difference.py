"""The difference between two histories, as losses; ``restore`` is its inverse.

It compares two histories without knowing how one became the other. Where each message and block went decides only how
well a report reads: whatever ``placed`` finds, every difference that is left is told, so ``restore(back, losses)`` is
the first history. A loss is told only where the default of ``restore`` goes wrong: each message is the next one, each
block the next one of its message, each field as it is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.fitting.aligning import Placed, Run, Spot, align_blocks, in_turn, placed
from agentmsg.fitting.extra_keys import lost_keys
from agentmsg.fitting.fitted import UNKNOWN
from agentmsg.fitting.levels import EXTRAS, PROMPT_ROLES, extras_hold_content, level_at, level_of_loss
from agentmsg.fitting.losses import Loss
from agentmsg.fitting.survival import (
    level_of_added,
    level_of_became,
    level_of_gone,
    level_of_result_field,
    loses_within,
)
from agentmsg.fitting.words import adds_nothing, all_words, held
from agentmsg.formats.capabilities import Drop, Swap
from agentmsg.formats.reasons import Reason
from agentmsg.model.blocks import BLOCK_TAGS, RefusalBlock, ToolResultBlock, ToolUseBlock
from agentmsg.model.construction import maker
from agentmsg.model.equality import changes_of, same
from agentmsg.model.generated import MadeName, given, is_made
from agentmsg.model.settings import Settings
from agentmsg.model.tool_links import link_of
from agentmsg.values.pairing import moved_of
from agentmsg.values.types import class_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentmsg.fitting.fitted import Known
    from agentmsg.fitting.losses import Kind, Path
    from agentmsg.formats.capabilities import Level
    from agentmsg.formats.reasons import Said
    from agentmsg.model.base import Noted
    from agentmsg.model.history import History
    from agentmsg.model.msg import Msg

_make_loss = maker(Loss)
_NO_SETTINGS = Settings()
_CONTENT = frozenset({"content"})
_NEIGHBOURS, _ELSEWHERE, _APART = "neighbours are one block here", "is elsewhere now", "is in another message now"
_INPUTS = ("input", "raw_input")
# The fields that link calls and results.
_LINKS: Mapping[str, type] = {"id": ToolUseBlock, "tool_call_id": ToolResultBlock}
# Blocks that say more than their words: what the loss of that is, a rule tells.
_TELLING_KINDS = (RefusalBlock,)
_TOLD_ELSEWHERE = ("structured", "error", "status", "source")


def difference(history: History, back: History, codec: str = "", known: Known = UNKNOWN) -> list[Loss]:
    """Return what is different in another history, in the order of the first.

    Args:
        history: the first, such as the one given to a writer.
        back: the other, such as what the document reads as.
        codec: the name of the format that made the difference.
        known: what is known of how it did.
    """
    report = _Report(history, codec, known)
    if history is not back:
        report.messages(history.messages, back.messages)
        report.rest(history, back)
    return report.losses


def thing_at(history: History, path: Path) -> Any:
    """Return what stands at a path."""
    found: Any = history
    for step in path:
        found = found[step] if isinstance(step, int) else getattr(found, step)
    return found


class _Report:
    """Makes the losses of one comparison."""

    def __init__(self, history: History, codec: str, known: Known) -> None:
        self.codec = codec
        self.known = known
        self.reasons = known.reasons
        self.like = None if known.like is history else known.like
        self.losses: list[Loss] = []
        self.links = _Links()

    def tell(self, path: Path, kind: Kind, level: Level, why: str = "", *, was: Any = None, now: Any = None) -> None:
        self.losses.append(_make_loss(path, kind, self.codec, level, was, now, why))

    def said(self, path: Path, thing: Any, field: str = "") -> Said | None:
        """Return what was said of an object, or of one of its fields, given its path."""
        return None if self.reasons is None else self.reasons.of(self.origin(path, thing), field)

    def origin(self, path: Path, thing: Any) -> Any:
        """Return the object in a place from which the other's was made."""
        return thing if self.like is None else thing_at(self.like, path)

    def whole(
        self, path: Path, kind: Kind, level: Level, why: str, *, was: Any, now: Any = None, thing: Any = None
    ) -> None:
        """Tell the loss of a block, message or tool; who caused it may have said why."""
        thing = was if thing is None else thing
        said = self.said(path, thing)
        # That something would be another thing here says nothing of one that is gone.
        if said is not None and not (kind == "dropped" and isinstance(said, Swap)):
            why = said.why
            # A rule may know that nothing is lost; that something is, what is left tells better, if it is left here.
            is_left = not extras_hold_content(thing, thing.extras, getattr(now, EXTRAS, {}))
            if said.level == "annotation" and is_left and not loses_within(thing, now):
                level = "annotation"
            elif said.level is not None and (kind == "moved" or (kind == "changed" and type(thing) in _TELLING_KINDS)):
                level = said.level
        self.tell(path, kind, level, why, was=was, now=now)

    def messages(self, old: Sequence[Msg], new: Sequence[Msg]) -> None:
        like = old if self.like is None else self.like.messages
        if self.known.in_place:
            for index, (message, other) in enumerate(zip(old, new, strict=True)):
                if message is not other:
                    is_whole = len(message.content) == len(other.content)
                    self.message(index, message, other, None if is_whole else self.matched(like[index], other))
        else:
            self.aligned(old, new, like)
        for number in self.links.broken(old):
            self.losses[number] = attrs.evolve(self.losses[number], level="content")

    def matched(self, old: Msg, new: Msg) -> _Matched:
        """Return where a message's blocks are in the one that was made from it."""
        places = in_turn(old, new, self.reasons)
        if places is not None:
            return _Matched(places)
        places, joined = align_blocks(old.content, new.content, self.reasons)
        return _Matched(places, joined, wholes=frozenset(joined.values()))

    def aligned(self, old: Sequence[Msg], new: Sequence[Msg], like: Sequence[Msg]) -> None:
        """Compare messages that may be anywhere; those at both ends usually are each in its turn."""
        start, end = self.beginning(old, new, like), 0
        while end < min(len(old), len(new)) - start:
            places = in_turn(like[-1 - end], new[-1 - end], self.reasons)
            if places is None or len(places) < len(old[-1 - end].content):
                break
            end += 1
        mine, theirs = range(start, len(old) - end), range(start, len(new) - end)
        if mine or theirs:
            self.placed(old, new, (mine, theirs), like)
        for index in range(mine.stop, len(old)):
            other = new[index - len(old) + len(new)]
            self.message(index, old[index], other, _Matched(in_turn(like[index], other, self.reasons) or {}))

    def beginning(self, old: Sequence[Msg], new: Sequence[Msg], like: Sequence[Msg]) -> int:
        """Compare the messages at the beginning that surely are each in its turn; return their number."""
        start, least = 0, min(len(old), len(new))
        places = in_turn(like[0], new[0], self.reasons) if least else None
        while start < least and places is not None:
            after = start + 1
            following = in_turn(like[after], new[after], self.reasons) if after < least else None
            is_part = len(places) < len(old[start].content)
            # What is missing may be in the next message, unless that surely is the next one's.
            is_last = after == len(old) == len(new)
            if is_part and not is_last and (following is None or len(new) > len(old)):
                break
            self.message(start, old[start], new[start], _Matched(places))
            start, places = after, following
        return start

    def message(self, index: int, old: Msg, new: Msg, matched: _Matched | None) -> None:
        """Compare a message with the one in its turn; without ``matched``, each block is in its place."""
        if old is new:
            return
        path: Path = ("messages", index)
        self.fields(path, old, new, _CONTENT)
        if matched is not None and len(matched.places) < len(old.content):
            self.items((*path, "content"), old.content, new.content, matched)
        elif new.content is not old.content:
            for place, (block, other) in enumerate(zip(old.content, new.content, strict=True)):
                if block is not other:
                    self.item((*path, "content", place), block, other)

    def placed(self, old: Sequence[Msg], new: Sequence[Msg], ranges: tuple[range, range], like: Sequence[Msg]) -> None:
        """Compare messages whose blocks may be anywhere in the other's."""
        mine, theirs = ranges
        found = placed(like, new, mine, theirs, self.reasons)
        resting = [i for i in mine if _rests(new, found, i)]
        mended = {n for n, i in enumerate(resting) if self.said(("messages", i), old[i], "place")}
        moved = {resting[n] for n in moved_of([found.runs[i][0].message for i in resting], mended)}
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
                self.place(i, old[i], ("split", "annotation", "one message each"), spots)
            elif i not in usual and runs[0].first and not is_lifted:
                self.place(i, old[i], ("merged", "annotation", "neighbours are one message"), spots)
            elif i not in usual:
                self.place(i, old[i], ("moved", "content", _ELSEWHERE), spots)
            base = _base(new, runs)
            self.fields(("messages", i), old[i], base, _CONTENT)
            self.items(("messages", i, "content"), old[i].content, base.content, _matched(i, old[i], runs, found))
        added = (m for m in theirs if m not in found.owned and not found.is_all_taken(new, m))
        for number, m in enumerate(added, start=len(old)):
            is_content = any(level_of_added(each) == "content" for each in new[m].content)
            said = None if self.reasons is None else self.reasons.of(self.reasons.source(new[m]))
            level: Level = "content" if is_content and said is None else "annotation"
            self.tell(("messages", number), "invented", level, said.why if said else "", now=((m, 0),))

    def place(self, index: int, message: Msg, usual: tuple[Kind, Level, str], spots: tuple[Spot, ...]) -> None:
        """Tell the new place of a message that isn't one whole message in its turn."""
        kind, level, why = usual
        said = self.said(("messages", index), message, "place")
        if said is not None:
            level, why = said.level or level, said.why
        self.tell(("messages", index), kind, level, why, now=spots)

    def gone(self, index: int, message: Msg, found: Placed) -> None:
        """Tell a message of which there is no block."""
        at: Path = ("messages", index)
        spots = (found.joined.get((index, place)) for place in range(len(message.content)))
        where = next(filter(None, spots), None)
        if where is None or isinstance(self.said(("messages", index), message), Drop):
            self.whole(at, "dropped", *self.of_blocks(at, message), was=message)
        else:
            why = "neighbours are one message"
            self.tell(("messages", index), "merged", "annotation", why, was=message, now=(where,))

    def of_blocks(self, at: Path, message: Msg) -> tuple[Level, str]:
        """Return the level of a message that is gone, and why, by what was said of its blocks."""
        whys: list[str] = []
        says = not message.content or message.structured is not None
        for place, block in enumerate(message.content):
            said = self.said((*at, "content", place), block)
            whys += [said.why] if isinstance(said, Drop) else []
            is_idle = said is not None and said.level == "annotation"
            is_idle = is_idle and not extras_hold_content(block, block.extras, {})
            says = says or (level_of_gone(block) == "content" and not is_idle)
        is_content = says or extras_hold_content(message, message.extras, {})
        return "content" if is_content else "annotation", whys[0] if whys else ""

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
        order = sorted(places, key=places.__getitem__)
        lifted = {order[n] for n in moved_of(order)}
        for j, block in enumerate(old):
            at: Path = (*path, j)
            if j in matched.apart:
                self.whole(at, "moved", "annotation", _APART, was=block, now=matched.apart[j])
                self.left(at, block, matched.inner.get(j))
            elif j in places and j not in lifted:
                is_whole = places[j] in matched.wholes or adds_nothing(new[places[j]], said[0])
                self.item(at, block, new[places[j]], is_whole=is_whole, apart=matched.inner.get(j))
            elif j in places:
                self.moved(at, block, new[places[j]], places[j], matched.inner.get(j))
            elif j in matched.joined:
                level = level_of_became(block, new[matched.joined[j]])
                self.whole(at, "merged", level, _NEIGHBOURS, was=block, now=matched.joined[j])
            else:
                tag = BLOCK_TAGS.get(class_of(block))
                why = f"no place for a {tag} block here" if tag else ""
                self.whole(at, "dropped", level_of_gone(block, said[1]), why, was=block)
        added = sorted(set(range(len(new))).difference(places.values()))
        for number, k in enumerate(added, start=len(old)):
            self.tell((*path, number), "invented", level_of_added(new[k], said[0]), now=k)

    def moved(self, at: Path, old: Any, new: Any, place: int, apart: Mapping[int, Any] | None) -> None:
        """Tell a block or tool that is elsewhere in its list now, and what else became of it."""
        if self.is_one(at, old, new):
            self.tell(at, "moved", "annotation", _ELSEWHERE, now=place)
            self.item(at, old, new, apart=apart)
        else:
            self.whole(at, "moved", level_of_became(old, new), _ELSEWHERE, was=old, now=place)
            self.left(at, old, apart)

    def is_one(self, at: Path, old: Any, new: Any) -> bool:
        """Whether a block or tool is the same kind of thing as before, so that its fields can be compared."""
        # A rule that made another result may have made its blocks, so they aren't matched one by one.
        is_remade = isinstance(old, ToolResultBlock) and isinstance(self.said(at, old), Swap)
        return type(old) is type(new) and not is_remade

    def left(self, at: Path, result: Any, apart: Mapping[int, Any] | None) -> None:
        """Tell where blocks went that left a result which is told whole: they don't stay there, too."""
        for place, spot in (apart or {}).items():
            self.whole((*at, "content", place), "moved", "annotation", _APART, was=result.content[place], now=spot)

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
        is_result = isinstance(old, ToolResultBlock)
        if not self.is_one(at, old, new):
            if same(old, new):
                return  # its twin, of which there was one too many, became another
            tag, other = (BLOCK_TAGS.get(class_of(each), "foreign") for each in (old, new))
            why = f"what was {tag} is {other} here"
            if is_result and isinstance(new, ToolResultBlock) and not same(old.tool_call_id, new.tool_call_id):
                self.links.add((*at, "tool_call_id"), len(self.losses), old.tool_call_id, new.tool_call_id)
            self.whole(at, "changed", level_of_became(old, new), why, was=old, now=new)
            self.left(at, old, apart)
            return
        self.fields(at, old, new, _CONTENT if is_result else frozenset(), is_whole=is_whole)
        if is_result and (apart or not same(old.content, new.content)):
            places, joined = align_blocks(self.origin(at, old).content, new.content, self.reasons)
            matched = _Matched(places, joined, apart or {}, wholes=frozenset(joined.values()))
            self.items((*at, "content"), old.content, new.content, matched, (all_words(old), all_words(new)))

    def fields(
        self, path: Path, old: Noted, new: Noted, skipped: frozenset[str] = frozenset(), *, is_whole: bool = False
    ) -> None:
        if old is new:
            return
        kind_of_owner: type = type(old)
        every = self.reasons and self.reasons.all_of(old if self.like is None else self.origin(path, old))
        rule = every.get("") if every else None
        for name, get, was, now in changes_of(kind_of_owner)(old, new):
            if name in skipped or ((now is not None or is_made(was)) and same(was, now)):
                continue
            if name in _INPUTS and _is_said(name, old, new):
                continue
            if type(was) is MadeName:
                was = None  # noqa: PLW2901 - what a reader derived it derives again
            if name in _LINKS and isinstance(old, _LINKS[name]):
                self.links.add((*path, name), len(self.losses), was, now)
            said = every.get(name) if every else None
            if said is None and rule is not None and _is_caused(rule, kind_of_owner, get, was):
                said = rule
            if name == EXTRAS and self.keys((*path, name), old, (was, now), said):
                continue
            # What the library made says nothing; zero and false say something.
            left = given(now)
            is_gone = not left and not isinstance(left, (int, float))
            kind: Kind = "dropped" if is_gone else "invented" if was is None else "changed"
            at: Path = (*path, name)
            if said is not None:
                level = _said_level(at, was, left, old, said)
            elif is_whole and name == "text" and str(was) in str(now):
                level = "annotation"
            else:
                level = level_of_loss(at, was, left, old)
                if name in _TOLD_ELSEWHERE:
                    level = _level_elsewhere(name, left, (old, new), level, is_written=bool(self.codec))
            why = "" if said is None else said.why
            self.losses.append(_make_loss(at, kind, self.codec, level, was, left, why))

    def keys(self, path: Path, owner: Noted, values: tuple[Any, Any], said: Said | None) -> bool:
        """Tell the lost keys of extras one by one, if they may be told."""
        keys = list(lost_keys(*values))
        # A path would show a key that was hidden.
        if self.known.is_secret and any(how != "changed" for _, how, *_ in keys):
            return False
        for way, how, was, now, order in keys:
            at = (*path, *way)
            level = level_of_loss(at, was, now, owner, said.level if said else None)
            why = said.why if said else ""
            self.losses.append(_make_loss(at, how, self.codec, level, was, now, why, order=order))
        return bool(keys)

    def rest(self, history: History, back: History) -> None:
        """Compare what stands beside the messages."""
        apart = {"messages", "tools"}
        asked, left = history.settings, back.settings
        if left is None and asked is not None and not same(asked, _NO_SETTINGS):
            left = _NO_SETTINGS
        if asked is not None and left is not None:
            apart.add("settings")
            self.fields(("settings",), asked, left)
        self.fields((), history, back, frozenset(apart))
        if history.tools is not back.tools and not same(history.tools, back.tools):
            tools = history.tools if self.like is None else self.like.tools
            matched = _Matched(_matched_tools(tools, back.tools))
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
    if not isinstance(old, ToolUseBlock) or not isinstance(new, ToolUseBlock):
        return False
    if old.significant_text is None:
        return name == "raw_input" and not same(old.input, new.input)
    return name == "input" and old.significant_text != new.significant_text


def _is_caused(said: Said | None, kind: type, get: Callable[[Any], Any], was: Any) -> bool:
    """Whether a rule that gave another object for one caused the loss of a field."""
    return isinstance(said, Swap) and type(said.new) is kind and not same(get(said.new), was)


def _said_level(path: Path, was: Any, now: Any, owner: Any, said: Said) -> Level:
    """Return the level of a lost field of which somebody said why."""
    if isinstance(said, Reason) and said.level is None:
        return level_at(path, was, now)  # a mend may change a name: it isn't asked what else was lost
    return level_of_loss(path, was, now, owner, said.level)


def _level_elsewhere(name: str, now: Any, owners: tuple[Any, Any], level: Level, *, is_written: bool) -> Level:
    """Return the level of a lost field that may be told in another way, given its usual level."""
    old, new = owners
    if name != "source":
        is_result = isinstance(old, ToolResultBlock)
        return level_of_result_field(name, old, new, level, is_written=is_written) if is_result else level
    return "annotation" if now is not None and held(old) == held(new) else level


class _Links:
    """The links that changed, by message and block."""

    def __init__(self) -> None:
        self._changed: dict[tuple[int, int], tuple[int, Any, Any]] = {}

    def add(self, path: Path, number: int, was: Any, now: Any) -> None:
        """Note that a link changed.

        Args:
            path: of the link.
            number: of its loss.
            was: the link.
            now: what it is now.
        """
        match path:
            case ("messages", int() as index, "content", int() as place, _):
                self._changed[index, place] = number, was, now
            case _:
                pass  # a call inside a result has no result of its own

    def broken(self, messages: Sequence[Msg]) -> Iterator[int]:
        """Yield the numbers of the losses of links that no longer join what they joined before."""
        if not self._changed:
            return
        # For each old link, the links that its calls and its results have now: the n-th result goes with the n-th call.
        joined: dict[Any, tuple[list[Any], list[Any]]] = {}
        for index, message in enumerate(messages):
            for place, block in enumerate(message.content):
                if isinstance(block, (ToolUseBlock, ToolResultBlock)):
                    link = link_of(block)
                    now = self._changed[index, place][2] if (index, place) in self._changed else link
                    joined.setdefault(link, ([], []))[isinstance(block, ToolResultBlock)].append(now)
        broken = {
            link
            for link, (calls, results) in joined.items()
            if any(call != result for call, result in zip(calls, results, strict=False))
        }
        for number, was, _ in self._changed.values():
            if given(was) is None:
                continue  # it joined nothing
            if was in broken:
                yield number
