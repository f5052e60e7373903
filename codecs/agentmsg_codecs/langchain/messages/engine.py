"""Messages: a fast path for what LangChain itself writes today, and the general path for everything else.

The fast path tests the exact keys and types, so that nothing can deviate and nothing need be compared. The general path
reads leniently, writes the default spelling, keeps the difference (``formats.spelling.keep``) and proves that the
document comes back; a message that doesn't is kept whole, as a native message.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import AgentMsgError, DecodeError, Made, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Unreadable,
    adopt,
    dump_json,
    excerpt,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    marked,
    natives,
    note_of,
    same_document,
    speed,
    spelling,
    with_note,
)
from agentmsg_codecs.langchain.blocks.parts import ContentParts
from agentmsg_codecs.langchain.blocks.v1 import is_words, with_points, with_points_apart
from agentmsg_codecs.langchain.calls import PLACES, SPACES, Layout, chunks_of, content_part, join, lay_out
from agentmsg_codecs.langchain.messages.fields import (
    FORMS,
    HAS_MEANING,
    KINDS,
    LEFT_OUT,
    MAY_MEAN,
    ROLE_OF_KIND,
    TAG_OF_ROLE,
    Unwrapped,
    able,
    split,
    wrap,
)
from agentmsg_codecs.langchain.messages.metadata import (
    USAGE,
    is_in_kwargs,
    read_kwargs,
    read_response,
    read_usage,
    tagged,
    untagged,
    write_kwargs,
    write_response,
    write_usage,
)
from agentmsg_codecs.langchain.messages.quick_read import FastReaders, proving, read_deviating, write_deviating
from agentmsg_codecs.langchain.names import ENVELOPE, FAMILY, OPENAI_ROLE, OWN_ROLES, STATUS_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    import cattrs

    from agentmsg.formats.forms import Described


# -- bodies: the fields of a message, as ``model_dump`` names them ----------------------------------------------------


_make_msg = maker(am.Msg)
_CHUNKS = SPACES["k"]
# The namespaces of what entries in the lists of calls say beyond a call.
_LISTS = frozenset({SPACES["t"], _CHUNKS})
# The forms that have the role itself.
_WITH_ROLE = frozenset({"role", "pair"})
_LONG = frozenset({"dict", "flat"})


class Bodies:
    """Reads and writes the bodies of messages."""

    def __init__(self, parts: ContentParts) -> None:
        self.parts = parts

    # -- what kind of message -----------------------------------------------------------------------------------

    def default_tag(self, message: am.Msg) -> str:
        """Return the word in `type` for a message, by its role; if its calls have pieces, it is a chunk."""
        if message.role == "assistant" and any(_CHUNKS in block.extras for block in message.content if block.extras):
            return "AIMessageChunk"
        return TAG_OF_ROLE.get(message.role, "chat")

    def tag(self, message: am.Msg, noted: Any) -> str:
        """Return the word in `type`: the noted one if the message can be of that kind."""
        default = self.default_tag(message)
        if default == "AIMessageChunk" or not isinstance(noted, str) or noted not in KINDS:
            return default
        may_be = _MAY_BE.get(KINDS[noted])
        return noted if KINDS[noted] == KINDS[default] or (may_be is not None and may_be(message)) else default

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, found: Unwrapped) -> am.Msg:
        """Return the meaning of a body; the caller notes its spelling.

        Raises:
            Unreadable: if a field of what the message says has no meaning.
        """
        body, kind = found.body, found.kind
        kwargs, response = _object_at(body, "additional_kwargs"), _object_at(body, "response_metadata")
        model, reason, provider, api, response, note = read_response(response)
        # A chat message may also be an answer, by its role.
        is_answer = kind == "ai" or (kind == "chat" and body.get("role") == "assistant")
        content = self._content(body.get("content"), provider if is_answer else None)
        fields: Native = {
            "id": natives.word_if_any(body, "id"), "model": model, "provider": provider, "api": api,
            "finish_reason": reason,
        }  # fmt: skip
        if kind in {"tool", "function"}:
            role = "tool"
            fields["content"] = (self._result(body, content, kind),)
        else:
            fields["name"] = natives.word_if_any(body, "name")
            role = self._role(found, kwargs)
            if OPENAI_ROLE in kwargs or role == "developer":
                kwargs, note = _unmarked(found, role, kwargs, note)
            fields["content"] = tuple(block for block, _ in content)
        if is_answer:
            before, behind, metadata = read_kwargs(kwargs)
            if kind == "ai" and (thought := natives.word_if_any(body, "reasoning_content")) is not None:
                before.insert(0, v1.make_thinking(thinking=thought, notes=_BESIDE))
            placed = [(block, None) for block in before] + content + [(block, None) for block in behind]
            is_chunk = found.tag == "AIMessageChunk"
            lists = body if kind == "ai" else {}
            blocks, metadata = tagged(join(placed, lists, kwargs, self.parts, is_chunk=is_chunk), metadata)
            fields["content"] = tuple(blocks)
            fields["usage"] = read_usage(lists.get("usage_metadata"))
            if is_chunk and body.get("chunk_position") == "last":
                note = {**note, "/last": True}
            kwargs = metadata
        if kind == "remove" and fields["content"]:
            raise Unreadable
        return _make_msg(
            role=role,
            metadata=adopt(kwargs) if kwargs else EMPTY,
            response_metadata=adopt(response) if response else EMPTY,
            notes=adopt({FAMILY: note}) if note else EMPTY,
            **fields,
        )

    def _role(self, found: Unwrapped, kwargs: Native) -> str:
        if found.kind == "chat":
            word = found.word if found.form in {"role", "pair"} else found.body.get("role")
            if type(word) is not str or word in OWN_ROLES:
                raise Unreadable
            return word
        if found.kind == "system" and (found.word == "developer" or kwargs.get(OPENAI_ROLE) == "developer"):
            return "developer"
        return ROLE_OF_KIND[found.kind]

    def _content(self, native: Any, provider: str | None) -> list[tuple[Any, Any]]:
        if native is None or native == "":
            return []
        if type(native) is str:
            return [(v1.make_text(text=native), None)]
        if not is_list(native):
            raise Unreadable
        return with_points((self.parts.read(part, provider), part) for part in native)

    def _result(self, body: Native, content: list[tuple[Any, Any]], kind: str) -> am.ToolResultBlock:
        name = natives.word_if_any(body, "name")
        blocks = tuple(self.parts.read_inside(block) for block, _ in content)
        if kind == "function":
            return v1.make_result(tool_call_id=None, content=blocks, name=name, notes=_NO_ID)
        link, status = natives.word_if_any(body, "tool_call_id"), natives.word_if_any(body, "status")
        error = natives.word_if_any(body, "error")
        # LangChain doesn't know such a status, nor an error without one.
        has_odd_status = error is not None if status is None else status not in STATUS_WORDS
        note = {**({"/no-id": True} if link is None else {}), **({"/status": True} if has_odd_status else {})}
        result = v1.make_result(
            tool_call_id=link,
            content=blocks,
            name=name,
            structured=adopt(body.get("structured")),
            artifact=adopt(body.get("artifact")),
            status=status,
            error=error,
            error_type=natives.word_if_any(body, "error_type"),
            cache=v1.cache_of(body),
            notes=adopt({FAMILY: note}) if note else EMPTY,
        )
        text = body.get("content")
        # Such a text only repeats other fields, for readers of content alone.
        return result.evolve(content=()) if type(text) is str and text and text == _repeated(result) else result

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, tag: str, form: str) -> Native:
        """Return the body of a message in its default spelling, without unknown fields."""
        kind = KINDS[tag]
        blocks = message.content
        note = message.notes.get(FAMILY) if message.notes else None
        body: Native = {
            "content": "",
            "additional_kwargs": message.metadata,
            "response_metadata": write_response(message, note if is_mapping(note) else None),
            "type": tag,
            "name": message.name,
            "id": message.id,
        }
        if kind == "ai":
            self._write_ai(message, body)
        elif kind in {"tool", "function"}:
            self._write_result(cast("am.ToolResultBlock", blocks[0]), body, kind)
        elif kind == "chat" and message.role == "assistant":
            self._write_blocks(message, body, has_lists=False)
            body["role"] = message.role
        else:
            body["content"] = self._write_content(blocks, self.parts.write)
            if kind == "chat":
                body["role"] = message.role
            elif message.role == "developer" and _is_marked(message, form):
                body["additional_kwargs"] = {**message.metadata, OPENAI_ROLE: "developer"}
        return body if form in _LONG else _shortened(body, form)

    def _write_content(self, blocks: Any, write: Callable[[Any], Any]) -> Any:
        if not blocks:
            return ""
        if is_words(blocks):
            return blocks[0].text
        return list(with_points_apart(blocks, write))

    def _write_result(self, block: am.ToolResultBlock, body: Native, kind: str) -> None:
        content = self._write_content(block.content, self.parts.write_inside)
        body["name"] = block.name
        body["content"] = content
        if kind == "function":
            return
        if block.tool_call_id is not None:
            body["tool_call_id"] = block.tool_call_id
        body["artifact"] = block.artifact
        if block.status is not None:
            body["status"] = block.status
        if block.cache is not None:
            body["cache_control"] = v1.write_cache(block.cache)
        if block.structured is None and block.error is None and block.error_type is None:
            return
        text = _repeated(block)
        if not content:
            body["content"] = text or ""
        elif content == text:
            body["content"] = list(map(self.parts.write, block.content))
        for key in ("structured", "error", "error_type"):
            if (value := getattr(block, key)) is not None:
                body[key] = value

    def _write_ai(self, message: am.Msg, body: Native) -> None:
        layout = self._write_blocks(message, body)
        body["usage_metadata"] = None if message.usage is None else write_usage(message.usage)
        if body["type"] == "AIMessageChunk":
            body["tool_call_chunks"] = chunks_of(layout)
            body["chunk_position"] = "last" if note_of(message, FAMILY).get("/last") is True else None

    def _write_blocks(self, message: am.Msg, body: Native, *, has_lists: bool = True) -> Layout:
        blocks, kwargs = untagged(message.content)
        layout = lay_out(blocks)
        sound = _last_sound(message, layout.places)
        inside: list[Any] = []
        for index, block in enumerate(blocks):
            if index in layout.places:
                if "c" in layout.places[index] or (not has_lists and layout.places[index] in ("t", "k")):
                    inside.append(content_part(block, self.parts))
            elif is_in_kwargs(block) or index == sound:
                write_kwargs(block, kwargs)
            elif block.notes and has_lists and type(block) is am.ThinkingBlock and is_marked(block, FAMILY, "/beside"):
                body["reasoning_content"] = block.thinking
            else:
                inside.append(block)
        if is_words(inside):
            body["content"] = inside[0].text
        else:

            def write(item: Any) -> Any:
                is_written = not isinstance(item, am.BaseBlock)
                return item if is_written else self.parts.write_for(item, message.provider)

            body["content"] = list(with_points_apart(inside, write)) or ""
        if has_lists:
            body["tool_calls"] = layout.tool_calls
            body["invalid_tool_calls"] = layout.invalid_tool_calls
        if layout.raw:
            kwargs["tool_calls"] = layout.raw
        if layout.function_call is not None:
            kwargs["function_call"] = layout.function_call
        if kwargs:
            body["additional_kwargs"] = {**body["additional_kwargs"], **kwargs}
        return layout


def _last_sound(message: am.Msg, calls: Collection[int]) -> int | None:
    """Return the index of a sound that may stand behind content: only calls follow it."""
    blocks, last = message.content, len(message.content) - 1
    while last in calls:
        last -= 1
    is_so = last >= 0 and v1.is_sound(blocks[last]) and "audio" not in message.metadata
    return last if is_so and not any(type(block) is am.AudioBlock and is_in_kwargs(block) for block in blocks) else None


_NO_ID = natives.without_id(FAMILY)
# Of thinking that stood beside content, as convert_to_messages takes it.
_BESIDE = adopt({FAMILY: {"/beside": True}})


def _may_chat(message: am.Msg) -> bool:
    """Whether a message can be a chat message, which has neither usage nor lists of calls."""
    if message.role != "assistant":
        return message.role not in OWN_ROLES
    return message.usage is None and all(_LISTS.isdisjoint(block.extras) for block in message.content if block.extras)


def _is_bare_result(message: am.Msg) -> bool:
    """Whether a message can be a function message, which has only name and content."""
    if message.role != "tool":
        return False
    result: Any = message.content[0]
    is_unlinked = result.tool_call_id is None or isinstance(result.tool_call_id, Made)
    return is_unlinked and all(getattr(result, field) is None for field in _BESIDE_NAME)


# The kinds that only a note gives to a message.
_MAY_BE: Mapping[str, Callable[[am.Msg], bool]] = {"chat": _may_chat, "function": _is_bare_result}
_BESIDE_NAME = ("structured", "artifact", "status", "error", "error_type", "cache")


def _unmarked(found: Unwrapped, role: str, kwargs: Native, note: Native) -> tuple[Native, Native]:
    """Return metadata and note of a message whose additional_kwargs may say that a developer speaks.

    Raises:
        Unreadable: if they contradict the role, or aren't an object.
    """
    mark, has_mark = kwargs.get(OPENAI_ROLE), OPENAI_ROLE in kwargs
    if role != "developer" or found.kind == "chat":
        if has_mark and (role == "developer" or (role == "system" and mark == "developer")):
            raise Unreadable
        return kwargs, note
    given = found.body.get("additional_kwargs")
    if (has_mark and mark != "developer") or not (is_object(given) or spelling.says_nothing(given)):
        raise Unreadable
    if has_mark is (found.form in _WITH_ROLE):
        note = {**note, "/marked": has_mark}
    return {key: value for key, value in kwargs.items() if key != OPENAI_ROLE}, note


def _is_marked(message: am.Msg, form: str) -> bool:
    """Whether additional_kwargs say that a developer speaks: as noted, else if the form has no role."""
    noted = note_of(message, FAMILY).get("/marked")
    return noted if type(noted) is bool else form not in _WITH_ROLE


def _shortened(body: Native, form: str) -> Native:
    """Return a body without empty fields, and without those that the form has outside."""
    left_out = {"type", "role"} if form != "oldest" else {"type"}
    return {
        key: value
        for key, value in body.items()
        if key not in left_out and not (key in LEFT_OUT and same_document(value, LEFT_OUT[key]))
    }


def _repeated(block: am.ToolResultBlock) -> str | None:
    """Return the text of a result without content: its structure as JSON, else its error."""
    return block.error if block.structured is None else dump_json(block.structured).decode()


def _object_at(body: Native, key: str) -> Native:
    value = body.get(key)
    return value if is_object(value) else {}


# A value without meaning under these keys is an extra, never a note.
_ODD = frozenset(HAS_MEANING)


class Messages:
    """Reads and writes single messages.

    Attributes:
        parts: reads and writes content parts.
        fast_readers: by the word in `type`.
        proving: by form, the readers of messages whose depth isn't checked yet; see quick_read.py.
        origins: by form, the reader that messages remember if they are proved to come back in that form.
    """

    def __init__(self) -> None:
        self.parts = parts = ContentParts()
        self._bodies = Bodies(parts)
        self.fast_readers = FastReaders(parts, "flat").by_tag
        self.proving = proving(parts)
        self.origins = {form: object() for form in FORMS}

    @cached_property
    def fast_writers(self) -> dict[str, Callable[[am.Msg], Native | None]]:
        """By role, the writers of usual messages."""
        from agentmsg_codecs.langchain.messages.quick_write import FastWriters  # noqa: PLC0415 - many only read

        return FastWriters(self.parts, "flat").by_role

    @property
    def converter(self) -> cattrs.Converter:
        """The cattrs Converter that the hooks of blocks are registered on."""
        return self.parts.converter

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of content parts and of usage."""
        return (self.parts.described, USAGE)

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.parts.fill()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any) -> tuple[am.Msg, str]:
        """Return the message of a native one, and its form.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        tag: Any = native.get("type") if is_object(native) else None
        fast = self.fast_readers.get(tag) if type(tag) is str else None
        if fast is not None:
            data = native.get("data")
            is_dict = is_object(data) and len(native) == 2  # noqa: PLR2004 - type and data
            body: Any = data if is_dict else native
            message = fast(body) or (read_deviating(body, tag, fast) if is_dict or "content" in body else None)
            if message is not None:
                return message, "dict" if is_dict else "flat"
        found = split(native)
        if found is None:
            if is_mapping(native) and (type(native.get("type")) is str or type(native.get("role")) is str):
                if native.get("type") == "constructor" and "lc" in native:
                    raise DecodeError("an envelope of dumpd (lc, constructor): another codec reads these")
                return _whole(native), "dict" if "data" in native else "flat"
            raise DecodeError(f"not a message of LangChain: {excerpt(native)}")
        try:
            message, plain = self._meaning(found)
        except (Unreadable, AgentMsgError):
            return _whole(native), found.form
        is_proven = True
        if not same_document(plain, found.body):
            kept, is_proven = self._kept(message, plain, found) or (None, False)
            if kept is None or not self.keeps_extras(kept, found.form, FORMS):
                return _whole(native), found.form
            message = kept
        if found.rest:
            message = message.evolve(extras={**message.extras, ENVELOPE: found.rest})
        is_proven = is_proven and self._is_written_so(message, found)
        if not is_proven and not same_document(thaw(self.spell(message, found.form)), native):
            return _whole(native), found.form
        speed.remember_reader(message, self.origins[found.form])
        return message, found.form

    def _is_written_so(self, message: am.Msg, found: Unwrapped) -> bool:
        """Whether a message is certainly written in the form that it was read in, if its body comes back."""
        if found.form not in _LONG or not MAY_MEAN.isdisjoint(natives.extras_of(message, FAMILY)):
            return False
        tag = self._bodies.tag(message, note_of(message, FAMILY).get("/type"))
        return tag == found.tag and able(found.form, message, tag) == found.form

    def _meaning(self, found: Unwrapped) -> tuple[am.Msg, Native]:
        """Return the meaning of a native message, and its body in the default spelling."""
        message = self._bodies.read(found)
        plain = self._bodies.write(message, found.tag, found.form)
        own: Native = {}
        if self._bodies.default_tag(message) != found.tag:
            own["type"] = found.tag
        if found.word is not None and (found.form == "oldest" or message.role != found.word):
            own["role"] = found.word
        if found.typed is not None:
            own["typed"] = True if found.typed == found.kind else found.typed
        content = found.body.get("content")
        if is_list(content) and content and type(plain.get("content")) is str:
            own["content"] = "list"
        message = marked(message, FAMILY, **own) if own else message
        return message, self._listed(message, plain)

    def has_proved(self, message: am.Msg) -> bool:
        """Whether a message was read in the flat form, so that writing it needs no proof."""
        return speed.reader_of(message) is self.origins["flat"]

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, form: str) -> Any:
        """Return the native message, in the form of its note, or else in this one."""
        if speed.reader_of(message) is self.origins.get(form, self):
            return self.spell(message, form)
        fast = self.fast_writers.get(message.role) if form in _LONG else None
        if fast is not None:
            body = None if message.extras else fast(message)
            if body is None and (message.extras or message.notes):
                body = write_deviating(message, fast)
            if body is not None and form == "dict":
                return {"type": body.get("type") or self._bodies.default_tag(message), "data": body}
            if body is not None and "type" in body:
                return body
        if natives.is_native(message, FAMILY):
            return message.content[0].value  # type: ignore[union-attr]
        return self._checked(message, form)

    def body_of(self, message: am.Msg) -> Native:
        """Return the body of an assistant's message in the form with type and data, with the noted words of content."""
        usual = None if message.extras else self.fast_writers["assistant"](message)
        return self._bodies.write(message, "ai", "dict") if usual is None else usual

    def _checked(self, message: am.Msg, form: str) -> Any:
        """Return the native message with all noted spellings that still mean the same."""
        for trial in _trials(message):
            spelt = self.spell(trial, form)
            is_noted = FAMILY in trial.notes or any(map(_has_note, trial.content))
            if not is_noted or self._reads_as(spelt, message):
                return spelt
        raise AssertionError  # pragma: no cover - the last trial has no notes

    def spell(self, message: am.Msg, form: str) -> Any:
        """Return the native message as ``write`` does, with all its noted spellings: it is proved that they hold."""
        note = note_of(message, FAMILY)
        own = note.get("/form")
        form = own if isinstance(own, str) and own in FORMS else form
        tag = self._bodies.tag(message, note.get("/type"))
        form = able(form, message, tag)
        body = self._bodies.write(message, tag, form)
        body = self._listed(message, body)
        own = natives.extras_of(message, FAMILY)
        if not _ODD.isdisjoint(own):
            body = {key: value for key, value in body.items() if not _yields(key, value) or key not in own}
        body = spelling.put_back(message, body, family=FAMILY, read=None)
        return wrap(form, tag, body, message, note)

    def _listed(self, message: am.Msg, body: Native) -> Native:
        """Write content that would be a text as a list, if that is noted."""
        content = body.get("content")
        if note_of(message, FAMILY).get("/content") == "list" and type(content) is str and content:
            held: Any = message.content
            blocks: Any = held[0].content if message.role == "tool" else held
            body["content"] = [self.parts.write(block) for block in blocks if type(block) is am.TextBlock]
        return body

    def keeps_extras(self, message: am.Msg, form: str, forms: frozenset[str]) -> bool:
        """Whether the extras of a message come back unchanged: none reads as a field.

        Args:
            message: the message; the rest of it need not fit yet.
            form: its default form.
            forms: those that it may have.
        """
        own = natives.extras_of(message, FAMILY)
        if MAY_MEAN.isdisjoint(own):
            return True
        bare = _unspelt(message.evolve(extras={FAMILY: own}))
        # The notes of calls say in which lists they are. Extras must also come back without these notes.
        listless = _without_calls_notes(bare)
        return self._keeps(bare, own, form, forms) and (listless is bare or self._keeps(listless, own, form, forms))

    def _keeps(self, message: am.Msg, own: Mapping[str, Any], form: str, forms: frozenset[str]) -> bool:
        try:
            found = split(thaw(self.spell(message, form)))
            # It doesn't matter whether all of it would come back.
            kept = None if found is None else self._kept(*self._meaning(found), found)
        except (AgentMsgError, Unreadable, AttributeError, LookupError, TypeError):
            return False
        if found is None or kept is None or found.form not in forms:
            return False
        return kept[0].role == message.role and same_document(kept[0].extras.get(FAMILY), own)

    def _kept(self, message: am.Msg, plain: Native, found: Unwrapped) -> tuple[am.Msg, bool] | None:
        """Return the message with unknown fields and spellings, and whether its body certainly comes back; or None."""
        plain = {key: value for key, value in plain.items() if not _is_odd(key, found.body.get(key), value)}

        def read(body: Native) -> am.Msg:
            return self._bodies.read(found._replace(body=body))

        return spelling.keep_proven(message, found.body, plain, family=FAMILY, known=found.known, odd=_ODD, read=read)

    def _reads_as(self, native: Any, message: am.Msg) -> bool:
        try:
            return am.same(self.read(thaw(native))[0], message)
        except AgentMsgError:
            return False


def _yields(key: str, plain: Any) -> bool:
    """Whether the default spelling of a field makes way for an extra: it says nothing, or only repeats."""
    return key in _ODD and (not plain or key == "tool_call_chunks")


def _is_odd(key: str, native: Any, plain: Any) -> bool:
    """Whether a value is an extra under the key of a field that says nothing."""
    is_meant = not _yields(key, plain) or HAS_MEANING[key](native) or same_document(native, plain)
    return not is_meant and spelling.spelling_of(native) is None


def _has_note(block: Any) -> bool:
    """Whether a block, or one inside a result, has a note."""
    return FAMILY in block.notes or (type(block) is am.ToolResultBlock and any(map(_has_note, block.content)))


def _without_calls_notes(message: am.Msg, names: Collection[str] | None = None) -> am.Msg:
    """Return a message without the notes of its calls, or without those of some names."""
    if not any(type(block) is am.ToolUseBlock and FAMILY in block.notes for block in message.content):
        return message

    def bare(block: Any) -> Any:
        if type(block) is not am.ToolUseBlock:
            return block
        own = note_of(block, FAMILY)
        return with_note(block, FAMILY, {} if names is None else {key: own[key] for key in own if key not in names})

    return message.evolve(content=tuple(map(bare, message.content)))


def _trials(message: am.Msg) -> Iterator[am.Msg]:
    """Yield the message with fewer and fewer notes.

    All; without the places of calls; without the notes of calls, its spellings, its own notes, those of blocks; none.
    """
    yield message
    yield _without_calls_notes(message, PLACES)
    yield _without_calls_notes(message)
    yield _unspelt(message)
    yield with_note(message, FAMILY, EMPTY)
    bare = _unspelt(message).evolve(content=tuple(map(_without_notes, message.content)))
    yield bare
    yield with_note(bare, FAMILY, EMPTY)


def _unspelt(message: am.Msg) -> am.Msg:
    marks = {key: value for key, value in note_of(message, FAMILY).items() if key.startswith("/")}
    return with_note(message, FAMILY, marks)


def _without_notes(block: Any) -> Any:
    """Return a block without its note and those of the blocks inside a result."""
    bare = with_note(block, FAMILY, EMPTY)
    inner: Any = block.content if type(block) is am.ToolResultBlock else ()
    return bare.evolve(content=tuple(map(_without_notes, inner))) if any(map(_has_note, inner)) else bare


def _whole(native: Any) -> am.Msg:
    return natives.read_whole(native, FAMILY, native.get("data", native) if is_object(native) else None)
