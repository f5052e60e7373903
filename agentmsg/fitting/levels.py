"""Levels: how much a loss matters, by what was lost. It tells nothing about how the loss was found.

What a model would read or be able to do is content, wherever it stands; so is what a provider needs back. Ids, times,
names, usage and cache hints are annotations. What else a request says beside its messages is a setting.

``level_of_loss`` is the one door: it takes a path, what was there, what is there now and the owner.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from agentmsg.formats.spelling import says_nothing
from agentmsg.model.base import BaseBlock, Noted, Signature
from agentmsg.model.construction import absent_values
from agentmsg.model.equality import compared, same
from agentmsg.model.history import History
from agentmsg.model.media import standard_base64
from agentmsg.model.msg import Msg
from agentmsg.registry import class_of_family
from agentmsg.values.types import class_of, is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats.capabilities import Level

_Path: TypeAlias = "tuple[str | int, ...]"
EXTRAS = "extras"
"""The field whose keys have losses of their own: a path may go on behind it."""
ANNOTATIONS = frozenset(
    {
        "id", "created_at", "name", "recipient", "model", "api", "metadata", "response_metadata", "usage",
        "finish_reason", "embedding", EXTRAS, "item_id", "phase", "cache", "citations", "detail", "status",
        "provider", "raw", "tool_call_id", "error_type", "artifact", "strict", "title",
    }
)  # fmt: skip
"""The fields that are annotations wherever they stand, but for the status of what failed."""
PROMPT_ROLES = frozenset({"system", "developer"})
"""The roles of instructions."""
_SETTINGS = frozenset({EXTRAS, "settings"})
# What a model must know of a result, and a person of a call: somebody is asked whether the tool may be called.
_TELLING = ("error", "denied", "interrupted", "asking")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Keys of free-form data, as words in lower case, joined by "_". First those that hold content in any format, besides
# the content keys of its family.
_CONTENT = _words("""
    attachments audio_url audios cached_content chat_template completion completions conversation conversations
    demonstrations dialog dialogue document_url examples file_data file_url few_shot history hint image_url images
    inline_data input_audio instruction json_schema mcp_servers media_resolution memories observation passages persona
    preamble schema structured_output summary trajectory turns video_metadata video_url videos
""")
# What a key says if it ends so.
_CONTENT_ENDS = _words("""
    answer answers approval approvals approved attachment attachments b64 base64 caption captions chosen completions
    content conversation declarations demonstrations dialog documents examples explanation feedback guidelines history
    image images input inputs instruction instructions invocations memories message messages observations output
    outputs preamble prompt prompts queries query question questions rationale refusal rejected replies reply response
    responses results schema schemas scratchpad stderr stdout text texts thinking thought thoughts transcript
    transcription turns variables video videos
""")
# What a key says if it begins so, whatever is said of it.
_CONTENT_STARTS = _words("chosen encrypted rejected")
# Words behind which a key means the same.
_LISTS = _words("array block blocks items json list object raw template value values")
# What a provider needs back, to go on with the conversation.
_NEEDED_BACK = _words("""
    bucket_owner encrypted encrypted_content encrypted_index encrypted_stdout execution namespace
    previous_interaction_id previous_response_id reasoning_encrypted_content redacted redacted_data
    redacted_thinking_data server_label server_name signature thought_signature thought_signatures tool_id
""")
# What a key says about something else if it ends so; a text there is none for a model.
_NOTE_ENDS = _words("""
    agent at code count date detail effort end fingerprint format hash id ids index kind key label language level lang
    location mime mode model name names namespace path place platform provider reason retention role source start
    state status tier time timestamp timezone title token tokens tool type types uri url urls usage user uuid version
    verbosity
""")
# What no model reads, whatever is in it.
_NEVER = _words("""
    avg_logprobs channel_versions content_filter_results finish_message finish_reason grounding_metadata labels
    logit_bias logprobs logprobs_result metadata moderation prompt_filter_results response_metadata sdk_http_response
    stop_reason stop_sequence tags top_logprobs tracing url_context_metadata usage usage_metadata user_agent
    versions_seen
""")
# Beside the messages, these say how a model should respond, unless what is in them says more.
_MANNERS = _words("audio context output reasoning text thinking")
_MEDIA = frozenset({"audio", "document", "file", "image", "image_url", "input_audio", "input_image", "video"})
_PARTS_OF_KEYS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")
_LETTER = re.compile(r"[^\W\d_]")
# Some letters of a script that has no spaces between words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{5}")
# The namespaces that tell two parts of a provider apart for which the model has one block.
_KINDS = ".kind"
_PROSE = 4
_SHOWN = 2_000


def field_of(path: _Path) -> str | int:
    """Return the field, or the index, that a path leads to: also if it leads to a key of extras."""
    return EXTRAS if EXTRAS in path else path[-1]


def level_of(field: str, was: Any, now: Any) -> Level:
    """Return the level of a lost field: annotation, or content for what a model would read or be able to do."""
    if field == "role":
        return "annotation" if {was, now} <= PROMPT_ROLES else "content"
    if field == "status" and was in _TELLING:
        return "content"
    if field == "source" and _is_one_source(was, now):
        return "annotation"
    return "annotation" if field in ANNOTATIONS else "content"


def level_at(path: _Path, was: Any, now: Any) -> Level:
    """Return the usual level of a lost field, by its path alone: what a report on file says only if it is another.

    So for a path it never changes.
    """
    return "setting" if path[0] in _SETTINGS else level_of(str(field_of(path)), was, now)


def level_of_loss(path: _Path, was: Any, now: Any, owner: Any = None, given: Level | None = None) -> Level:
    """Return the level of a loss, by what it says.

    Args:
        path: in the input: of an object (it ends in an index), a field, or a key of extras.
        was: the lost value.
        now: the value in the output, or for an object perhaps its place there; None if it is gone.
        owner: the object with the field, if it is known.
        given: the level that a rule gave; it becomes content if content was lost beside what the rule meant.
    """
    last = path[-1]
    if given is None and isinstance(was, Signature) and _is_one_signature(was, now):
        given = "annotation"  # by its path alone it is content, so reports on file say it
    if given is None:
        given = level_at(path, was, now) if isinstance(last, str) else "content"
    if given == "content":
        return given
    return "content" if _is_content(path, was, now, owner) else given


def _is_content(path: _Path, was: Any, now: Any, owner: Any) -> bool:
    last = path[-1]
    if isinstance(last, int):
        return (now is None or isinstance(now, int)) and extras_hold_content(was, was.extras, {})
    if EXTRAS in path:
        space, *keys = path[path.index(EXTRAS) + 1 :] or [None]
        if space is None:
            return extras_hold_content(owner, was, now)
        return _key_is_content(str(space), str(keys[0]) if keys else "", was, now, owner)
    if last in ("source", "signature") and type(was) is type(now):
        return extras_hold_content(was, was.extras, now.extras)
    if last == "name":
        # An object that must have a name is called by it.
        kind: Any = class_of(owner)
        return owner is not None and last not in absent_values(kind)
    return path == ("settings", "response_format") and _loses_schema(was, now)


def extras_hold_content(owner: Noted, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether lost extras are content: what a key says is, or their owner says nothing else."""
    for space, fields in was.items():
        kept = now.get(space)
        if not is_mapping(fields):
            lost = [("", fields, kept)]
        else:
            other: Mapping[str, Any] = kept if is_mapping(kept) else {}
            lost = [(key, value, other.get(key)) for key, value in fields.items()]
        if any(not same(a, b) and _key_is_content(space, key, a, b, owner) for key, a, b in lost):
            return True
    return False


def _key_is_content(space: str, key: str, was: Any, now: Any, owner: Any) -> bool:
    """Whether the lost value of a key of extras is content."""
    if is_mapping(was) and is_mapping(now):
        left: Mapping[str, Any] = now
        was = {name: value for name, value in was.items() if not (name in left and same(value, left[name]))}
    owns = class_of_family(space.partition(".")[0])
    if key in owns.tool_keys and isinstance(owner, History) and was is not None and was is not False:
        return True
    if says_nothing(was):
        return False
    if space.endswith(_KINDS):
        return True
    named = owns.content_keys
    if isinstance(owner, (Msg, BaseBlock)):
        if isinstance(was, str) and isinstance(owner, Msg) and was == owner.text:
            return False  # it is said again
        if _says_nothing(owner) and _kind_of(key) != "note":
            return True
    return _says_content(key, was, named, is_beside=isinstance(owner, History))


def _loses_schema(was: Any, now: Any) -> bool:
    """Whether the schema of an answer is lost: a model is made to write by it."""
    schema = was.get("schema") if is_mapping(was) else None
    return schema is not None and not (is_mapping(now) and same(now.get("schema"), schema))


def _says_content(key: str, value: Any, named: frozenset[str], *, is_beside: bool) -> bool:
    """Whether a model would read something in free-form data, at any depth, or its provider needs it back."""
    waiting: list[tuple[str, Any]] = [(key, value)]
    while waiting:
        key, value = waiting.pop()
        kind = _kind_of(key)
        if kind == "never" or says_nothing(value):
            continue
        if isinstance(value, (bool, int, float)):
            if key == "approved":
                return True
            continue
        is_manner = is_beside and key in _MANNERS and is_mapping(value)
        if not is_manner and (key in named or kind in ("content", "back")):
            return True
        if isinstance(value, str):
            if value.startswith("data:") or (kind != "note" and _is_prose(value[:_SHOWN])):
                return True
        elif is_mapping(value):
            if _is_part(value):
                return True
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((key, item) for item in cast("list[object]", value))
    return False


def _is_prose(text: str) -> bool:
    """Whether a text is words for a reader, not a name or a number."""
    return len([word for word in text.split() if _LETTER.search(word)]) >= _PROSE or bool(_UNSPACED.search(text))


def _is_part(value: Mapping[str, Any]) -> bool:
    """Whether an object is a message, a part of one, media or a JSON Schema."""
    if value.get("type") in _MEDIA:
        return True
    if value.get("type") == "object" and "properties" in value:
        return True
    role = value.get("role", value.get("from"))
    return isinstance(role, str) and not says_nothing(value.get("content", value.get("parts", value.get("value"))))


def words_of(key: str) -> list[str]:
    """Return the words of a key in lower case, however they are joined."""
    return [word.lower() for word in _PARTS_OF_KEYS.findall(key[:_SHOWN])]


@lru_cache(maxsize=4096)
def _kind_of(key: str) -> str:
    """Return what a key says about its value: "content", "back" (a provider needs it), "note", "never" or ""."""
    words = words_of(key)
    name = "_".join(words)
    if name in _NEVER:
        return "never"
    if name in _NEEDED_BACK:
        return "back"
    while len(words) > 1 and words[-1] in _LISTS:
        words.pop()
    for test in ("_".join(words), name):
        if test in _CONTENT:
            return "content"
    first, last = (words[0], words[-1]) if words else ("", "")
    if last in _CONTENT_ENDS:
        return "content"
    return "note" if last in _NOTE_ENDS else "content" if first in _CONTENT_STARTS else ""


def _is_one_source(was: Any, now: Any) -> bool:
    """Whether two sources differ only in their description: the media type, unknown fields."""
    if type(was) is not type(now) or not hasattr(was, "media_type"):
        return False
    return bool(was.evolve(media_type=None, extras={}) == now.evolve(media_type=None, extras={}))


def _is_one_signature(was: Signature, now: Any) -> bool:
    """Whether two signatures are the same bytes of one provider."""
    if not isinstance(now, Signature) or was.provider != now.provider:
        return False
    return standard_base64(was.value) == standard_base64(now.value)


def _says_nothing(owner: Any) -> bool:
    """Whether a message or block has no content apart from its extras."""
    if isinstance(owner, Msg):
        return owner.structured is None and all(map(_says_nothing, owner.content))
    values = (
        (name, get(owner)) for name, get in compared(owner.__class__) if name not in ANNOTATIONS and name != "kind"
    )
    return all(value is None or value in ("", ()) for _, value in values)
