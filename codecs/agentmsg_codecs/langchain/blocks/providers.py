"""Parts in content that only a provider has words for: documents and media of Anthropic and Bedrock, and the like.

So are the parts of Anthropic that langchain-core has translated to v1.

They may stand in any message. The provider's own codec reads and writes them. A block that was read so is marked with
the name of the dialect; so is one with extras that only this provider has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    envelopes,
    is_list,
    is_mapping,
    is_object,
    marked,
    same_document,
    speed,
    with_note,
)
from agentmsg_codecs.langchain.blocks.v1 import is_hint, is_only_text, read_cache, write_cache
from agentmsg_codecs.langchain.names import ANTHROPIC, FAMILY, without

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- Anthropic's parts as v1 content, as langchain-core makes them ----------------------------------------------------
# Follows langchain-core 1.8 (``block_translators/anthropic``) and langchain-anthropic 1.7 (``_compat``).


# By kind of Anthropic's citations, the key of the title, and the key in `extras` that tells the kind.
_PLACES: Mapping[str, tuple[str, str]] = {
    "char_location": ("document_title", "start_char_index"),
    "search_result_location": ("title", "search_result_index"),
    "content_block_location": ("document_title", "start_block_index"),
    "page_location": ("document_title", "start_page_number"),
    "web_search_result_location": ("title", "encrypted_index"),
}
PLACES = frozenset(_PLACES)
# How the ids of calls begin that Anthropic runs itself.
IDS = ("srvtoolu_", "mcptoolu_")
_NAMES: Mapping[str, str] = {"code_execution": "code_interpreter"}
_NATIVE_NAMES = {ours: name for name, ours in _NAMES.items()}
_OF_CALLS = ("caller", "toolset_name")
_BESIDE = ("id", "cache_control")


def _with_extras(part: Native, extras: Native) -> Native:
    return {**part, "extras": extras} if extras else part


# -- which parts ------------------------------------------------------------------------------------------------------


def is_cited(part: Native) -> bool:
    """Whether a text in v1 has citations of Anthropic's."""
    notes = part.get("annotations")
    return is_list(notes) and bool(notes) and all(map(_kind_of, notes))


def _kind_of(note: Any) -> str | None:
    extras: Any = note.get("extras") if is_object(note) and note.get("type") == "citation" else None
    if not is_mapping(extras):
        return None
    return next((kind for kind, (_, key) in _PLACES.items() if key in extras), None)


def is_used(part: Native) -> bool:
    """Whether a call of a function in v1 has something that only Anthropic says."""
    return is_object(extras := part.get("extras")) and not extras.keys().isdisjoint(_OF_CALLS)


def is_served(part: Native, provider: str | None = None) -> bool:
    """Whether a call of a server tool in v1, or a result, is Anthropic's, by its id, its tag, or the provider."""
    extras: Any = part.get("extras") or {}
    if not is_object(extras) or "provider" in extras:
        return False
    link, tag = part.get("id" if part.get("type") == "server_tool_call" else "tool_call_id"), extras.get("block_type")
    return str(link).startswith(IDS) or str(tag).endswith("_tool_result") or provider == "anthropic"


# -- from Anthropic's to v1 -------------------------------------------------------------------------------------------


def to_v1(item: Native) -> Native:
    """Return Anthropic's part as v1."""
    tag, beside = item["type"], {key: item[key] for key in _BESIDE if key in item}
    if tag == "text":
        return {**without(item, "citations"), "annotations": list(map(_to_annotation, item["citations"]))}
    if tag == "tool_use":
        call = {**without(item, "input", *_OF_CALLS), "type": "tool_call", "args": item["input"]}
        return _with_extras(call, {key: item[key] for key in _OF_CALLS if key in item})
    if tag in ("server_tool_use", "mcp_tool_use"):
        name = "remote_mcp" if tag == "mcp_tool_use" else _NAMES.get(item["name"], item["name"])
        own = {"tool_name": item["name"]} if tag == "mcp_tool_use" else {}
        call = {"type": "server_tool_call", "name": name, "args": item["input"], **beside}
        return _with_extras(call, {**own, **without(item, "type", "name", "input", *_BESIDE)})
    if not tag.endswith("_tool_result"):
        raise Unreadable
    output = item.get("content")
    is_error = item.get("is_error") or (is_mapping(output) and bool(output.get("error_code")))
    result = {"type": "server_tool_result", "tool_call_id": item["tool_use_id"], **beside}
    if tag != "mcp_tool_result" or "is_error" in item:
        result["status"] = "error" if is_error else "success"
    result |= {"output": output} if output else {}
    extras = without(item, "type", "tool_use_id", "content", "is_error", *_BESIDE)
    return _with_extras(result, {"block_type": tag, **extras})


def _to_annotation(place: Native) -> Native:
    kind = place["type"]
    title, _ = _PLACES[kind]
    known = {"cited_text": "cited_text", title: "title"} | ({"url": "url"} if kind.startswith("web") else {})
    note = {name: place[key] for key, name in known.items() if key in place}
    return {"type": "citation", **note, "extras": without(place, "type", *known)}


# -- from v1 to Anthropic's -------------------------------------------------------------------------------------------


def from_v1(part: Native) -> Native:
    """Return a part of v1 as Anthropic's."""
    tag: str = part["type"]
    extras: Native = part.get("extras") or {}
    if tag == "text":
        return {**without(part, "annotations"), "citations": list(map(_from_annotation, part["annotations"]))}
    if tag == "tool_call":
        return {**without(part, "args", "extras"), "type": "tool_use", "input": part["args"], **extras}
    rest = without(part, "type", "name", "args", "extras", "tool_call_id", "status", "output")
    if tag == "server_tool_call" and part["name"] == "remote_mcp":
        own: Native = {"type": "mcp_tool_use", "name": extras["tool_name"], "input": part["args"]}
        return {**own, **rest, **without(extras, "tool_name")}
    if tag == "server_tool_call":
        own = {"type": "server_tool_use", "name": _NATIVE_NAMES.get(part["name"], part["name"]), "input": part["args"]}
        return {**own, **rest, **extras}
    own = {"type": extras["block_type"], "tool_use_id": part["tool_call_id"], "content": part.get("output", [])}
    if own["type"] == "mcp_tool_result" and "status" in part:
        own["is_error"] = part["status"] == "error"
    return {**own, **rest, **without(extras, "block_type")}


def _from_annotation(note: Native) -> Native:
    kind = str(_kind_of(note))
    title, _ = _PLACES[kind]
    named = {title: note["title"]} if "title" in note else {}
    return {"type": kind, **without(note, "type", "title", "extras"), **named, **note["extras"]}


# The parts whose id is that of the call.
_CALLS = frozenset({"tool_use", "tool_call", "server_tool_call"})
# The namespaces of what Anthropic's blocks say beyond their fields, of a text that Bedrock's guardrail checks, and of
# what its media say.
KIND, GUARD, ITEM = "anthropic.kind", "bedrock.guard", "bedrock.item"


def _as_it_is(part: Native) -> Native:
    return part


class Dialect(speed.Record):
    """How parts of a provider stand in content.

    Attributes:
        name: the mark of its blocks.
        codec: of the provider.
        owns: the test of parts, by their tags.
        tells: the test of blocks that are usually written so; None: none are.
        to_item: makes the provider's part of one in content.
        to_part: the inverse.
        has_hint: whether the cache hint stands beside the provider's part.
    """

    name: str
    codec: str
    owns: Mapping[str | None, Callable[[Native], bool]]
    tells: Callable[[Any], bool] | None
    to_item: Callable[[Native], Native] = _as_it_is
    to_part: Callable[[Native], Native] = _as_it_is
    has_hint: bool = False

    def read(self, part: Native) -> Any:
        """Return the block of a part.

        Raises:
            Unreadable: if the provider has none, or would write it otherwise.
        """
        beside = self._beside(part)
        item = {key: value for key, value in part.items() if key not in beside} if beside else part
        try:
            codec = am.get_codec(self.codec)
            (block,) = codec.read_parts([self.to_item(item)])
            (native,) = codec.unproved_parts([block])
            if type(block) is am.NativeBlock or not same_document(self.to_part(native), item):
                raise Unreadable
        except envelopes.UNFIT:
            raise Unreadable from None
        changes: Native = {"item_id": beside["id"]} if "id" in beside else {}
        changes |= {"cache": read_cache(beside["cache_control"])} if "cache_control" in beside else {}
        if "index" in beside:
            changes["extras"] = {**block.extras, FAMILY: {"index": beside["index"]}}
        return marked(block.evolve(**changes) if changes else block, FAMILY, shape=self.name)

    def _beside(self, part: Native) -> Native:
        """Return what a part has that isn't the provider's: an id, what streaming leaves, perhaps a cache hint."""
        keys = {"index", *(() if part.get("type") in _CALLS or type(part.get("id")) is not str else ("id",))}
        keys |= {"cache_control"} if self.has_hint and is_hint(part.get("cache_control")) else set()
        return {key: part[key] for key in keys if key in part}

    def write(self, block: Any) -> Native:
        """Return the part of a block, without what only LangChain's parts have.

        Raises:
            Unreadable: if the provider has none.
        """
        bare, beside = with_note(block, FAMILY, {}), dict[str, Any]()
        if FAMILY in block.extras:
            bare = bare.evolve(extras={space: own for space, own in block.extras.items() if space != FAMILY})
        if block.item_id is not None and type(block) is not am.ToolUseBlock:
            bare, beside = bare.evolve(item_id=None), {"id": block.item_id}
        if self.has_hint and block.cache is not None:
            bare, beside = bare.evolve(cache=None), {**beside, "cache_control": write_cache(block.cache)}
        try:
            (item,) = am.get_codec(self.codec).write_parts([bare])
            part = self.to_part(item)
        except envelopes.UNFIT:
            raise Unreadable from None
        if beside and "type" not in part:
            raise Unreadable
        return {**part, **beside}

    def is_usual(self, block: Any) -> bool:
        """Whether a block is usually written so, and known by it."""
        if self.tells is None or not self.tells(block):
            return False
        try:
            part = self.write(block)
        except Unreadable:
            return False
        owns = self.owns.get(part.get("type"))
        return owns is not None and owns(part)


# -- Anthropic --------------------------------------------------------------------------------------------------------


def is_of_texts(source: Any) -> bool:
    """Whether a source consists of plain texts."""
    return type(source) is am.BlocksSource and not source.extras and all(map(is_only_text, source.content))


def _tells_anthropic(block: Any) -> bool:
    if type(block) is am.ToolUseBlock and block.kind != "function":
        return False
    if block.extras and (ANTHROPIC in block.extras or KIND in block.extras):
        return True
    if type(block) is am.TextBlock:
        return bool(block.citations) and all(citation.kind in PLACES for citation in block.citations)
    return type(block) is am.FileBlock and type(block.source) is am.BlocksSource


def _has_source(part: Native) -> bool:
    return is_object(part.get("source"))


def _are_places(notes: Any) -> bool:
    return is_list(notes) and bool(notes) and all(is_object(note) and str(note.get("type")) in PLACES for note in notes)


_OF_ANTHROPIC: Mapping[str | None, Callable[[Native], bool]] = {
    "image": _has_source,
    "video": _has_source,
    "document": _has_source,
    "search_result": lambda part: is_list(part.get("content")),
    "container_upload": lambda _: True,
    "compaction": lambda part: "content" in part,
    "text": lambda part: "annotations" not in part and _are_places(part.get("citations")),
    "tool_use": lambda part: "caller" in part or "toolset_name" in part,
}

# -- Bedrock ----------------------------------------------------------------------------------------------------------

_MEDIA = ("image", "video", "document")
_OF_CONVERSE = frozenset({*_MEDIA, "guardContent", "searchResult"})


def _tells_bedrock(block: Any) -> bool:
    """Whether only Converse takes a block: its client refuses LangChain's own parts for it.

    It sends Converse's parts as they are, so that bytes would arrive as a text.
    """
    source = getattr(block, "source", None)
    if GUARD in block.extras or (type(block) is am.FileBlock and ITEM in block.extras):
        return type(source) is not am.Base64Source
    return type(source) is am.URLSource and source.url.startswith("s3://")


def _to_item(part: Native) -> Native:
    if part["type"] == "guard_content":
        return {"guardContent": {"text": {**without(part, "type")}}}
    if part["type"] == "reasoning_content":
        return {"reasoningContent": {"reasoningText": part["reasoning_content"]}}
    return without(part, "type")


def _to_part(item: Native) -> Native:
    ((key, value),) = item.items()
    if key == "guardContent":
        return {"type": "guard_content", **value["text"]}
    if key == "reasoningContent":
        return {"type": "reasoning_content", "reasoning_content": value["reasoningText"]}
    return {"type": key, key: value}


def _is_tagged(tag: str) -> Callable[[Native], bool]:
    return lambda part: is_object(part.get(tag))


def _deeper(item: Native) -> Native:
    part = _to_part(item)
    return {"type": part["type"], part["type"]: without(part, "type")}


# -- all --------------------------------------------------------------------------------------------------------------

DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("anthropic", ANTHROPIC, _OF_ANTHROPIC, _tells_anthropic),
        Dialect(
            "bedrock-tagged",
            "bedrock",
            {
                **{tag: _is_tagged(tag) for tag in (*_MEDIA, "reasoning_content")},
                "guard_content": lambda part: "guard_content" not in part,
            },
            None,
            _to_item,
            _to_part,
            has_hint=True,
        ),
        Dialect(
            "guard-inside",
            "bedrock",
            {"guard_content": _is_tagged("guard_content")},
            None,
            lambda part: {"guardContent": {"text": part["guard_content"]}},
            _deeper,
            has_hint=True,
        ),
        Dialect(
            "v1-anthropic",
            ANTHROPIC,
            {"text": is_cited, "tool_call": is_used, "server_tool_call": is_served, "server_tool_result": is_served},
            None,
            from_v1,
            to_v1,
        ),
        Dialect(
            "bedrock",
            "bedrock",
            {None: lambda part: len(part) == 1 and not _OF_CONVERSE.isdisjoint(part)},
            _tells_bedrock,
        ),
    )
}
# The marks of earlier versions.
OLD_MARKS: Mapping[Any, str] = {
    **dict.fromkeys(("v1-anthropic-call", "v1-anthropic-result", "v1-anthropic-use"), "v1-anthropic"),
    "document": "anthropic", "document-blocks": "anthropic", "compaction": "anthropic", "guarded": "bedrock",
    "reasoning_content": "bedrock-tagged",
    **{f"bedrock-{tag}": "bedrock" for tag in _MEDIA}, **{f"bedrock-{tag}-tagged": "bedrock-tagged" for tag in _MEDIA},
}  # fmt: skip
