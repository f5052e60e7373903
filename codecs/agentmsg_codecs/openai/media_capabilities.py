"""Which media OpenAI's messages support: rules for images, sound and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Drop, Swap, media, natives, rules
from agentmsg_codecs.openai.format import AUDIO_FORMATS, SOUND_ALIASES, is_alias
from agentmsg_codecs.openai.hints import is_odd
from agentmsg_codecs.openai.names import FAMILY
from agentmsg_codecs.openai.places import is_told_audio

if TYPE_CHECKING:
    from agentmsg.formats import Rule

_SOUND = {"audio/mpeg": "audio/mp3", "audio/wave": "audio/wav", "audio/x-wav": "audio/wav"}


def _swapped(block: Any, changes: dict[str, Any], why: str) -> Any:
    return Swap(block.evolve(**changes), why, "annotation") if changes else block


def _by_id(source: am.FileSource) -> am.FileSource | None:
    """Return a reference with nothing but its id; None if it is to a file of another provider."""
    if source.provider not in ("openai", None):
        return None
    plain = source.provider == "openai" and source.media_type is None and not source.extras
    return source if plain else am.FileSource(source.file_id, "openai")


def _bare_data(source: am.Base64Source) -> am.Base64Source:
    return source if source.media_type is None and not source.extras else am.Base64Source(source.data, None)


def carried_image(block: Any) -> Any:
    """Keep an image or video with a URL or data."""
    source = block.source
    if not isinstance(source, (am.URLSource, am.Base64Source)):
        return Drop("an image is given by URL or as data here")
    new = media.as_url(source, is_untyped=is_odd(source))
    return _swapped(block, {} if new is source else {"source": new}, "only data URLs have a media type")


def carried_sound(block: Any) -> Any:
    """Keep sound in content: data in a format that the schema has, or a URL that was read."""
    if any(is_alias(block, form) for form in SOUND_ALIASES):
        return carried_image(block)
    data = media.read_data_url(block.source.url) if isinstance(block.source, am.URLSource) else None
    source = data or block.source
    # What is no base64 may be read as an address.
    if not isinstance(source, am.Base64Source) or source.media_type is None or ":" in source.data:
        return rules.audio_as_text(block)
    kind = source.media_type
    if not (is_odd(source) and kind.startswith("audio/")):
        plain = kind.partition(";")[0].strip().lower()
        kind = _SOUND.get(plain, plain)
        if kind not in AUDIO_FORMATS:
            return rules.audio_as_text(block)
    if data is None and kind == source.media_type and not source.extras:
        return block
    new = am.Base64Source(source.data, kind) if kind != source.media_type else source.evolve(extras={})
    return _swapped(block, {"source": new}, "sound has a format here, not a media type")


def carried_field_sound(block: Any) -> Any:
    """Keep sound that an assistant message refers to; the data only if it was read there."""
    source = block.source
    changes: dict[str, Any] = {}
    if isinstance(source, am.FileSource):
        new: Any = _by_id(source)
        if new is None:
            return rules.audio_as_text(block)
        if block.item_id is not None:
            changes["item_id"] = None
        if block.transcript is not None and not is_odd(block):
            changes["transcript"] = None
    elif not isinstance(source, am.Base64Source) or (block.extras and FAMILY not in block.extras):
        return rules.audio_as_text(block)  # or the id is another format's
    elif is_odd(block):
        new = _bare_data(source)
    else:
        changes = {"item_id": None, "transcript": None, "extras": {}, "source": am.FileSource(block.item_id, "openai")}
        return _swapped(block, changes, "a request refers to sound by its id")
    if new is not source:
        changes["source"] = new
    return _swapped(block, changes, "only the id has a place")


def carried_answered_sound(block: Any) -> Any:
    """Keep sound in a response: the data, with all keys that the schema requires; a reference only if it was read."""
    source = block.source
    if is_told_audio(block):
        return rules.audio_as_text(block)
    if isinstance(source, am.FileSource):
        return carried_field_sound(block)
    bare = _bare_data(source)
    changes: dict[str, Any] = {} if bare is source else {"source": bare}
    if not is_odd(block):
        own = natives.extras_of(block, FAMILY)
        if type(own.get("expires_at")) is not int:
            changes["extras"] = {**block.extras, FAMILY: {**own, "expires_at": 0}}
        if block.transcript is None:
            changes["transcript"] = ""
    return _swapped(block, changes, "the schema of a response requires it")


def carried_file(block: Any) -> Any:
    """Keep a file given by id or as data; turn a document given as text into that text."""
    source = block.source
    if isinstance(source, am.FileSource):
        new: Any = _by_id(source)
        if new is None:
            return Drop(f"a file of {source.provider} is not one of OpenAI's")
    elif isinstance(source, (am.URLSource, am.Base64Source)):
        new = media.as_url(source, is_untyped=is_odd(source))
        if isinstance(new, am.URLSource):
            if not (is_odd(source) and ":" in new.url):
                return Drop("a file is given by id or as data here")
            new = source if new is source else source.evolve(media_type=None, extras={})
    else:
        said = rules.document_as_text(block)
        return Drop("this kind of document isn't supported") if said is block else said
    changes: dict[str, Any] = {} if new is source else {"source": new}
    if block.name is None and block.title is not None:
        changes |= {"name": block.title, "title": None}
    return _swapped(block, changes, "a file has an id or data, and a file name")


def only_odd(rule: Rule, why: str) -> Rule:
    """Return the rule for a place where the schema has no such blocks: only those that were read there stay.

    Args:
        rule: for those that were read there.
        why: the reason for dropping others.
    """

    def checked(block: Any) -> Any:
        if is_odd(block):
            return rule(block)
        if isinstance(block, am.AudioBlock):
            return rules.audio_as_text(block)
        said = rules.document_as_text(block) if isinstance(block, am.FileBlock) else block
        return Drop(why) if said is block else said

    return checked
