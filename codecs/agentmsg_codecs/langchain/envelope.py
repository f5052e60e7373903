"""The envelope: an answer's content in the form in which the issuer's own client of LangChain keeps it.

``wrap`` writes the blocks as the provider's own parts, gives them the form of issuers.py, and reads them with the
reader of messages, as if the client had made them; ``unwrap`` goes the other way. Calls of functions are in content and
in ``tool_calls``, as the clients make both. What a client's message has besides (copies that streaming leaves, nulls,
keys that repeat) is a note, which holds as long as the content is the same.

Content of ``output_version`` "v1", and parts that aren't the issuer's, stay in LangChain's own words.
"""

from __future__ import annotations

from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar, cast

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dump_json,
    envelopes,
    is_mapping,
    is_marked,
    is_object,
    is_sequence,
    marked,
    natives,
    note_of,
    same_document,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.calls import is_function_call
from agentmsg_codecs.langchain.issuers import ISSUERS, ISSUERS_OF_V1, Issuer, listed_call
from agentmsg_codecs.langchain.messages.engine import Messages
from agentmsg_codecs.langchain.messages.fields import KINDS
from agentmsg_codecs.langchain.messages.metadata import COPIED_NOTE, PROVIDER_KEY, is_in_kwargs, read_response
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, OPENAI, WORD_OF_PROVIDER, digest
from agentmsg_codecs.langchain.trees import with_issuer

if TYPE_CHECKING:
    from collections.abc import Sequence


# The note of what the client's message has besides; the longest run of blocks that is tried alone.
_BESIDES = "/besides"
_RESPONSES = "openai-responses"
_LONGEST = 8
_LISTS = ("tool_calls", "invalid_tool_calls")
# The notes of a message that say nothing of its content.
_ASIDE = frozenset({"/form", "/model", "/stop"})
# Of thinking in Anthropic's part.
_UNNOTED = {"notes": EMPTY}
THOUGHT_NOTE = adopt({FAMILY: {"/shape": "thinking"}})


def is_beside(block: Any) -> bool:
    """Whether a block stands beside content."""
    return bool(block.notes) and (is_in_kwargs(block) or is_marked(block, FAMILY, "/beside"))


def _owner(block: Any) -> str | None:
    """Return the provider that a block tells of, if it does."""
    kind: type[Any] = block.__class__
    if block.signature is not None:
        return block.signature.provider or (None if kind is am.TextBlock else "google")
    if kind is am.ImageBlock:
        beside: Any = natives.extras_of(block, FAMILY).get("extras")
        return "google" if is_mapping(beside) and "signature" in beside else None
    if kind is am.TextBlock:
        said = [(cited.extras, natives.extras_of(cited, FAMILY)) for cited in block.citations]
        if any(_RESPONSES in extras or "file_id" in own for extras, own in said):
            return OPENAI
        return "bedrock" if any("bedrock" in extras or "sourceContent" in own for extras, own in said) else None
    if kind in (am.ToolUseBlock, am.ToolResultBlock):
        return (
            block.provider if block.kind == "server" else OPENAI if block.kind == "custom" and block.item_id else None
        )
    if kind is am.ThinkingBlock:
        return OPENAI if block.item_id else ANTHROPIC if block.redacted else None
    if kind is am.CompactionBlock:
        return ANTHROPIC if block.encrypted is None else OPENAI
    if kind is not am.NativeBlock or block.codec != FAMILY:
        return block.codec if kind is am.NativeBlock else None
    value = block.value
    part = value.get("value") if is_mapping(value) and value.get("type") == "non_standard" else value
    return next((name for name in (OPENAI, ANTHROPIC, "bedrock", "google") if ISSUERS[name].owns(part)), None)


def _has_call_inside(blocks: Sequence[Any]) -> bool:
    """Whether a call of a function stands before another block: then it is in content, too."""
    are_calls = list(map(is_function_call, blocks))
    return True in are_calls and False in are_calls[are_calls.index(True) :]


class LangChainEnvelope(envelopes.Envelope):
    """Wraps and unwraps the assistant's messages."""

    family: ClassVar[str] = FAMILY

    @cached_property
    def engine(self) -> Messages:
        """Reads and writes messages in LangChain's words, without a user's hooks."""
        engine = Messages()
        engine.fill()
        return engine

    def is_usual(self, message: am.Msg) -> bool:
        """Whether a message has only texts and calls of functions, which reach all clients in LangChain's own words."""
        if message.notes and _BESIDES in note_of(message, FAMILY):
            return False
        if message.response_metadata and PROVIDER_KEY in message.response_metadata:
            return False
        content: tuple[Any, ...] = message.content
        called = False
        for block in content:
            kind = block.__class__
            if kind is am.TextBlock:
                if called or block.citations or block.phase is not None:
                    return False  # a call before a text stands in content, too
            elif kind is not am.ToolUseBlock or block.kind != "function":
                return False
            else:
                called = True
            if block.extras or block.item_id is not None or block.signature is not None:
                return False
        return message.api != "responses" or not message.content

    def renewed(self, message: am.Msg) -> am.Msg:
        """Return a message whose metadata name the provider, as an earlier reader left them, as today's has it."""
        if message.provider is not None or type(message.response_metadata.get(PROVIDER_KEY)) is not str:
            return message
        _, _, provider, api, rest, note = read_response(thaw(message.response_metadata))
        content = tuple(map(_recut, message.content))
        new = message.evolve(content=content, provider=provider, api=api, response_metadata=rest)
        return with_note(new, FAMILY, {**note_of(message, FAMILY), **note}) if "/provider" in note else new

    def wrap(self, message: am.Msg) -> am.Msg:
        """Return a message whose content reads as that of the issuer's client."""
        issuer = self._issuer(message)
        if issuer is None or any(map(issuer.is_foreign, message.content)):
            return message
        before, main, behind = _apart(message.content)
        if not _converted(issuer, main):
            return message.evolve(content=(*before, *_put((), main), *behind))
        plain = self._listed(issuer, main)
        note = note_of(message, FAMILY)
        body = _with_besides(plain, note.get(_BESIDES))
        found = self._read(message, body)
        if body is not plain:
            read = self._blocks(issuer, self._given(issuer, found), found.content, found.provider)
            if not am.same(read, _converted(issuer, main)):
                found = self._read(message, plain)
        blocks = found.content if issuer.lists_calls else _put(found.content, main)
        own = {**note_of(found, FAMILY), **{key: note[key] for key in note if key != _BESIDES}}
        new = with_note(message.evolve(content=(*before, *blocks, *behind)), FAMILY, own)
        if _thinks(new) and not _thinks(message):
            raise Unreadable  # its reader leaves it in LangChain's words, which say more
        return new

    def wrap_each(self, message: am.Msg) -> am.Msg:
        """Return a message in which each run of blocks that comes back is as the client has it; others stay.

        What is read of such a mixture shows whether it comes back: it says less of its provider than a whole answer.
        """
        new = self._each(message)
        read = with_issuer(self.engine.read(thaw(self.engine.write(new, "dict")))[0])
        found = self.unwrap(read)
        if not am.same(found, message) or not envelopes.is_just_as(self._each(found), read):
            raise Unreadable
        return new

    def _each(self, message: am.Msg) -> am.Msg:
        content: list[Any] = []
        rest = message.content
        while rest:
            sizes = range(min(len(rest), _LONGEST), 0, -1)
            tried = ((size, self._proved(self.wrap, message.evolve(content=rest[:size]))) for size in sizes)
            size, new = next((found for found in tried if found[1] is not None), (1, None))
            content += rest[:1] if new is None else new.content
            rest = rest[size:]
        return message.evolve(content=content)

    def unwrap(self, message: am.Msg) -> am.Msg:
        """Return a message with the blocks that its provider reads."""
        issuer = self._issuer(message)
        return message if issuer is None else self._unwrapped(issuer, message, self._given(issuer, message))

    def _unwrapped(self, issuer: Issuer, message: am.Msg, given: Native) -> am.Msg:
        before, main, behind = _apart(message.content)
        blocks = self._blocks(issuer, given, main, message.provider)
        return message.evolve(content=(*before, *(blocks if issuer.lists_calls else _put(blocks, main)), *behind))

    def opened(self, message: am.Msg) -> am.Msg:
        """Return a message with the blocks that its provider reads, and a note of what the client's has besides.

        A message that wrapping would change is noted to be in LangChain's own words, so that it comes back as it was.
        """
        thoughts = _plain_thoughts(message)
        if thoughts is not None:
            return self.remember(spelling.changed(message, {"content": thoughts}), message)
        issuer = self._issuer(message)
        if issuer is None:
            return message
        found: am.Msg | None = None
        try:
            given = self._given(issuer, message)
            new = self._unwrapped(issuer, message, given)
            if _thinks(message) and not _thinks(new):
                raise Unreadable  # LangChain's words say more
            found = new
            if self._is_given(issuer, found, message, given) or self.is_proved(found, message):
                return self.remember(found, message)
            plain = self._listed(issuer, _apart(found.content)[1])
            for is_ordered in (False, True):
                new = marked(found, FAMILY, **{_BESIDES[1:]: _besides(plain, given, is_ordered=is_ordered)})
                if self.is_proved(new, message):
                    return self.remember(new, message)
        except envelopes.UNFIT:
            pass
        return (found and self.in_parts(found, message)) or self.as_read(message)

    def _is_given(self, issuer: Issuer, message: am.Msg, wrapped: am.Msg, given: Native) -> bool:
        """Whether a message that was unwrapped is written as the content and calls that the other was read from.

        Then it is read as the other, if that is of nothing else: it has no copies of calls elsewhere, no spelling.
        """
        parts = given["content"]
        if not parts or (len(parts) == 1 and is_object(parts[0]) and parts[0].keys() == {"type", "text"}):
            return False  # it may have been a text
        if not all(map(issuer.keeps, wrapped.content)) or any(map(issuer.is_foreign, message.content)):
            return False
        are_calls = list(map(is_function_call, wrapped.content))
        if not issuer.lists_calls and are_calls != list(map(is_function_call, message.content)):
            return False
        try:
            is_so = dump_json(self._listed(issuer, message.content)) == dump_json(given)
        except envelopes.UNFIT:
            return False
        return is_so and self._issuer(message) is issuer and _BESIDES not in note_of(message, FAMILY)

    def reopened(self, message: am.Msg) -> am.Msg:
        """Return what a reader makes of a message: its notes aren't those of the one that was fitted."""
        found = self.opened(message)
        try:
            read, _ = self.engine.read(thaw(self.engine.write(message, "dict")))
        except envelopes.UNFIT:
            return found
        again = self.opened(read) if am.same(read, message) else found
        return found if am.same(again, found) else again

    def _issuer(self, message: am.Msg) -> Issuer | None:
        """Return whose form a message has: that of its provider, or else that of the one its blocks tell of."""
        if self.is_usual(message):
            return None
        is_known = message.api == "responses" or _BESIDES in note_of(message, FAMILY)
        provider = message.provider
        told = [_owner(block) for block in message.content if not is_beside(block)]
        if provider is None:
            provider = "bedrock" if "bedrock" in told else next(filter(None, told), None)
            if provider is None and _has_call_inside(message.content):
                provider = ""
        elif provider == OPENAI and not is_known and OPENAI not in told:
            return None
        note = note_of(message, FAMILY)
        if KINDS.get(str(note.get("/type", "ai"))) != "ai" or note.get("/provider") == "bedrock":
            return None
        is_v1 = message.response_metadata.get("output_version") == "v1"
        return (ISSUERS_OF_V1 if is_v1 else ISSUERS).get(provider)

    # -- content in both forms ------------------------------------------------------------------------------------

    def _listed(self, issuer: Issuer, blocks: tuple[Any, ...]) -> Native:
        """Return content and calls as the issuer's client has them."""
        parts: list[Any] = []
        blocks = _converted(issuer, blocks)
        for is_own, run in groupby(blocks, issuer.takes):
            if is_own:
                parts += issuer.write(list(run))
            else:
                parts += map(self._write_other, run)
        body: Native = {"content": parts, "tool_calls": [], "invalid_tool_calls": []}
        for block in blocks:
            if is_function_call(block) or (type(block) is am.ToolUseBlock and block.kind == "custom"):
                entry = listed_call(block)
                body["tool_calls" if "error" not in entry else "invalid_tool_calls"].append(entry)
        return body

    def _write_other(self, block: Any) -> Any:
        if is_function_call(block):
            raise Unreadable
        return thaw(self.engine.parts.write(block))

    def _read(self, message: am.Msg, body: Native) -> am.Msg:
        """Return the message of a client's content, as the reader of messages reads it."""
        provider = message.provider
        word = note_of(message, FAMILY).get("/provider") or WORD_OF_PROVIDER.get(str(provider), provider)
        response = {} if word is None else {"model_provider": word}
        native: Native = {
            "content": [], "additional_kwargs": {}, "response_metadata": response,
            "type": "ai", "name": None, "id": None, "tool_calls": [], "invalid_tool_calls": [], "usage_metadata": None,
            **thaw(adopt(body)),
        }  # fmt: skip
        found, _ = self.engine.read({"type": "ai", "data": native})
        if found.role != "assistant" or found.metadata:
            raise Unreadable
        return found

    def _given(self, issuer: Issuer, message: am.Msg) -> Native:
        """Return content and calls of a message in LangChain's words, apart from what the issuer has elsewhere."""
        main = _converted(issuer, _apart(message.content)[1])
        changes: Native = {} if len(main) == len(message.content) else {"content": main}
        changes |= {"metadata": EMPTY} if message.metadata else {}
        written = self.engine.body_of(message.evolve(**changes) if changes else message)
        body: Native = thaw({key: written[key] for key in ("content", *_LISTS)})
        content = body["content"]
        if type(content) is str:
            body["content"] = [{"type": "text", "text": content}] if content else []
        return body

    def _blocks(self, issuer: Issuer, body: Native, main: tuple[Any, ...], provider: str | None) -> tuple[Any, ...]:
        """Return the blocks of content and calls in LangChain's words, as the provider reads them.

        Args:
            issuer: the provider.
            body: content and calls.
            main: the blocks that these are of.
            provider: of the message.
        """
        listed = [entry for key in _LISTS for entry in body[key] if is_object(entry)]
        entries: dict[Any, Native] = {entry["id"]: entry for entry in listed if type(entry.get("id")) is str}
        blocks: list[Any] = []
        for is_own, run in groupby(body["content"], issuer.owns):
            if is_own:
                blocks += issuer.read(list(run), entries)
            else:
                blocks += [self.engine.parts.read(part, provider) for part in run]
        inside = {block.id: block for block in blocks if type(block) is am.ToolUseBlock and block.kind != "server"}
        for link, entry in entries.items():
            if link in inside and not same_document(entry.get("args"), listed_call(inside[link]).get("args")):
                raise Unreadable  # the copies differ
        calls = (block for block in _converted(issuer, main) if is_function_call(block))
        return (*blocks, *(block for block in calls if block.id not in inside))


def _recut(block: Any) -> Any:
    """Return thinking whose cuts are noted as those of the Responses API: its parts are that provider's now."""
    note: Any = note_of(block, FAMILY) if block.notes else {}
    if type(block) is not am.ThinkingBlock or note.keys() != {"/cuts", "/shape"}:
        return block
    return block.evolve(
        notes={
            **{key: block.notes[key] for key in block.notes if key != FAMILY},
            _RESPONSES: {"/lengths": note["/cuts"]},
        }
    )


def _plain_thoughts(message: am.Msg) -> tuple[Any, ...] | None:
    """Return the blocks of a usual answer of Anthropic, of which it is known that they come back; else None.

    It holds signed thinking, texts and calls, in the shapes that the quick reader gives them.
    """
    if message.provider not in (None, ANTHROPIC) or "output_version" in message.response_metadata:
        return None
    if message.notes and not _ASIDE.issuperset(note_of(message, FAMILY)):
        return None
    found: list[Any] = []
    links: set[Any] = set()
    content: tuple[Any, ...] = message.content
    for block in content:
        kind: type[Any] = block.__class__
        if block.extras or block.cache is not None or block.item_id is not None or block.phase is not None:
            return None
        if kind is am.ThinkingBlock:
            signature = block.signature
            if block.notes != THOUGHT_NOTE or not block.thinking or block.redacted is not None:
                return None
            if signature is None or signature.provider != ANTHROPIC or not signature.value or signature.extras:
                return None
            found.append(spelling.changed(block, _UNNOTED))
        elif block.signature is not None:
            return None
        elif kind is am.TextBlock and not (block.notes or block.citations) and block.text and not links:
            found.append(block)
        elif kind is am.ToolUseBlock and block.notes is COPIED_NOTE and block.id and block.id not in links:
            links.add(block.id)
            found.append(spelling.changed(block, _UNNOTED))
        else:
            return None
    return (
        tuple(found)
        if am.ThinkingBlock in map(type, found) and (not links or type(found[-1]) is am.ToolUseBlock)
        else None
    )


def _thinks(message: am.Msg) -> bool:
    return any(type(block) is am.ThinkingBlock for block in message.content)


def _apart(blocks: Sequence[Any]) -> tuple[list[Any], tuple[Any, ...], list[Any]]:
    """Return the blocks that stand beside content: those before it, content, and those behind."""
    before: list[Any] = []
    behind: list[Any] = []
    main: list[Any] = []
    for block in blocks:
        if is_beside(block):
            (behind if main else before).append(block)
        else:
            main.append(block)
    return before, tuple(main), behind


def _converted(issuer: Issuer, main: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the blocks that become parts in content: with some clients, calls of functions don't."""
    return main if issuer.lists_calls else tuple(block for block in main if not is_function_call(block))


def _put(blocks: Sequence[Any], main: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return blocks in the place of those that were converted, and the calls between them.

    Raises:
        Unreadable: if it isn't one for one.
    """
    rest = iter(blocks)
    found = tuple(_tagged(block) if is_function_call(block) else next(rest, None) for block in main)
    if None in found or next(rest, None) is not None:
        raise Unreadable
    return found


def _tagged(call: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call whose signature of Google stands in additional_kwargs."""
    if call.signature is None or call.signature.provider != "google" or FAMILY in call.notes:
        return call
    return marked(call, FAMILY, tagged="s")


# -- what a client's message has besides ------------------------------------------------------------------------------


def _besides(plain: Native, given: Native, *, is_ordered: bool) -> Native:
    """Return how a client's content and calls differ from the usual ones, also in the order of keys, if that matters.

    A digest of the usual ones is with it.
    """
    found: Native = {"of": digest(plain)}
    for key in ("content", *_LISTS):
        usual, own = plain[key], given[key]
        kept = list(range(len(usual)))
        if len(own) < len(usual) and key == "content":
            # A client's content may lack calls that are in the list.
            kept = [i for i in kept if not any(_id_of(usual[i]) == _id_of(entry) for entry in given["tool_calls"])]
        if len(kept) != len(own):
            raise Unreadable
        pairs = [(i, _change(usual[i], part)) for i, part in zip(kept, own, strict=True)]
        changes = {str(i): change for i, change in pairs if change}
        changes |= {str(i): None for i in range(len(usual)) if i not in kept}
        if changes:
            found[key] = changes
    return {**found, "order": envelopes.orders_of(given, _with_besides(plain, found))} if is_ordered else found


def _id_of(part: Any) -> Any:
    return part.get("call_id") or part.get("id") if is_object(part) else None


def _change(usual: Any, own: Any) -> Any:
    if not is_object(usual) or not is_object(own):
        if same_document(usual, own):
            return None
        if is_object(usual) and own == usual.get("text") and usual == {"type": "text", "text": own}:
            return "text"
        raise Unreadable
    more = {key: own[key] for key in own if key not in usual or not same_document(own[key], usual[key])}
    less = [key for key in usual if key not in own]
    return [more, less] if more or less else None


def _with_besides(plain: Native, noted: Any) -> Native:
    """Return content and calls with what a client's message had besides, if they are what they were."""
    if not is_mapping(noted) or noted.get("of") != digest(plain):
        return plain
    body = dict(plain)
    for key in ("content", *_LISTS):
        changes = noted.get(key)
        if is_mapping(changes):
            noted_parts = [(part, changes.get(str(index), ())) for index, part in enumerate(plain[key])]
            body[key] = [
                _patched(part, how) if is_object(part) else part for part, how in noted_parts if how is not None
            ]
    return cast("Native", envelopes.reordered(body, noted.get("order")))


def _patched(part: Native, change: Any) -> Any:
    if change == "text":
        return part.get("text")
    if not is_sequence(change) or len(change) < 2 or not is_mapping(change[0]):  # noqa: PLR2004 - more and less
        return part
    return thaw({**{key: part[key] for key in part if key not in change[1]}, **change[0]})


ISSUED = LangChainEnvelope()
