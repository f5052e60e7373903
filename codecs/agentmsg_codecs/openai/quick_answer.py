"""Reading fast: answers as OpenAI and our own writer give them, with nothing odd about them.

What is usual is told by the exact number of keys and by types, so that nothing can deviate unseen and nothing needs to
be compared; for anything else there is None, and the general path looks. Four spellings beside the default one are so
common that they are usual, too; what the general path would note of them is known beforehand. Straight-line code on
purpose: here is where the time goes. tests/test_fast_answers.py holds both paths against each other.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import compress, product
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, adopt, maker, speed
from agentmsg_codecs.openai.answer_fields import usage_in
from agentmsg_codecs.openai.names import CHOICE, FINISH, FINISH_WORDS, MESSAGE, RESPONSE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Native


_make_msg = maker(am.Msg)
# Typed as Any: a check against them narrows nothing to a dict of who knows what.
_OBJECT: Any = dict
_LIST: Any = list
# Here a key that is not there is something else than null.
_ABSENT: Any = object()
# What always stands in a response and in its message: id, object, created, model, choices, usage; role and content.
_ANSWER, _MESSAGE = 6, 2
_SECONDS = range(253_402_300_800)  # from 1970 on, what a datetime holds
# The finish reasons whose default spelling is the native word itself.
_USUAL = {word: ours for word, ours in FINISH.items() if FINISH_WORDS.get(ours) == word}


def _notes() -> Mapping[tuple[bool, ...], Any]:
    """Return the notes of all combinations of the usual spellings: each made once, and shared."""
    spellings = (
        (MESSAGE, "refusal", "absent"),
        (MESSAGE, "annotations", "[]"),
        (CHOICE, "logprobs", "absent"),
        (RESPONSE, "system_fingerprint", "null"),
    )
    notes: dict[tuple[bool, ...], Any] = {}
    for which in product((False, True), repeat=len(spellings)):
        note: dict[str, dict[str, str]] = {}
        for level, key, spelling in compress(spellings, which):
            note.setdefault(level, {})[key] = spelling
        notes[which] = adopt(note) if note else EMPTY
    return notes


_NOTES = _notes()


def fast_answer(native: Native, read_call: Callable[[Any], Any]) -> am.Msg | None:
    """Return the message of a usual response; None if the general path must look.

    Args:
        native: the document; plain, checked data, with a list of choices that is not empty.
        read_call: reads an entry of ``tool_calls``.
    """
    try:
        own_id, model, created, choices = native["id"], native["model"], native["created"], native["choices"]
        choice: Any = choices[0]
        if type(choice) is not _OBJECT or len(choices) != 1 or native["object"] != "chat.completion":
            return None
        index, word, said, counted = choice["index"], choice["finish_reason"], choice["message"], native["usage"]
    except KeyError:
        return None
    if type(own_id) is not str or type(model) is not str or type(created) is not int or created not in _SECONDS:
        return None
    if type(index) is not int or index or type(word) is not str or word not in _USUAL or type(said) is not _OBJECT:
        return None
    logprobs = choice.get("logprobs", _ABSENT)
    unsaid = logprobs is _ABSENT
    if len(choice) != (3 if unsaid else 4) or not (unsaid or logprobs is None):
        return None
    told = _told(native) if len(native) != _ANSWER else EMPTY
    refusal, annotations = said.get("refusal", _ABSENT), said.get("annotations", _ABSENT)
    content = _content(said, read_call, _MESSAGE + (refusal is not _ABSENT) + (annotations is not _ABSENT))
    if told is None or content is None or not (refusal is None or refusal is _ABSENT):
        return None
    if annotations is not _ABSENT and (annotations or type(annotations) is not _LIST):
        return None
    usage = usage_in(native)
    if usage is None and counted is not None:
        return None
    notes = _NOTES[
        refusal is _ABSENT,
        annotations is not _ABSENT,
        unsaid,
        native.get("system_fingerprint", _ABSENT) is None,
    ]
    return _make_msg(
        "assistant",
        content,
        own_id,
        datetime.fromtimestamp(created, UTC),
        None,
        None,
        model,
        EMPTY,
        told,
        None,
        usage,
        _USUAL[word],
        None,
        EMPTY,
        notes,
    )


def _told(native: Native) -> Any:
    """Return the response metadata of a response that says more than all; None if it is not usual."""
    size, told = _ANSWER, {}
    if "system_fingerprint" in native:
        size += 1
        fingerprint = native["system_fingerprint"]
        if type(fingerprint) is str:
            told["system_fingerprint"] = fingerprint
        elif fingerprint is not None:
            return None
    if "service_tier" in native:
        size += 1
        tier = native["service_tier"]
        if type(tier) is not str:
            return None
        told["service_tier"] = tier
    if len(native) != size:
        return None
    return adopt(told) if told else EMPTY


def _content(said: Native, read_call: Callable[[Any], Any], size: int) -> tuple[Any, ...] | None:
    """Return the blocks of a message: a text, calls, or both; None if it is not usual.

    Args:
        said: the native message.
        read_call: reads an entry of ``tool_calls``.
        size: how many keys it has beside its calls.
    """
    content, entries = said.get("content", _ABSENT), said.get("tool_calls", _ABSENT)
    if said.get("role") != "assistant":
        return None
    blocks: tuple[Any, ...] = ()
    if type(content) is str:
        blocks = (speed.make_bare_text(content),) if content else ()
    elif content is not None:
        return None
    if entries is _ABSENT:
        return blocks if content is not None and len(said) == size else None
    # Beside calls, an empty text is not the usual way to say nothing.
    if type(entries) is not _LIST or not entries or len(said) != size + 1 or (content is not None and not blocks):
        return None
    return (*blocks, *map(read_call, entries))
