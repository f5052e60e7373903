"""Content: user content and tool results.

User content is a text, or a list of texts and objects; a cache point is the ``cache`` of the previous block. A tool
returns any JSON: a text is a TextBlock, a list with media is content, and anything else is structured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import KEEP, Native, Unreadable, adopt, is_list, is_marked, is_object, maker, mark_of, natives
from agentmsg.formats.forms import Hatch
from agentmsg_codecs.pydantic_ai.names import FAMILY, MEDIA_KINDS, TTLS
from agentmsg_codecs.pydantic_ai.values import is_binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats import Parts


POINT = "cache-point"
_make_text = maker(am.TextBlock, "text")
_POINT_KEYS = frozenset({"kind", "ttl"})
POINT_SCHEMA = {
    "type": "object", "properties": {"kind": {"const": POINT}, "ttl": {"enum": sorted(TTLS)}}, "required": ["kind"],
    "additionalProperties": False,
}  # fmt: skip

# -- user content -----------------------------------------------------------------------------------------------------


def hint_of(item: Any) -> am.CacheHint | None:
    """Read a cache point as a hint; return None if an item isn't one."""
    if not is_object(item) or item.get("kind") != POINT or item.keys() - _POINT_KEYS:
        return None
    ttl = item.get("ttl")
    if "ttl" in item and ttl not in TTLS:
        return None
    return am.CacheHint(ttl=ttl)


def read_user_content(content: Any, note: dict[str, Any], place: Parts) -> tuple[Any, ...]:
    """Read user content as blocks, and note its spelling."""
    if type(content) is str:
        return (_make_text(content),) if content else ()
    if not is_list(content):
        raise Unreadable("content is a text or a list")
    blocks: list[Any] = []
    for item in content:
        hint = hint_of(item)
        if hint is not None and blocks and blocks[-1].cache is None and type(blocks[-1]) is not am.NativeBlock:
            blocks[-1] = blocks[-1].evolve(cache=hint)
        else:
            blocks.append(_make_text(item) if type(item) is str else place.read(item))
    if not blocks or _is_single_text(blocks):
        note["/list"] = True
    return tuple(blocks)


def _is_single_text(blocks: Any) -> bool:
    return len(blocks) == 1 and is_plain(blocks[0]) and blocks[0].cache is None and bool(blocks[0].text)


def write_user_content(blocks: tuple[Any, ...], message: am.Msg, place: Parts) -> Any:
    """Write blocks as user content."""
    if (not blocks or _is_single_text(blocks)) and not is_marked(message, FAMILY, "/list"):
        return blocks[0].text if blocks else ""
    items: list[Any] = []
    for block in blocks:
        bare = block if block.cache is None else block.evolve(cache=None)
        items.append(bare.text if is_plain(bare) else place.write(bare))
        if block.cache is not None:
            items.append({"kind": POINT} if block.cache.ttl is None else {"kind": POINT, "ttl": block.cache.ttl})
    return items


def is_plain(block: Any) -> bool:
    """Whether a block is written as a string, without an object around it."""
    is_text = type(block) is am.TextBlock and not block.metadata and not block.extras
    return is_text and not is_marked(block, FAMILY, "/tagged")


# -- tool results -----------------------------------------------------------------------------------------------------


def is_media(item: Any) -> bool:
    """Whether an item of a result is media to Pydantic AI, rather than JSON."""
    if not is_object(item) or type(item.get("kind")) is not str or item["kind"] not in MEDIA_KINDS:
        return False
    return is_binary(item) if item["kind"] == "binary" else "media_type" in item and type(item.get("url")) is str


def is_structured(value: Any) -> bool:
    """Whether a value is read as structured content."""
    if value is None or isinstance(value, str):
        return False
    plain = thaw(value)
    return not is_media(plain) and not (is_list(plain) and any(map(is_media, plain)))


def _read_item(item: Any, inner: Parts) -> Any:
    if type(item) is str:
        return _make_text(item)
    block = inner.read(item) if is_media(item) else am.DataBlock(adopt(item))
    if type(block) is am.NativeBlock:
        raise Unreadable("media that the model has no place for")
    return block


def _read_returned(native: Native, inner: Parts) -> dict[str, Any]:
    value = native["content"]
    if type(value) is str:
        return {"content": (_make_text(value),) if value else ()}
    if value is None:
        return {"notes": {"content": "null"}}
    if is_media(value):
        return {"content": (_read_item(value, inner),), "notes": {"/single": True}}
    if is_list(value) and any(map(is_media, value)):
        return {"content": tuple(_read_item(item, inner) for item in value)}
    return {"structured": adopt(value)}


def _write_item(block: Any, inner: Parts) -> Any:
    if type(block) is am.TextBlock:
        return block.text
    return thaw(block.data) if type(block) is am.DataBlock else inner.write(block)


def _write_returned(block: am.ToolResultBlock, inner: Parts) -> Native:
    content = block.content
    if block.structured is not None:
        return {"content": thaw(block.structured)}
    if len(content) == 1 and type(content[0]) is am.TextBlock:
        text = content[0].text
        return {"content": text if type(text) is str else natives.link_of(text) or ""}
    if not content:
        return {"content": natives.link_of(block.text) or ""}
    items = [_write_item(item, inner) for item in content]
    is_single = len(items) == 1 and bool(block.notes) and mark_of(block, FAMILY, "/single") is True
    return {"content": items[0] if is_single else items}


def returned(inner: Callable[[], Parts], *, is_message: bool = False) -> Hatch:
    """Return the hatch for the content of a result.

    Args:
        inner: returns the table of the media allowed in a result.
        is_message: whether the result is a message of its own.
    """

    def get(native: Native) -> dict[str, Any]:
        found = _read_returned(native, inner())
        if is_message and "/single" in found.get("notes", ()):
            found["marks"] = found.pop("notes")
        return found

    def put(owner: Any) -> Native:
        return _write_returned(owner.content[0] if is_message else owner, inner())

    return Hatch(keys=("content",), cells={"content": KEEP, "structured": KEEP}, get=get, put=put, must=("content",),
                 about="content; structured")  # fmt: skip


# -- retry prompts ----------------------------------------------------------------------------------------------------


def _read_retried(native: Native) -> dict[str, Any]:
    value = native["content"]
    if type(value) is str:
        return {"content": (_make_text(value),) if value else (), "status": "error"}
    if not is_list(value) or not is_structured(value):
        raise Unreadable("a text, or errors")
    return {"structured": adopt(value), "status": "error"}


def _write_retried(message: am.Msg) -> Native:
    block: Any = message.content[0]
    return {"content": block.text if block.structured is None else thaw(block.structured)}


RETRIED = Hatch(
    keys=("content",), cells=dict.fromkeys(("content", "structured", "status"), KEEP), get=_read_retried,
    put=_write_retried, must=("content",), about="content; structured; the status is error",
    schema={"content": {"type": "string"}},
)  # fmt: skip


def is_retried(message: am.Msg) -> bool:
    """Whether a result is written as a retry-prompt, from which it was read."""
    block: Any = message.content[0] if message.content else None
    if block is None or not is_marked(block, FAMILY, "/retry"):
        return False
    if block.status != "error" or block.artifact is not None or block.name is None:
        return False
    if block.structured is not None:
        return is_list(thaw(block.structured)) and not block.content
    return not block.content or (len(block.content) == 1 and type(block.content[0]) is am.TextBlock)


# -- citations ---------------------------------------------------------------------------------------------------------

_SOURCE = frozenset({"kind", "url", "title", "excerpts"})
# Citations that come back, for the schema.
CITED = {"enum": [
    {"sources": [{"kind": "web", "url": "https://x.test", "title": "T", "excerpts": ["words"]}],
     "anchor": {"start": 0, "end": 5, "kind": "content"}},
    {"sources": [{"kind": "document", "title": "T"}], "anchor": None},
]}  # fmt: skip
_ANCHORS = frozenset({"content", "marker"})


def read_citation(native: Any) -> am.Citation:
    """Read a citation: its first source fills the fields, and everything else is extras.

    Raises:
        Unreadable: if it isn't one.
    """
    sources: Any = native.get("sources") if is_object(native) else None
    if not is_list(sources) or not sources or not is_object(sources[0]):
        raise Unreadable("a citation has sources")
    first: Any = sources[0]
    anchor: Any = native.get("anchor")
    fields: dict[str, Any] = {}
    own = {key: first[key] for key in first if key not in _SOURCE}
    rest: Native = {key: value for key, value in native.items() if key not in ("sources", "anchor")}
    for key in ("url", "title"):
        if type(first.get(key)) is str:
            fields[key] = first[key]
        elif key in first:
            own[key] = first[key]
    if first.get("kind") != ("web" if "url" in fields else "document"):
        own["kind"] = first.get("kind")
    excerpts: Any = first.get("excerpts")
    if is_list(excerpts) and len(excerpts) == 1 and type(excerpts[0]) is str:
        fields["cited_text"] = excerpts[0]
    elif "excerpts" in first:
        own["excerpts"] = excerpts
    kind: Any = anchor.get("kind") if is_object(anchor) and anchor.keys() == {"kind", "start", "end"} else None
    if is_object(anchor) and type(kind) is str and kind in _ANCHORS:
        fields |= {key: anchor[key] for key in ("kind", "start", "end")}
    elif "anchor" in native:
        rest["anchor"] = anchor
    rest |= {"/source": own} if own else {}
    rest |= {"/more": sources[1:]} if len(sources) > 1 else {}
    if not all(type(fields.get(key, 0)) is int for key in ("start", "end")):
        raise Unreadable("a span has a start and an end")
    citation = am.Citation(**fields, extras=adopt({FAMILY: rest}) if rest else {})
    if write_citation(citation) != native:
        raise Unreadable("another citation")
    return citation


def write_citation(citation: am.Citation) -> Native:
    """Write a citation."""
    rest: Native = natives.extras_copy(citation, FAMILY)
    own, more = rest.pop("/source", {}), rest.pop("/more", [])
    told = {"url": citation.url, "title": citation.title}
    source: Native = {key: value for key, value in told.items() if value is not None}
    if citation.cited_text is not None:
        source["excerpts"] = [citation.cited_text]
    source["kind"] = "web" if citation.url is not None else "document"
    native: Native = {"sources": [{**source, **(own if is_object(own) else {})}, *(more if is_list(more) else [])]}
    if citation.kind is not None:
        native["anchor"] = {"start": citation.start, "end": citation.end, "kind": citation.kind}
    return {**native, **rest}


def is_own(citation: am.Citation) -> bool:
    """Whether a citation comes back unchanged after writing."""
    try:
        return am.same(read_citation(write_citation(citation)), citation)
    except (Unreadable, am.AgentMsgError):
        return False
