"""Which media OpenAI's messages support: rules for images, sound and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, media, rules
from agentmsg_codecs.openai.format import AUDIO_FORMATS
from agentmsg_codecs.openai.hints import is_odd
from agentmsg_codecs.openai.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable


def _bare_source(source: Any) -> Any:
    return media.as_url(source, is_untyped=is_odd(source))


def _with_source(block: Any, new: Any) -> Any:
    if new is block.source:
        return block
    return Swap(block.evolve(source=new), "only data URLs have a media type", "annotation")


def carried_image(block: Any) -> Any:
    """Keep an image given by URL or as data."""
    if isinstance(block.source, (am.URLSource, am.Base64Source)):
        return _with_source(block, _bare_source(block.source))
    return Drop("an image is given by URL or as data here")


_SOUND = {"audio/mpeg": "audio/mp3", "audio/wave": "audio/wav", "audio/x-wav": "audio/wav"}


def _sound_format(media_type: str) -> str:
    plain = media_type.partition(";")[0].strip().lower()
    return _SOUND.get(plain, plain)


def carried_sound(block: Any) -> Any:
    """Keep sound that stands in content: data, in a format that the schema has."""
    held = media.read_data_url(block.source.url) if isinstance(block.source, am.URLSource) else None
    source = held or block.source
    if not isinstance(source, am.Base64Source) or source.media_type is None:
        return rules.audio_as_text(block)
    spelt = is_odd(source) and source.media_type.startswith("audio/")
    kind = source.media_type if spelt else _sound_format(source.media_type)
    if kind not in AUDIO_FORMATS and not spelt:
        return rules.audio_as_text(block)
    if held is None and kind == source.media_type and not source.extras:
        return block
    new = am.Base64Source(source.data, kind) if kind != source.media_type else source.evolve(extras={})
    return Swap(block.evolve(source=new), "sound has a format here, not a media type", "annotation")


def carried_field_sound(block: Any) -> Any:
    """Keep sound that an assistant message refers to; the sound itself only where it was read so."""
    source = block.source
    if isinstance(source, am.FileSource):
        if source.provider not in ("openai", None):
            return rules.audio_as_text(block)
        plain = source.provider == "openai" and source.media_type is None and not source.extras
        new: Any = source if plain else am.FileSource(source.file_id, "openai")
        changes: dict[str, Any] = {"item_id": None} if block.item_id is not None else {}
        if block.transcript is not None and not is_odd(block):
            changes["transcript"] = None
    elif isinstance(source, am.Base64Source):
        if not is_odd(block):
            reference = block.evolve(
                source=am.FileSource(block.item_id, "openai"), item_id=None, transcript=None, extras={}
            )
            return Swap(reference, "a request refers to sound by its id", "annotation")
        bare = source.media_type is None and not source.extras
        new = source if bare else am.Base64Source(source.data, None)
        changes = {}
    else:
        return rules.audio_as_text(block)
    if new is not source:
        changes["source"] = new
    return Swap(block.evolve(**changes), "only the id has a place", "annotation") if changes else block


def carried_answered_sound(block: Any) -> Any:
    """Keep sound in a response: the data, with all that the schema wants of it; a reference only where it was read."""
    source = block.source
    if isinstance(source, am.FileSource):
        return carried_field_sound(block) if is_odd(block) else rules.audio_as_text(block)
    if not isinstance(source, am.Base64Source):
        return rules.audio_as_text(block)
    changes: dict[str, Any] = {}
    if source.media_type is not None or source.extras:
        changes["source"] = am.Base64Source(source.data, None)
    if not is_odd(block):
        told: Any = block.extras.get(FAMILY, {})
        if type(told.get("expires_at")) is not int:
            changes["extras"] = {**block.extras, FAMILY: {**told, "expires_at": 0}}
        if block.transcript is None:
            changes["transcript"] = ""
    return Swap(block.evolve(**changes), "the schema of a response requires it", "annotation") if changes else block


def carried_file(block: Any) -> Any:
    """Keep a file given by id or as data; a document given as text is text."""
    source = block.source
    if isinstance(source, am.FileSource):
        if source.provider not in ("openai", None):
            return Drop(f"a file of {source.provider} is not one of OpenAI's")
        plain = source.provider == "openai" and source.media_type is None and not source.extras
        new: Any = source if plain else am.FileSource(source.file_id, "openai")
    elif isinstance(source, am.Base64Source):
        new = _bare_source(source)
    elif isinstance(source, am.URLSource):
        new = _bare_source(source)
        if isinstance(new, am.URLSource) and not (is_odd(source) and ":" in new.url):
            return Drop("a file is given by id or as data here")
        new = source.evolve(media_type=None, extras={}) if isinstance(new, am.URLSource) and new is not source else new
    else:
        said = rules.document_as_text(block)
        return Drop("no place for such a document") if said is block else said
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if block.name is None and block.title is not None:
        changes |= {"name": block.title, "title": None}
    return (
        Swap(block.evolve(**changes), "a file has an id or data, and a file name", "annotation") if changes else block
    )


def only_odd(rule: Callable[[Any], Any], why: str) -> Callable[[Any], Any]:
    """Return the rule for a place where the schema has no such blocks: only what was read there is supported."""

    def checked(block: Any) -> Any:
        if is_odd(block):
            return rule(block)
        if isinstance(block, am.AudioBlock):
            return rules.audio_as_text(block)
        said = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
        return Drop(why) if said is block else said

    return checked
