"""The description of Pydantic AI: parts, usage and messages.

Each part of a request is a message, whose role depends on its ``part_kind``. A response is one message. The usual
spelling is the library's: all keys are there, with null for nothing. A note records an absent key.

Follows the Python package pydantic-ai 2.68.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Native,
    Parts,
    Unreadable,
    cells,
    given,
    is_marked,
    is_object,
    mark_of,
    media,
    natives,
    usually,
)
from agentmsg.formats.forms import (
    Arguments,
    Const,
    Content,
    Described,
    Each,
    Form,
    Hatch,
    Json,
    Key,
    Lifted,
    Link,
    Nested,
    Object,
    Place,
    Single,
    Spare,
    Spread,
    Text,
    Via,
    Whole,
    Words,
)
from agentmsg_codecs.pydantic_ai.names import DETAILS, FAMILY, KEEPERS, OF_DETAILS, OUTCOMES, URLS
from agentmsg_codecs.pydantic_ai.values import (
    ANSWERED,
    CITED,
    COST,
    DATA,
    DETAIL,
    POINT_SCHEMA,
    RETRIED,
    SIGNED,
    STRUCTURED,
    TIME,
    data_at,
    is_retried,
    own_citation,
    partly_modelled,
    read_citation,
    read_user_content,
    returned,
    write_citation,
    write_user_content,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# -- usage ------------------------------------------------------------------------------------------------------------

_COUNTS = {
    "input_tokens": "input", "cache_write_tokens": "cache_write", "cache_read_tokens": "cache_read",
    "output_tokens": "output", "output_reasoning_tokens": "reasoning", "input_audio_tokens": "input_audio",
    "output_audio_tokens": "output_audio",
}  # fmt: skip
_NEW_USAGE: tuple[Any, ...] = (
    *(Key(key, name, Whole(), "may") for key, name in _COUNTS.items()),
    Spare("cache_write_1h_tokens", 0), Spare("cache_audio_read_tokens", 0), Spare("audio_seconds", 0.0),
    Spare("details", {}), COST,
)  # fmt: skip
# Of versions before 1.0, which have none of the other keys.
_OLD_USAGE: tuple[Any, ...] = (
    Spare("requests", 1),
    Key("request_tokens", "input", Whole(), "null"), Key("response_tokens", "output", Whole(), "null"),
    Key("total_tokens", "total", Whole(), "null"), Spare("details"),
)  # fmt: skip
_ONLY_NEW = frozenset(item.native for item in _NEW_USAGE) - {"details"}


def _is_old_usage(usage: am.Usage) -> bool:
    if not usage.notes:
        return False  # the usual case
    return is_marked(usage, FAMILY, "/old") and _ONLY_NEW.isdisjoint(natives.extras_of(usage, FAMILY))


def _is_old(native: Native) -> bool:
    """Whether usage is that of an old version."""
    if not ("request_tokens" in native or "response_tokens" in native):
        return False  # the usual case
    counts = (native.get(key.native) for key in _OLD_USAGE if isinstance(key, Key))
    return _ONLY_NEW.isdisjoint(native) and all(count is None or type(count) is int for count in counts)


USAGE = (
    Form("old_usage", am.Usage, None, _OLD_USAGE, is_apart="usage", when=_is_old_usage, notes={"old": True},
         fits=_is_old,
         schema={"required": ["request_tokens"]}),
    Form("usage", am.Usage, None, _NEW_USAGE, is_apart="usage"),
)  # fmt: skip


# -- words that several forms share ------------------------------------------------------------------------------------

_TAG = "part_kind"
_OBJECT: Any = dict  # so that type checkers ask nothing about what is inside
_ITEM_ID = Key("id", "item_id", Text(), "null")
_ARTIFACT = Key("metadata", "artifact", Json(), "null")
_METADATA = Key("metadata", "metadata", Object(), "null")
_PROVIDER = Spare("provider_name")
_KIND = Spare("tool_kind")
_SPOKEN = (Spare("speaker", "assistant"), Spare("interrupted_at_ms"), _ITEM_ID, _PROVIDER)
# The library makes an id if a document has none.
_CALL_ID = Key("tool_call_id", "id", Link(), "may", lacks="no-id")
_RESULT_ID = Key("tool_call_id", "tool_call_id", Link(), "may", lacks="no-id")


class KindParts(Parts):
    """Parts identified by ``part_kind``, or by ``kind``."""

    told_by: ClassVar[str] = _TAG

    def read(self, part: Any) -> Any:
        """Return the block of a part; a NativeBlock if the part is unknown or wouldn't come back the same."""
        tag: Any = part.get(_TAG) if type(part) is _OBJECT else None
        if tag is None and type(part) is _OBJECT:
            tag = part.get("kind")
        read = self.readers[tag] if type(tag) is str else None
        if read is not None:
            try:
                return read(part)
            except (Unreadable, am.AgentMsgError):
                pass
        return natives.native_part(part, FAMILY)


# -- user content -----------------------------------------------------------------------------------------------------


def _of_kind(kind: str) -> Callable[[Native], bool]:
    return lambda native: media.kind_of(native.get("media_type")) == kind


def _holds(source: type[Any]) -> Callable[[Any], bool]:
    return lambda block: type(block.source) is source


_KEEPERS = Words({name: name for name in KEEPERS}, is_closed=True)
_MEDIA_TYPE = Key("media_type", "media_type", Text(), "null")


def _vendor(cls: type[Any]) -> Any:
    return DETAIL if cls is am.ImageBlock else Spare("vendor_metadata")


def _media() -> tuple[Form, ...]:
    """Return the forms of media: at a URL, as data, and uploaded to a provider."""
    urls = [
        Form(f"{kind.removesuffix('-url')}_at_url", cls, kind, (
            Spread("source", am.URLSource, (Key("url", "url", Text()), _MEDIA_TYPE)),
            Spare("force_download", usual=False), _vendor(cls),
        ), tag_key="kind", when=_holds(am.URLSource))
        for kind, cls in URLS.items()
    ]  # fmt: skip
    held = [
        form
        for kind, cls in media.CLASSES.items()
        for form in (
            Form(f"{kind}_data", cls, "binary", (
                DATA, _vendor(cls),
            ), tag_key="kind", fits=_of_kind(kind), when=_holds(am.Base64Source)),
            Form(f"{kind}_uploaded", cls, "uploaded-file", (
                Spread("source", am.FileSource, (
                    Key("file_id", "file_id", Text()), Key("provider_name", "provider", _KEEPERS), _MEDIA_TYPE,
                )), _vendor(cls),
            ), tag_key="kind", fits=_of_kind(kind), when=_holds(am.FileSource)),
        )
    ]  # fmt: skip
    return (*urls, *held)


_USER_PARTS = (
    Form("tagged", am.TextBlock, "text-content", (
        Key("content", "text", Text()), _METADATA,
    ), tag_key="kind", notes={"tagged": True}),
    Form("structured", am.DataBlock, "structured-content", (
        STRUCTURED, Key("tag", "name", Text(), "null"), _METADATA, Spare("description"),
    ), tag_key="kind"),
    *_media(),
)  # fmt: skip


# -- parts of responses -----------------------------------------------------------------------------------------------


def _call(name: str, tag: str, link: Key, *more: Any, **how: Any) -> Form:
    return Form(name, am.ToolUseBlock, tag, (
        Key("tool_name", "name", Text()), Key("args", "input", Arguments(is_any=True), '""'), link,
        _KIND, _ITEM_ID, *more,
    ), tag_key=_TAG, **how)  # fmt: skip


_CITATIONS = Key("citations", "citations", Each(Via(read_citation, write_citation, CITED, own_citation)), "null")


def _details(cls: type[Any]) -> Hatch:
    """Return the hatch for provider_details in the parts of a class of blocks."""
    return partly_modelled("provider_details", DETAILS, **OF_DETAILS.get(cls, {}))


def _models(inner: Callable[[], Parts]) -> tuple[Form, ...]:
    """Return the forms of the parts of responses."""
    return (
        Form("text", am.TextBlock, "text", (
            Key("content", "text", Text()), _ITEM_ID, _PROVIDER, _details(am.TextBlock), _CITATIONS,
        ), tag_key=_TAG),
        Form("redacted", am.ThinkingBlock, "thinking", (
            Const("content", ""), Const("id", "redacted_thinking"),
            Key("signature", "redacted", Text(), cell=cells.sealed_by("anthropic", family=FAMILY)),
            Spare("provider_name", "anthropic"), _details(am.ThinkingBlock),
        ), tag_key=_TAG, fits=lambda native: native.get("id") == "redacted_thinking",
             when=lambda block: block.redacted is not None),
        Form("thinking", am.ThinkingBlock, "thinking", (
            Key("content", "thinking", Text()), _ITEM_ID, SIGNED, _details(am.ThinkingBlock),
        ), tag_key=_TAG),
        _call("call", "tool-call", _CALL_ID, _PROVIDER, _details(am.ToolUseBlock)),
        _call("server_call", "builtin-tool-call", Key("tool_call_id", "id", Link()),
              Key("provider_name", "provider", Text(), "null"), _details(am.ToolUseBlock), fixed={"kind": "server"}),
        Form("server_result", am.ToolResultBlock, "builtin-tool-return", (
            Key("tool_name", "name", Text()), returned(inner), Key("tool_call_id", "tool_call_id", Link()),
            OUTCOME, _ARTIFACT,
            Key("provider_name", "provider", Text(), "null"), _KIND, _details(am.ToolResultBlock),
            Spare("content_file_digests", [], is_written=False),
        ), tag_key=_TAG, fixed={"kind": "server"}),
        *(
            Form(f"{kind}_file", cls, "file", (
                data_at("content"), _ITEM_ID, _PROVIDER, _details(cls),
            ), tag_key=_TAG, fits=_holds_data("content", kind))
            for kind, cls in media.CLASSES.items()
        ),
        Form("speech", am.AudioBlock, "speech", (
            data_at("audio"), Key("transcript", "transcript", Text(), "null"), *_SPOKEN, _details(am.AudioBlock),
        ), tag_key=_TAG, fits=_holds_data("audio", "audio"), notes={"speech": True}, when=_is_speech),
        Form("spoken", am.TextBlock, "speech", (
            Key("transcript", "text", Text()), Spare("audio"), *_SPOKEN, _details(am.TextBlock),
        ), tag_key=_TAG, fits=lambda native: native.get("audio") is None, notes={"speech": True}, when=_is_speech),
        Form("compaction", am.CompactionBlock, "compaction", (
            Key("content", "text", Text(), "null"), _ITEM_ID, _PROVIDER, _details(am.CompactionBlock), _METADATA,
        ), tag_key=_TAG),
    )  # fmt: skip


def _holds_data(key: str, kind: str) -> Callable[[Native], bool]:
    def fits(native: Native) -> bool:
        held = native.get(key)
        return is_object(held) and media.kind_of(held.get("media_type")) == kind

    return fits


def _is_speech(block: Any) -> bool:
    return bool(block.notes) and is_marked(block, FAMILY, "/speech")


# -- results ----------------------------------------------------------------------------------------------------------


def _read_outcome(word: Any, note: dict[str, Any]) -> str:
    if word == "retried":
        note["/retried"] = True
        return "error"
    if type(word) is not str or word not in OUTCOMES:
        raise Unreadable("an unknown outcome")
    return OUTCOMES[word]


def _write_outcome(status: str, block: Any) -> str:
    is_error = status == "error"
    if is_error and block.notes and mark_of(block, FAMILY, "/retried") is True:
        return "retried"
    return "failed" if is_error else status


@usually("value in OUTCOMES", OUTCOMES=frozenset(OUTCOMES.values()))
def _carried_status(status: str, _: Any) -> str | None:
    return status if status in OUTCOMES.values() else None


OUTCOME = Key(
    "outcome", "status",
    Via(_read_outcome, _write_outcome, {"enum": [*OUTCOMES, "retried"]}, _carried_status, is_marking=True), "may",
)  # fmt: skip


# -- messages ---------------------------------------------------------------------------------------------------------

FINISH = {"stop": "stop", "length": "length", "content_filter": "content_filter", "tool_call": "tool_use",
          "error": "error"}  # fmt: skip


def _read_id(value: Any) -> str:
    if type(value) is not str:
        raise Unreadable("an id is a string")
    return value


# Ids that agentmsg made aren't written: the library has one only if the provider gave it.
_ID = Key("provider_response_id", "id", Via(_read_id, given, {"type": "string"}, KEEP), "null")


def _nulls(*keys: str) -> tuple[Spare, ...]:
    return tuple(map(Spare, keys))


def _message(name: str, role: str, tag: str, items: tuple[Any, ...], **how: Any) -> Form:
    how.setdefault("fixed", {"role": role})
    return Form(name, am.Msg, tag, items, tag_key=_TAG, is_apart=name, **how)


def _marked(mark: str) -> Callable[[Any], bool]:
    """Return the test for messages of one text that were read from a part with this mark."""

    def is_of(message: am.Msg) -> bool:
        content = message.content
        return is_marked(message, FAMILY, mark) and (
            not content or (len(content) == 1 and natives.is_bare_text(content[0], FAMILY))
        )

    return is_of


def _result(name: str, tag: str, content: Hatch, *more: Any, marks: Any = None, **how: Any) -> Form:
    items = (Key("tool_name", "name", Text(), "may", lacks="no-name"), content, _RESULT_ID, *more)
    spare = () if marks else (_KIND, Spare("retry"), Spare("content_file_digests", [], is_written=False))
    block = Single(am.ToolResultBlock, items, marks or {})
    return _message(name, "tool", tag, (block, TIME, *spare), **how)


def is_for_tool(held: Mapping[str, Any]) -> bool:
    """Whether a retry-prompt is for a tool: one for the user names no tool."""
    return isinstance(held.get("tool_name"), str)


def _has_transcript(native: Native) -> bool:
    return bool(native.get("transcript"))


def _is_transcript(message: am.Msg) -> bool:
    return bool(message.content) and _marked("/speech")(message)


def _is_for_user(message: am.Msg) -> bool:
    return _marked("/retry")(message) and not is_for_tool(natives.extras_of(message, FAMILY))


_TEXT = Lifted((Place("content", Content(), need='""'),))
_SAID_TEXT = (_TEXT, TIME)
_SAID_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [
    {"type": "string"}, {"$ref": "#/$defs/place_user"}, POINT_SCHEMA,
]}}]}  # fmt: skip


def _messages(user: Callable[[], Parts], inner: Callable[[], Parts]) -> tuple[Form, ...]:
    """Return the forms of the parts of requests, and of whole responses."""

    def read(content: Any, note: dict[str, Any]) -> tuple[Any, ...]:
        return read_user_content(content, note, user())

    def write(blocks: tuple[Any, ...], message: am.Msg) -> Any:
        return write_user_content(blocks, message, user())

    said = Via(read, write, _SAID_SCHEMA, KEEP, is_marking=True)
    return (
        _message("system", "system", "system-prompt", (
            *_SAID_TEXT, *_nulls("dynamic_ref", "context_id"), Spare("scope", "conversation"), _METADATA,
        )),
        _message("user", "user", "user-prompt", (Key("content", "content", said), TIME)),
        _message("again", "user", "retry-prompt", (*_SAID_TEXT, Spare("tool_name")), notes={"retry": True},
                 when=_is_for_user),
        _message("feedback", "user", "retry-feedback", _SAID_TEXT, notes={"feedback": True}, when=_marked("/feedback")),
        _message("user_speech", "user", "speech", (
            Lifted((Place("transcript", Content(), need='""'),)), TIME, Spare("speaker", "user"), Spare("audio"),
            *_nulls("id", "provider_name", "provider_details"),
        ), notes={"speech": True}, fits=_has_transcript, when=_is_transcript),
        _result("tool_again", "retry-prompt", RETRIED, marks={"/retry": True}, when=is_retried),
        _result("tool", "tool-return", returned(inner, is_message=True), OUTCOME, _ARTIFACT),
        Form("response", am.Msg, "response", (
            Key("parts", "content", Content("response", is_strict=True)),
            Key("usage", "usage", Nested(("old_usage", "usage")), "may"),
            Key("model_name", "model", Text(), "null"), TIME,
            Key("provider_details", "response_metadata", Object(), "null"),
            _ID, Key("finish_reason", "finish_reason", Words(FINISH, is_closed=True), "null"),
            Key("metadata", "metadata", Object(), "null"),
            ANSWERED,
            *_nulls("model_id", "provider_url", "canonical_system", "run_id", "conversation_id",
                    "workspace_ref", "history_digest", "failed_attempts"),
            Spare("state", "complete"),
        ), tag_key="kind", fixed={"role": "assistant"}, is_apart="response"),
    )  # fmt: skip


def describe_user() -> Described:
    """Return the description of user content, and of media in results."""
    inner = tuple(form.name for form in _media() if not form.name.endswith("_uploaded"))
    places = {"user": tuple(form.name for form in _USER_PARTS), "inner": inner}
    return Described(FAMILY, _USER_PARTS, places, table=KindParts)


def describe(said: Described) -> Described:
    """Return the description of messages and of parts of responses; ``said`` is that of user content."""
    models = _models(lambda: said.parts["inner"])
    messages = _messages(lambda: said.parts["user"], lambda: said.parts["inner"])
    places = {"response": tuple(form.name for form in models)}
    return Described(FAMILY, (*models, *USAGE, *messages), places, table=KindParts)
