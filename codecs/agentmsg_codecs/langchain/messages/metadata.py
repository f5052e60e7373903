"""Keys of `additional_kwargs` and `response_metadata` that have a field in the model.

The same predicates serve the reader, which takes these keys out, and the capability table, which reserves them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
import agentmsg_codecs.langchain.blocks.v1 as v1
from agentmsg import AgentMsgError, thaw
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    cells,
    given,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    marked,
    natives,
    note_of,
    same_document,
    with_note,
    write_as,
)
from agentmsg.formats.forms import Described, Form, Inside, Key, Number, Whole
from agentmsg_codecs.langchain.blocks.dialects import ALL_FORMS, SUMMARY
from agentmsg_codecs.langchain.blocks.v1 import make_signature
from agentmsg_codecs.langchain.calls import is_function_call, openai_entry, takes_calls, takes_function_call
from agentmsg_codecs.langchain.names import (
    API_OF,
    FAMILY,
    FINISH_OF,
    OBJECT_OF,
    OPENAI,
    PROVIDER_OF,
    STOP_OF,
    WORD_OF_PROVIDER,
    finish_reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import Cell


# -- calls in additional_kwargs, by their ids -------------------------------------------------------------------------
# A call that was read with such a field has the mark ``/tagged``, with the letters of its fields. The field goes back
# there as long as the map can say it: the call has an id that no other call of the message has.


_GOOGLE = "google"
# By letter, the key in additional_kwargs, and the field.
_TAGS: Mapping[str, tuple[str, str]] = {
    "i": ("__openai_function_call_ids__", "item_id"),
    "s": ("__gemini_function_call_thought_signatures__", "signature"),
}
TAGS = frozenset(key for key, _ in _TAGS.values())


def _by_id(blocks: Sequence[Any]) -> dict[str, int]:
    """Return the places of the calls that only their id names."""
    ids = [(block.id, index) for index, block in enumerate(blocks) if is_function_call(block) and block.id is not None]
    counts = Counter(link for link, _ in ids)
    return {link: index for link, index in ids if counts[link] == 1}


def says(metadata: Mapping[str, Any], blocks: Sequence[Any]) -> dict[str, Mapping[str, str]]:
    """Return, by letter, the maps in additional_kwargs that say a field of calls which lack it."""
    found: dict[str, Mapping[str, str]] = {}
    places: dict[str, int] = {}
    for letter, (key, field) in _TAGS.items():
        value = metadata.get(key)
        if not is_mapping(value) or not value or set(map(type, value.values())) != {str}:
            continue
        places = places or _by_id(blocks)
        if value.keys() <= places.keys() and all(getattr(blocks[places[link]], field) is None for link in value):
            found[letter] = value
    return found


def read_as_tags(metadata: Mapping[str, Any], blocks: Sequence[Any]) -> set[str]:
    """Return the keys of metadata that would be taken for what is said about calls, or are written for it."""
    calls = [block for block in blocks if type(block) is am.ToolUseBlock and block.kind != "server"]
    letters = {*says(metadata, [call if is_function_call(call) else call.evolve(kind="function") for call in calls])}
    return {_TAGS[letter][0] for letter in letters.union(*(mark_of(call, FAMILY, "/tagged") or "" for call in calls))}


def tagged(blocks: list[Any], metadata: Native) -> tuple[list[Any], Native]:
    """Return the blocks with what additional_kwargs say about calls, and the rest of it."""
    found = says(metadata, blocks)
    if not found:
        return blocks, metadata
    places, out = _by_id(blocks), list(blocks)
    for letter, value in found.items():
        for link, word in value.items():
            block = out[index := places[link]]
            own: Any = make_signature(_GOOGLE, word) if letter == "s" else word
            letters = f"{mark_of(block, FAMILY, '/tagged') or ''}{letter}"
            out[index] = marked(block.evolve(**{_TAGS[letter][1]: own}), FAMILY, tagged=letters)
    taken = {_TAGS[letter][0] for letter in found}
    return out, {key: value for key, value in metadata.items() if key not in taken}


def untagged(blocks: Sequence[Any]) -> tuple[Sequence[Any], Native]:
    """Return the blocks without what goes to additional_kwargs, and that."""
    if not any(block.notes and mark_of(block, FAMILY, "/tagged") for block in blocks):
        return blocks, {}
    out, maps = list(blocks), dict[str, Any]()
    for link, index in _by_id(blocks).items():
        block = out[index]
        letters = mark_of(block, FAMILY, "/tagged")
        for letter in letters if isinstance(letters, str) else "":
            key, field = _TAGS.get(letter, ("", ""))
            own: Any = getattr(block, field, None)
            word = own.value if own == am.Signature(_GOOGLE, getattr(own, "value", "")) else own
            if isinstance(word, str):
                maps.setdefault(key, {})[link] = word
                out[index] = out[index].evolve(**{field: None})
        note = {name: value for name, value in note_of(block, FAMILY).items() if name != "/tagged"}
        out[index] = with_note(out[index], FAMILY, note)
    return out, maps


# -- usage ------------------------------------------------------------------------------------------------------------


def _counts(*names: tuple[str, str], lacks: str | None = None) -> tuple[Key, ...]:
    return tuple(Key(key, field, Whole(), "may", lacks=lacks, is_odd=True) for key, field in names)


_USAGE = Form("usage", am.Usage, None, (
    *_counts(("input_tokens", "input"), ("output_tokens", "output"), ("total_tokens", "total"), lacks="partial"),
    Inside("input_token_details", _counts(
        ("audio", "input_audio"), ("cache_creation", "cache_write"), ("cache_read", "cache_read"),
    ), "may", space="langchain.input"),
    Inside("output_token_details", _counts(
        ("audio", "output_audio"), ("reasoning", "reasoning"),
    ), "may", space="langchain.output"),
    Key("cost", "cost", Number(), "may", is_odd=True),
), is_apart=True)  # fmt: skip
USAGE = Described(FAMILY, (_USAGE,), {})
_readers, _writers, _shape = USAGE.names.readers, USAGE.names.writers, USAGE.shapes["usage"]


def read_usage(native: Any) -> am.Usage | None:
    """Return the usage of ``usage_metadata``; None if it isn't an object."""
    return _readers["usage"](native) if is_object(native) else None


def write_usage(usage: am.Usage) -> Native:
    """Return the ``usage_metadata`` of a usage."""
    return write_as(_shape, usage, FAMILY) if usage.extras or usage.notes else _writers["usage"](usage)


def carried_usage() -> Cell:
    """Return the cell for usage."""
    return cells.usage(USAGE.rows.row("usage").fields, needs=("input", "output", "total"), family=FAMILY)


# A plain copy of a frozen object, without looking inside.
copied: Any = dict.copy  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
_make_audio = maker(am.AudioBlock)
_make_base64 = maker(am.Base64Source)
MODEL_KEYS = ("model_name", "model", "model_id")
STOP_KEYS = tuple(FINISH_OF)
# Who answered, and what OpenAI's answers are called.
PROVIDER_KEY, OBJECT_KEY = "model_provider", "object"
MEANT = frozenset({*MODEL_KEYS, *STOP_KEYS, PROVIDER_KEY})
LIST_NOTE = adopt({FAMILY: {"/content": "list"}})
KWARGS_NOTE = adopt({FAMILY: {"/place": "kwargs"}})
_REASONING_NOTE = adopt({FAMILY: {"/place": "reasoning"}})
# Of a call in tool_calls and, as OpenAI writes it, in additional_kwargs.
TEXTED_NOTE = adopt({FAMILY: {"/copies": "ta"}})

# Of a call that ends a message, in content as tool_use and in tool_calls.
COPIED_NOTE = adopt({FAMILY: {"/shape": "tool_use", "/copies": "ct"}})
# Of messages with Anthropic's `stop_reason`, by its word and whether content is a list with a single text. The fast
# paths share them.
STOP_NOTES: Mapping[tuple[str | None, bool], Any] = {
    (word, listed): adopt({FAMILY: {"/stop": ["stop_reason", word], **({"/content": "list"} if listed else {})}})
    for word in ("end_turn", "max_tokens", "pause_turn", "refusal", "stop_sequence", "tool_use")
    for listed in (False, True)
}


def stop_word(note: Any) -> str | None:
    """Return the word that was in `stop_reason`, if a note says so."""
    pair: Any = note.get("/stop")
    is_word = is_sequence(pair) and len(pair) == 2 and pair[0] == "stop_reason"  # noqa: PLR2004 - key and word
    return pair[1] if is_word and isinstance(pair[1], str) else None


_AUDIO = frozenset({"data", "id", "transcript"})
_ID = frozenset({"id"})
# The keys that an unknown field of it must not have: in content it would become a part.
_OF_PARTS = frozenset({"prompt_cache_breakpoint", "source", "type"}).union(
    *(form.keys for form in ALL_FORMS if form.tag == "audio")
)
_NOT_AUDIO = _OF_PARTS - _AUDIO


def _takes_audio(value: Any) -> bool:
    if not is_mapping(value) or not _NOT_AUDIO.isdisjoint(value):
        return False
    return all(isinstance(value.get(key), str) for key in (_AUDIO if len(value) > 1 else _ID))


# OpenAI's reasoning of the first versions that had it: an item, or a text of others.
_OF_ITEM = frozenset({"type", "id", "encrypted_content", "summary"})


def _takes_reasoning(value: Any) -> bool:
    if isinstance(value, str):
        return True
    if not is_mapping(value) or not {"type", "summary"} <= value.keys() <= _OF_ITEM or value["type"] != "reasoning":
        return False
    if any(not isinstance(value.get(key, ""), str) for key in ("id", "encrypted_content")):
        return False
    try:
        return bool(_read_reasoning(thaw(value)))
    except (Unreadable, AgentMsgError, TypeError):
        return False


def _read_reasoning(value: Any) -> Any:
    if isinstance(value, str):
        return v1.make_thinking(thinking=value, notes=_REASONING_NOTE)
    found, sealed = SUMMARY.get(value), value.get("encrypted_content")
    return v1.make_thinking(
        thinking=found["thinking"],
        item_id=value.get("id"),
        signature=None if sealed is None else v1.make_signature("openai", sealed),
        notes=adopt({FAMILY: {"/place": "reasoning", "/shape": "summary", **found["notes"]}}),
    )


def _write_reasoning(block: Any) -> Any:
    if mark_of(block, FAMILY, "/shape") != "summary":
        return block.thinking
    own = {"id": block.item_id, "encrypted_content": block.signature and block.signature.value}
    return {
        **{key: value for key, value in own.items() if value is not None}, "type": "reasoning", **SUMMARY.put(block)
    }  # fmt: skip


# The keys of an assistant's additional_kwargs with a meaning of their own, and the test of their values.
IN_KWARGS: Mapping[str, Callable[[Any], bool]] = {
    "reasoning_content": lambda value: isinstance(value, str),
    "reasoning": _takes_reasoning,
    "refusal": lambda value: isinstance(value, str),
    "audio": _takes_audio,
    "tool_calls": takes_calls,
    "function_call": takes_function_call,
}


def read_kwargs(kwargs: Native) -> tuple[list[Any], list[Any], Native]:
    """Return the blocks before and after content in an assistant's kwargs, and the rest: its metadata."""
    taken = {key for key, takes in IN_KWARGS.items() if key in kwargs and takes(kwargs[key])}
    if not taken:
        return [], [], kwargs
    before: list[Any] = []
    behind: list[Any] = []
    if "reasoning_content" in taken:
        before.append(v1.make_thinking(thinking=kwargs["reasoning_content"], notes=KWARGS_NOTE))
    if "reasoning" in taken:
        before.append(_read_reasoning(kwargs["reasoning"]))
    if "refusal" in taken:
        behind.append(v1.make_refusal(refusal=kwargs["refusal"], notes=KWARGS_NOTE))
    if "audio" in taken:
        behind.append(_read_audio(kwargs["audio"]))
    return before, behind, {key: value for key, value in kwargs.items() if key not in taken}


_NEEDS_MORE = (*IN_KWARGS, *TAGS)


def usual_kwargs(kwargs: Native, *, has_text: bool) -> tuple[list[Any], Any, Native] | None:
    """Return thinking, calls as texts, and the rest of additional_kwargs; None if they have anything else.

    Args:
        kwargs: additional_kwargs.
        has_text: whether the message has calls, and none in content.
    """
    texts = kwargs.get("tool_calls") if has_text else None
    before, behind, rest = read_kwargs(kwargs)
    if behind or kwargs.get("function_call") is not None or (texts is None and kwargs.get("tool_calls") is not None):
        return None
    return None if any(rest.get(key) is not None for key in _NEEDS_MORE) else (before, texts, rest)


def with_texts(blocks: tuple[Any, ...], count: int, texts: Any) -> tuple[Any, ...] | None:
    """Return blocks whose last ones, by their count, are calls that additional_kwargs repeats as texts, in order."""
    calls = blocks[(start := len(blocks) - count) :]
    if not is_list(texts) or len(texts) != len(calls) or len({call.id for call in calls}) != len(calls):
        return None
    both: list[Any] = []
    for call, native in zip(calls, texts, strict=True):
        try:
            text = native["function"]["arguments"]
        except (LookupError, TypeError):
            return None
        both.append(call.evolve(input=call.input, raw_input=text, notes=TEXTED_NOTE) if type(text) is str else call)
        if both[-1].raw_input != text or not same_document(openai_entry(both[-1]), native):
            return None
    return blocks[:start] + tuple(both)


def _read_audio(native: Native) -> Any:
    if len(native) == 1:
        return _make_audio(source=am.FileSource(native["id"], OPENAI), notes=KWARGS_NOTE)
    return _make_audio(
        source=_make_base64(data=native["data"]),
        transcript=native["transcript"],
        item_id=native["id"],
        extras=natives.rest_of(native, _AUDIO, FAMILY),
        notes=KWARGS_NOTE,
    )


def is_in_kwargs(block: Any) -> bool:
    """Whether a block was read from additional_kwargs."""
    if not block.notes or type(block) not in _KWARGS_WRITERS:
        return False
    return mark_of(block, FAMILY, "/place") in _KWARGS_WRITERS[type(block)]


def _write_audio(block: Any) -> Native:
    if type(block.source) is am.FileSource:
        return {"id": block.source.file_id}
    native = {"id": block.item_id, "data": getattr(block.source, "data", None), "transcript": block.transcript}
    return natives.with_rest(native, block, FAMILY)


# By class and mark, the key in additional_kwargs, and the writer.
_KWARGS_WRITERS: Mapping[type, Mapping[Any, tuple[str, Callable[[Any], Any]]]] = {
    am.ThinkingBlock: {
        "kwargs": ("reasoning_content", lambda block: block.thinking),
        "reasoning": ("reasoning", _write_reasoning),
    },
    am.RefusalBlock: {"kwargs": ("refusal", lambda block: block.refusal)},
    am.AudioBlock: {"kwargs": ("audio", _write_audio)},
}


def write_kwargs(block: Any, kwargs: Native) -> None:
    """Add a block to additional_kwargs."""
    key, write = _KWARGS_WRITERS[type(block)][mark_of(block, FAMILY, "/place") or "kwargs"]
    kwargs[key] = write(block)


_USUAL: Mapping[str, str] = {"stop": "stop", "tool_calls": "tool_use", "length": "length"}


_Said: TypeAlias = "tuple[str | None, str | None, str | None, str | None, Native, Native]"


def read_response(native: Native) -> _Said:
    """Return model, finish reason, provider and API, the rest of `response_metadata`, and a note of unusual words."""
    if not native:
        return None, None, None, None, native, {}
    model, word = native.get("model_name"), native.get("finish_reason")
    # Most have only these, and a word that others write, too.
    if type(model) is str and type(word) is str and len(native) == 2 and word in _USUAL:  # noqa: PLR2004 - these
        return model, _USUAL[word], None, None, {}, {}
    model_key, stop_key = _first_word(native, MODEL_KEYS), _first_word(native, STOP_KEYS)
    owner = native.get(PROVIDER_KEY)
    if model_key is None and stop_key is None and type(owner) is not str:
        return None, None, None, None, native, {}
    note: Native = {}
    model = None if model_key is None else native[model_key]
    if model_key not in (None, MODEL_KEYS[0]):
        note["/model"] = model_key
    reason = None
    if stop_key is not None:
        word = native[stop_key]
        reason = finish_reason(stop_key, word)
        if stop_key != STOP_KEYS[0] or STOP_OF[stop_key].get(reason, reason) != word:
            note["/stop"] = [stop_key, word]
    rest = {key: native[key] for key in native if key not in (model_key, stop_key)}
    if type(owner) is not str:
        return model, reason, None, None, rest, note
    del rest[PROVIDER_KEY]
    provider, api, kind = PROVIDER_OF.get(owner, owner), None, rest.get(OBJECT_KEY)
    if provider == OPENAI and type(kind) is str and kind in API_OF:
        api = API_OF[rest.pop(OBJECT_KEY)]
    if WORD_OF_PROVIDER.get(provider, provider) != owner:
        note["/provider"] = owner
    return model, reason, provider, api, rest, note


def _first_word(native: Native, keys: tuple[str, ...]) -> str | None:
    for key in keys:  # a loop: a generator takes as long as the test itself
        if type(native.get(key)) is str:
            return key
    return None


def write_response(message: am.Msg, note: Any) -> Any:
    """Return the `response_metadata` of a message."""
    rest: Any = message.response_metadata
    model, reason, provider = message.model, message.finish_reason, given(message.provider)
    if model is None and reason is None and provider is None:
        return rest
    native: Native = copied(rest)
    if provider is not None:
        noted = note.get("/provider") if note else None
        word = noted if type(noted) is str and PROVIDER_OF.get(noted, noted) == provider else None
        native[PROVIDER_KEY] = word or WORD_OF_PROVIDER.get(provider, provider)
        if provider == OPENAI and (kind := OBJECT_OF.get(message.api or "")) is not None:
            native[OBJECT_KEY] = kind
    if not note and "model_name" not in rest and "finish_reason" not in rest:
        # In almost all messages, both have their first key.
        if model is not None:
            native["model_name"] = model
        if reason is not None:
            native["finish_reason"] = "tool_calls" if reason == "tool_use" else reason
        return native
    if model is not None:
        noted = note.get("/model") if note else None
        native[_free_key(MODEL_KEYS, noted, native)] = model
    if reason is not None:
        key, word = _stop_word(reason, note, native)
        native[key] = word
    return native


def _free_key(keys: tuple[str, ...], noted: Any, native: Native) -> str:
    """Return the noted key if it is free, and no key before it has a word; else the first that is free."""
    if noted in keys and noted not in native and _first_word(native, keys[: keys.index(noted)]) is None:
        key: str = noted
        return key
    return next((key for key in keys if key not in native), keys[0])


def read_as_words(native: Any, keys: tuple[str, ...], *, has_word: bool) -> set[str]:
    """Return the keys in ``response_metadata`` that would be taken for a word, or leave no place for it.

    Args:
        native: the rest of ``response_metadata``.
        keys: those that may have the word, in order.
        has_word: whether there is a word to write.
    """
    taken = keys if not has_word else keys[: next((i for i, key in enumerate(keys) if key not in native), len(keys))]
    found = {key for key in taken if isinstance(native.get(key), str)}
    return found or ({keys[0]} if has_word and len(taken) == len(keys) else set())


def _stop_word(reason: str, note: Any, native: Native) -> tuple[str, str]:
    """Return key and word of a finish reason: the noted ones as long as they mean it, else the default ones."""
    noted = note.get("/stop") if note else None
    pair = noted if is_sequence(noted) and len(noted) == 2 else None  # noqa: PLR2004
    key = _free_key(STOP_KEYS, pair[0] if pair else None, native)
    if pair and pair[0] == key and isinstance(pair[1], str) and finish_reason(key, pair[1]) == reason:
        return key, pair[1]
    return key, STOP_OF[key].get(reason, reason)
