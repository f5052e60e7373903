"""Content blocks v1, the usual spelling: their forms, and results of server tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    EMPTY,
    KEEP,
    Native,
    Shape,
    Unreadable,
    adopt,
    envelopes,
    is_list,
    is_mapping,
    is_object,
    maker,
    marked,
    natives,
    object_at,
    same_document,
    spelling,
    text_at,
    tool_arguments,
    word_at,
)
from agentmsg.formats.forms import Form, Hatch, Key, Link, Spare, Spread, Text, Truth
from agentmsg_codecs.langchain.blocks.providers import IDS
from agentmsg_codecs.langchain.blocks.v1 import (
    CACHE,
    EXTRAS,
    ID,
    cache_of,
    extras_hatch,
    is_words,
    make_call,
    make_result,
    make_text,
    only_written,
    read_extras,
    write_cache,
    write_extras,
)
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, INNER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- citations --------------------------------------------------------------------------------------------------------


make_citation = maker(am.Citation)
_TEXT_FIELDS = ("url", "title", "cited_text")
# The keys of v1's citations, and their fields.
_FIELDS: Mapping[str, str] = {**{name: name for name in _TEXT_FIELDS}, "start_index": "start", "end_index": "end"}
_CITATION = frozenset({"type", *_FIELDS})
_TAG = frozenset({"type"})
# Only Responses has these, and its own codec reads what they say of a file: all of it is extras.
_OF_CONTAINER = "container_file_citation"
# An entry that isn't an object at all.
WHOLE = "langchain.citation"


def read_citation(native: Any) -> am.Citation:
    """Return the citation of an entry: of v1 or OpenAI, which have the same keys; any other is an extra."""
    found = _kept_citation(_read_any(native), native) if is_object(native) else None
    return found or make_citation(extras=adopt({WHOLE: {"value": native}}))


def _kept_citation(citation: am.Citation, native: Native) -> am.Citation | None:
    plain = _plain_citation(citation)
    if same_document(plain, native):
        return citation
    known = _CITATION if citation.kind != _OF_CONTAINER else _TAG
    kept = spelling.keep(citation, native, plain, family=FAMILY, known=known, odd=known)
    # It was just read, so it is known to read as this citation.
    return kept if kept is not None and same_document(_spell_citation(kept, lambda _: kept), native) else None


def _read_any(native: Native) -> am.Citation:
    kind = native.get("type")
    kinds = {key: str if key in _TEXT_FIELDS else int for key in _FIELDS if key in native and kind != _OF_CONTAINER}
    fields = {_FIELDS[key]: native[key] for key, cls in kinds.items() if type(native[key]) is cls}
    return make_citation(kind=kind if type(kind) is str and kind != "citation" else None, **fields)


def _plain_citation(citation: am.Citation) -> Native:
    native: Native = {"type": "citation" if citation.kind is None else citation.kind}
    return native | {key: value for key, field in _FIELDS.items() if (value := getattr(citation, field)) is not None}


def write_citation(citation: am.Citation) -> Any:
    """Return the entry of a citation."""
    whole = citation.extras.get(WHOLE) if citation.extras else None
    if is_mapping(whole) and "value" in whole:
        return whole["value"]
    return _spell_citation(citation, lambda part: read_citation(thaw(part)))


def _spell_citation(citation: am.Citation, read: Callable[[Native], Any]) -> Native:
    plain = _plain_citation(citation)
    if not citation.extras and not citation.notes:
        return plain
    return spelling.put_back(citation, plain, family=FAMILY, read=read)


# -- text, thinking, refusal ------------------------------------------------------------------------------------------


def _citing(key: str, *, is_optional: bool) -> Hatch:
    """Return the item of citations under a key."""

    def get(part: Native) -> Native:
        value = part[key]
        if not is_list(value) or not (value or not is_optional):
            return natives.unread(part, key)
        return {"citations": tuple(map(read_citation, value))}

    def put(block: Any) -> Native:
        return {key: list(map(write_citation, block.citations))} if block.citations or not is_optional else {}

    return Hatch(keys=(key,), cells={"citations": KEEP}, get=get, put=put, odd=(key,), is_optional=is_optional)


_TEXT = Key("text", "text", Text())
ANNOTATIONS = _citing("annotations", is_optional=True)
THINKING = extras_hatch({"redacted": "redacted"}, owner=ANTHROPIC)
_SIGNED = extras_hatch(owner="google")  # who alone signs texts
_WORDS = (
    Form("cited", am.TextBlock, "text", (_TEXT, _citing("citations", is_optional=False), ID, CACHE, _SIGNED),
         fits=lambda part: is_list(part.get("citations")) and "annotations" not in part, notes={"shape": "citations"}),
    Form("text", am.TextBlock, "text", (_TEXT, ANNOTATIONS, ID, CACHE, _SIGNED)),
    Form("reasoning", am.ThinkingBlock, "reasoning", (
        Key("reasoning", "thinking", Text(), '""', default=""), ID, CACHE, THINKING,
    )),
    Form("refusal", am.RefusalBlock, "refusal", (Key("refusal", "refusal", Text()), ID, CACHE, EXTRAS)),
    # As ChatOpenAI takes a person's decision, in a human message.
    Form("decision", am.ApprovalResponseBlock, "mcp_approval_response", (
        Key("approval_request_id", "id", Text()), Key("approve", "approved", Truth()),
        Key("reason", "reason", Text(), "may"), ID, CACHE, EXTRAS,
    ), fixed={"kind": "server"}),
)  # fmt: skip


# -- media ------------------------------------------------------------------------------------------------------------

MEDIA: Mapping[str, type[Any]] = {
    "image": am.ImageBlock, "audio": am.AudioBlock, "video": am.VideoBlock, "file": am.FileBlock,
}  # fmt: skip
_NAMES: Mapping[str, Mapping[str, str]] = {
    "image": {"detail": "detail"},
    "audio": {"transcript": "transcript"},
    "video": {},
    "file": {"filename": "name", "title": "title", "context": "context"},
}
MIME = Key("mime_type", "media_type", Text(), "may")
BY_URL = Spread("source", am.URLSource, (Key("url", "url", Text()), MIME))
BY_DATA = Spread("source", am.Base64Source, (Key("base64", "data", Text()), MIME))
BY_FILE_ID = Spread("source", am.FileSource, (Key("file_id", "file_id", Text()), MIME))
GIVEN = ("url", "base64", "file_id")
_make_file_id = maker(am.FileSource)


def given_under(wanted: str) -> Callable[[Native], bool]:
    """Return the test of parts with their source only under this key."""
    others = tuple(key for key in GIVEN if key != wanted)

    def test(part: Native) -> bool:
        if part.get(wanted) is None or "source_type" in part or "source" in part:
            return False
        return len(part) == 2 or all(part.get(key) is None for key in others)  # noqa: PLR2004 - the tag and the key

    return test


def schema_under(wanted: str) -> Native:
    """Return the schema of parts with their source only under this key."""
    others = (*(key for key in GIVEN if key != wanted), "source_type", "source")
    return {"properties": {key: {"not": {}} for key in others}}


def is_from(cls: type[Any]) -> Callable[[Any], bool]:
    """Return the test of blocks with a source of a class."""
    return lambda block: type(block.source) is cls


def _of_file(names: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the items of files at a provider, which `extras` name."""

    def get(part: Native) -> Native:
        media_type, found = word_at(part, "mime_type"), read_extras(part, {"provider": "provider", **names})
        source = _make_file_id(
            file_id=text_at(part, "file_id"), provider=found.pop("provider", None), media_type=media_type
        )
        nulls = {"mime_type": "null"} if media_type is None and "mime_type" in part else {}
        return {**found, "source": source, "notes": {**found.get("notes", EMPTY), **nulls}}

    def put(block: Any) -> Native:
        source = block.source
        part = {"file_id": source.file_id, "mime_type": source.media_type}
        if source.media_type is None:
            del part["mime_type"]
        return part

    def put_beside(block: Any) -> Native:
        provider = block.source.provider
        return write_extras(block, names, **({} if provider is None else {"provider": provider}))

    fields = ("source", "signature", "phase", "metadata", *names.values())
    cells = dict.fromkeys(fields, KEEP)
    file = Hatch(
        keys=("file_id", "mime_type", "extras"), cells=cells, get=get, put=put, odd=("extras",), spaces=(INNER,)
    )
    return (file, ID, CACHE, only_written(put_beside))


def _media(tag: str) -> tuple[Form, ...]:
    cls, names = MEDIA[tag], _NAMES[tag]
    beside = (ID, CACHE, extras_hatch(names))
    return (
        Form(f"{tag}_by_url", cls, tag, (BY_URL, *beside), fits=given_under("url"), schema=schema_under("url"),
             when=is_from(am.URLSource)),
        Form(f"{tag}_by_data", cls, tag, (BY_DATA, *beside), fits=given_under("base64"), schema=schema_under("base64"),
             when=is_from(am.Base64Source)),
        Form(f"{tag}_by_id", cls, tag, _of_file(names), fits=given_under("file_id"), schema=schema_under("file_id"),
             when=is_from(am.FileSource)),
    )  # fmt: skip


def _is_plain_text(part: Native) -> bool:
    extras = part.get("extras")
    return part.keys().isdisjoint(GIVEN) and not (is_object(extras) and ("title" in extras or "context" in extras))


TITLES = (Key("title", "title", Text(), "may"), Key("context", "context", Text(), "may"))
_PLAIN_TEXT = Form("text_plain", am.FileBlock, "text-plain", (
    Spread("source", am.TextSource, (MIME, Key("text", "text", Text()))),
    *TITLES, ID, CACHE, extras_hatch({"filename": "name"}),
), fits=_is_plain_text, when=is_from(am.TextSource))  # fmt: skip


# -- calls: arguments that must be an object, and arguments that are text ---------------------------------------------


def _is_wrapped(args: Any) -> bool:
    """Whether an object is the envelope of a value that isn't an object, or that looks like the envelope."""
    if not is_mapping(args) or len(args) != 1 or "_raw" not in args:
        return False
    inner: Any = args["_raw"]
    return not is_mapping(inner) or (len(inner) == 1 and "_raw" in inner)


def call_input(args: Native) -> Any:
    """Return the input of a call whose arguments must be an object; ``{"_raw": value}`` holds any other value."""
    return adopt(args["_raw"] if _is_wrapped(args) else args)


def args_of(value: Any) -> Any:
    """Return the object that holds the input of a valid call."""
    return value if is_mapping(value) and not _is_wrapped(value) else {"_raw": value}


def error_first(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return unknown fields with `error` first, as in the parts of invalid calls."""
    return {"error": fields["error"], **fields} if "error" in fields and next(iter(fields)) != "error" else fields


def ordered(block: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call that was read, with its error first if it is invalid."""
    own: Any = block.extras.get(FAMILY) if block.extras else None
    if not own or block.is_valid or error_first(own) is own:
        return block
    return block.evolve(extras={**block.extras, FAMILY: error_first(own)})


def of_call(block: am.ToolUseBlock) -> am.ToolUseBlock:
    """Return a call that was read, with its error first if it is invalid; one without an id needs none."""
    block = ordered(block)
    if block.id is None and block.kind != "server":
        return marked(block, FAMILY, **{"no-id": True})
    return block


# What is in the `extras` of calls.
_IN_EXTRAS = {key: key for key in ("item_id", "provider", "status", "server", "namespace")}
_WRITTEN = {key: key for key in _IN_EXTRAS if key != "item_id"}
_READ = {**_IN_EXTRAS, "raw_input": "raw_input"}


def _beside(part: Native, names: Mapping[str, str]) -> Native:
    found = read_extras(part, names)
    rest = found.get("extras", EMPTY).get(INNER, {})
    if rest.get("provider", "") is None:
        # It is written if the message, or the id, would say otherwise.
        del rest["provider"]
        found["notes"] = {"extras": ["=", part["extras"]]}
        if not rest:
            del found["extras"]
    return found


def _read_args(part: Native) -> Native:
    """Return, like a hatch, the fields in the arguments and `extras` of a call."""
    value, found = call_input(object_at(part, "args")), _beside(part, _READ)
    raw = found.get("raw_input")
    if raw is not None and am.ToolUseBlock(None, "", value, raw_input=raw).significant_text is None:
        raise Unreadable
    return {**found, "input": value}


def _write_beside(block: am.ToolUseBlock) -> Native:
    """Return the `extras` of a call."""
    own: Native = {} if block.item_id is None else {"item_id": block.item_id}
    if block.raw_input is not None and block.is_valid and block.significant_text is not None:
        own = {"raw_input": block.significant_text, **own}
    if block.kind == "server" and block.provider is None and str(block.id).startswith(IDS):
        is_said = "extras" in natives.extras_of(block, FAMILY) or "provider" in natives.extras_of(block, INNER)
        own |= {} if is_said else {"provider": None}  # the id would say otherwise
    return write_extras(block, _WRITTEN, **own)


_ARGS = ("args", "extras")
_CELLS = dict.fromkeys((*_READ, "input", "signature", "phase", "metadata"), KEEP)
_LINK = Key("id", "id", Link(), "null")


def _write_args(block: am.ToolUseBlock) -> Native:
    return {"args": args_of(block.input)}


def _write_text(block: am.ToolUseBlock) -> Native:
    return {"args": tool_arguments.input_text(block)}


def _text_reader(mark: str) -> Callable[[Native], Native]:
    def read(part: Native) -> Native:
        raw, found = word_at(part, "args"), _beside(part, _IN_EXTRAS)
        if "raw_input" in found.get("extras", EMPTY).get(INNER, ()):
            raise Unreadable
        found |= {"input": EMPTY} if raw is None else {"raw_input": raw}
        notes = {} if raw is not None else {"args": "null" if "args" in part else "absent"}
        if raw is None or make_call(id=None, name="", raw_input=raw).is_valid:
            notes["/shape"] = mark
        return {**found, "notes": {**found.get("notes", {}), **notes}}

    return read


def _text_call(tag: str, *own: Spare, **fixed: str) -> Form:
    name = Key("name", "name", Text(), '""', default="")
    args = Hatch(keys=_ARGS, cells=_CELLS, get=_text_reader(tag), put=_write_text, odd=("extras",), spaces=(INNER,))
    extras = only_written(partial(write_extras, names={**_WRITTEN, "item_id": "item_id"}))
    items: tuple[Any, ...] = (_LINK, name, args, *own, CACHE, extras)
    return Form(tag, am.ToolUseBlock, tag, items, fixed=fixed)


def _valid_call(tag: str, **fixed: str) -> Form:
    args = Hatch(
        keys=_ARGS, cells=_CELLS, get=_read_args, put=_write_args, must=("args",), odd=("extras",), spaces=(INNER,)
    )
    items: tuple[Any, ...] = (_LINK, Key("name", "name", Text()), args, CACHE, only_written(_write_beside))
    return Form(tag, am.ToolUseBlock, tag, items, fixed=fixed, when=lambda block: block.is_valid)


_CALLS = (
    _valid_call("server_tool_call", kind="server"),
    _text_call("server_tool_call_chunk", kind="server"),
    _valid_call("tool_call"),
    _text_call("invalid_tool_call", Spare("error")),
)
CHUNK = _text_call("tool_call_chunk").evolve(notes={"shape": "tool_call_chunk"})

FORMS = (*_WORDS, _PLAIN_TEXT, *(form for tag in MEDIA for form in _media(tag)), *_CALLS)


# -- results of server tools, without forms: what was read is written again and compared ------------------------------
# Text, structure and content depend on each other.


# The note of a call that was read without an id. It is no spelling.
_UNLINKED = natives.without_id(FAMILY)
_WORD = (str, type(None))
_OF_RESULT = {key: key for key in ("name", "provider", "error", "error_type")}
KEYS = frozenset({"type", "id", "extras", "cache_control", "tool_call_id", "status", "output"})


def _common(part: Native, names: Mapping[str, str], *, id_key: str = "id") -> tuple[Native, Native]:
    """Return the fields that any part may have, and the rest of its `extras`."""
    fields = {name: value for name, value in read_extras(part, names).items() if name not in ("notes", "odd")}
    if type(item_id := part.get(id_key)) is str:
        fields["item_id"] = item_id
    fields["cache"] = cache_of(part)
    rest = fields.pop("extras", EMPTY).get(INNER, {})
    if "provider" in names and rest.get("provider", "") is None:
        del rest["provider"]  # it is written if the message would say otherwise
    return fields, rest


def _with_common(part: Native, block: Any) -> Native:
    """Add the id and the cache hint of a block to a part."""
    if block.item_id is not None:
        part["id"] = block.item_id
    if block.cache is not None:
        part["cache_control"] = write_cache(block.cache)
    return part


_ODD = frozenset({"id", "cache_control", "extras"})


def careful(shape: Shape, part: Native) -> Any:
    """Return the block of a part by a shape that reads only the meaning: it is written again and compared."""
    try:
        block = shape.read(part, shape.cls)
        plain = shape.write(block)
    except envelopes.UNFIT:
        raise Unreadable from None
    if same_document(plain, part):
        return block
    # A result isn't read again: for each level of nesting, that would multiply the time.
    read: Callable[[Native], Any] | None = (
        None if shape.cls is am.ToolResultBlock else lambda native: shape.read(native, shape.cls)
    )
    known = shape.known(part) | plain.keys()
    found = spelling.keep_proven(block, part, plain, family=FAMILY, known=known, odd=_ODD, read=read)
    if found is None:
        raise Unreadable
    kept, is_proven = found
    if is_proven or same_document(spelling.put_back(kept, plain, family=FAMILY, read=None), part):
        return kept
    raise Unreadable


def _said(content: Any, output: Any, fields: Native, read_inner: Callable[[Any], Any]) -> Native:
    """Return the fields of a result's output: blocks, words, or something structured."""
    if content is not None:
        if not is_list(content) or not content or ("structured" not in fields and type(output) not in _WORD):
            raise Unreadable
        found = tuple(map(read_inner, content))
        if any(block.notes and block.notes != _UNLINKED for block in found):
            raise Unreadable
        return {"content": found}
    if "structured" in fields:
        return {}
    return {"content": (make_text(text=output),)} if type(output) is str and output else {"structured": adopt(output)}


def result_shape(read_inner: Callable[[Any], Any], write_inner: Callable[[Any], Any]) -> Shape:
    """Return the shape of results.

    Blocks inside have only one spelling. Otherwise each level would be read again to prove the spelling of the next,
    which would multiply the time for each level.
    """

    def read(part: Native, _: Any = None) -> am.ToolResultBlock:
        """Read ``server_tool_result``: `output` is text or structured; `extras` may hold all of both."""
        fields, rest = _common(part, _OF_RESULT)
        for name in ("artifact", "structured"):
            if rest.get(name) is not None:
                fields[name] = adopt(rest.pop(name))
        fields |= _said(rest.pop("content", None), part.get("output"), fields, read_inner)
        fields["extras"] = adopt({INNER: rest}) if rest else EMPTY
        link, status = word_at(part, "tool_call_id"), word_at(part, "status")
        return make_result(tool_call_id=link, status=status, kind="server", **fields)

    def write(block: am.ToolResultBlock) -> Native:
        part: Native = {"type": "server_tool_result", "tool_call_id": block.tool_call_id}
        if block.status is not None:
            part["status"] = block.status
        own: Native = {} if block.artifact is None else {"artifact": block.artifact}
        if block.structured is not None:
            part["output"] = block.structured
        elif block.text:
            part["output"] = block.text
        # A structured text reads as words, and so does structure beside content.
        if block.structured is not None and (block.content or type(block.structured) is str):
            own["structured"] = block.structured
        if block.content and (block.structured is not None or not is_words(block.content)):
            own["content"] = list(map(write_inner, block.content))
        return {**_with_common(part, block), **write_extras(block, _OF_RESULT, **own)}

    return Shape(cls=am.ToolResultBlock, keys={"server_tool_result": KEYS}, read=read, write=write, odd=_ODD)
