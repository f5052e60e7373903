"""Parts of Bedrock's Converse in content: media, texts that a guardrail checks, and cache points.

They stand there as Converse has them, or with a tag. Follows langchain-aws 1.x (``_lc_content_to_bedrock``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    Native,
    Unreadable,
    adopt,
    is_marked,
    is_object,
    marked,
    note_of,
    object_at,
    text_at,
    with_note,
    word_at,
)
from agentmsg.formats.forms import Form, Key, Text
from agentmsg_codecs.langchain.blocks.dialects import inner_object
from agentmsg_codecs.langchain.blocks.v1 import CACHE, ID, is_hint, read_cache, write_cache
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


# The namespace in which the codec ``bedrock`` keeps what a guardrail's text says beyond its words.
GUARD = "bedrock.guard"
_GUARDED = adopt({GUARD: {"text": {}}})
_S3 = "s3://"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_TYPES: Mapping[str, Mapping[str, str]] = {
    "image": {name: f"image/{name}" for name in ("png", "jpeg", "gif", "webp")},
    "video": {
        **{name: f"video/{name}" for name in ("mp4", "webm", "mpeg", "mpg")},
        "mkv": "video/x-matroska", "mov": "video/quicktime", "flv": "video/x-flv", "wmv": "video/x-ms-wmv",
        "three_gp": "video/3gpp",
    },
    "document": {
        "pdf": "application/pdf", "csv": "text/csv", "doc": "application/msword",
        "docx": f"{_OFFICE}.wordprocessingml.document", "xls": "application/vnd.ms-excel",
        "xlsx": f"{_OFFICE}.spreadsheetml.sheet", "html": "text/html", "txt": "text/plain", "md": "text/markdown",
    },
}  # fmt: skip


def _read_source(native: Native, types: Mapping[str, str]) -> Any:
    held, media_type = object_at(native, "source"), types.get(text_at(native, "format"))
    if len(held) != 1 or media_type is None:
        raise Unreadable
    if "bytes" in held:
        return am.Base64Source(text_at(held, "bytes"), media_type)
    place = object_at(held, "s3Location")
    if len(place) != 1 or not text_at(place, "uri").startswith(_S3):
        raise Unreadable
    return am.URLSource(place["uri"], media_type)


def _write_source(source: Any) -> Native:
    return {"bytes": source.data} if type(source) is am.Base64Source else {"s3Location": {"uri": source.url}}


def _medium(key: str, cls: type[Any]) -> tuple[Form, Form]:
    """Return the forms of media under a key, without and with a tag."""
    types, names = _TYPES[key], ("name",) if cls is am.FileBlock else ()
    formats = {media_type: word for word, media_type in types.items()}

    def get(native: Native) -> Native:
        return {"source": _read_source(native, types), **{name: word_at(native, name) for name in names}}

    def put(block: Any) -> Native:
        source = block.source
        own = {name: getattr(block, name) for name in names}
        return {"format": formats[source.media_type], **own, "source": _write_source(source)}

    def when(block: Any) -> bool:
        source = block.source
        if type(source) not in (am.Base64Source, am.URLSource) or source.extras or source.media_type not in formats:
            return False
        return type(source) is am.Base64Source or source.url.startswith(_S3)

    item = inner_object(key, get, put, "source", *names, must=2 + len(names))
    plain, tagged = ("bedrock", "bedrock-tagged") if key == "image" else (f"bedrock-{key}", f"bedrock-{key}-tagged")
    return (
        Form(plain.replace("-", "_"), cls, None, (item,), notes={"shape": plain}, when=when,
             fits=lambda part: "type" not in part),
        Form(tagged.replace("-", "_"), cls, key, (item, ID, CACHE), notes={"shape": tagged}, when=when,
             fits=lambda part: is_object(part.get(key))),
    )  # fmt: skip


def _is_guarded(block: Any) -> bool:
    return bool(block.extras.get(GUARD) == _GUARDED[GUARD])


def _read_inside(native: Native) -> Native:
    return {"text": text_at(native, "text"), "extras": _GUARDED}


def _read_deep(native: Native) -> Native:
    held = object_at(native, "text")
    if len(native) != 1 or len(held) != 1:
        raise Unreadable
    return _read_inside(held)


_INSIDE = inner_object(
    "guard_content", _read_inside, lambda block: {"text": block.text}, "text", must=1, spaces=(GUARD,)
)
_DEEP = inner_object(
    "guardContent", _read_deep, lambda block: {"text": {"text": block.text}}, "text", must=1, spaces=(GUARD,)
)
CONVERSE = (
    Form("guard_content", am.TextBlock, "guard_content", (Key("text", "text", Text()), ID, CACHE),
         fixed={"extras": _GUARDED}, when=_is_guarded, fits=lambda part: "guard_content" not in part),
    Form("guard_inside", am.TextBlock, "guard_content", (_INSIDE, ID, CACHE), when=_is_guarded,
         notes={"shape": "guard-inside"}),
    Form("guarded", am.TextBlock, None, (_DEEP,), when=_is_guarded, notes={"shape": "guarded"},
         fits=lambda part: "guardContent" in part),
    *_medium("image", am.ImageBlock),
    *_medium("video", am.VideoBlock),
    *_medium("document", am.FileBlock),
)  # fmt: skip


# -- cache points -----------------------------------------------------------------------------------------------------

POINT = "cachePoint"
# The blocks that a point may stand behind: a call has copies elsewhere.
_POINTED = frozenset({am.TextBlock, am.ImageBlock, am.AudioBlock, am.VideoBlock, am.FileBlock, am.ThinkingBlock})


def with_points(placed: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return blocks with their parts, and each cache point as the hint of the block before it."""
    out: list[tuple[Any, Any]] = []
    for block, part in placed:
        hint = part[POINT] if is_object(part) and part.keys() == {POINT} else None
        if is_hint(hint) and out and type(out[-1][0]) in _POINTED and out[-1][0].cache is None:
            before, own = out[-1]
            out[-1] = marked(before.evolve(cache=read_cache(hint)), FAMILY, point=True), own
        else:
            out.append((block, part))
    return out


def is_pointed(block: Any) -> bool:
    """Whether the cache hint of a block is a point behind it."""
    return type(block) in _POINTED and block.cache is not None and bool(is_marked(block, FAMILY, "/point"))


def with_points_apart(blocks: Iterable[Any], write: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the parts of blocks, and cache points behind them."""
    for block in blocks:
        if is_pointed(block):
            note = {key: value for key, value in note_of(block, FAMILY).items() if key != "/point"}
            yield write(with_note(block.evolve(cache=None), FAMILY, note))
            yield {POINT: write_cache(block.cache)}
        else:
            yield write(block)
