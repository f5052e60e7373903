"""The capability table: what Pydantic AI supports, and the rules for the rest."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, Literal

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    ANY_ROLE,
    EMPTY,
    KEEP,
    Caps,
    Drop,
    MessageRow,
    Row,
    Swap,
    cells,
    dump_json,
    is_mapping,
    is_marked,
    mark_of,
    marked,
    media,
    natives,
    restructure,
    rules,
    usually,
)
from agentmsg.formats.forms import Rows
from agentmsg_codecs.pydantic_ai.format import FINISH
from agentmsg_codecs.pydantic_ai.messages import is_instructions, is_part
from agentmsg_codecs.pydantic_ai.names import (
    CONTAINERS,
    FAMILY,
    KEEPERS,
    OUTCOMES,
    REQUEST,
    REQUEST_KEYS,
    TTLS,
    UNSIGNED,
)
from agentmsg_codecs.pydantic_ai.unsent import UNSENT
from agentmsg_codecs.pydantic_ai.values import (
    MEDIA_TYPES,
    ODD_TYPE,
    URL_SAFE,
    answered,
    hint_of,
    is_structured,
    is_url_safe,
    standard,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Cell, Rule
    from agentmsg_codecs.pydantic_ai import PydanticAICodec
    from agentmsg_codecs.pydantic_ai.messages import Messages


# -- rules for what Pydantic AI represents differently, or doesn't support ---------------------------------------------

_STATUSES = frozenset({None, *OUTCOMES.values()})
_FINISHED = frozenset(FINISH.values())
_USUAL: dict[Any, str] = {am.ImageBlock: "image/png", am.AudioBlock: "audio/wav", am.VideoBlock: "video/mp4"}


def hint(value: am.CacheHint, _: Any) -> am.CacheHint:
    """Keep a cache hint, with the nearest time that the library knows."""
    near = value.evolve(kind="ephemeral", extras={}) if value.kind != "ephemeral" or value.extras else value
    return near if near.ttl in (None, *TTLS) else near.evolve(ttl="1h")


def points(rows: Mapping[type[Any], Row]) -> Rule:
    """Return the rule for cache points that are native blocks in user content.

    Such a block stays if the reader makes it a native block again. After a block without a hint it becomes the hint.

    Args:
        rows: the rows of user content.
    """

    def stays(block: Any) -> bool:
        kind: Any = block.__class__
        row = rows.get(kind)
        is_kept = row is not None and (row.otherwise is None or row.otherwise(block) is block)
        return is_kept and (block.cache is not None or kind is am.NativeBlock)

    def rule(message: am.Msg) -> Any:
        content: list[Any] = []
        for block in message.content:
            value = block.value if type(block) is am.NativeBlock and block.codec == FAMILY else None
            found = None if value is None else hint_of(thaw(value))
            last = content[-1] if content else None
            if found is None or last is None or stays(last):
                content.append(block)
            elif type(last) is not am.NativeBlock and last.cache is None:
                content[-1] = last.evolve(cache=found)
        if len(content) == len(message.content):
            return message
        return Swap(message.evolve(content=content), "a cache point is the hint of what it follows", "annotation")

    return rule


def _own_kind(block: Any, source: Any) -> bool:
    """Whether data, or an uploaded file, is read as the same kind of media."""
    return media.CLASSES[media.kind_of(source.media_type)] is type(block)


def _typed(block: Any, source: Any) -> Any:
    """Return data in the standard alphabet, with a media type of its kind in the library's word."""
    if is_url_safe(source.data):
        source = source.evolve(data=standard(source.data))
    if source.media_type in MEDIA_TYPES and not is_marked(block, FAMILY, ODD_TYPE):
        source = source.evolve(media_type=MEDIA_TYPES[source.media_type])
    if source.media_type is not None and _own_kind(block, source):
        return source
    guess = media.guess_media_type(source.data)
    if guess is not None and media.CLASSES[media.kind_of(guess)] is type(block):
        return source.evolve(media_type=guess)
    return source.evolve(media_type=_USUAL.get(type(block), "application/octet-stream"))


def user_media(block: Any) -> Any:
    """Keep media at a URL, as data, or uploaded; write a document given as text as text."""
    source: Any = block.source
    if isinstance(source, am.URLSource):
        new: Any = cells.bare(source)
    elif isinstance(source, am.Base64Source):
        new = _typed(block, cells.bare(source))
    elif isinstance(source, am.FileSource):
        if source.provider not in KEEPERS or not _own_kind(block, source):
            return Drop("an uploaded file needs a known provider and a type of its kind")
        new = cells.bare(source)
    else:
        return (
            rules.file_as_text(block) if isinstance(block, am.FileBlock) else Drop("media are data, or at a URL, here")
        )
    if new is source:
        return block
    return Swap(_holding(block, new), "data has the type of its kind here", "annotation")


def _holding(block: Any, source: Any) -> Any:
    """Return media with another source; data in the alphabet for URLs is written in it."""
    new = block.evolve(source=source)
    given = getattr(media.unwrapped(block.source), "data", "")
    return marked(new, FAMILY, **{URL_SAFE[1:]: True}) if is_url_safe(given) else new


def returned_media(block: Any) -> Any:
    """Keep media in a result, except uploaded files."""
    is_kept = isinstance(block.source, am.FileSource)
    return Drop("a result can't hold uploaded files") if is_kept else user_media(block)


def file_of_model(block: Any) -> Any:
    """Keep media that a model made if it is data, not at a URL."""
    source: Any = block.source
    found = media.unwrapped(source)
    if not isinstance(found, am.Base64Source):
        answer = rules.file_as_text(block) if isinstance(block, am.FileBlock) else None
        return answer or Drop("media of a model are data here")
    new = _typed(block, cells.bare(found))
    return block if new is source else Swap(_holding(block, new), "media of a model are data here", "annotation")


def thinking(block: am.ThinkingBlock) -> Any:
    """Keep thinking; redacted thinking holds nothing else.

    An item of reasoning that says nothing is dropped: the clients would make an empty text of it.
    """
    if not (block.thinking or block.redacted or block.signature) and block.item_id is not None:
        is_own = UNSIGNED in block.extras or is_marked(block, FAMILY, "/hollow")
        return block if is_own else Drop("an item of reasoning without text, or what is encrypted, has no part")
    if block.signature is not None and not block.thinking and mark_of(block, "openai", "/place") is not None:
        return Drop("the client sends nothing of what is encrypted to Chat Completions")
    if block.redacted is not None and "bedrock" in (block.notes or ()):
        return Drop("redacted content is text here, and these bytes are none")  # else a part of Bedrock's has it
    if block.redacted is None or (not block.thinking and block.signature is None and block.item_id is None):
        return block
    return Swap(block.evolve(thinking="", signature=None, item_id=None), "thinking is readable or opaque here")


def call(block: am.ToolUseBlock) -> Any:
    """Keep calls, except those of a tool of Google's that its client refuses."""
    return _refused(block) or rules.custom_as_function(block)


def _refused(block: Any) -> Drop | None:
    is_unknown = block.kind == "server" and block.provider == "google" and str(block.name).startswith("GOOGLE_")
    return Drop("GoogleModel refuses this tool of Google's") if is_unknown else None


def result(block: am.ToolResultBlock) -> Any:
    """Write a result as one text, JSON, or a list with media; its outcome shows a failure."""
    refused = _refused(block)
    if refused is not None:
        return refused
    if block.error is None and block.structured is None and block.name is not None and block.status in _STATUSES:
        text = block.content[0] if len(block.content) == 1 else None
        if type(text) is am.TextBlock and text.text:
            return block
    content, structured, level = _settled(block)
    is_unnamed = block.kind != "server" and is_marked(block, FAMILY, "/no-name")
    name = "unknown" if block.name is None and not is_unnamed else block.name
    changes = {"name": name, "content": content, "structured": structured, "status": _status(block)}
    if block.error is None and all(getattr(block, field) is value for field, value in changes.items()):
        return block
    new = block.evolve(**changes, error=None, error_type=None)
    return Swap(new, "a result is a text, JSON, or a list with media here", level)


def _settled(block: am.ToolResultBlock) -> tuple[Any, Any, Literal["content", "annotation"]]:
    """Return the content or structured content of a result to write, and the level of its loss."""
    content: Any = block.content
    if block.error is not None and block.error not in block.text:
        content = (*content, am.TextBlock(block.error))
    structured = block.structured
    if structured is not None and not content:
        if is_structured(structured):
            return content, structured, "annotation"
        return (am.TextBlock(dump_json(structured).decode()),), None, "annotation"
    level: Literal["content", "annotation"] = "annotation" if structured is None else "content"
    if any(map(_is_media, content)):
        items = tuple(map(_item, content))
        return (content if all(map(is_, items, content)) else items), None, level
    first = content[0] if len(content) == 1 else None
    if type(first) is am.DataBlock and is_structured(first.data):
        return (), first.data, level
    if not content or (type(first) is am.TextBlock and first.text):
        return content, None, level
    texts = [found.text for found in map(rules.as_text, content) if found is not None]
    said = "\n".join(texts)
    return ((am.TextBlock(said),) if said else ()), None, level if len(texts) == len(content) else "content"


def _status(block: am.ToolResultBlock) -> str | None:
    known = block.status in _STATUSES
    status = block.status if known else "error" if block.is_error else None
    return "error" if status is None and block.error is not None else status


def _is_media(item: Any) -> bool:
    """Whether a block of a result is written as media: uploaded files aren't allowed there."""
    return type(item) in media.KINDS and isinstance(item.source, (am.URLSource, am.Base64Source))


def _item(item: Any) -> Any:
    """Return an item beside media; JSON that would be read as text or media becomes text."""
    if type(item) is am.DataBlock and (isinstance(item.data, str) or not is_structured([item.data])):
        return am.TextBlock(dump_json(item.data).decode())
    return item


@usually("value in FINISHED", FINISHED=_FINISHED)
def finish(word: str, _: Any) -> str:
    """Keep the words of the library; a refusal becomes content_filter."""
    if word in _FINISHED:
        return word
    return "content_filter" if word == "refusal" else "stop"


def needs_id(block: Any) -> bool:
    """Whether a call or result must get an id; a client's that was read without one needs none."""
    return natives.link_at(block) is None and (block.kind == "server" or not is_marked(block, FAMILY, "/no-id"))


# -- extras -----------------------------------------------------------------------------------------------------------


def _of_request(extras: Any, message: Any) -> Any:
    """Keep the keys of a request that no message can hold."""
    held = extras.get(REQUEST)
    if not is_mapping(held) or not is_part(message):
        return EMPTY
    kept = {key: held[key] for key in held if _stays(key, held[key], message)}
    return {REQUEST: held if len(kept) == len(held) else kept} if kept else EMPTY


def _stays(key: str, value: Any, message: am.Msg) -> bool:
    if key in ("kind", "parts") or (key in REQUEST_KEYS and value == REQUEST_KEYS[key]):
        return False
    if key == "metadata":
        # A user or tool message has it as its own metadata.
        return message.role not in ("user", "tool") or not (message.metadata or (is_mapping(value) and value))
    return key != "instructions" or not (is_instructions(message) or (isinstance(value, str) and value))


# -- blocks -----------------------------------------------------------------------------------------------------------


def _user_rows(messages: Messages, place: str, **own_cells: Cell) -> dict[type[Any], Row]:
    """Return the rows of user content, or of the media in a result."""
    answers: Any = dict.fromkeys(media.KINDS, user_media if place == "user" else returned_media)
    parts = messages.said.parts[place]

    def comes_back(block: am.NativeBlock) -> am.NativeBlock | None:
        # A string is a text, and in a result everything but media is data.
        return None if place == "inner" or isinstance(block.value, str) else parts.comes_back(block)

    others = {**rules.TEXT_ROWS, am.NativeBlock: rules.native_block_row(FAMILY, comes_back)}
    rows = Rows(messages.said).place(place, answers, others)
    return {cls: row.having(**own_cells) if "extras" in row.fields else row for cls, row in rows.items()}


def _model_rows(messages: Messages) -> dict[type[Any], Row]:
    answers: Any = {
        **dict.fromkeys(media.KINDS, file_of_model),
        am.ThinkingBlock: (thinking, ("redacted", "item_id", "signature")),
        am.ToolUseBlock: (call, "kind"),
        am.ToolResultBlock: result,
    }
    return Rows(messages.described).place("response", answers)


# -- messages ---------------------------------------------------------------------------------------------------------


def make_caps(codec: PydanticAICodec) -> Caps:
    """Return the capability table."""
    messages = codec.engine
    made = Rows(messages.described)

    def fields(*names: str, **own: Cell) -> dict[str, Cell]:
        found = made.message(*names)
        return {**found, **own, "extras": cells.together(found["extras"], _of_request)}

    inner: dict[type[Any], Row] = {
        **_user_rows(messages, "inner"),
        am.TextBlock: Row({"text": KEEP}),
        am.DataBlock: Row({"data": KEEP}),
    }
    answer = made.row("server_result", rules={am.ToolResultBlock: result}, kind=cells.kinds(),
                      provider=lambda _, __: None, extras=lambda _, __: EMPTY)  # fmt: skip
    native, part = (rules.native_message_row(FAMILY, read) for read in (messages.message_of, messages.part_of))
    response, said = made.message("response"), _user_rows(messages, "user", cache=hint)
    return Caps(
        messages={
            "system": rules.one_text_row(fields("system"), {"text": KEEP}),
            "developer": MessageRow(otherwise=rules.role_rule("system")),
            "user": MessageRow(
                fields=fields("again", "feedback", "user_speech", "user", metadata=KEEP),
                blocks=said,
                otherwise=points(said),
                concerns=am.NativeBlock,
            ),
            "assistant": MessageRow(
                fields={**response, "finish_reason": finish},
                blocks=_model_rows(messages),
                results=inner,
                otherwise=answered,
            ),
            "tool": MessageRow(
                fields=fields("tool_again", "tool", metadata=KEEP), blocks={am.ToolResultBlock: answer}, results=inner
            ),
            "native": MessageRow(
                fields={"extras": cells.together(_of_request)},
                blocks=native.blocks,
                otherwise=lambda message: (part if is_part(message) else native).otherwise(message),  # type: ignore[misc]
            ),
            ANY_ROLE: MessageRow(otherwise=rules.other_role),
        },
        history=CONTAINERS.cells(),
        arrange=(restructure.split_results,),
        needs_id=needs_id,
        unsent=UNSENT,
    )
