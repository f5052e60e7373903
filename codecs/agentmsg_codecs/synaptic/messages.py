"""Messages: one native message is one of ours. A shape for each variant, and for chunks.

Marks on a message: ``/variant`` ("chat": a role that has a variant of its own stands in ``custom_role``; "bare": a role
that has none stands in ``role``), ``/word`` (a word of other systems in ``role``), ``/chunk``, ``/named`` (a result
that says its tool, as its call does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    EMPTY,
    Native,
    Shape,
    Unreadable,
    adopt,
    given,
    is_marked,
    is_object,
    is_odd,
    maker,
    mark_of,
    marked,
    natives,
    read_as,
    text_at,
    tool_links,
    word_at,
    write_as,
)
from agentmsg_codecs.synaptic.calls import NO_ID, rank, read_calls, write_call, write_invalid, write_piece
from agentmsg_codecs.synaptic.content import is_bare, make_text, read_content, write_content
from agentmsg_codecs.synaptic.format import described
from agentmsg_codecs.synaptic.names import CHUNK_KEYS, FAMILY, KEYS, ROLES, VARIANTS
from agentmsg_codecs.synaptic.quick_check import is_usual
from agentmsg_codecs.synaptic.quick_write import write_quick
from agentmsg_codecs.synaptic.usage import read_usage, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import CallNames


_make_msg = maker(am.Msg)
_make_result = maker(am.ToolResultBlock)
_make_thinking = maker(am.ThinkingBlock)
_VARIANT_OF: Mapping[str, str] = {role: variant for variant, role in ROLES.items()}
# Roles that no message of a free role may take: the model has rules for them.
_RESERVED = frozenset({"tool", "remove", "native"})
_LISTS = frozenset(
    {"content_blocks", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs", "response_metadata"}
)
# Anything but a text or an object there is an unknown field.
_ODD = frozenset({"id", "name", "additional_kwargs", "response_metadata"})


def _variant_of(message: am.Msg) -> str:
    """Return the variant that a message is written as."""
    role = message.role
    if not message.notes:
        return _VARIANT_OF.get(role, "chat")
    mark = mark_of(message, FAMILY, "/variant")
    if mark == "bare" and role not in VARIANTS and role not in _RESERVED:
        return "bare"
    own = _VARIANT_OF.get(role)
    if own is None or own in _RESERVED or mark != "chat":
        return own or "chat"
    # What only responses have, no other variant has.
    plain = message.usage is None and message.model is None and not message.has(am.ToolUseBlock)
    return "chat" if plain else own


def is_chunk(message: am.Msg) -> bool:
    """Whether a message is written as a chunk: it was one, and says only what a chunk can."""
    if not is_marked(message, FAMILY, "/chunk") or message.role != "assistant":
        return False
    if message.name is not None or message.model is not None or message.metadata or message.response_metadata:
        return False
    said = [block for block in message.content if not rank(block)]
    if said and type(said[0]) is am.ThinkingBlock and said[0].thinking and FAMILY not in said[0].extras:
        said = said[1:]
    return not said or (len(said) == 1 and is_bare(said[0]))


def keys_of(message: am.Msg) -> frozenset[str]:
    """Return the keys that the native form of a message models."""
    return CHUNK_KEYS if is_chunk(message) else KEYS[_variant_of(message)]


def _free(native: Native, key: str) -> Any:
    value = native.get(key)
    return adopt(value) if value and is_object(value) else EMPTY


class Messages:
    """Reads and writes single messages.

    Attributes:
        parts: the table of content blocks.
    """

    def __init__(self) -> None:
        self.described = described()
        self.parts = self.described.parts["content"]
        plain = (self._read_plain, self._write_plain)
        self._shapes: dict[str, Shape] = {
            "system": _shape("system", *plain),
            "human": _shape("human", *plain),
            "assistant": _shape("assistant", self._read_assistant, self._write_assistant),
            "tool": _shape("tool", self._read_tool, self._write_tool),
            "chat": _shape("chat", *plain),
            "bare": _shape("bare", *plain),
            "remove": _shape("remove", _read_remove, _write_remove),
        }
        self._chunk = Shape(
            cls=am.Msg, keys={None: CHUNK_KEYS}, tag="role", read=_read_chunk, write=_write_chunk, never=_LISTS
        )

    def fill(self) -> None:
        """Fill the tables of hooks, on first use."""
        self.described.fill()

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, native: Any, names: CallNames | None = None) -> am.Msg:
        """Return the message of a native one; of the role ``native`` where it cannot be told in the model.

        Args:
            native: the native message, or chunk.
            names: what is known of the calls before; None: nothing.

        Raises:
            DecodeError: if it isn't a message at all.
        """
        if is_object(native) and "role" not in native and type(native.get("content")) is str:
            shape = self._chunk
        else:
            shape = self._shapes[VARIANTS.get(natives.role_of(native), "bare")]
        try:
            message: am.Msg = shape.read(native, am.Msg) if is_usual(native) else read_as(shape, native, FAMILY)
        except (Unreadable, AgentMsgError):
            return natives.read_whole(native, FAMILY)
        return message if names is None else names.named(message)

    def _read_plain(self, native: Native, _: Any) -> am.Msg:
        word = text_at(native, "role")
        variant = VARIANTS.get(word, "bare")
        role = ROLES.get(variant) or (text_at(native, "custom_role") if variant == "chat" else word)
        if role in _RESERVED:
            raise Unreadable
        blocks, marks = read_content(native, self.parts)
        if variant == "bare":
            marks["variant"] = "bare"
        elif (variant == "chat" and role in _VARIANT_OF) or role == "developer":
            marks["variant"] = "chat"
        return self._message(native, role, blocks, marks, name=natives.word_if_any(native, "name"))

    def _message(self, native: Native, role: str, blocks: Any, marks: dict[str, Any], **fields: Any) -> am.Msg:
        word = native["role"]
        if variant_word(word) is not None:
            marks["word"] = word
        fields.setdefault("response_metadata", _free(native, "response_metadata"))
        message = _make_msg(
            role, blocks, id=natives.word_if_any(native, "id"), metadata=_free(native, "additional_kwargs"), **fields
        )
        return marked(message, FAMILY, **marks) if marks else message

    def _read_assistant(self, native: Native, _: Any) -> am.Msg:
        blocks, marks = read_content(native, self.parts)
        told = _free(native, "response_metadata")
        model = told.get("model")
        fields: dict[str, Any] = {
            "name": natives.word_if_any(native, "name"),
            "usage": read_usage(native.get("usage_metadata")),
        }
        if type(model) is str:
            fields["model"] = model
            told = adopt({key: value for key, value in told.items() if key != "model"})
        return self._message(
            native, "assistant", (*blocks, *read_calls(native)), marks, response_metadata=told, **fields
        )

    def _read_tool(self, native: Native, _: Any) -> am.Msg:
        blocks, marks = read_content(native, self.parts)
        link = word_at(native, "tool_call_id")
        name = natives.word_if_any(native, "name")
        result = _make_result(link, blocks, name, notes=NO_ID if link is None else EMPTY)
        if name is not None:
            marks["named"] = True
        return self._message(native, "tool", (result,), marks)

    def is_odd(self, message: am.Msg, key: str, value: Any) -> bool:
        """Whether a value has no meaning under a key of a message, so that it is an unknown field."""
        return is_odd(self._chunk if is_chunk(message) else self._shapes[_variant_of(message)], message, key, value)

    # -- writing ------------------------------------------------------------------------------------------------

    def write(self, message: am.Msg, names: CallNames) -> Any:
        """Return the native message of one that fits.

        Args:
            message: the message.
            names: what a reader will know of the calls before.
        """
        native = write_quick(message, names, self.parts.write) or natives.native_of(message, FAMILY)
        if native is not None:
            return native
        message = _unnamed(message, names)
        shape = self._chunk if is_chunk(message) else self._shapes[_variant_of(message)]
        return write_as(shape, message, FAMILY)

    def _native(self, message: am.Msg, said: Sequence[Any], own: Native, name: str | None) -> Native:
        """Return what all messages have, in the order in which Synaptic writes it.

        Args:
            message: the message.
            said: the blocks that are its content.
            own: what its variant has behind ``content``.
            name: of the sender; of a tool.
        """
        variant = _variant_of(message)
        native: Native = {"role": _word(message, variant) if message.notes else variant}
        if variant == "chat":
            native["custom_role"] = message.role
        content, listed = write_content(message, said, self.parts.write)
        native["content"] = content
        native |= own
        if given(message.id) is not None:
            native["id"] = message.id
        if given(name) is not None:
            native["name"] = name
        if message.metadata:
            native["additional_kwargs"] = thaw(message.metadata)
        if message.response_metadata or message.model is not None:
            model = {} if message.model is None else {"model": message.model}
            native["response_metadata"] = {**model, **thaw(message.response_metadata)}
        return native if listed is None else {**native, "content_blocks": listed}

    def _write_plain(self, message: am.Msg) -> Native:
        return self._native(message, message.content, {}, message.name)

    def _write_assistant(self, message: am.Msg) -> Native:
        said, valid, invalid, pieces = _by_rank(message.content)
        native = self._native(
            message, said, {"tool_calls": list(map(write_call, valid))} if valid else {}, message.name
        )
        if message.usage is not None:
            native["usage_metadata"] = write_usage(message.usage)
        if invalid or pieces:
            # Only a chunk has pieces; here they are calls that cannot be made yet.
            native["invalid_tool_calls"] = list(map(write_invalid, (*invalid, *pieces)))
        return native

    def _write_tool(self, message: am.Msg) -> Native:
        result: Any = message.content[0]
        link = {} if result.tool_call_id is None else {"tool_call_id": str(result.tool_call_id)}
        return self._native(message, result.content, link, result.name)


def _word(message: am.Msg, variant: str) -> str:
    """Return the word for a variant: Synaptic's own, or that of another system which was read."""
    if variant == "bare":
        return message.role
    noted = mark_of(message, FAMILY, "/word")
    return noted if isinstance(noted, str) and variant_word(noted) == variant else variant


def _by_rank(blocks: Sequence[Any]) -> tuple[list[Any], ...]:
    """Return blocks by their places: content, calls, invalid calls, pieces of calls."""
    groups: tuple[list[Any], ...] = ([], [], [], [])
    for block in blocks:
        groups[rank(block) if type(block) is am.ToolUseBlock else 0].append(block)
    return groups


def _shape(variant: str, read: Callable[[Native, Any], am.Msg], write: Callable[[am.Msg], Native]) -> Shape:
    def read_own(native: Native, cls: Any) -> am.Msg:
        # A spelling must not make another variant of it.
        if VARIANTS.get(text_at(native, "role"), "bare") != variant:
            raise Unreadable
        return read(native, cls)

    return Shape(cls=am.Msg, keys={None: KEYS[variant]}, tag="role", read=read_own, write=write, never=_LISTS, odd=_ODD)


def variant_word(word: str) -> str | None:
    """Return the variant of a word that other systems have for a role; None if it is Synaptic's own."""
    return None if word in KEYS else VARIANTS.get(word)


def _unnamed(message: am.Msg, names: CallNames) -> am.Msg:
    """Leave out the name of a result that a reader takes from its call, where the document did not say it too."""
    if message.role == "assistant":
        names.see(message)
    if message.role != "tool":
        return message
    result: Any = message.content[0]
    name = names.answer(result.tool_call_id)
    is_said = name is None or result.name != name or is_marked(message, FAMILY, "/named")
    # What the library made is not written anyway.
    return message if is_said or given(result.name) is None else tool_links.named(message, None)


# -- removals and chunks ----------------------------------------------------------------------------------------------


def _read_remove(native: Native, _: Any) -> am.Msg:
    return _make_msg("remove", (), id=text_at(native, "id"))


def _write_remove(message: am.Msg) -> Native:
    return {"role": "remove", "id": str(message.id)}


def _read_chunk(native: Native, _: Any) -> am.Msg:
    if "role" in native:
        raise Unreadable
    thought, said = word_at(native, "reasoning"), text_at(native, "content")
    blocks: list[Any] = [_make_thinking(thought)] if thought else []
    if said:
        blocks.append(make_text(said))
    blocks += read_calls(native, is_chunk=True)
    message = _make_msg("assistant", tuple(blocks), id=word_at(native, "id"), usage=read_usage(native.get("usage")))
    return marked(message, FAMILY, chunk=True)


def _write_chunk(message: am.Msg) -> Native:
    said, valid, invalid, pieces = _by_rank(message.content)
    native: Native = {"content": "".join(block.text for block in said if isinstance(block, am.TextBlock))}
    if said and isinstance(said[0], am.ThinkingBlock):
        native["reasoning"] = said[0].thinking
    if valid:
        native["tool_calls"] = list(map(write_call, valid))
    if message.usage is not None:
        native["usage"] = write_usage(message.usage)
    if given(message.id) is not None:
        native["id"] = message.id
    if pieces:
        native["tool_call_chunks"] = list(map(write_piece, pieces))
    if invalid:
        native["invalid_tool_calls"] = list(map(write_invalid, invalid))
    return native
