"""Messages inside larger objects: runs and events of a tracer, threads, and what nodes of a graph return.

The messages fill *holes*, in places of a fixed table, or under ``messages`` in an object with any key: that of a node.
Rows of a table, and what a graph streams in a mode, are lists of such objects.
Nothing that data names is looked up. Everything around the holes is kept unchanged. If the messages of a history fill
the noted holes, they go back there. Otherwise the document is a state: ``{"messages": [...], <all the rest>}``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import agentmsg as am
from agentmsg import AgentMsgError, Made, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    adopt,
    grouping,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    issuers,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    same_document,
    speed,
    with_note,
)
from agentmsg_codecs.langchain.blocks.v1 import cache_of, is_hint, is_words, make_result, make_text, write_cache
from agentmsg_codecs.langchain.messages.fields import BODY_KEYS
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg_codecs.langchain.blocks.parts import ContentParts


Path = tuple[Any, ...]
_T = TypeVar("_T")
# The keys of a run, an event, a checkpoint or a thread that lead to messages, in their order, and how deep they are
# followed.
_STEPS = (
    *("inputs", "messages", "input", "generations", "message", "outputs", "output"),
    *("checkpoint", "channel_values", "__start__", "values", "payload", "params", "data"),
)
# Those that lead to messages which the others repeat.
_REPEATING = ("metadata", "writes")
_DEEPEST = 4
# The key of a list in the rest.
_ROWS = "rows"
# The key of the metadata that stand behind a message in a stream.
_OF_STREAM = "langgraph_node"
# The keys that an object around messages must not have.
BESIDE = frozenset({"messages", "lc"})
# The errors of following a path that doesn't exist.
_NO_WAY = (LookupError, TypeError, ValueError, AttributeError)


class Contents(NamedTuple):
    """A document taken apart.

    Attributes:
        kind: "list", "single", "messages" (a state: the key that holds them), "tuple" (a message and its metadata, in
            a stream), "tree" or "rows" (a list that is a tree).
        natives: the messages, each with its path.
        rest: everything around them, unescaped.
        marks: what we would escape differently in the rest.
        holes: those of a tree: path, and number of messages; for a batch, the numbers of its lists; "one" for a single
            message, "text" if its text is beside it.
        holder: the id of the envelope that contains the whole document, if there is one.
    """

    kind: str
    natives: list[tuple[Path, Any]]
    rest: Native
    marks: Sequence[Any] = ()
    holes: Sequence[Any] = ()
    holder: list[Any] | None = None


def listed(natives: list[Any], *lead: str) -> list[tuple[Path, Any]]:
    """Return messages with their paths, under the path of their list."""
    return [((*lead, index), native) for index, native in enumerate(natives)]


def read_each(natives: list[tuple[Path, Any]], read: Callable[[Any], _T]) -> list[_T]:
    """Return what is read of each message; an error has its path."""
    found: list[_T] = []
    for path, native in natives:
        try:
            found.append(read(native))
        except AgentMsgError as error:
            raise error.at(*path) from None
    return found


class Trees(speed.Record):
    """Takes documents apart that hold messages in holes, and puts them together again.

    Attributes:
        is_message: whether a value is a message.
        fields_of: returns the fields of a message.
        open: returns the rest as it is kept, and the marks of what would be written differently.
        close: returns the rest as it is written.
    """

    is_message: Callable[[Any], bool]
    fields_of: Callable[[Native], Native]
    open: Callable[[Native], tuple[Native, list[Any]]] = lambda rest: (rest, [])
    close: Callable[[Native, Any], Native] = lambda rest, _: rest

    # -- reading ------------------------------------------------------------------------------------------------------

    def pair(self, document: list[Any]) -> Contents | None:
        """Return a message and its metadata, as in a stream, taken apart; None for any other list."""
        if len(document) != 2 or not is_object(document[1]) or not self.is_message(document[0]):  # noqa: PLR2004
            return None
        rest, marks = self.open(document[1])
        return Contents("tuple", [((0,), document[0])], rest, marks) if _OF_STREAM in rest and _is_free(rest) else None

    def rows(self, document: list[Any]) -> Contents | None:
        """Return rows of a table taken apart, each with a message, or what a graph streams in a mode; None if neither.

        The list stands under a key of its own in the rest.
        """
        found = list(self._streamed(document))
        if not found and all(is_object(row) and not self.is_message(row) for row in document):
            found = [hole for index, row in enumerate(document) for hole in self._holes(row, (_ROWS, index), 0)]
            if [path[1:] for path, _, _ in found] != [(index, "message") for index in range(len(document))]:
                return None
        return self._apart({_ROWS: document}, {_ROWS: document}, None, "rows", found)

    def _streamed(self, document: list[Any]) -> Iterator[tuple[Path, Any, bool]]:
        """Yield the holes of what a graph streams: path of the subgraph, mode or both, and then the data."""
        *where, data = document or [None]
        if not 1 <= len(where) <= 2 or any(type(each) not in (str, list) for each in where):  # noqa: PLR2004
            return
        path, mode = (_ROWS, len(where)), where[-1]
        if is_object(data) and not self.is_message(data):
            yield from self._holes(data, path, 0)
        elif is_list(data) and type(mode) is str and mode.startswith("messages"):
            message, *metadata = data or [None]
            if self.is_message(message) and len(metadata) <= 1 and all(map(is_object, metadata)):
                yield (*path, 0), message, False

    def contents(self, tree: Native, document: Native, holder: list[Any] | None = None) -> Contents | None:
        """Return a tree taken apart; None if it holds no messages, or would not come back.

        Args:
            tree: the tree.
            document: the document: the tree, or the envelope that contains it.
            holder: the id of this envelope.
        """
        return self._apart(tree, document, holder, "tree", list(self._holes(tree, (), 0)))

    def _apart(
        self, tree: Native, document: Native, holder: list[Any] | None, kind: str, found: list[tuple[Path, Any, bool]]
    ) -> Contents | None:
        if not found:
            return None
        rest, marks = self.open(_dug(tree, found))
        lead = () if holder is None else ("kwargs",)
        natives: list[tuple[Path, Any]] = []
        holes: list[Any] = []
        for path, filling, has_text in found:
            natives += _flat(filling, (*lead, *path))
            holes.append([list(path), _measure(filling) or ("text" if has_text else "one")])
        contents = Contents(kind, natives, rest, marks, holes, holder)
        try:
            again = self._filled(contents, [native for _, native in natives])
        except _NO_WAY:
            again = None
        return contents if again is not None and _is_free(rest) and same_document(again, document) else None

    def _holes(self, value: Native, path: Path, depth: int) -> Iterator[tuple[Path, Any, bool]]:
        """Yield the holes of a tree: path, message or list of messages, and whether its text is beside it."""
        nodes = [key for key, inner in value.items() if key not in _KNOWN and self._is_state(inner)]
        found = [hole for key in (*_STEPS, *nodes) for hole in self._at(value, key, path, depth)]
        yield from found or [hole for key in _REPEATING for hole in self._at(value, key, path, depth)]

    def _at(self, value: Native, key: str, path: Path, depth: int) -> Iterator[tuple[Path, Any, bool]]:
        inner, at = value.get(key), (*path, key)
        if key == "message" and "finish_reason" in value:
            return  # a choice of Chat Completions: a generation says so inside its generation_info
        if is_object(inner) and self.is_message(inner):
            yield at, inner, key == "message" and type(value.get("text")) is str and value["text"] == self._text(inner)
        elif is_object(inner) and "lc" not in inner and depth < _DEEPEST:
            yield from self._holes(inner, at, depth + 1)
        elif is_list(inner):
            yield from self._listed(inner, at, depth)

    def _listed(self, items: list[Any], path: Path, depth: int) -> Iterator[tuple[Path, Any, bool]]:
        """Yield the holes of a list of messages, of lists of messages (a batch), or of generations."""
        if self._are_messages(items) or (items and all(is_list(item) and self._are_messages(item) for item in items)):
            yield path, items, False
        elif "generations" in path and depth < _DEEPEST:
            for index, item in enumerate(items):
                if is_list(item):
                    yield from self._listed(item, (*path, index), depth + 1)
                elif is_object(item) and "lc" not in item:
                    yield from self._holes(item, (*path, index), depth + 1)

    def _is_state(self, value: Any) -> bool:
        return is_object(value) and is_list(inner := value.get("messages")) and self._are_messages(inner)

    def _are_messages(self, items: list[Any]) -> bool:
        return bool(items) and all(map(self.is_message, items))

    def _text(self, native: Native) -> Any:
        """Return the text of a message, which its generation repeats."""
        content = self.fields_of(native).get("content")
        if not is_list(content):
            return content if type(content) is str else None
        texts: list[str] = []
        for part in content:
            text = part.get("text") if is_object(part) and part.get("type") in (None, "text") else part
            if type(text) is str:
                texts.append(text)
        return "".join(texts)

    # -- writing ------------------------------------------------------------------------------------------------------

    def written(self, contents: Contents, natives: list[Any], contents_of: Callable[[Any], Contents]) -> Any:
        """Return the pair or the tree with messages in its holes; None if they don't fit.

        Args:
            contents: of the document, as noted.
            natives: the messages.
            contents_of: takes a document apart.
        """
        natives = list(map(thaw, natives))
        try:
            if contents.kind == "tuple":
                (native,) = natives
                document = [native, dict(self.close(contents.rest, contents.marks))]
            else:
                document = self._filled(contents, natives)
                document = document[_ROWS] if contents.kind == "rows" else document
            again = contents_of(document)
        except _NO_WAY:
            return None
        same = len(again.natives) == len(natives) and same_document(again.rest, contents.rest)
        return document if same and all(a[1] is b for a, b in zip(again.natives, natives, strict=True)) else None

    def _filled(self, contents: Contents, natives: list[Any]) -> Any:
        holes = _refitted(contents.holes, len(natives))
        if holes is None:
            return None
        tree: Any = dict(self.close(contents.rest, contents.marks))
        left = iter(natives)
        for path, how in holes:
            at, filling = _holder(tree, path), _taken(left, how)
            if is_list(at):  # in a stream, where only the metadata are left
                at.insert(path[-1], filling)
                continue
            if not is_mapping(at) or path[-1] in at:
                return None
            if how == "text":
                at["text"] = self._text(filling)
            at[path[-1]] = filling
        if contents.holder is None:
            return tree
        return {"lc": 1, "type": "constructor", "id": contents.holder, "kwargs": tree}


def noted(rest: Any, kind: Any, note: Mapping[str, Any]) -> Contents | None:
    """Return the contents of a document that a note describes, without messages; None if there is no such document."""
    holes, holder = note.get("holes"), note.get("holder")
    if kind == "tuple" and is_mapping(rest):
        return Contents(kind, [], thaw(rest), note.get("escapes") or [])
    if kind not in ("tree", "rows") or not is_sequence(holes) or (holder is not None and not is_sequence(holder)):
        return None
    around: Native = thaw(rest) if is_mapping(rest) else {}
    return Contents(kind, [], around, note.get("escapes") or [], thaw(holes), None if holder is None else list(holder))


# -- holes ------------------------------------------------------------------------------------------------------------

_KNOWN = frozenset({*_STEPS, *_REPEATING})


def _is_free(rest: Native) -> bool:
    """Whether what stands around messages may stand beside them."""
    return BESIDE.isdisjoint(rest)


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


def _taken(left: Iterator[Any], how: Any) -> Any:
    """Return the filling of a hole, from the messages that are left."""
    if is_sequence(how):
        return [_taken(left, size) for size in how]
    return list(islice(left, how)) if type(how) is int else next(left)


def _refitted(holes: Sequence[Any], count: int) -> Sequence[Any] | None:
    """Return the holes for a number of messages; if there is only one list, new messages go there."""
    fixed = sum(how in ("one", "text") for _, how in holes)
    lists = [how for _, how in holes if type(how) is int or (is_sequence(how) and len(how) == 1)]
    if len(lists) == 1 and fixed + 1 == len(holes):
        size = [count - fixed] if is_sequence(lists[0]) else count - fixed
        holes = [[path, size if how is lists[0] else how] for path, how in holes]
    sizes = [size for _, how in holes for size in (how if is_sequence(how) else [1 if how in ("one", "text") else how])]
    fits = all(type(size) is int and size > 0 for size in sizes) and sum(sizes) == count
    return holes if fits else None


# -- tool results inside a human message, as Anthropic has them: split on reading, joined on writing ------------------
# A result among the parts of a human message becomes a tool message; the other parts remain user messages. The human
# message is a container (`agentmsg.formats`); nothing joins by default, so its messages have seats. The first one has
# everything that belongs to the native message as a whole.


_make_msg = maker(am.Msg)
_make_native = maker(am.NativeBlock)
# Parts with other keys remain native blocks.
_KEYS = frozenset({"type", "tool_use_id", "content", "is_error", "cache_control"})
_NEEDED = frozenset({"type", "tool_use_id"})


def is_result(block: Any) -> bool:
    """Whether a native block is a tool result that becomes a message."""
    value: Any = block.value if type(block) is am.NativeBlock and block.codec == FAMILY else None
    if not is_mapping(value) or value.get("type") != "tool_result" or not _NEEDED <= value.keys() <= _KEYS:
        return False
    if not isinstance(value.get("content", ""), (str, list)) or not isinstance(value["tool_use_id"], str):
        return False
    return isinstance(value.get("is_error", False), bool) and is_hint(value.get("cache_control", {"type": ""}))


def _read_result(value: Native, parts: ContentParts) -> am.ToolResultBlock:
    part: Native = thaw(value)
    native: Any = part.get("content")
    listed = is_list(native)
    blocks = tuple(map(parts.read, native)) if listed else (make_text(native),) if native else ()
    bare = not blocks or is_words(blocks)
    status = {True: "error", False: "success"}.get(part["is_error"]) if "is_error" in part else None
    note: Native = {"/content": "list"} if listed and bare else {} if "content" in part else {"/content": "absent"}
    return make_result(
        tool_call_id=part["tool_use_id"],
        content=blocks,
        status=status,
        cache=cache_of(part),
        notes=adopt({FAMILY: note}) if note else EMPTY,
    )


def _write_result(block: Any, parts: ContentParts) -> am.NativeBlock:
    part: Native = {"type": "tool_result", "tool_use_id": block.tool_call_id}
    inner: Any = block.content
    noted = mark_of(block, FAMILY, "/content")
    if noted == "list" or (inner and not is_words(inner)):
        part["content"] = [parts.write(item) for item in inner]
    elif inner or noted != "absent":
        part["content"] = inner[0].text if inner else ""
    if block.status is not None:
        part["is_error"] = block.status == "error"
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    return _make_native(codec=FAMILY, value=adopt(thaw(part)))


def make_grouping(parts: ContentParts) -> grouping.Grouping:
    """Return the rule of which messages may share a human message; by default, a tool message is on its own."""

    def may_join(group: Sequence[am.Msg], message: am.Msg) -> bool:
        if not group:
            return _may_open(message, parts)
        return (len(group) > 1 or _may_open(group[0], parts)) and _may_follow(group[-1], message, parts)

    return grouping.Grouping(family=FAMILY, may_join=may_join, stands_free=lambda message: message.role == "tool")


def _may_open(message: am.Msg, parts: ContentParts) -> bool:
    """Whether a human message may begin with this one, and have everything around its content."""
    if not BODY_KEYS.isdisjoint(natives.extras_of(message, FAMILY)):
        return False
    if message.role == "tool" and message.name is not None:
        return False
    return _may_stand(message, parts)


def _may_follow(before: am.Msg, message: am.Msg, parts: ContentParts) -> bool:
    """Whether a message has only content, and isn't read as one with the message before."""
    if before.role == message.role == "user":
        return False
    return am.same(message, _make_msg(message.role, message.content)) and _may_stand(message, parts)


def _may_stand(message: am.Msg, parts: ContentParts) -> bool:
    content = message.content
    if message.role == "user":
        return bool(content) and not any(map(is_result, content))
    if message.role != "tool" or len(content) != 1 or type(block := content[0]) is not am.ToolResultBlock:
        return False
    native: Any = _write_result(block, parts)
    return is_result(native) and am.same(_read_result(native.value, parts), block)


def split(message: am.Msg, parts: ContentParts) -> list[am.Msg]:
    """Return the messages in a human message; itself if there is only one."""
    content: Any = message.content
    if not any(map(is_result, content)):
        return [message]
    runs: list[tuple[str, list[Any]]] = []
    for block in content:
        if is_result(block):
            runs.append(("tool", [_read_result(block.value, parts)]))
        elif runs and runs[-1][0] == "user":
            runs[-1][1].append(block)
        else:
            runs.append(("user", [block]))
    first = message.evolve(role=runs[0][0], content=runs[0][1])
    pieces = [first, *(_make_msg(role, tuple(blocks)) for role, blocks in runs[1:])]
    rule = make_grouping(parts)
    groups = grouping.containers(grouping.seated([pieces], rule), rule)
    exact = len(groups) == 1 and grouping.is_contained(groups[0], rule) and am.same(_join(pieces, parts), message)
    return pieces if exact else [message]


def _unlinked(messages: list[am.Msg]) -> list[am.Msg]:
    """Return the messages to write: an id that a reader would give to a call counts as made, any other doesn't."""

    def known(own: Any, link: str) -> Any:
        if own == link:
            return None if type(own) is Made else Made(link)
        return str(own) if type(own) is Made else None

    return _with_links(messages, known)


def _with_links(messages: list[am.Msg], id_of: Callable[[Any, str], Any]) -> list[am.Msg]:
    """Return the messages with new ids of calls that may lack one, as OpenAI's first calls did.

    Such a call is the last block of its message, and only in `function_call`. ``id_of`` returns its id from its own and
    that of the result in the next message; None: it stays.
    """
    out: list[am.Msg] | None = None
    for index, message in enumerate(messages):
        content = message.content
        if message.role != "assistant" or not content or type(content[-1]) is not am.ToolUseBlock:
            continue
        if not content[-1].notes or mark_of(content[-1], FAMILY, "/copies") != "f" or index + 1 == len(messages):
            continue
        behind = messages[index + 1]
        # An empty id would be written, so it isn't taken.
        if behind.role != "tool" or not (link := behind.tool_call_id):
            continue
        calls = [block for block in content if type(block) is am.ToolUseBlock]
        result: Any = behind.content[0]
        if len(calls) != 1 or result.name not in (None, calls[0].name):
            continue
        link = id_of(calls[0].id, link)
        if link is not None:
            out = out or list(messages)
            new = message.evolve(content=(*content[:-1], calls[0].evolve(id=link)))
            out[index] = marked(new, FAMILY, linked=True)
    return messages if out is None else out


# Its signatures stand in Anthropic's parts, and are read as its own; see issuers.py.
_SIGNS = "google"


def with_issuer(message: am.Msg) -> am.Msg:
    """Return a message that was read, whose opaque payloads say who made them, if its model tells that."""
    return message if message.provider == _SIGNS else issuers.with_issuer(message, FAMILY, ANTHROPIC)


def separate(messages: list[am.Msg], parts: ContentParts) -> list[am.Msg]:
    """Return the messages that were read, with human messages split; these messages have seats."""
    # A made id isn't written, because a reader makes the same link again.
    messages = _with_links(messages, lambda own, link: Made(link) if own is None else None)
    split_up: dict[int, list[am.Msg]] = {}
    for index, message in enumerate(messages):
        if message.role == "user" and am.NativeBlock in map(type, message.content):
            pieces = split(message, parts)
            if pieces[0] is not message:
                split_up[index] = pieces
        elif (new := with_issuer(message)) is not message:
            split_up[index] = [new]
    if not split_up:
        return messages
    groups = (split_up.get(index, message) for index, message in enumerate(messages))
    return grouping.seated(groups, make_grouping(parts))


def _join(pieces: Sequence[am.Msg], parts: ContentParts) -> am.Msg:
    content: list[Any] = []
    for piece in pieces:
        content.extend(piece.content if piece.role == "user" else [_write_result(piece.content[0], parts)])
    note = {key: value for key, value in note_of(pieces[0], FAMILY).items() if key != "seat"}
    return with_note(pieces[0].evolve(role="user", content=content), FAMILY, note)


def gather(messages: Sequence[am.Msg], parts: ContentParts) -> Sequence[am.Msg]:
    """Return the messages to write: those of one human message are joined."""
    marks: set[Any] = set()
    for message in messages:
        if message.notes:
            marks.update(note_of(message, FAMILY))
    if "/linked" in marks:
        messages = _unlinked(list(messages))
    if "seat" not in marks:
        return messages
    rule = make_grouping(parts)
    out: list[am.Msg] = []
    for group in grouping.containers(messages, rule):
        first = group[0]
        is_whole = len(group) == 1 and (first.role != "tool" or not grouping.is_contained(group, rule))
        out.append(first if is_whole else _join(group, parts))
    return out
