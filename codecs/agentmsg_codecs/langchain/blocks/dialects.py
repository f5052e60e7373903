"""Other spellings of parts than v1: those of a dozen generations of LangChain, and of providers.

A block read from such a part is marked ``/shape`` with the name of the dialect. It is written in that dialect as long
as that says all of it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import agentmsg as am
from agentmsg import AgentMsgError
from agentmsg.formats import (
    KEEP,
    Native,
    Unreadable,
    is_list,
    is_mapping,
    is_object,
    is_sequence,
    maker,
    mark_of,
    media,
    object_at,
    speed,
    text_at,
    word_at,
)
from agentmsg.formats.forms import Arguments, Const, Form, Hatch, Key, Link, Object, Spare, Spread, Text, Wrapped
from agentmsg_codecs.langchain.blocks.v1 import CACHE, ID, SEALED, required, via
from agentmsg_codecs.langchain.blocks.v1_forms import (
    ANNOTATIONS,
    BY_DATA,
    BY_FILE_ID,
    BY_URL,
    CHUNK,
    FORMS,
    MEDIA,
    MIME,
    TITLES,
    args_of,
    call_input,
    given_under,
)
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Native


# The namespace of unknown keys in objects inside parts, such as image_url.
NESTED = "langchain.nested"


# -- text and thinking ------------------------------------------------------------------------------------------------


def _is_untagged(part: Native) -> bool:
    return "type" not in part


def _text(name: str, tag: str | None) -> Form:
    items = (Key("text", "text", Text()), ANNOTATIONS, ID, CACHE)
    fits = None if tag else _is_untagged
    return Form(name.replace("-", "_"), am.TextBlock, tag, items, notes={"shape": name}, fits=fits)


def _texts(key: str, tag: str) -> Hatch:
    """Return the item of thinking in a list of texts."""

    def read(part: Native) -> Native:
        texts: list[str] = []
        for item in part[key]:
            if not is_object(item) or len(item) != 2 or item.get("type") != tag:  # noqa: PLR2004
                raise Unreadable
            texts.append(text_at(item, "text"))
        return {"thinking": "\n\n".join(texts), "notes": {"/cuts": [len(text) for text in texts]}}

    def write(block: Any) -> Native:
        cuts, texts, at = mark_of(block, FAMILY, "/cuts"), list[str](), 0
        for cut in cuts if is_sequence(cuts) else ():
            if type(cut) is not int or cut < 0:
                break
            texts.append(block.thinking[at : at + cut])
            at += cut + 2
        if "\n\n".join(texts) != block.thinking or (cuts is None and not texts):
            texts = [block.thinking]
        return {key: [{"type": tag, "text": text} for text in texts]}

    return required((key,), ("thinking",), read, write)


def _sealed(key: str, provider: str) -> Key:
    return Key(key, "signature", Wrapped(am.Signature, "value", {"provider": provider}), "may")


_SEALED = _sealed("encrypted_content", "openai")


SUMMARY = _texts("summary", "summary_text")
# Tried before v1, whose parts may lack their text.
REASONING = (
    Form("whole_reasoning", am.ThinkingBlock, "reasoning", (
        _texts("content", "reasoning_text"), Spare("summary", [], is_written=False), _SEALED, ID, CACHE,
    ), notes={"shape": "whole_reasoning"},  # not summed up
         fits=lambda part: is_list(part.get("content")) and bool(part["content"]) and not part.get("summary")
         and "reasoning" not in part),
    Form("summary", am.ThinkingBlock, "reasoning", (SUMMARY, _SEALED, ID, CACHE),
         notes={"shape": "summary"},
         fits=lambda part: is_list(part.get("summary")) and part.keys().isdisjoint(("reasoning", "extras"))),
    Form("reasoning_text", am.ThinkingBlock, "reasoning", (Key("text", "thinking", Text()), ID, CACHE),
         notes={"shape": "reasoning_text"}, fits=lambda part: type(part.get("text")) is str
         and part.keys().isdisjoint(("reasoning", "summary", "content"))),
)  # fmt: skip
_WORDS = (
    _text("input_text", "input_text"),
    _text("output_text", "output_text"),
    _text("text_delta", "text_delta"),
    _text("bare-text", None),
    # It has no words if they were not asked for.
    Form("thinking", am.ThinkingBlock, "thinking", (
        Key("thinking", "thinking", Text(), '""', default=""), _sealed("signature", "anthropic"), ID, CACHE,
    ), notes={"shape": "thinking"}),
    Form("redacted_thinking", am.ThinkingBlock, "redacted_thinking",
         (Key("data", "redacted", Text(), cell=SEALED), ID, CACHE),
         notes={"shape": "redacted_thinking"}, when=lambda block: block.redacted is not None),
    Form("reasoning_content_text", am.ThinkingBlock, "reasoning_content", (
        Key("reasoning_content", "thinking", Text()), ID, CACHE,
    ), notes={"shape": "reasoning_content-text"}, fits=lambda part: type(part.get("reasoning_content")) is str),
)  # fmt: skip


# -- objects inside ---------------------------------------------------------------------------------------------------


def inner_object(
    key: str, get: Callable[[Native], Native], put: Callable[[Any], Native], *fields: str, must: int = 0
) -> Hatch:
    """Return the item of an inner object; its unknown keys are extras, and empty ones are spelling.

    Args:
        key: of the object.
        get: returns the fields that it fills.
        put: returns the object; keys without a value may be None.
        fields: all these fields.
        must: the number of its required keys; an object with no more certainly comes back.
    """

    def read(part: Native) -> Native:
        native = object_at(part, key)
        found = get(native)
        if len(native) == must:
            return found
        plain = _filled(put(SimpleNamespace(**{"detail": None, "name": None, **found})))
        more = {name: item for name, item in native.items() if name not in plain and item is not None}
        if any(native.get(name) != item for name, item in plain.items()):
            raise Unreadable
        if len(plain) + len(more) != len(native):
            found["notes"] = {key: ["=", native]}
        return {**found, "extras": {NESTED: {key: more}}} if more else found

    def write(block: Any) -> Native:
        plain = _filled(put(block))
        more = block.extras.get(NESTED) if block.extras else None
        return {key: {**more[key], **plain} if is_mapping(more) and is_mapping(more.get(key)) else plain}

    return Hatch(keys=(key,), cells=dict.fromkeys(fields, KEEP), get=read, put=write, must=(key,),
                  spaces=(NESTED,))  # fmt: skip


def _filled(native: Native) -> Native:
    return {key: value for key, value in native.items() if value is not None}


# -- sources ----------------------------------------------------------------------------------------------------------


_make_base64 = maker(am.Base64Source, "data", "media_type")
_make_url = maker(am.URLSource, "url")


def _source_of_url(url: str) -> Any:
    """Return the source of a URL; a base64 data URL contains its bytes."""
    if type(url) is not str:
        raise Unreadable
    head, comma, data = url.partition(",") if url.startswith("data:") else (url, "", "")
    if comma and head.endswith(";base64") and ";" not in head[5:-7]:
        return _make_base64(data, head[5:-7] or None)
    return _make_url(url)


def _url_of(source: Any) -> Any:
    return source.url if type(source) is am.URLSource else media.data_url(source)


_is_only_url = speed.says_only(am.URLSource, "url")


def _is_linked(source: Any) -> bool:
    return _is_only_url(source) and not source.url.startswith("data:")


def _has_url(block: Any) -> bool:
    """Whether a URL says everything about a block's source."""
    source = block.source
    if type(source) is am.Base64Source:
        return not source.extras and source.media_type != "" and {",", ";"}.isdisjoint(source.media_type or "")
    return _is_linked(source) or (_is_only_url(source) and bool(_source_of_url(source.url) == source))


_URL = via(_source_of_url, _url_of)


def _file_source(part: Native) -> Any:
    key = "file_url" if part.get("file_data") is None else "file_data"
    if key == "file_url" and part.get("file_id") is not None:
        return am.FileSource(text_at(part, "file_id"), provider="openai")
    url = text_at(part, key)
    if url.startswith("data:") is not (key == "file_data"):
        raise Unreadable
    return _source_of_url(url)


def _file_fields(block: Any) -> Native:
    source = block.source
    if type(source) is am.FileSource:
        return {"file_id": source.file_id, "filename": block.name}
    return {"file_url" if _is_linked(source) else "file_data": _url_of(source), "filename": block.name}


_is_own_file = speed.says_only(am.FileSource, "file_id", provider="openai")
_FILE_ID = Key("file_id", "source", Wrapped(am.FileSource, "file_id", {"provider": "openai"}))
_DETAIL = Key("detail", "detail", Text(), "may")
FILENAME = Key("filename", "name", Text(), "may")


def _encoded(kind: str, key: str) -> tuple[Any, Any, Any]:
    """Return the functions for objects with bytes and a format: the reader, the writer, and the test of blocks."""

    def read(native: Native) -> Native:
        return {"source": am.Base64Source(text_at(native, key), f"{kind}/{text_at(native, 'format')}")}

    def write(block: Any) -> Native:
        return {key: block.source.data, "format": (block.source.media_type or "").removeprefix(f"{kind}/")}

    def when(block: Any) -> bool:
        source = block.source
        is_plain = type(source) is am.Base64Source and not source.extras
        return is_plain and (source.media_type or "").startswith(f"{kind}/")

    return read, write, when


_read_sound, _write_sound, _is_sound = _encoded("audio", "data")


# -- OpenAI, Google ------------------------------------------------------------------------------------------

_IMAGE_URL = inner_object(
    "image_url", lambda image: {"source": _source_of_url(text_at(image, "url")), "detail": word_at(image, "detail")},
    lambda block: {"url": _url_of(block.source), "detail": block.detail}, "source", "detail", must=1,
)  # fmt: skip
_FILE = inner_object(
    "file", lambda file: {"source": _file_source(file), "name": word_at(file, "filename")}, _file_fields, "source",
    "name",
)  # fmt: skip
_SOUND = inner_object("input_audio", _read_sound, _write_sound, "source", must=2)


def _read_input(value: Any) -> Any:
    if not is_object(value):
        raise Unreadable
    return call_input(value)


_CALL = (Key("id", "id", Link(), "null"), Key("name", "name", Text()))


def _input_file(key: str, value: Any, when: Callable[[Any], bool] | None = None) -> Form:
    def fits(part: Native) -> bool:
        given = next((name for name in ("file_data", "file_id", "file_url") if part.get(name) is not None), None)
        return given == key and (key == "file_id" or str(part[key]).startswith("data:") is (key == "file_data"))

    return Form(
        f"input_{key}", am.FileBlock, "input_file", (Key(key, "source", value), FILENAME, ID, CACHE), when=when,
        notes={"shape": "input_file"}, fits=fits,
    )  # fmt: skip


_OPENAI = (
    Form("image_url", am.ImageBlock, "image_url", (_IMAGE_URL, ID, CACHE), notes={"shape": "image_url"}, when=_has_url,
         fits=lambda part: type(part.get("image_url")) is not str),
    Form("image_url_text", am.ImageBlock, "image_url", (Key("image_url", "source", _URL), ID, CACHE),
         notes={"shape": "image_url-text"}, when=_has_url, fits=lambda part: type(part.get("image_url")) is str),
    Form("input_image", am.ImageBlock, "input_image", (Key("image_url", "source", _URL), _DETAIL, ID, CACHE),
         notes={"shape": "input_image"}, when=_has_url, fits=lambda part: part.get("image_url") is not None),
    Form("input_image_id", am.ImageBlock, "input_image", (_FILE_ID, _DETAIL, ID, CACHE),
         notes={"shape": "input_image"}),
    _input_file("file_data", _URL, lambda block: _has_url(block) and not _is_linked(block.source)),
    _input_file("file_id", _FILE_ID.value),
    _input_file("file_url", Wrapped(am.URLSource, "url"), lambda block: _is_linked(block.source)),
    Form("file", am.FileBlock, "file", (_FILE, ID, CACHE), notes={"shape": "file"},
         when=lambda block: _is_own_file(block.source) or _has_url(block)),
    Form("input_audio", am.AudioBlock, "input_audio", (_SOUND, ID, CACHE), notes={"shape": "input_audio"},
         when=_is_sound),
    CHUNK,
    # What Anthropic's client has of a call; its input is a text if a stream has left it so.
    Form("tool_use", am.ToolUseBlock, "tool_use", (
        *_CALL, Key("input", "input", via(_read_input, args_of, {"type": "object"})), CACHE,
    ), fixed={"kind": "function"}, notes={"shape": "tool_use"},
         when=lambda block: block.is_valid and block.significant_text is None,
         fits=lambda part: "caller" not in part and "toolset_name" not in part),
    Form("tool_use_text", am.ToolUseBlock, "tool_use", (*_CALL, Key("input", "input", Arguments()), CACHE),
         fixed={"kind": "function"}, notes={"shape": "tool_use-text"},
         fits=lambda part: type(part.get("input")) is str),
    Form("function_call", am.ToolUseBlock, "function_call", (
        Key("call_id", "id", Link(), "null"), Key("name", "name", Text()),
        Key("arguments", "input", Arguments()), ID, CACHE,
    ), fixed={"kind": "function"}, notes={"shape": "function_call"}),
    # The client runs it, as it runs functions.
    Form("computer_call", am.ToolUseBlock, "computer_call", (
        Key("call_id", "id", Link(), "null"), Key("action", "input", Object()), ID, CACHE,
        Spare("status", "completed"), Spare("pending_safety_checks", []),
    ), fixed={"kind": "function", "name": "computer"}, notes={"shape": "computer_call"},
         when=lambda block: block.is_valid and is_mapping(block.input) and block.significant_text is None),
)  # fmt: skip


_GOOGLE = {"data": (am.Base64Source, "data"), "file_uri": (am.URLSource, "url")}


def _google(tag: str, key: str) -> Form:
    cls, field = _GOOGLE[key]

    def is_of_tag(media_type: Any) -> bool:
        head = media_type.partition("/")[0] if type(media_type) is str else ""
        return (head if head in ("image", "audio", "video") else "file") == tag

    return Form(
        f"google_{tag}_{key}", MEDIA[tag], "media",
        (Spread("source", cls, (Key("mime_type", "media_type", Text()), Key(key, field, Text()))), ID, CACHE),
        notes={"shape": "google"},
        fits=lambda part: is_of_tag(part.get("mime_type")) and (part.get("data") is not None) == (key == "data"),
        when=lambda block: block.source.media_type is not None and is_of_tag(block.source.media_type),
    )  # fmt: skip


# -- LangChain's older parts ------------------------------------------------------------------------------------------

_V0: Mapping[str, tuple[type[Any], str, str]] = {
    "base64": (am.Base64Source, "data", "data"),
    "url": (am.URLSource, "url", "url"),
    "id": (am.FileSource, "id", "file_id"),
    "text": (am.TextSource, "text", "text"),
}


def _v0(tag: str, kind: str, key: str = "", shape: str = "v0") -> Form:
    """Return the form of a part with a `source_type`."""
    cls, usual, field = _V0[kind]
    key = key or usual
    return Form(
        f"{shape.replace('-', '_')}_{tag}_{kind}", MEDIA[tag], tag,
        (
            Const("source_type", kind),
            *(() if kind == "id" else (ID,)),
            CACHE,
            Spread("source", cls, (Key(key, field, Text()), MIME)),
            *((FILENAME,) if tag == "file" else ()),
            Key("metadata", "metadata", Object(), "may", is_odd=True),
        ),
        notes={"shape": shape},
        schema={
            "properties": {"source_type": {"const": kind}, **({"text": {"not": {}}} if key != "text" else {})},
            "required": ["source_type"],
        },
        fits=lambda part: part.get("source_type") == kind and (kind != "text" or ("text" in part) == (key == "text")),
    )  # fmt: skip


def _plain_media(key: str, source: Spread) -> Form:
    """Return the form of a document that isn't text, under the tag of texts."""
    return Form(
        f"plain_by_{key}", am.FileBlock, "text-plain", (source, *TITLES, ID, CACHE), notes={"shape": "text-plain"},
        fits=lambda part: given_under(key)(part) and part.get("text") is None,
    )  # fmt: skip


DIALECTS = (
    *_WORDS,
    *(_v0(tag, kind) for tag in ("image", "audio", "file") for kind in ("base64", "url", "id")),
    _v0("file", "text"),
    _v0("file", "text", "url", "v0-text-url"),
    *_OPENAI,
    *(_google(tag, key) for tag in MEDIA for key in _GOOGLE),
    *(_plain_media(key, source) for key, source in (("url", BY_URL), ("base64", BY_DATA), ("file_id", BY_FILE_ID))),
)


# -- LangChain for JavaScript: v1 under its own keys; v0 without its `source_type` ------------------------------------


# By key of the source, its class and field; with the key of the media type.
_KINDS = (
    ("data", "mime_type", am.Base64Source, "data"),
    ("data", "mimeType", am.Base64Source, "data"),
    ("url", "mimeType", am.URLSource, "url"),
    ("fileId", "mimeType", am.FileSource, "file_id"),
)


def _medium(tag: str, key: str, mime: str, cls: type[Any], field: str) -> Form:
    def fits(part: Native) -> bool:
        if "source_type" in part or key not in part:
            return False
        return "mimeType" not in part if mime == "mime_type" else mime in part or key == "fileId"

    shape = f"{key}-{mime}"
    source = Spread("source", cls, (Key(key, field, Text()), Key(mime, "media_type", Text(), "may")))
    names = (FILENAME,) if tag == "file" else ()
    metadata = Key("metadata", "metadata", Object(), "may", is_odd=True)
    return Form(f"{tag}_{key}_{mime}", MEDIA[tag], tag, (source, ID, CACHE, *names, metadata), notes={"shape": shape},
                fits=fits)  # fmt: skip


JAVASCRIPT = tuple(_medium(tag, *kind) for tag in MEDIA for kind in _KINDS)


# -- all forms: their order and marks ---------------------------------------------------------------------------------


RESULT = "server_tool_result"
# By form, the mark of its blocks, if its own notes don't say it.
MARKS = {
    "text": "annotations", "invalid_tool_call": "invalid_tool_call",
    "server_tool_call_chunk": "server_tool_call_chunk", "server_tool_call": "server_tool_call",
}  # fmt: skip
# Parts are tried in this order: forms that their keys alone don't identify come last.
ALL_FORMS = tuple(
    # The caller of a reader has already called ``fits``.
    form.evolve(is_asked=True)
    for form in (*REASONING, *JAVASCRIPT, *FORMS, *DIALECTS)
)
V1_OF_TAG = {form.tag: [(other.fits, other.name) for other in FORMS if other.tag == form.tag] for form in FORMS}
OF_V1 = frozenset({RESULT, *(form.name for form in FORMS)})
Entry: TypeAlias = "tuple[Callable[[Any], bool] | None, str]"


# -- the blocks of a form ---------------------------------------------------------------------------------------------


def is_of(form: Form) -> Callable[[Any], bool] | None:
    """Return the test of blocks that are usually written in a form; None for all of its class."""
    fixed, when = tuple(form.fixed.items()), form.when
    if not fixed:
        return when

    def test(block: Any) -> bool:
        for name, value in fixed:
            if getattr(block, name) != value:
                return False
        return when is None or when(block)

    return test


def _says_all_within(item: Key | Spread) -> Callable[[Any], bool]:
    """Return the test whether an item says all of the object inside a block, if there is one."""
    value: Any = item if isinstance(item, Spread) else item.value
    fields = [name for key in item.items for name in key.fields] if isinstance(item, Spread) else [value.field]
    says_all, field = speed.says_only(value.cls, *fields, **value.fixed), item.fields[0]
    return lambda block: (inner := getattr(block, field)) is None or says_all(inner)


def says_all_of(form: Form) -> Callable[[Any], bool]:
    """Return the test of blocks that a form describes completely."""
    cls: Any = form.cls
    fields = {"extras", *form.fixed}
    spaces = {FAMILY, NESTED}
    within = list[Any]()
    for item in form.items:
        if isinstance(item, Spread) or (isinstance(item, Key) and isinstance(item.value, Wrapped)):
            within.append(_says_all_within(item))
        fields.update(item.cells if isinstance(item, Hatch) else getattr(item, "fields", ()))
        if isinstance(item, Hatch):
            spaces.update(item.spaces)
    if "input" in fields:
        fields.add("raw_input")
    says_only_these, test = speed.says_only(cls, "cache", *fields), is_of(form)

    def says_all(block: Any) -> bool:
        if not says_only_these(block):
            return False
        for inner in within:
            if not inner(block):
                return False
        if test is not None and not test(block):
            return False
        if not block.extras:
            return True
        return bool(block.extras.keys() <= spaces)

    return says_all


# -- usual parts ------------------------------------------------------------------------------------------------------

# By tag, the class of parts that have a quick reader.
QUICK: Mapping[str, type[Any]] = {
    "text": am.TextBlock, "reasoning": am.ThinkingBlock, "image": am.ImageBlock, "audio": am.AudioBlock,
    "video": am.VideoBlock, "file": am.FileBlock, "thinking": am.ThinkingBlock, "image_url": am.ImageBlock,
    "tool_use": am.ToolUseBlock,
}  # fmt: skip
_MOST_KEYS = 4
# The keys that such parts must not have.
_NOT_QUICK = frozenset(
    {"annotations", "cache_control", "caller", "citations", "filename", "metadata", "source", "summary", "toolset_name"}
)


def quick_reader(tag: str, read: Callable[[Native], Any]) -> Callable[[Native], Any]:
    """Return the reader of parts with nothing but texts, apart from the input of calls; it returns None for others."""

    def quick(part: Native) -> Any:
        if len(part) > 2:  # noqa: PLR2004 - the tag, and its only text
            if len(part) > _MOST_KEYS or not _NOT_QUICK.isdisjoint(part):
                return None
            extras: Any = part.get("extras")
            if extras is not None and (tag != "reasoning" or not is_object(extras) or len(extras) > 1):
                return None
        try:
            block = read(part)
        except (Unreadable, AgentMsgError):
            return None
        note = block.notes[FAMILY] if block.notes else None
        if block.extras or (note and (len(note) > 1 or "/shape" not in note)):
            return None
        return None if tag == "tool_use" and block.id is None else block

    return quick
