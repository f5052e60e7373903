"""gemini: requests to generateContent of Google's Gemini and Vertex AI. For responses, use ``gemini-response``.

A document is a body, ``{"contents": [...], "systemInstruction"?, "tools"?, ...}``, a call of an SDK, ``{"model": ...,
"contents": ..., "config": {...}}``, a list of contents, or one content. Keys of the schema may be in camelCase or
snake_case. As the API and its SDKs allow, one object replaces a list of one, a text a part, and either of them a
content.

Follows the Python package google-genai 3.4.

| Gemini | agentmsg |
| --- | --- |
| systemInstruction | the first message, a system message; several are merged into one |
| contents: user, function, or no role; model | user; assistant |
| text | TextBlock |
| text with thought; thoughtSignature alone | ThinkingBlock |
| thoughtSignature of any part | its signature, by "google" |
| inlineData; fileData | ImageBlock, AudioBlock, VideoBlock by mimeType, else FileBlock (displayName: name) |
| functionCall | ToolUseBlock; if it has no id, the reader makes one that isn't written |
| functionResponse in a user's content | a tool message; adjacent ones share a content; linked by name without an id |
| its response: output; error; any other object | content, one text; the same with status "error"; structured |
| its parts | content, after the text |
| executableCode; codeExecutionResult | call and result of the server tool "code_execution" |
| toolCall; toolResponse | call and result of a server tool, named by its toolType |
| tools: functionDeclarations; any other | ToolSpec; NativeTool |
| OpenAPI's schemas in parameters and responseSchema | JSON Schema, with types in small letters; see schemas.py |
| parameters of the body: generationConfig, toolConfig | settings |
| any other part; content | NativeBlock; a message with the role "native" |
| unknown keys; the rest of the body | extras["gemini"], inside a part's object "gemini.item"; on the history |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import attrs

import agentmsg as am
from agentmsg import DecodeError
from agentmsg.formats import Native, Unreadable, adopt, excerpt, is_list, is_marked, is_object, made_ids, mark_of
from agentmsg.formats.bodies import Requests, listed_tools
from agentmsg.formats.sending import rules_at
from agentmsg_codecs.gemini.config import packed, unpacked
from agentmsg_codecs.gemini.likeness import is_content, sniff_body
from agentmsg_codecs.gemini.messages import Gemini
from agentmsg_codecs.gemini.names import BODY_KEYS, FAMILY, SYSTEM, snake
from agentmsg_codecs.gemini.tools import DECLARATIONS, read_tools, write_tools
from agentmsg_codecs.wire.chats import raw_call

if TYPE_CHECKING:
    from agentmsg.formats.forms import Described

__all__ = ["GeminiCodec"]

_REQUESTS = Requests(family=FAMILY, key="contents", is_single=is_content, settings_in=f"{__name__}.settings")
# The keys of lists, for which the API takes one object, and SDKs one text as a content.
_LISTS = ("contents", "tools")


def _is_one(value: Any, key: str) -> bool:
    """Whether the value of a list's key is one of its items."""
    return bool(value) and (is_object(value) or (type(value) is str and key == "contents"))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class GeminiCodec(Gemini):
    """Requests to Gemini's generateContent; see ``Gemini``.

    Attributes:
        turns: whether adjacent messages of the model stay, or become one: calls follow a user or the results of calls.
        form: as the "body" of a request, or as "sdk" for ``generate_content`` of google-genai: its model, contents and
            config. By default a history is written as it was read, and a new one as a body.
    """

    name: ClassVar[str] = "gemini"
    title: ClassVar[str] = "Google Gemini generateContent (requests)"
    caps_in: ClassVar[str | None] = f"{__name__}.capabilities"
    repairs_with: ClassVar[Mapping[str, Any]] = adopt({"turns": "merged"})
    rules = rules_at("agentmsg_codecs.gemini.sending", lambda codec: ("call-place",) if codec.turns == "merged" else ())
    joins_turns: ClassVar[bool] = True

    turns: Literal["kept", "merged"] = attrs.field(default="kept", validator=attrs.validators.in_(("kept", "merged")))
    form: Literal["body", "sdk"] | None = attrs.field(
        default=None, validator=attrs.validators.in_(("body", "sdk", None))
    )

    @property
    def described(self) -> tuple[Described, ...]:
        """The forms of parts, tools and settings."""
        return (self.engine.described, DECLARATIONS, _REQUESTS.settings.described)

    def raw_arguments(self, own: Any) -> list[tuple[tuple[str | int, ...], Any]]:
        """Return the arguments of a raw call."""
        return raw_call(own, "functionCall", "args")

    def read(self, document: Any) -> am.History:
        """Read a body, a list of contents, or one content."""
        body, note = _REQUESTS.opened(document)
        if is_object(body) and (usual := unpacked(body)) is not body:
            body, note = usual, {**note, "/config": True}
        for key in _LISTS:
            if is_object(body) and _is_one(body.get(key), key):
                body, note[f"/{key}"] = {**body, key: [body[key]]}, "one"
        if not is_object(body) or not is_list(body.get("contents")):
            raise DecodeError(f"a request must have a list of contents, not {excerpt(document)}", path=("contents",))
        self.engine.fill()
        messages = [*self._instruction(body, note), *self.engine.read(body["contents"])]
        tools, is_extra = listed_tools(body, read_tools)
        rest = {key: value for key, value in body.items() if key not in BODY_KEYS or (is_extra and key == "tools")}
        settings, rest = _REQUESTS.read_settings(rest)
        return _REQUESTS.history(messages, rest, note, tools=tools, settings=settings)

    def _instruction(self, body: Native, note: Native) -> list[am.Msg]:
        """Return the system instruction as a list of one message, or of none; note its spelling."""
        found = [key for key in (SYSTEM, snake(SYSTEM)) if key in body]
        if not found:
            return []
        if found[0] != SYSTEM:
            note["/snake"] = True
        native = body[found[0]]
        if native is None and len(found) == 1:
            note["/system"] = "null"
            return []
        try:
            if len(found) == 1:
                return [self.engine.instruction(native)]
        except Unreadable:
            pass
        raise DecodeError("the system instruction must be one content", path=(found[0],))

    def write(self, history: am.History) -> Any:
        """Write the body; write bare contents if they were read and need no body."""
        self.engine.fill()
        messages = history.messages
        body: Native = {}
        key = snake(SYSTEM) if is_marked(history, FAMILY, "/snake") else SYSTEM
        if messages and messages[0].role == "system":
            body[key] = self.engine.write_instruction(messages[0])
            messages = messages[1:]
        elif mark_of(history, FAMILY, "/system") == "null":
            body[key] = None
        body["contents"] = self.engine.write(messages)
        if history.tools:
            body["tools"] = write_tools(history.tools)
        settings = _REQUESTS.write_settings(history.settings, _REQUESTS.parameters(history))
        document = _REQUESTS.closed(history, body, settings)
        if not is_object(document) or "contents" not in document:
            return {"contents": self.native_messages(document)} if self.form == "sdk" else document
        if history.settings is not None:
            from agentmsg_codecs.gemini.settings import respelt  # noqa: PLC0415 - many bodies have none

            document = respelt(document, history.settings)
        for key in _LISTS:
            if mark_of(history, FAMILY, f"/{key}") == "one" and len(document.get(key, ())) == 1:
                (one,) = document[key]
                document |= {key: one} if _is_one(one, key) else {}
        is_sdk = is_marked(history, FAMILY, "/config") if self.form is None else self.form == "sdk"
        return packed(document) if is_sdk else document

    def read_parts(self, parts: Sequence[Any]) -> tuple[am.Block, ...]:
        """Read parts of the model's content; calls without ids have none."""
        self.engine.fill()
        (message,) = self.engine.container({"role": "model", "parts": list(parts)})
        if message.role != "assistant":
            raise Unreadable
        return message.content

    def _parts_of(self, blocks: Sequence[am.Block]) -> list[Any]:
        self.engine.fill()
        message = am.Msg("assistant", blocks, id=None, created_at=None)
        return list(self.engine.write_group(made_ids.unlinked((message,), FAMILY))["parts"])

    def native_messages(self, document: Any) -> list[Any]:
        """Return the contents of a document."""
        given = document.get("contents", document) if is_object(document) else document
        return given if is_list(given) else [given]

    def beside(self, document: Any) -> tuple[Any, Any]:
        """Return the system instruction and the tools of a body, or of what an SDK takes."""
        body = unpacked(document) if is_object(document) else {}
        return body.get(SYSTEM, body.get(snake(SYSTEM))), body.get("tools")

    def likeness(self, document: Any) -> float:
        """Return how closely a document resembles a request to Gemini, by its contents and their parts."""
        return sniff_body(document)
