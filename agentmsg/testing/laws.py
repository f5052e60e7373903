"""The eight laws, as functions that raise AssertionError if a codec breaks one. They know no codec by name.

Equality is ``same`` for histories, and ``same_document`` for documents (types count, the order of keys doesn't).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from agentmsg import (
    AgentMsgError,
    History,
    Losses,
    Made,
    Msg,
    NativeBlock,
    Settings,
    ToolResultBlock,
    ToolUseBlock,
    decode_chunk,
    encode_chunk,
    same,
    thaw,
)
from agentmsg.api.reading import decode, loads
from agentmsg.api.writing import dumps, encode
from agentmsg.fitting.account import account
from agentmsg.fitting.account_file import from_lines, to_lines
from agentmsg.fitting.carry import carried, restore, uncarried
from agentmsg.fitting.digest import content_digest
from agentmsg.fitting.fit import fit
from agentmsg.fitting.levels import field_of
from agentmsg.fitting.repairing import check, repair, repaired
from agentmsg.formats.restructure import is_normal, split_results
from agentmsg.formats.spelling import same_document
from agentmsg.model.base import BaseBlock, Noted
from agentmsg.model.construction import absent_values
from agentmsg.model.history import forgetful
from agentmsg.testing.systematic import hides
from agentmsg.testing.telling import document_differs, history_differs
from agentmsg.values.frozen import plain_copy
from agentmsg.values.types import is_list, is_mapping, is_object, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agentmsg import Finding, MsgChunk
    from agentmsg.fitting.fitted import Fitted
    from agentmsg.formats.capabilities import Caps, MessageRow, Row
    from agentmsg.formats.codec import Codec

_N = TypeVar("_N", bound=Noted)
_CONTAINERS, _LONGEST_ERROR, _MOST = ("messages", "content", "tools"), 2000, 20


def plain(history: History, codec: Codec) -> Any:
    """Return what a codec writes as plain data of exact JSON types."""
    document = codec.write(history)
    if codec.writes_plain:
        assert _is_plain(document), f"what {codec.name} writes is not plain"
    return plain_copy(thaw(document), 250)


def read_back(history: History, codec: Codec) -> History:
    """Return what a codec reads from its own output."""
    return codec.read(plain(history, codec))


def _is_same(found: History, wanted: History, words: str) -> None:
    assert same(found, wanted), f"{words}: {history_differs(wanted, found)}"


def _is_document(found: Any, wanted: Any, words: str) -> None:
    assert same_document(found, wanted), f"{words}: {document_differs(wanted, found)}"


def exact_return(codec: Codec, document: Any) -> History | None:
    """Law 1: ``encode(decode(x))`` is the same as x, for every document that decode accepts.

    Returns:
        The history, or None if the document was refused (by the one typed error).
    """
    try:
        history = decode(document, codec)
    except AgentMsgError:
        return None
    fitted = fit(forgetful(history), codec)
    assert fitted.history is fitted.source, f"a history just read does not fit: {list(account(fitted))[:3]}"
    _is_document(plain(history, codec), document, "not returned exactly")
    return history


def chunk_return(codec: Codec, document: Any) -> MsgChunk | None:
    """Law 1 for chunks: ``encode_chunk(decode_chunk(x))`` is the same as x, for every chunk that is accepted.

    Returns:
        The chunk, or None if the document was refused (by the one typed error).
    """
    before = plain_copy(document, 250)
    try:
        chunk = decode_chunk(document, codec)
    except AgentMsgError as error:
        if error.codec != codec.name or len(str(error)) > _LONGEST_ERROR:
            msg = f"an error without its codec, or too long: {error}"
            raise AssertionError(msg) from error
        return None
    written = encode_chunk(chunk, codec)
    _is_document(written, document, "not returned exactly")
    assert same_document(before, document), "the document was changed"
    return chunk


def canonical(codec: Codec, history: History) -> None:
    """Law 2: a canonical codec loses nothing, as plain data and as bytes."""
    fitted = fit(history, codec)
    assert fitted.history is history, "a canonical codec carries everything"
    _is_same(read_back(history, codec), history, "changed as plain data")
    _is_same(loads(dumps(history, codec), codec), history, "changed as bytes")


def honest_account(
    codec: Codec,
    history: History,
    *,
    rng: random.Random | None = None,
    accountant: Callable[[Fitted], Losses] = account,
) -> Fitted:
    """Law 3 (a, b, c): what is written reads back; the loss report is empty only if it may be; it rebuilds the input.

    ``accountant`` makes the loss report; pass another than ours only to show that the law can fail.
    """
    rng = rng or random.Random(0)  # noqa: S311 - no cryptography here
    fitted = fit(history, codec)
    output = fitted.history
    back = read_back(output, codec)
    _is_same(back, output, "what was fit does not read back (a)")
    again = fit(output, codec)
    assert again.history is output, f"fit is not idempotent (b): {list(account(again))[:3]}"
    _rebuilds(accountant(fitted), history, output, back, rng)
    return fitted


def _rebuilds(losses: Losses, history: History, output: History, back: History, rng: random.Random) -> None:
    """Law 3c, for a codec's version of a history: ``output``, whose document reads ``back`` as given."""
    assert bool(losses.lost) == (output is not history), (
        f"an empty loss report for a change, or the other way round (b): {losses!r}"
    )
    # Beside an annotation it may be told that a client doesn't send what is there.
    assert len({(loss.path, loss.kind == "unsent") for loss in losses}) == len(losses), "two losses of one path"
    assert not any(field_of(loss.path) in _CONTAINERS for loss in losses), "a loss of a whole list says nothing"
    _is_same(restore(output, losses), history, "the loss report does not rebuild the input (c)")
    shuffled = list(losses)
    rng.shuffle(shuffled)
    filed = from_lines(to_lines(Losses(shuffled, codec=losses.codec), back))
    _is_same(restore(back, filed), history, "the loss report on file does not rebuild the input (c)")
    _no_subset_restores(output, list(Losses(shuffled, codec=losses.codec).lost), history, rng)
    _restores_more(output, losses, history)


def sendable(codec: Codec, history: History, *, rng: random.Random | None = None) -> None:
    """If rules say what a provider refuses, ``repair`` mends what can be mended, reports it, and does no more.

    ``check`` names all that a repair changes.

    This holds for the history itself, and for the output of ``encode(..., repair=True)``. A codec without rules
    promises nothing.
    """
    if not codec.rules:
        return
    rng = rng or random.Random(0)  # noqa: S311 - no cryptography here
    done = repair(history, codec)
    named, fits = _mendable(history, codec), fit(history, codec).history is history
    assert (done.history is not history) == bool(named) or (named and not fits), "clean and changed, or not mended"
    _rebuilds(done.losses, history, done.history, done.history, rng)
    fitted = repaired(fit(history, codec), codec)
    codes = {rule.code for rule in codec.rules} & {loss.why for loss in (*done.losses, *account(fitted))}
    assert codes <= {each.code for each in named}, "mended, and not named"
    output = fitted.history
    again = fit(output, codec)
    assert same(again.history, output), f"what was repaired does not fit: {list(account(again))[:3]}"
    _rebuilds(account(fitted), history, output, read_back(output, codec), rng)
    # What ``encode`` leaves out may break more rules.
    for each in (done.history, output) if fit(done.history, codec).history is done.history else (output,):
        assert not _mendable(each, codec), f"repaired, and refused: {_mendable(each, codec)[:3]}"
    for each in (done.history, output):
        assert repair(each, codec).history is each, "repair is not idempotent"


def _mendable(history: History, codec: Codec) -> list[Finding]:
    """Return the errors that can be mended in a history alone."""
    mendable = {rule.code for rule in codec.rules if rule.mend is not None}
    return [each for each in check(history, codec) if each.severity == "error" and each.code in mendable]


def _no_subset_restores(output: History, losses: list[Any], history: History, rng: random.Random) -> None:
    all_but_one = [losses[:i] + losses[i + 1 :] for i in rng.sample(range(len(losses)), min(len(losses), _MOST))]
    halves = [[loss for loss in losses if rng.getrandbits(1)] for _ in range(4)]
    # Of two messages with the same content each can represent the other, and so can one whose block was exchanged: then
    # the loss report may leave out where it went.
    twins = _has_twins(history) or _has_twins(output)
    exchanged = {loss.path[:2] for loss in losses if loss.kind == "changed" and isinstance(loss.path[-1], int)}
    idle: set[Any] = {loss.path for loss in losses if loss.kind == "moved" and (twins or loss.path in exchanged)}
    subsets = {frozenset(loss.path for loss in subset): subset for subset in (*all_but_one, *halves)}
    for kept, subset in subsets.items():
        if len(subset) == len(losses) or not idle <= kept:
            continue
        try:
            restored = restore(output, subset)
        except AgentMsgError:
            continue
        assert not same(restored, history), f"a part of the loss report is enough: {len(subset)} of {len(losses)} (c)"


def _has_twins(history: History) -> bool:
    contents = [message.content for message in history.messages]
    return any(same(a, b) for index, a in enumerate(contents) for b in contents[:index])


def _restores_more(output: History, losses: Losses, history: History) -> None:
    more = [Msg.user("and one more")]
    _is_same(restore(output + more, losses), history + more, "messages added behind do not come through (c)")


def carried_account(codec: Codec, history: History) -> Losses:
    """Law 3 (e), of ``carry=True``: what is carried in metadata and the rest of the loss report rebuild the input.

    Returns:
        The rest of the loss report; it says how many losses are carried.
    """
    fitted = fit(history, codec)
    output, rest = carried(fitted, codec)
    if not rest.carried:
        assert output is fitted.history, "nothing is carried, and yet the output differs"
        assert rest == account(fitted), "nothing is carried, and yet the loss report differs"
        return rest
    assert not rest.lost.content, f"content is carried, and yet lost: {rest.lost.content[:3]}"
    back = read_back(output, codec)
    _is_same(back, output, "decode(write(g)) is not g where g carries a loss report (a)")
    assert same(uncarried(back, rest), fitted.history), "what carries a loss report is not what was fit besides"
    filed = from_lines(to_lines(rest, uncarried(back, rest)))
    for given, losses in ((output, rest), (back, rest), (back, filed)):
        assert same(restore(given, losses), history), "the carried loss report and the rest do not rebuild the input"
    content = restore(back)
    assert content_digest(content) == content_digest(history), "the carried loss report does not give the content back"
    assert same(restore(content, list(rest)), history), "after what was carried, the rest does not rebuild the input"
    more = [Msg.user("and one more")]
    assert same(restore(back + more), content + more), "messages added behind do not come through"
    return rest


def returns_through(codec: Codec, document: Any, target: Codec) -> Losses | None:
    """Law 3 (f): a document in another format is, restored with its report on file and encoded again, itself.

    Args:
        codec: the format of the document.
        document: plain data.
        target: the format that it is converted to.

    Returns:
        The loss report, or None if the document was refused (by the one typed error).
    """
    try:
        history = decode(document, codec)
    except AgentMsgError:
        return None
    fitted = fit(history, target)
    losses = account(fitted)
    back = read_back(fitted.history, target)
    _is_same(back, fitted.history, f"what {target.name} was given does not read back")
    restored = restore(back, from_lines(to_lines(losses, back)))
    _is_same(restored, history, f"output and loss report of {target.name} do not rebuild the history")
    assert fit(restored, codec).history is restored, f"what {target.name} gave back does not fit {codec.name}"
    _is_document(plain(restored, codec), document, f"not the same document after {target.name}")
    return losses


def nothing_hides(codec: Codec, document: Any) -> History | None:
    """Law 1, for a document with the probe of ``systematic`` in it: its value is in the history, not in a note.

    Returns:
        The history, or None if the document was refused (by the one typed error).
    """
    history = exact_return(codec, document)
    assert history is None or not hides(history), "what the document says is in no field, only in a note"
    return history


def floor(codec: Codec, history: History) -> None:
    """Law 3 (d): for a history made only of what the table supports, fit changes nothing.

    Fitting makes such a history; removing the made values, and the structure that the table doesn't describe, leaves
    one that the table must support as it is.
    """
    carried = fit(_project(history, codec.caps), codec)
    assert carried.history is carried.source, f"the table says carried, fit says {list(account(carried))[:3]}"


def stable_writing(codec: Codec, history: History) -> None:
    """Law 3 (a), for codecs without a table: any history is written, and ``write(read(write(h)))`` is ``write(h)``."""
    again = plain(read_back(history, codec), codec)
    _is_document(again, plain(history, codec), "not the same when written again (a)")


def through_the_middle(codec: Codec, document: Any, middle: Codec) -> None:
    """Law 4: from a document to a canonical form and back to the document: still exact."""
    try:
        history = decode(document, codec)
    except AgentMsgError:
        return
    passed = loads(dumps(history, middle), middle)
    _is_same(passed, history, f"changed by {middle.name}")
    _is_document(plain(passed, codec), document, f"not returned exactly through {middle.name}")


def notes_never_matter(codec: Codec, history: History) -> None:
    """Law 5: whatever notes a history has, its written form reads back as the history (3a)."""
    output = fit(history, codec).history
    _is_same(read_back(output, codec), output, "a note changed the meaning")


def edits_win(codec: Codec, document: Any, change: Callable[[History], History]) -> None:
    """Law 6: after an edit of what was read, the new value is written; all others stay, unless they depend on it."""
    try:
        history = decode(document, codec)
    except AgentMsgError:
        return
    edited = fit(change(history), codec).history
    written = plain(edited, codec)
    _is_same(codec.read(written), edited, "an old spelling outlived its value")
    changed = [a for a, b in zip(history.messages, edited.messages, strict=False) if a is not b]
    before, after = codec.native_messages(document), codec.native_messages(written)
    if len(changed) == 1 and len(history) == len(edited) and len(before) == len(after):
        # A result depends on its call, on all calls where they have no ids; what repeats a text depends on that text.
        calls = sum(m is changed[0] or type(c.id) is Made for m in history for c in m.blocks(ToolUseBlock))
        text, pairs = changed[0].text, zip(before, after, strict=True)
        others = sum(not (same_document(a, b) or (is_object(a) and text in a.values())) for a, b in pairs)
        assert others <= 1 + calls, "an edit of one message changed how others are written"


def pure(codec: Codec, document: Any) -> None:
    """Law 7: inputs stay unchanged; the same input gives the same output, made ids included, which the caller owns."""
    before = repr(document)
    try:
        first, second = decode(document, codec), decode(document, codec)
    except AgentMsgError:
        assert repr(document) == before, "reading changed the document"
        return
    assert repr(document) == before, "reading changed the document"
    assert same(first, second) and repr(first) == repr(second), "two readings differ"  # noqa: PT018 - one fact
    assert repr(plain(first, codec)) == repr(plain(first, codec)), "two writings differ"
    owned(codec, first)


def prefix_stable(codec: Codec, history: History, message: Msg) -> None:
    """Law 7: the native messages of ``encode(h)`` are a prefix of those of ``encode(h + [m])``; the last may grow."""
    before = codec.native_messages(plain(fit(history, codec).history, codec))
    after = codec.native_messages(plain(fit(history.extended(message), codec).history, codec))
    assert len(before) <= len(after), "a message vanished"
    for index, native in enumerate(before[:-1]):
        assert same_document(native, after[index]), f"native message {index} changed when one was added behind"


def typed_errors(codec: Codec, raw: bytes | None, document: Any = None) -> bool:
    """Law 8: any bytes or objects give a history, or one AgentMsgError with codec and code. True: a history."""
    try:
        if raw is not None:
            loads(raw, codec)
        else:
            decode(document, codec)
    except AgentMsgError as error:
        # Users get a typed error even so, but the codec itself should have raised it.
        if error.code == "codec" and error.__cause__ is not None:
            raise error.__cause__ from None
        _says_enough(error, codec)
        return False
    return True


def _says_enough(error: AgentMsgError, codec: Codec) -> None:
    assert error.code, "an error without code"
    assert error.codec == codec.name, f"an error without its codec: {error!r}"
    assert len(str(error)) < _LONGEST_ERROR, "an error that quotes too much"


LAWS: Mapping[str, Callable[..., Any]] = {
    "exact return": exact_return,
    "canonical": canonical,
    "honest report": honest_account,
    "carried report": carried_account,
    "floor": floor,
    "stable writing": stable_writing,
    "nothing hides": nothing_hides,
    "returns through": returns_through,
    "through the middle": through_the_middle,
    "notes never matter": notes_never_matter,
    "edits win": edits_win,
    "purity": pure,
    "prefix stability": prefix_stable,
    "sendable": sendable,
    "typed errors": typed_errors,
}
"""All laws, by name."""


def _is_plain(value: Any) -> bool:
    """Whether a document is made of exact JSON types."""
    if is_object(value):
        return all(type(key) is str for key in value) and all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if is_list(value) else value is None or type(value) in (str, int, float, bool)


def owned(codec: Codec, history: History) -> None:
    """Law 7: no list or object of a written document stands in it twice, or in the document that is written next."""
    held = list(map(id, first := list(_containers(encode(history, codec)))))
    assert len(set(held)) == len(held), "a list or an object is twice in what is written"
    shared = set(held).intersection(map(id, _containers(encode(history, codec))))
    assert not shared, f"written twice, and one object: {[each for each in first if id(each) in shared][:3]}"


def _containers(value: Any) -> Iterator[Any]:
    if is_mapping(value) or is_sequence(value):
        yield value
        for item in value.values() if is_mapping(value) else value:
            yield from _containers(item)


def _project(history: History, caps: Caps) -> History:
    """Return a history without what the table doesn't name or a cell would change: law 3d compares fit with it."""
    if caps.everything:
        return history
    messages: list[Msg] = []
    for message in history.messages:
        row = caps.row(message.role)
        if row is None or (row.otherwise is not None and row.otherwise(message) is not message):
            continue
        content = tuple(_blocks(message.content, row, caps))
        kept = _fields(message.evolve(content=content), row.fields)
        ruled = row.otherwise is not None and kept is not None and row.otherwise(kept) is not kept
        if kept is not None and not ruled and (split_results not in caps.arrange or is_normal(kept)):
            messages.append(kept)
    for step in caps.arrange:
        if step is not split_results:
            messages = [message for message in messages if step(None, [message]) is None]
            messages = messages[:1] if step(None, messages) is not None else messages
    if caps.relink is not None and caps.relink(messages) is not messages:
        # If a reader makes the ids, no others are supported.
        unlinked = [message for message in messages if not message.tool_calls and not message.tool_results]
        messages = list(caps.relink(unlinked))
    settings = _settings(history.settings, caps.settings)
    whole = _fields(history.evolve(messages=messages, tools=(), settings=None), caps.history)
    assert whole is not None, "no field of a history is required"
    return whole if settings is None else whole.evolve(settings=settings)


def _settings(settings: Settings | None, row: Row | None) -> Settings | None:
    if settings is None or row is None:
        return None
    kept = _fields(settings, row.fields)
    ruled = row.otherwise is not None and row.otherwise(settings) is not settings
    return None if ruled or kept == Settings() else kept


def _blocks(content: Sequence[BaseBlock], row: MessageRow, caps: Caps) -> list[BaseBlock]:
    results = row.blocks if row.results is None else row.results
    return [kept for block in content if (kept := _block(block, row.blocks, results, caps)) is not None]


def _block(
    block: BaseBlock, rows: Mapping[type[BaseBlock], Row], results: Mapping[type[BaseBlock], Row], caps: Caps
) -> BaseBlock | None:
    row = rows.get(type(block)) or (rows.get(BaseBlock) if not isinstance(block, NativeBlock) else None)
    if row is None:
        return None
    if isinstance(block, ToolResultBlock):
        inner = [kept for item in block.content if (kept := _block(item, results, results, caps)) is not None]
        block = block.evolve(content=tuple(inner))
    kept = _fields(block, row.fields)
    if kept is None or (row.otherwise is not None and row.otherwise(kept) is not kept):
        return None
    linked = isinstance(kept, (ToolUseBlock, ToolResultBlock))
    return None if linked and caps.needs_id is not None and caps.needs_id(kept) else kept


def _fields(owner: _N, cells: Mapping[str, Any]) -> _N | None:
    """Return the object with only the supported fields; None if a required one isn't supported."""
    kind: type = type(owner)
    absent = absent_values(kind)
    kept_anyway = {"notes", "content", "messages", "role"}
    names = [field.alias for field in attrs.fields(kind) if field.init and field.alias not in kept_anyway]
    for name in names:
        value, cell = getattr(owner, name), cells.get(name)
        if name in absent and value == absent[name]:
            continue
        if cell is not None and cell(value, owner) is value:
            continue
        if name not in absent:
            return None
        owner = owner.evolve(**{name: absent[name]})
    # A cell may look at its owner, which has changed: once more.
    again: list[str] = []
    for name in names:
        value = getattr(owner, name)
        if name in absent and value != absent[name] and cells[name](value, owner) is not value:
            again.append(name)
    return owner.evolve(**{name: absent[name] for name in again}) if again else owner
