"""Native messages and ours: each tool result becomes a message, each cache point goes into the previous part.

And the base of the codecs of requests and responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

from agentmsg.formats import Codec, Native, cells, is_list, is_marked, is_object, mark_of, marked, natives
from agentmsg.formats.forms import Grouped
from agentmsg_codecs.bedrock.format import describe
from agentmsg_codecs.bedrock.names import FAMILY, POINT, STRANDS
from agentmsg_codecs.bedrock.nulls import with_nulls, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import agentmsg as am

_PLACES = {"system": "system", "user": "user", "assistant": "assistant"}
MESSAGE_EXTRAS = cells.beside((FAMILY, frozenset({"role", "content"})))


def folded(parts: Any) -> Any:
    """Move each cache point into the part before it; return None if a point has no such part."""
    if not is_list(parts) or not any(is_object(part) and POINT in part for part in parts):
        return parts
    out: list[Any] = []
    for part in parts:
        if not is_object(part) or POINT not in part:
            out.append(part)
        elif len(part) > 1 or not is_object(part[POINT]) or not out or not _takes(out[-1]):
            return None
        else:
            out[-1] = {**out[-1], **part}
    return out


def _takes(part: Any) -> bool:
    """Whether a cache point may follow: this is a part, and has none yet."""
    return is_object(part) and len(part) == 1 and POINT not in part


def unfolded(parts: list[Any]) -> list[Any]:
    """Make each cache point a part of its own again."""
    if not any(is_object(part) and POINT in part for part in parts):
        return parts
    out: list[Any] = []
    for part in parts:
        if is_object(part) and POINT in part and len(part) > 1:
            out += [{key: value for key, value in part.items() if key != POINT}, {POINT: part[POINT]}]
        else:
            out.append(part)
    return out


def text_if_one(parts: Any) -> Any:
    """Return the text of content that is one text and no more; any other content unchanged."""
    is_one = is_list(parts) and len(parts) == 1 and is_object(parts[0]) and parts[0].keys() == {"text"}
    return parts[0]["text"] if is_one else parts


def is_top(message: am.Msg) -> bool:
    """Whether a leading message is the system prompt."""
    return message.role == "system" and may_move(message)


def may_move(message: am.Msg) -> bool:
    """Whether a leading message can be the prompt, which is only content: it wasn't read from the list of messages."""
    if message.extras and MESSAGE_EXTRAS(message.extras, message):
        return False
    return not is_marked(message, FAMILY, "/here")


class Messages(Grouped):
    """Reads and writes messages.

    Args:
        alternates: whether what a user says beside results is written in their message.
    """

    def __init__(self, *, alternates: bool = False) -> None:
        super().__init__(describe(), result="result", roles=_PLACES, is_list=True, alternates=alternates)

    def container(self, native: Any) -> list[am.Msg]:
        """Read one native message; anything unknown becomes a message with the role "native"."""
        parts = native.get("content") if is_object(native) else None
        bare = without_nulls(parts)
        if bare is not None:
            first, *others = self.container({**native, "content": bare[0]})
            if first.role not in ("tool", "native"):  # messages of results have no marks
                return [marked(first, FAMILY, nulls=bare[1]), *others]
        if type(parts) is str:
            first, *_ = super().container({**native, "content": [{"text": parts}]})
            return [natives.read_whole(native, FAMILY) if first.role == "native" else marked(first, FAMILY, str=True)]
        moved = folded(parts)
        if moved is parts:
            return Grouped.container(self, native)
        if moved is not None:
            found = super().container({**native, "content": moved})
            # If the message is kept whole, its points must not move to other parts.
            if len(found) > 1 or found[0].role != "native":
                return found
        return [natives.read_whole(native, FAMILY)]

    def write_group(self, group: Sequence[am.Msg]) -> Any:
        """Write these messages as one native message."""
        native = super().write_group(group)
        if group[0].role == "native":
            return _Kept(native) if is_object(native) else native
        nulls = mark_of(group[0], FAMILY, "/nulls")
        if nulls is not None and is_list(native.get("content")):
            return _Kept({**native, "content": with_nulls(unfolded(native["content"]), nulls)})
        is_text = is_marked(group[0], FAMILY, "/str") and "content" in native
        return {**native, "content": text_if_one(native["content"])} if is_text else native

    def write(self, messages: Sequence[am.Msg]) -> list[Any]:
        """Write messages that fit."""
        return [_unfolded(native) for native in super().write(messages)]

    def system(self, parts: Any) -> am.Msg:
        """Read the system prompt of a body as a message."""
        return self.container({"role": "system", "content": parts})[0]

    def write_system(self, message: am.Msg) -> Any:
        """Write a message that fits as the system prompt of a body."""
        content = _unfolded(self.write_group((message,))).get("content")
        return [] if content is None else content

    def blocks(self, parts: Iterable[Any]) -> tuple[Any, ...]:
        """Read the parts of a response's message as blocks."""
        return tuple(map(self.places["assistant"].read, parts))


class _Kept(dict[str, Any]):
    """A native message that was kept whole, so its cache points stay in place."""


def _unfolded(native: Any) -> Any:
    if isinstance(native, _Kept):
        return dict(native)
    if not is_object(native) or not is_list(native.get("content")):
        return native
    whole: Native = native
    parts = unfolded(whole["content"])
    return whole if parts is whole["content"] else {**whole, "content": parts}


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Bedrock(Codec):
    """Documents of Bedrock's Converse.

    Attributes:
        thinking: for thinking that another provider signed: "drop" it, or write it as "text" in tags. None drops it,
            too, but ``encode`` then refuses to lose it.
        engine: reads and writes; hooks registered on ``engine.parts.converter`` before first use replace ours.
    """

    family: ClassVar[str] = FAMILY
    events: ClassVar[str | None] = "agentmsg_codecs.bedrock.events"
    fits_as_read: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    # The keys that Strands adds to messages.
    kept: ClassVar[frozenset[str]] = STRANDS

    thinking: Literal["drop", "text"] | None = attrs.field(
        default=None, validator=attrs.validators.in_((None, "drop", "text"))
    )
    engine: Messages = attrs.field(factory=Messages, init=False, eq=False, repr=False)
