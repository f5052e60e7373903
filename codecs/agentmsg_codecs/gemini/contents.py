"""Spellings of contents that the API or its SDKs accept; marks of the messages record them.

The API takes one part for a list of one (``/one``), and roles in capitals, of old clients, or none (``/role``). SDKs
take a part, a text, or a list of these for a content (``/bare``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, Unreadable, is_list, is_marked, is_object, mark_of
from agentmsg_codecs.gemini.names import FAMILY, OUTER_KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import agentmsg as am

# Other words for the roles: of old clients, which have one for results, of Vertex AI, and of other formats.
WORDS = {
    **dict.fromkeys(("function", "tool", "USER", "FUNCTION", "TOOL"), "user"),
    **dict.fromkeys(("MODEL", "assistant"), "model"),
}
# A content without a role is the user's.
_UNSAID: dict[Any, Native] = {"absent": {}, "null": {"role": None}}
_CONTENT_KEYS = ("role", "parts")


def usual_content(native: Any) -> tuple[Native, dict[str, Any]]:
    """Return a content in the usual spelling, and marks for its own spelling."""
    content, marks = listed(native)
    word = content.get("role")
    if word is None:
        return {**content, "role": "user"}, {**marks, "role": "null" if "role" in content else "absent"}
    if type(word) is str and word in WORDS:
        return {**content, "role": WORDS[word]}, {**marks, "role": word}
    return content, marks


def listed(native: Any) -> tuple[Native, dict[str, Any]]:
    """Return a content with a list of parts, and marks for its own spelling."""
    marks: dict[str, Any] = {}
    if not is_object(native) or _is_bare(native):
        native, marks = {"parts": native}, {"bare": True}
    parts = native.get("parts")
    return ({**native, "parts": [parts]}, {**marks, "one": True}) if is_part(parts) else (native, marks)


def is_part(value: Any) -> bool:
    """Whether a value may be a part: an object, or a text."""
    return is_object(value) or type(value) is str


def _is_bare(native: Native) -> bool:
    """Whether an object is a part rather than a content."""
    return native.keys().isdisjoint(_CONTENT_KEYS) and not native.keys().isdisjoint(OUTER_KEYS)


def unlisted(native: Native, message: am.Msg) -> Any:
    """Return a content in the spelling in which its message was read, whatever its role."""
    parts = native.get("parts")
    if is_marked(message, FAMILY, "/one") and is_list(parts) and len(parts) == 1 and is_part(parts[0]):
        native = {**native, "parts": parts[0]}
    if native.keys() != {"parts"} or not is_marked(message, FAMILY, "/bare"):
        return native
    bare = native["parts"]
    is_told = type(bare) is str or (_is_bare(bare) if is_object(bare) else message.role == "system")
    return bare if is_told else native


def respelt_content(native: Native, message: am.Msg) -> Any:
    """Return a user's or a model's content in the spelling in which its message was read."""
    word = mark_of(message, FAMILY, "/role")
    if word in (*_UNSAID,) and native["role"] == "user":
        rest = {key: value for key, value in native.items() if key != "role"}
        native = {**_UNSAID[word], **rest}
    elif type(word) is str and WORDS.get(word) == native["role"]:
        native = {**native, "role": word}
    return unlisted(native, message)


# -- responses --------------------------------------------------------------------------------------------------------

_MODELS: dict[Any, Native] = {
    "absent": {}, "null": {"role": None}, **{word: {"role": word} for word, role in WORDS.items() if role == "model"},
}  # fmt: skip


def parts_of_model(native: Native, notes: Native) -> list[Any]:
    """Return the parts of a response's content, and note its spelling.

    Raises:
        Unreadable: if it isn't the content of a model.
    """
    word, parts = native.get("role"), native.get("parts")
    for key, value in (("role", word), ("parts", parts)):
        if value is None:
            notes[f"/{key}"] = "null" if key in native else "absent"
    if word is not None and word != "model":
        if type(word) is not str or WORDS.get(word) != "model":
            raise Unreadable
        notes["/role"] = word
    if is_part(parts):
        notes["/parts"] = "one"
        return [parts]
    if parts is not None and not is_list(parts):
        raise Unreadable
    return parts or []


def content_of_model(parts: list[Any], note: Mapping[str, Any]) -> Native:
    """Return the content of a response in the spelling in which it was read."""
    word, how = note.get("/role"), note.get("/parts")
    held: Native = {"parts": parts}
    if how in ("absent", "null") and not parts:
        held = {} if how == "absent" else {"parts": None}
    elif how == "one" and len(parts) == 1 and is_part(parts[0]):
        held = {"parts": parts[0]}
    return {**held, **(_MODELS[word] if type(word) is str and word in _MODELS else {"role": "model"})}
