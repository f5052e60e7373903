"""The ``audio`` of an assistant message: in requests a reference by id, in responses the sound."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, Shape, is_mapping, read_as, text_at, word_at, write_as
from agentmsg_codecs.openai.content import odd
from agentmsg_codecs.openai.names import FAMILY

AUDIO_KEYS = frozenset({"id", "data", "transcript"})


def _read(native: Native, _: Any) -> am.AudioBlock:
    own_id, data = text_at(native, "id"), word_at(native, "data")
    transcript = word_at(native, "transcript")
    if data is None:
        return am.AudioBlock(am.FileSource(own_id, "openai"), transcript=transcript)
    return am.AudioBlock(am.Base64Source(data), transcript=transcript, item_id=own_id)


def _write(block: am.AudioBlock) -> Native:
    source: Any = block.source
    if isinstance(source, am.FileSource):
        native: Native = {"id": source.file_id}
    else:
        native = {"id": block.item_id, "data": source.data}
    return native if block.transcript is None else {**native, "transcript": block.transcript}


_SHAPE = Shape(cls=am.AudioBlock, keys={None: AUDIO_KEYS}, read=_read, write=_write)


def _is_reference(block: am.AudioBlock) -> bool:
    return isinstance(block.source, am.FileSource) and block.transcript is None and not block.extras


def _is_answer(block: am.AudioBlock) -> bool:
    told: Any = block.extras.get(FAMILY, {})
    return block.item_id is not None and block.transcript is not None and type(told.get("expires_at")) is int


def _is_empty(native: Native) -> bool:
    return not any(native.values())


def read_audio(native: Any, *, is_response: bool = False) -> list[am.AudioBlock]:
    """Return the sound of a message; the empty one of some servers is none.

    What the schema does not have, of requests or of responses, is marked ``/odd``.

    Raises:
        Unreadable: if it isn't such an object.
    """
    if native is None or (is_mapping(native) and _is_empty(native)):
        return []
    block: am.AudioBlock = read_as(_SHAPE, native, FAMILY)
    usual = _is_answer(block) if is_response else _is_reference(block)
    return [block if usual else odd(block)]


def is_no_sound(block: am.AudioBlock) -> bool:
    """Whether a block that fits would be read as none: its id, and all else that it says, is empty."""
    return _is_empty(write_audio(block))


def write_audio(block: am.AudioBlock) -> Native:
    """Return the ``audio`` of a block that fits."""
    return write_as(_SHAPE, block, FAMILY)
