"""The envelope: an answer of a known provider is kept as the SDK's client for this provider keeps it.

``issuers`` has the tables. Here are the blocks that pass through them: an assistant's message is cut into runs of
blocks that the tables turn into others, and of those that stay as they are. Who answered is told by what the parts
hold, so it is a value that the reader makes, and counts as absent elsewhere.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, groupby, pairwise
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg import same, thaw
from agentmsg.formats import (
    Unreadable,
    dump_json,
    envelopes,
    is_mapping,
    issuers,
    natives,
    same_document,
    speed,
    tool_links,
)
from agentmsg.formats import media as media_kinds
from agentmsg_codecs.vercel.issuers.anthropic import ANTHROPIC
from agentmsg_codecs.vercel.issuers.given import media_back, media_into, reference_back, reference_into
from agentmsg_codecs.vercel.issuers.google import GOOGLE
from agentmsg_codecs.vercel.issuers.openai import CLIENT_TOOLS, RESPONSES
from agentmsg_codecs.vercel.issuers.parts import inverse, renamed_keys
from agentmsg_codecs.vercel.names import FAMILY, OPTIONS, PROVIDER_OPTIONS, UI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentmsg.formats import Parts
    from agentmsg_codecs.vercel.issuers.parts import Issuer

_ISSUERS = (ANTHROPIC, RESPONSES, GOOGLE)
_BY_PROVIDER = {issuer.provider: issuer for issuer in _ISSUERS}
_BY_FAMILY = {issuer.codec: issuer for issuer in _ISSUERS}
# Options that a person sets on a request, whoever answers.
_METADATA = {PROVIDER_OPTIONS: "providerMetadata"}
_HINTS = frozenset({"cacheControl", "imageDetail"})


class VercelEnvelope(envelopes.Envelope):
    """What the SDK's clients keep of answers.

    Attributes:
        family: of the notes on blocks.
    """

    family: ClassVar[str] = FAMILY
    roles: ClassVar[frozenset[str]] = frozenset({"assistant", "user", "tool"})

    def is_usual(self, message: am.Msg) -> bool:
        """Whether nothing in a message has another form at any provider, or tells who answered."""
        if speed.how_bare(message) or message.role not in self.roles:
            return True
        if message.provider is not None:
            return False
        content: Any = message.content
        for block in content:  # a loop: this is called for each message
            cls: Any = block.__class__
            if cls is am.ToolUseBlock or cls is am.ToolResultBlock:
                if block.kind != "function":
                    return False
                if cls is am.ToolUseBlock and (block.name in CLIENT_TOOLS or block.namespace is not None):
                    return False
                if cls is am.ToolResultBlock and any(item.__class__ is am.NativeBlock for item in block.content):
                    return False
            elif cls is am.TextBlock:
                if block.citations:
                    return False
            elif cls not in media_kinds.KINDS:
                return False
            if block.extras or block.signature is not None or block.item_id is not None or block.phase is not None:
                return False
        return True

    def wrap(self, message: am.Msg) -> am.Msg:
        """Return a message as the client of the one who answered would have made it."""
        return self._wrap(message, self._into)

    def wrap_each(self, message: am.Msg) -> am.Msg:
        """Return a message in which each run of blocks that comes back is as the client would have made it."""
        return self._wrap(message, self._into_and_back)

    def _wrap(
        self, message: am.Msg, into: Callable[[Issuer, Sequence[Any]], Callable[[list[Any]], list[Any]]]
    ) -> am.Msg:
        if message.role != "assistant":
            return _given(message, media_into, reference_into)
        if message.provider is None:
            issuer = _teller(message.content, _told)
        else:
            issuer = _BY_PROVIDER.get(str(message.provider))
            if issuer is not None and message.api not in (None, issuer.api):
                return message
        if issuer is None:
            return message
        is_own = _special(issuer, issuer.is_own, message.content)
        content = _media(_changed(message.content, is_own, into(issuer, message.content)), media_into)
        if content is message.content and isinstance(message.provider, (am.Made, type(None))):
            return message  # the usual case: what is made counts as absent
        new = message if content is message.content else message.evolve(content=content)
        is_told = message.provider is not None and _teller(content, _kept) is issuer and message.api == issuer.api
        return new.evolve(provider=None, api=None) if is_told else new

    def unwrap(self, message: am.Msg) -> am.Msg:
        """Return a message in the words of the one who answered, if its parts tell who did."""
        if message.role != "assistant":
            return _given(message, media_back, reference_back)
        issuer = _teller(message.content, _kept) if message.provider is None else None
        if issuer is None:
            return message
        is_kept = _special(issuer, issuer.is_kept, message.content)
        content = _media(_changed(message.content, is_kept, self._back(issuer)), media_back)
        api = None if issuer.api is None else tool_links.made_name(issuer.api)
        return message.evolve(content=content, provider=tool_links.made_name(issuer.provider), api=api)

    def wrapped(self, history: am.History) -> am.History:
        """Return a history in the SDK's words, in which custom tools and their results are functions'."""
        new = super().wrapped(history)
        return new if new is history else _rekinded(new, _customs(history, new), "custom", "function")

    def unwrapped(self, history: am.History) -> am.History:
        """Return a history in the words of those who answered; a custom tool's call tells the kind of its result."""
        new = super().unwrapped(history)
        return new if new is history else _rekinded(new, _customs(new, history), "function", "custom")

    def agreeing(self, messages: list[am.Msg], inside: am.History) -> list[am.Msg]:
        """Return messages in which a custom tool's call tells the kind of its result."""
        new = inside.evolve(messages=tuple(messages))
        return list(_rekinded(new, _customs(new, inside), "function", "custom").messages)

    def comes_back(self, message: am.Msg, wrapped: am.Msg) -> bool:
        """Whether the parts are the same; the order of their keys doesn't count."""
        if len(message.content) != len(wrapped.content) or not all(
            map(self._is_same, message.content, wrapped.content)
        ):
            return False
        return envelopes.is_just_as(message.with_content(()), wrapped.with_content(()))

    def _is_same(self, one: Any, other: Any) -> bool:
        if one is other:
            return True
        if one.notes.get(self.family) != other.notes.get(self.family) or not same(_unread(one), _unread(other)):
            return False
        return same(one, other) or same_document(self.write(one), self.write(other))

    def _into(self, issuer: Issuer, content: Sequence[Any]) -> Callable[[list[Any]], list[Any]]:
        codec = am.get_codec(issuer.codec)
        calls = {block.id: block for block in content if type(block) is am.ToolUseBlock}

        def into(run: list[Any]) -> list[Any]:
            bare = list(map(self._known, run))
            return self._noted(run, list(map(self.read, issuer.into(codec.write_parts(bare), bare, calls))))

        return into

    def _into_and_back(self, issuer: Issuer, content: Sequence[Any]) -> Callable[[list[Any]], list[Any]]:
        into, back = self._into(issuer.evolve(into=issuer.into_fully or issuer.into), content), self._back(issuer)

        def proved(run: list[Any]) -> list[Any]:
            found = into(run)
            if not all(map(issuer.is_kept, found)) or not same(tuple(back(found)), tuple(run)):
                raise Unreadable
            return found

        return proved

    def _back(self, issuer: Issuer) -> Callable[[list[Any]], list[Any]]:
        codec = am.get_codec(issuer.codec)

        def back(run: list[Any]) -> list[Any]:
            parts = list(map(self.write, run))
            return self._noted(run, issuer.linked(codec.read_parts(issuer.back(parts)), parts))

        return back

    def _known(self, block: Any) -> Any:
        """Return a block without unknown keys of its part, which nobody else can write."""
        if self.family not in block.extras:
            return block
        return block.evolve(extras={space: block.extras[space] for space in block.extras if space != self.family})

    def _noted(self, run: list[Any], blocks: list[Any]) -> list[Any]:
        """Return what became of a run, with the notes that say how the framework spelt it, and with unknown keys.

        If their numbers differ, because a part is two blocks, or the reverse, those of a class are told by their order.
        """
        if not any(self.family in block.notes or self.family in block.extras for block in run):
            return blocks
        if len(run) == len(blocks):
            return list(map(self._spelt, run, blocks))
        found = list(blocks)
        for cls in set(map(type, run)):
            places = [place for place, block in enumerate(blocks) if type(block) is cls]
            olds = [block for block in run if type(block) is cls]
            if len(places) == len(olds):
                for place, old in zip(places, olds, strict=True):
                    found[place] = self._spelt(old, found[place])
        return found

    def _spelt(self, old: Any, new: Any) -> Any:
        changes: dict[str, Any] = {}
        if self.family in old.notes:
            changes["notes"] = {**new.notes, self.family: old.notes[self.family]}
        if self.family in old.extras and self.family not in new.extras:
            changes["extras"] = {**new.extras, self.family: old.extras[self.family]}
        return new.evolve(**changes) if changes else new

    def read(self, part: Any) -> Any:
        """Return the block that the codec reads of a part."""
        return _parts().read(part)

    def write(self, block: Any) -> Any:
        """Return the part that the codec writes of a block.

        Raises:
            Unreadable: if it isn't one that was read of a part.
        """
        if type(block) is am.ToolResultBlock and not all(type(item) is am.TextBlock for item in block.content):
            raise Unreadable
        return thaw(_parts().write(block))


class UIEnvelope(VercelEnvelope):
    """The same in messages for users: a result has the item of its call, and an error is a text."""

    family: ClassVar[str] = UI
    roles: ClassVar[frozenset[str]] = frozenset({"assistant", "user"})

    def read(self, part: Any) -> Any:
        """Return the block that the codec reads of a part."""
        block = super().read(part)
        if type(block) is am.NativeBlock:
            return am.NativeBlock(UI, renamed_keys(part, _METADATA))
        if type(block) is not am.ToolResultBlock:
            return block
        options = part.get(PROVIDER_OPTIONS)
        if block.item_id is not None:
            block = block.evolve(item_id=None, extras={**block.extras, OPTIONS: options})
        if block.status == "error" and (type(block.structured) is str or is_mapping(block.structured)):
            said = block.structured if type(block.structured) is str else dump_json(block.structured).decode()
            block = block.evolve(structured=None, content=(am.TextBlock(said),) if said else ())
        return block

    def write(self, block: Any) -> Any:
        """Return the part that messages for models have for a block."""
        if type(block) is am.NativeBlock:
            return renamed_keys(thaw(block.value), inverse(_METADATA))
        if type(block) is am.ToolResultBlock and block.status == "error" and block.structured is None:
            _, value, _ = speed.parse_arguments(block.text)
            is_error = is_mapping(value) and str(value.get("type")).endswith("_error")
            block = block.evolve(structured=value if is_error else block.text, content=())
        return super().write(block)


def _unread(block: Any) -> Any:
    """Return the extras of a block but for its options: keys of its part that nobody understands."""
    return {space: block.extras[space] for space in sorted(block.extras) if space != OPTIONS}


def _customs(answered: am.History, kept: am.History) -> set[str | None]:
    """Return the ids of custom tools' calls in messages that are kept in the SDK's words."""
    return {
        call.id
        for message, other in zip(answered, kept, strict=True)
        if message is not other
        for call in message.blocks(am.ToolUseBlock)
        if call.kind == "custom"
    }


def _rekinded(history: am.History, ids: set[str | None], kind: str, other: str) -> am.History:
    """Return a history in which the results of these calls have another kind."""

    def change(block: Any) -> Any:
        is_its = type(block) is am.ToolResultBlock and block.kind == kind and block.tool_call_id in ids
        return block.evolve(kind=other) if is_its else block

    messages = (natives.with_each(message, change) if message.role == "tool" else message for message in history)
    return history.evolve(messages=tuple(messages)) if ids else history


@cache
def _parts() -> Parts:
    from agentmsg_codecs.vercel.format import describe  # noqa: PLC0415 - few messages need it

    described = describe()
    described.fill()
    return described.parts["assistant"]


def _special(issuer: Issuer, is_special: Callable[[Any], bool], content: Any) -> Callable[[Any], bool]:
    """Return whether an issuer has a form for a block; also for a request that stands behind the server's call."""
    if not issuer.asks:
        return is_special
    requests = {
        id(block)
        for call, block in pairwise(content)
        if type(block) is am.ApprovalRequestBlock
        and type(call) is am.ToolUseBlock
        and call.kind == "server"
        and call.id == block.tool_call_id
        and is_special(call)
    }
    return (lambda block: id(block) in requests or is_special(block)) if requests else is_special


def _changed(content: Any, is_special: Callable[[Any], bool], change: Callable[[list[Any]], list[Any]]) -> Any:
    """Return blocks of which the runs that are special have changed; the same tuple if none has."""
    if not any(map(is_special, content)):
        return content
    found: list[Any] = []
    for is_run, blocks in groupby(content, is_special):
        run = list(blocks)
        found += _tried(run, change) if is_run else run
    return content if len(found) == len(content) and all(map(is_, found, content)) else tuple(found)


def _tried(run: list[Any], change: Callable[[list[Any]], list[Any]]) -> list[Any]:
    """Return what a run changes into; of one that can't, each half that can, and so on: a block that can't stays."""
    try:
        return change(run)
    except envelopes.UNFIT:
        pass  # values of other kinds than the client has
    if len(run) == 1:
        return run
    half = _half(run)
    return [*_tried(run[:half], change), *_tried(run[half:], change)]


def _half(run: list[Any]) -> int:
    """Return where to cut a run: next to its middle, but not between two blocks of one id if there is another place."""
    ids = [{getattr(block, key, None) for key in ("id", "tool_call_id", "item_id")} - {None} for block in run]
    last = {link: place for place, links in enumerate(ids) for link in links}
    reaches = accumulate((max((place, *map(last.__getitem__, links))) for place, links in enumerate(ids)), max)
    ends = [place + 1 for place, reach in enumerate(reaches) if reach == place < len(run) - 1]
    middle = len(run) // 2
    return min(ends, key=lambda end: abs(end - middle), default=middle)


def _given(message: am.Msg, media: Callable[[Any], Any], reference: Callable[[Any], Any]) -> am.Msg:
    """Return what a person or a tool says, with its media and the tools that it names changed."""

    def change(block: Any) -> Any:
        is_result = type(block) is am.ToolResultBlock
        return natives.with_each(block, reference) if is_result else _medium(block, media)

    return natives.with_each(message, change)  # type: ignore[no-any-return]


def _media(content: Any, change: Callable[[Any], Any]) -> Any:
    """Return an answer's blocks with its media changed; the same tuple if none has."""
    found = tuple([_medium(block, change) for block in content])
    return content if all(map(is_, found, content)) else found


def _medium(block: Any, change: Callable[[Any], Any]) -> Any:
    return change(block) if block.extras and type(block) in media_kinds.KINDS else block


# -- who answered -----------------------------------------------------------------------------------------------------


def _teller(content: Iterable[Any], tell: Callable[[Any], Issuer | None]) -> Issuer | None:
    """Return the only issuer that blocks tell of; None if there is none, or several."""
    found: Issuer | None = None
    for block in content:
        issuer = tell(block)
        if issuer is not None and issuer is not found:
            if found is not None:
                return None
            found = issuer
    return found


def _told(block: Any) -> Issuer | None:
    """Return the issuer that a block of any history tells of."""
    if block.signature is not None:
        return _BY_PROVIDER.get(block.signature.provider or "")
    for family in block.extras:
        if family in _BY_FAMILY:
            return _BY_FAMILY[family]
    for citation in getattr(block, "citations", ()):
        kind = citation.kind or ""
        return _BY_PROVIDER["anthropic"] if kind.endswith("_location") else _BY_PROVIDER["openai"]
    if type(block) is am.ToolUseBlock and block.namespace is not None:
        return _BY_PROVIDER["openai"]
    return _of_fields(block)


def _kept(block: Any) -> Issuer | None:
    """Return the issuer that a block that was read, or is to be written, tells of."""
    if block.signature is not None:
        return _BY_PROVIDER.get(block.signature.provider or "")
    options: Any = speed.peek(block.extras, OPTIONS) if block.extras else None
    if is_mapping(options):
        for key in options:
            if key in _BY_PROVIDER and is_mapping(options[key]) and not options[key].keys() <= _HINTS:
                return _BY_PROVIDER[key]
    if type(block) is am.NativeBlock:
        kind = block.value.get("kind") if is_mapping(block.value) else None
        return _BY_PROVIDER.get(kind.partition(".")[0]) if type(kind) is str else None
    return _of_fields(block)


def _of_fields(block: Any) -> Issuer | None:
    cls: Any = block.__class__
    if cls is am.ToolUseBlock or cls is am.ToolResultBlock:
        if block.kind == "server" and block.provider in _BY_PROVIDER:
            return _BY_PROVIDER[block.provider]
        if cls is am.ToolUseBlock:
            makers = [issuer for issuer in _ISSUERS if issuer.makes(block)]
            if makers:
                return makers[0]
    elif cls is am.ThinkingBlock and block.redacted is not None:
        return _BY_PROVIDER["anthropic"]
    elif cls is am.CompactionBlock:
        return _BY_PROVIDER[
            "anthropic" if block.encrypted is None or issuers.issuer_of(block) == "anthropic" else "openai"
        ]
    is_item = type(block.item_id) is str or block.phase is not None
    return _BY_PROVIDER["openai"] if is_item and cls is not am.SourceBlock else None
