"""Containers of envelopes: lists, states, prompt values, generations, runs of a tracer.

The messages of a document fill *holes*, in places of a fixed table; nothing that data names is looked up. Everything
around the holes is kept unchanged. If the messages of a history fill the noted holes, they go back there. Otherwise
the document is a state: ``{"messages": [...], <all the rest>}``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg import DecodeError, thaw
from agentmsg.formats import Native, excerpt, is_list, is_mapping, is_object, is_sequence, same_document
from agentmsg_codecs.langchain.lc.escape import escape_all, unescape_all

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


Path = tuple[Any, ...]
ENVELOPE_KEYS = frozenset({"lc", "type", "id", "kwargs"})
# The objects of LangChain that hold messages, by the last word of their id.
_HOLDERS = frozenset({"ChatPromptValue", "ChatPromptValueConcrete", "ChatGeneration", "ChatGenerationChunk"})
# The keys of a run or a checkpoint that lead to messages, in their order, and how deep they are followed.
_STEPS = (
    *("inputs", "messages", "input", "generations", "message", "outputs", "output"),
    *("checkpoint", "channel_values", "__start__"),
)
_DEEPEST = 4
# The keys that an object around messages must not have.
BESIDE = frozenset({"messages", "lc"})
# The errors of following a path that doesn't exist.
_NO_WAY = (LookupError, TypeError, ValueError, AttributeError)


@attrs.frozen
class Contents:
    """A document taken apart.

    Attributes:
        kind: "list", "single", "messages" (a state: the key that holds them) or "tree".
        natives: the messages, each with its path.
        rest: everything around them, unescaped.
        marks: what we would escape differently in the rest.
        holes: those of a tree: path, and number of messages; for a batch, the numbers of its lists; "one" for a single
            message, "text" if its text is beside it.
        holder: the id of the envelope that contains the whole document, if there is one.
    """

    kind: str
    natives: list[tuple[Path, Any]]
    rest: Native = attrs.field(factory=dict[str, Any])
    marks: list[Any] = attrs.field(factory=list[Any])
    holes: list[Any] = attrs.field(factory=list[Any])
    holder: list[Any] | None = None


def is_envelope(native: Any) -> bool:
    """Whether a value is an envelope of dumpd for an object that a class makes."""
    if not is_mapping(native) or native.get("lc") != 1 or native.get("type") != "constructor":
        return False
    own = native.get("id")
    if type(native["lc"]) is not int or not is_mapping(native.get("kwargs")):
        return False
    return is_sequence(own) and set(map(type, own)) == {str}


def is_message(native: Any) -> bool:
    """Whether a value is an envelope of a message, by the name of its class."""
    return is_envelope(native) and native["id"][-1].endswith(("Message", "MessageChunk"))


# -- reading ----------------------------------------------------------------------------------------------------------


def contents_of(document: Any) -> Contents:
    """Return a document taken apart.

    Raises:
        DecodeError: if it holds no messages at the places where LangChain puts them, or would not come back.
    """
    if is_list(document):
        return Contents("list", list(zip(zip(range(len(document))), document, strict=True)))
    if is_message(document):
        return Contents("single", [((), document)])
    if not is_object(document):
        raise DecodeError(f"envelopes of LangChain are objects, not {excerpt(document)}")
    if is_envelope(document):
        own: list[Any] = document["id"]
        if own[-1] not in _HOLDERS or len(document) != len(ENVELOPE_KEYS):
            raise DecodeError(f"neither a message nor a prompt value or generation of LangChain: {excerpt(own)}")
        return _tree(document["kwargs"], document, own)
    if "lc" in document:
        raise DecodeError(f"not a message of LangChain: {excerpt(document)}")
    listed = document.get("messages")
    if is_list(listed) and (not listed or is_object(listed[0])):
        natives = [(("messages", index), native) for index, native in enumerate(listed)]
        rest, marks = unescape_all({key: value for key, value in document.items() if key != "messages"})
        return Contents("messages", natives, rest, marks)
    return _tree(document, document, None)


def _tree(tree: Native, document: Native, holder: list[Any] | None) -> Contents:
    found = list(_holes(tree, (), 0))
    if not found:
        raise DecodeError("no envelopes of LangChain where a document has them")
    rest, marks = unescape_all(_dug(tree, found))
    lead = () if holder is None else ("kwargs",)
    natives: list[tuple[Path, Any]] = []
    holes: list[Any] = []
    for path, filling, has_text in found:
        natives += _flat(filling, (*lead, *path))
        holes.append([list(path), _measure(filling) or ("text" if has_text else "one")])
    contents = Contents("tree", natives, rest, marks, holes, holder)
    try:
        again = _filled(contents, [native for _, native in natives])
    except _NO_WAY:
        again = None
    if again is None or not BESIDE.isdisjoint(rest) or not same_document(again, document):
        raise DecodeError("what stands around the envelopes would not come back")
    return contents


def _holes(value: Native, path: Path, depth: int) -> Iterator[tuple[Path, Any, bool]]:
    """Yield the holes of a tree: path, message or list of messages, and whether its text is beside it."""
    for key in _STEPS:
        inner = value.get(key)
        at = (*path, key)
        if is_object(inner) and is_message(inner):
            yield at, inner, key == "message" and type(text := value.get("text")) is str and text == _text_of(inner)
        elif is_object(inner) and "lc" not in inner and depth < _DEEPEST:
            yield from _holes(inner, at, depth + 1)
        elif is_list(inner):
            yield from _listed(inner, at, depth)


def _listed(items: list[Any], path: Path, depth: int) -> Iterator[tuple[Path, Any, bool]]:
    """Yield the holes of a list of messages, of lists of messages (a batch), or of generations."""
    if _are_messages(items) or (items and all(is_list(item) and _are_messages(item) for item in items)):
        yield path, items, False
    elif "generations" in path and depth < _DEEPEST:
        for index, item in enumerate(items):
            if is_list(item):
                yield from _listed(item, (*path, index), depth + 1)
            elif is_object(item) and "lc" not in item:
                yield from _holes(item, (*path, index), depth + 1)


def _are_messages(items: list[Any]) -> bool:
    return bool(items) and all(map(is_message, items))


def _flat(filling: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the messages of a hole, each with its path."""
    if not is_list(filling):
        yield path, filling
        return
    for index, item in enumerate(filling):
        yield from _flat(item, (*path, index))


def _measure(filling: Any) -> Any:
    """Return the number of messages in a hole's list, or in each list of a batch; None for a single message."""
    if not is_list(filling):
        return None
    return [len(item) for item in filling] if is_list(filling[0]) else len(filling)


def _text_of(native: Native) -> Any:
    """Return the text of a message, which its generation repeats."""
    content = native["kwargs"].get("content")
    if not is_list(content):
        return content if type(content) is str else None
    texts: list[str] = []
    for part in content:
        text = part.get("text") if is_object(part) and part.get("type") in (None, "text") else part
        if type(text) is str:
            texts.append(text)
    return "".join(texts)


def _dug(tree: Any, found: list[tuple[Path, Any, bool]]) -> Any:
    """Return a tree without the messages in its holes; it shares what isn't on the way to one."""
    out: Any = _copy(tree)
    for path, _, has_text in found:
        at = _holder(out, path)
        del at[path[-1]]
        if has_text:
            del at["text"]
    return out


def _holder(tree: Any, path: Path) -> Any:
    """Return the object or list with a hole of a tree; everything on the way to it is copied."""
    for step in path[:-1]:
        tree[step] = _copy(tree[step])
        tree = tree[step]
    return tree


def _copy(value: Any) -> Any:
    return list(value) if is_sequence(value) else dict(value)


# -- writing ----------------------------------------------------------------------------------------------------------


def write_tree(rest: Native, natives: list[Any], note: Mapping[str, Any]) -> Any:
    """Return the tree with messages in the noted holes; None if they don't fit."""
    holes, holder = note.get("holes"), note.get("holder")
    if not is_sequence(holes) or (holder is not None and not is_sequence(holder)):
        return None
    marks: Any = note.get("escapes")
    contents = Contents("tree", [], rest, marks, thaw(holes), None if holder is None else list(holder))
    try:
        document = _filled(contents, natives)
        again = None if document is None else contents_of(document)
    except _NO_WAY:
        return None
    same = again is not None and len(again.natives) == len(natives) and same_document(again.rest, rest)
    return document if same and all(a[1] is b for a, b in zip(again.natives, natives, strict=True)) else None  # type: ignore[union-attr]


def _filled(contents: Contents, natives: list[Any]) -> Any:
    holes = _refitted(contents.holes, len(natives))
    if holes is None:
        return None
    tree: Any = dict(escape_all(contents.rest, contents.marks))
    left = iter(natives)
    for path, how in holes:
        at = _holder(tree, path)
        if not is_mapping(at) or path[-1] in at:
            return None
        filling = _taken(left, how)
        if how == "text":
            at["text"] = _text_of(filling)
        at[path[-1]] = filling
    if contents.holder is None:
        return tree
    return {"lc": 1, "type": "constructor", "id": contents.holder, "kwargs": tree}


def _taken(left: Iterator[Any], how: Any) -> Any:
    """Return the filling of a hole, from the messages that are left."""
    if is_sequence(how):
        return [_taken(left, size) for size in how]
    return list(islice(left, how)) if type(how) is int else next(left)


def _refitted(holes: list[Any], count: int) -> list[Any] | None:
    """Return the holes for a number of messages; if there is only one list, new messages go there."""
    fixed = sum(how in ("one", "text") for _, how in holes)
    lists = [how for _, how in holes if type(how) is int or (is_sequence(how) and len(how) == 1)]
    if len(lists) == 1 and fixed + 1 == len(holes):
        size = [count - fixed] if is_sequence(lists[0]) else count - fixed
        holes = [[path, size if how is lists[0] else how] for path, how in holes]
    sizes = [size for _, how in holes for size in (how if is_sequence(how) else [1 if how in ("one", "text") else how])]
    fits = all(type(size) is int and size > 0 for size in sizes) and sum(sizes) == count
    return holes if fits else None
