"""Functions for readers and writers of many formats: messages kept whole, content, arguments, ids.

Marks: ``/no-id`` on a call or result that was read without an id, and needs none; ``/object`` on a call whose arguments
were given as a value, where others give their text; ``/odd`` on what was read although the format's library would not
write it, or would refuse it.
"""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from agentmsg.errors import DecodeError, excerpt
from agentmsg.formats.shapes import Native, Shape, Unreadable, marked, read_as
from agentmsg.formats.spelling import same_document, spelling_of_nothing
from agentmsg.model.blocks import NativeBlock, TextBlock, ToolUseBlock
from agentmsg.model.construction import maker, says_only
from agentmsg.model.msg import Msg
from agentmsg.model.tool_arguments import input_text
from agentmsg.model.tool_links import link_of as _link_of
from agentmsg.values.frozen import EMPTY, adopt, plain_copy, thaw
from agentmsg.values.peeking import peek
from agentmsg.values.types import is_list, is_mapping, is_object, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentmsg.model.base import Noted

_make_msg = maker(Msg)
_make_native = maker(NativeBlock)
_make_text = maker(TextBlock)
NOTHING: Any = object()
"""Returned for a value that isn't there."""
_ITSELF: Any = object()
_MAPPING: Any = dict  # so that type checkers ask nothing about what is inside
_says_only_words = says_only(TextBlock, "text")


def is_marked(obj: Noted, family: str, mark: str) -> bool:
    """Whether an object has a mark."""
    notes = obj.notes
    if not notes:
        return False
    note = peek(notes, family)
    # Asked of nearly every block that is written, so ``is_mapping`` isn't called.
    return isinstance(note, _MAPPING) and peek(note, mark) is True


def is_native(message: Msg, family: str) -> bool:
    """Whether a message is one that a reader of the family kept unchanged."""
    if message.role != "native" or len(message.content) != 1:
        return False
    block = message.content[0]
    return isinstance(block, NativeBlock) and block.codec == family


def odd_at(
    shape: Shape, family: str, namespace: str | None = None, *, inside: tuple[str, frozenset[str]] | None = None
) -> Callable[[Any, str, Any], bool]:
    """Return the test whether an extra comes back under a key that a shape models: its value has no meaning there.

    Args:
        shape: the shape in which the owner of the extras is written; the keys are its ``odd`` ones.
        family: whose extras these are.
        namespace: of the extras, if not ``family``.
        inside: the key of the inner object that the extras belong to, and the odd ones of its keys.
    """
    odd = shape.odd if inside is None else inside[1]

    def comes_back(owner: Any, key: str, value: Any) -> bool:
        if key not in odd:
            return False
        try:
            # The writer adds to an inner object its extras, of which this is one.
            others = {space: own for space, own in owner.extras.items() if inside is None or space != namespace}
            plain = plain_copy(thaw(shape.write(owner.evolve(extras=others) if inside else owner)))
            here = plain if inside is None else plain.setdefault(inside[0], {})
            is_free = key not in here
            here[key] = thaw(value)
            back = read_as(shape, plain, family, namespace=namespace)
        except Exception:  # noqa: BLE001 - an owner that doesn't fit yet: what may not come back isn't supported
            return False
        found = back.extras.get(namespace or family) if is_free else None
        return is_mapping(found) and key in found

    return comes_back


def count_at(native: Mapping[str, Any], key: str) -> int | None:
    """Return the whole number under a key, or None if there is nothing.

    Raises:
        Unreadable: if there is something else.
    """
    value = native.get(key)
    if value is not None and type(value) is not int:
        raise Unreadable
    return value


def word_if_any(native: Mapping[str, Any], key: str) -> str | None:
    """Return the text under a key; None for anything else, which is an extra: the key is one of ``Shape.odd``."""
    value = native.get(key)
    return value if type(value) is str else None


def unread(native: Native, key: str) -> dict[str, Any]:
    """Return a hatch's ``get`` result for a value without meaning: a note if it says nothing, else an extra."""
    value = native[key]
    nothing = spelling_of_nothing(value)
    return {"odd": (key,)} if nothing is None else {"notes": {key: nothing}}


def role_of(native: Any) -> str:
    """Return the word under ``role`` of a native message.

    Raises:
        DecodeError: if it isn't an object, or has no role.
    """
    if not is_object(native):
        raise DecodeError(f"a message is an object, not {excerpt(native)}")
    role = native.get("role")
    if type(role) is not str:
        raise DecodeError("a message needs a role", path=("role",))
    return role


# -- messages that the model can't express ----------------------------------------------------------------------------


def read_whole(native: Any, family: str, body: Any = _ITSELF) -> Msg:
    """Return a message with the role ``native`` that keeps a native one unchanged; its text is for other formats.

    Args:
        native: the native message.
        family: whose it is.
        body: the object with its content, if that is another one.
    """
    body = native if body is _ITSELF else body
    said: Any = body.get("content") if is_object(body) else None
    fallback = said if isinstance(said, str) and said else None
    return _make_msg("native", (_make_native(codec=family, value=adopt(native), fallback=fallback),))


def native_text(part: Any) -> str | None:
    """Return the text that other formats may write for a native part: its ``text``."""
    text = part.get("text") if is_mapping(part) else None
    return text if isinstance(text, str) and text else None


def native_texts(part: Any) -> str | None:
    """Return the text of a native part that may hold others: its ``text``, its ``content``, or those of its parts."""
    content = part.get("content") if is_mapping(part) else None
    own = native_text(part) or content
    if isinstance(own, str):
        return own or None
    return "\n".join(filter(None, map(native_text, content if is_sequence(content) else (content,)))) or None


_MOST_NAMES = 10


def only_of(codec: str, value: Any) -> str:
    """Return why others can't write a native value, and what it is: its type or only key, and the names in it.

    Args:
        codec: whose value it is.
        value: such as a list of the tools that a server has.
    """
    why = f"only {codec} can write this"
    if not is_mapping(value):
        return why
    kind: Any = value.get("type") or (next(iter(value)) if len(value) == 1 else None)
    held = [value, *(item for own in value.values() if is_sequence(own) for item in own if is_mapping(item))]
    named = [name for item in held if isinstance(name := item.get("name"), str) and name]
    names = ", ".join(named[:_MOST_NAMES]) + (f" and {more} more" if (more := len(named) - _MOST_NAMES) > 0 else "")
    told = " of ".join(filter(None, (kind if isinstance(kind, str) else "", names)))
    return f"{why}: {told.encode('ascii', 'backslashreplace').decode()}" if told else why


def native_part(part: Any, family: str, said: Callable[[Any], str | None] = native_text) -> NativeBlock:
    """Return a block that keeps a part unchanged; its text, which a function returns, is for other formats."""
    return _make_native(codec=family, value=adopt(part), fallback=said(part))


def native_of(message: Msg, family: str) -> Any:
    """Return the native message that a ``native`` message keeps for a family; None for any other message."""
    if not is_native(message, family):
        return None
    block: Any = message.content[0]
    return thaw(block.value)


# -- content: a text, nothing, or a list of parts ---------------------------------------------------------------------


def is_bare_text(block: Any, family: str) -> bool:
    """Whether a block is a text and nothing more, so that a plain text may replace it.

    Its spelling in another family doesn't matter.
    """
    return _says_only_words(block) and bool(block.text) and (not block.notes or family not in block.notes)


def read_content(value: Any, read: Callable[[Any], Any], family: str) -> tuple[tuple[Any, ...], bool]:
    """Return the blocks of content, and whether it is a list although a text alone would do.

    Args:
        value: of the key.
        read: reads a part.
        family: whose format this is.

    Raises:
        Unreadable: if it isn't content.
    """
    if value is None or type(value) is str:
        return ((_make_text(value),) if value else ()), False
    if not is_list(value):
        raise Unreadable
    blocks = tuple(map(read, value))
    return blocks, len(blocks) == 1 and is_bare_text(blocks[0], family)


# -- objects inside objects -------------------------------------------------------------------------------------------


def extras_of(owner: Noted, space: str) -> Mapping[str, Any]:
    """Return the extras of an object in a namespace; empty if there are none, or if they aren't an object."""
    if not owner.extras:
        return EMPTY
    own = owner.extras.get(space)
    return own if is_mapping(own) else EMPTY


def extras_copy(owner: Noted, space: str) -> Native:
    """Return the extras of an object in a namespace as plain data; empty like those of ``extras_of``."""
    if not owner.extras:
        return {}
    # What is only copied need not be frozen first.
    own = peek(owner.extras, space)
    return thaw(own) if is_mapping(own) else {}


def has_extra(owner: Noted, space: str, key: str) -> bool:
    """Whether an object has an extra in a namespace."""
    own = peek(owner.extras, space) if owner.extras else None
    return is_mapping(own) and key in own


def rest_of(native: Native, known: frozenset[str], space: str) -> Mapping[str, Any]:
    """Return the unknown keys of an inner object as extras in their own namespace."""
    rest = {key: value for key, value in native.items() if key not in known}
    return adopt({space: rest}) if rest else EMPTY


def with_rest(native: Native, owner: Noted, space: str) -> Native:
    """Return such an object with its unknown keys, as plain data."""
    return {**native, **extras_copy(owner, space)}


def coming_back(own: Mapping[str, Any], come_back: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    """Return those of some extras that come back: all if they do, else each that does beside those before it."""
    if come_back(own):
        return own
    kept: dict[str, Any] = {}
    for key in own:
        if come_back({**kept, key: own[key]}):
            kept[key] = own[key]
    return kept


def value_at(held: Any, path: Sequence[str]) -> Any:
    """Return what is at a path of keys, or ``NOTHING``."""
    for key in path:
        if not is_mapping(held) or key not in held:
            return NOTHING
        held = held[key]
    return held


def nested(path: Sequence[str], value: Any) -> Native:
    """Return the object that has a value at a path, and nothing else."""
    return {path[0]: nested(path[1:], value) if path[1:] else value}


def without(held: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return an object without what is at a path in it, and without objects of which nothing else is left."""
    inner = without(held[path[0]], path[1:]) if path[1:] else None
    return {key: inner if key == path[0] else value for key, value in held.items() if key != path[0] or inner}


def merged(own: Any, more: Any) -> Any:
    """Return an object with more, at all levels; where both say something else, the second does."""
    if not is_mapping(own) or not is_mapping(more):
        return more
    return {**thaw(own), **{key: merged(own[key], value) if key in own else value for key, value in more.items()}}


def beyond(value: Any, part: Any) -> Native | None:
    """Return what an object has besides a part of it; None if that is no part of it."""
    if not is_object(value) or not is_object(part) or not part.keys() <= value.keys():
        return None
    left: Native = {}
    for key, own in value.items():
        if key in part and not same_document(own, part[key]):
            more = beyond(own, part[key])
            if more is None:
                return None
            left[key] = more
        elif key not in part:
            left[key] = own
    return left


# -- calls ------------------------------------------------------------------------------------------------------------


link_at: Callable[[object], str | None] = _link_of
"""Returns the id of a call, or the id that a result answers."""


def link_of(link: str | None) -> str | None:
    """Return an id as plain text; the library may have made it."""
    return link if type(link) is str or link is None else str.__str__(link)


def with_each(owner: Any, change: Callable[[Any], Any]) -> Any:
    """Return a message, result or source with each of its blocks changed; the same object if none is."""
    content = tuple(map(change, owner.content))
    return owner if all(map(is_, content, owner.content)) else owner.evolve(content=content)


def ended(blocks: Iterable[Any]) -> str:
    """Return the finish reason of a complete response: "tool_use" if it calls client tools, else "stop"."""
    return "tool_use" if any(type(block) is ToolUseBlock and block.kind != "server" for block in blocks) else "stop"


def without_id(family: str) -> Any:
    """Return the notes of a call or result that was read without an id."""
    return adopt({family: {"/no-id": True}})


def lacks_id(family: str) -> Callable[[Any], bool]:
    """Return the test whether a client's call or result needs an id; one that was read without an id needs none."""

    def lacks(block: Any) -> bool:
        return link_at(block) is None and block.kind != "server" and not is_marked(block, family, "/no-id")

    return lacks


def read_arguments(make: Callable[..., ToolUseBlock], value: Any, family: str) -> ToolUseBlock:
    """Return a call with its arguments: a text, as the format has them, or any other JSON.

    Args:
        make: makes the call from ``raw_input`` or ``input``.
        value: the arguments; None counts as an empty text.
        family: whose note records that they aren't a text.
    """
    if value is None or type(value) is str:
        return make(raw_input=value or "")
    return marked(make(input=adopt(value)), family, object=True)


def write_arguments(block: ToolUseBlock, family: str) -> Any:
    """Return the arguments of a call: their text, or the other value that was read."""
    if is_marked(block, family, "/object") and block.is_valid and block.input is not None:
        return input_text(block) if isinstance(block.input, str) else thaw(block.input)
    return input_text(block)
