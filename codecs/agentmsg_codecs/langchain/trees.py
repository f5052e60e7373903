"""Messages inside larger objects: runs and events of a tracer, threads, and what nodes of a graph return.

The messages fill *holes*, in places of a fixed table, or under ``messages`` in an object with any key: that of a node.
Rows of a table, and what a graph streams in a mode, are lists of such objects.
Nothing that data names is looked up. Everything around the holes is kept unchanged. If the messages of a history fill
the noted holes, they go back there. Otherwise the document is a state: ``{"messages": [...], <all the rest>}``.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from agentmsg import thaw
from agentmsg.formats import Native, is_list, is_mapping, is_object, is_sequence, same_document, speed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


Path = tuple[Any, ...]
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
