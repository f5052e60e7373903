"""Chunks of OpenAI's Chat Completions, and of servers that speak like it; follows the Python package openai 3.57.

| chunk | response |
| --- | --- |
| choices: delta | message: texts appended (see ``_TEXTS``), lists joined by index or extended, the rest set |
| choices: logprobs | lists extended |
| choices: finish_reason and any other key | the last that isn't null |
| usage, and any other key | the last that isn't null; the keys of objects each |
| object | chat.completion |
| obfuscation | nothing: it pads the transport |
| error | the stream has failed |

The SDK's own sum repeats roles, kinds and formats that servers repeat; here they are set. It keeps the index of calls,
which no response has.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg.formats.events import Events, Fold, Strings, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator


CHUNK, _RESPONSE = "chat.completion.chunk", "chat.completion"
_TEXTS = frozenset({
    "content", "refusal", "reasoning_content", "reasoning", "arguments", "input", "text", "summary", "data",
    "transcript",
})  # fmt: skip
_ELSEWHERE = frozenset({"choices", "error", "obfuscation"})
_OF_CHOICE = frozenset({"index", "delta"})
_OF_CALL = {"function": "arguments", "custom": "input"}
_DETAILS = "reasoning_details"
_SPLIT = ("reasoning_content", "reasoning", "content", "refusal")


class _Fold(Fold):
    def __init__(self) -> None:
        super().__init__()
        self._head: Native = {}
        self._choices: dict[int, Native] = {}

    def take(self, event: Native) -> None:
        if event.get("error") is not None:
            self.error = event["error"]
        for choice in event.get("choices") or ():
            self._choose(choice)
        # Most chunks repeat what the first said of itself: one comparison tells it.
        head = self._head
        others = ("choices" in event) + ("obfuscation" in event)
        if len(event) != len(head) + others or not head.items() <= event.items():
            self._say(event)

    def _say(self, event: Native) -> None:
        head = self._head
        for key, value in event.items():
            if key in _ELSEWHERE:
                continue
            if is_object(value) and is_object(head.get(key)):
                head[key] = {**head[key], **value}  # Groq's seed comes first, and its usage last
            elif value is not None or key not in head:
                head[key] = value

    def _choose(self, choice: Native) -> None:
        index = choice.get("index", 0)
        mine = self._choices.get(index)
        if mine is None:
            if type(index) is not int:
                raise Unreadable
            mine = self._choices[index] = {"index": index, "message": {}}
            self.ended = False
        delta = choice.get("delta")
        if delta:
            join_delta(mine["message"], delta, self.strings)
        for key, value in choice.items():
            if key in _OF_CHOICE or (value is None and key in mine):
                continue
            if key == "logprobs" and value:
                join_delta(_object_in(mine, key), value, self.strings)
                continue
            mine[key] = value
            if key == "finish_reason":
                self.ended = all(held.get(key) is not None for held in self._choices.values())

    def made(self) -> Native:
        if not self._head and not self._choices:
            return {}
        choices = [_told(self._choices[index]) for index in sorted(self._choices)]
        named = {"object": _RESPONSE} if self._head.get("object", CHUNK) == CHUNK else {}
        return {**self._head, **named, "choices": choices}


def join_delta(mine: Native, delta: Native, strings: Strings) -> None:
    """Join a delta into what came before."""
    for key, value in delta.items():
        kind = value.__class__
        if kind is str:
            if key in _TEXTS:
                strings.add(mine, key, value)
            elif value or key not in mine:
                mine[key] = value
        elif kind is list:
            _join_items(mine, key, value, strings)
        elif kind is dict:
            join_delta(_object_in(mine, key), value, strings)
        elif value is not None or key not in mine:
            mine[key] = value


def _join_items(mine: Native, key: str, items: list[Any], strings: Strings) -> None:
    have: Any = mine.get(key)
    if have is None:
        have = mine[key] = []
    for item in items:
        if not is_object(item) or type(item.get("index")) is not int:
            have.append(item)
        else:
            join_delta(_begun(have, item), item, strings)


def _begun(have: list[Any], item: Native) -> Native:
    """Return the last item that this is a further piece of: of its index, and of its id and kind if it has them."""
    link, kind = item.get("id"), item.get("type")
    for old in reversed(have):
        if not is_object(old) or old.get("index") != item["index"]:
            continue
        if (not link or old.get("id") in (link, None, "")) and (not kind or old.get("type") in (kind, None, "")):
            return old
    begun: Native = {}
    have.append(begun)
    return begun


def _object_in(owner: Native, key: str) -> Native:
    if not is_object(owner.get(key)):
        owner[key] = {}
    found: Native = owner[key]
    return found


def _told(choice: Native) -> Native:
    """Return a choice as responses have it: calls without an index, sound in one piece."""
    message: Native = choice["message"]
    changes: Native = {}
    if is_list(message.get("tool_calls")):
        changes["tool_calls"] = [_without_index(call) for call in message["tool_calls"]]
    audio = message.get("audio")
    if is_object(audio) and type(audio.get("data")) is str:
        changes["audio"] = {**audio, "data": _joined_base64(audio["data"])}
    return {**choice, "message": {**message, **changes}} if changes else choice


def _without_index(call: Any) -> Any:
    return {key: value for key, value in call.items() if key != "index"} if is_object(call) else call


def _joined_base64(data: str) -> str:
    """Return base64 whose pieces were padded each as one."""
    if "=" not in data.rstrip("="):
        return data
    padded = data.replace("=", "= ").replace("= = ", "== ").replace("= =", "==").split()
    return b64encode(b"".join(map(b64decode, padded))).decode()


class OpenAIEvents(Events):
    """Chunks of Chat Completions."""

    response: ClassVar[str] = "openai-response"
    live: ClassVar[str] = "agentmsg_codecs.openai.live"
    alternates: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is a chunk: it says so, or says nothing and has a delta."""
        choices = document.get("choices")
        first: Any = choices[0] if is_list(choices) and choices else None
        is_unnamed = document.get("object") is None and is_object(first)
        return document.get("object") == CHUNK or (is_unnamed and "delta" in first and "message" not in first)

    def fold(self) -> Fold:
        """Return what collects chunks."""
        return _Fold()

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the chunks that bring a response."""
        head = {key: value for key, value in document.items() if key not in ("choices", "usage")}
        if head.get("object") == _RESPONSE:
            head["object"] = CHUNK
        asks = {"usage": None} if "usage" in document else {}
        for choice in document["choices"]:
            index = {"index": choice["index"]} if "index" in choice else {}
            rest = {key: value for key, value in choice.items() if key not in ("index", "message")}
            unsaid = {"finish_reason": None} if "finish_reason" in rest else {}
            for delta in deltas_of(choice["message"], size):
                yield {**head, "choices": [{**index, "delta": delta, **unsaid}], **asks}
            yield {**head, "choices": [{**index, "delta": {}, **rest}], **asks}
        if asks or not document["choices"]:
            yield {**head, "choices": [], **({"usage": document["usage"]} if asks else {})}


def deltas_of(message: Native, size: int) -> Iterator[Native]:
    """Yield the deltas that bring a message: its role and what is empty, texts, calls, and all else at once."""
    first: Native = {key: message[key] for key in ("role",) if key in message}
    first |= {key: message[key] for key in _SPLIT if key in message and not message[key]}
    yield first
    for key in _SPLIT:
        if message.get(key):
            if type(message[key]) is not str:
                raise Unreadable
            yield from ({key: piece} for piece in pieces_of(message[key], size))
        if key == "reasoning" and _DETAILS in message:
            yield {_DETAILS: message[_DETAILS]}
    rest = {key: value for key, value in message.items() if key not in ("role", "tool_calls", _DETAILS, *_SPLIT)}
    if rest:
        yield rest
    calls = message.get("tool_calls")
    if calls is None or calls == []:
        if "tool_calls" in message:
            yield {"tool_calls": calls}
        return
    for number, call in enumerate(calls):
        yield from ({"tool_calls": [{"index": number, **piece}]} for piece in _call_pieces(call, size))


def _call_pieces(call: Native, size: int) -> Iterator[Native]:
    kind = "custom" if "custom" in call else "function"
    body = call.get(kind)
    key = _OF_CALL[kind]
    if not is_object(body) or not body.get(key):
        yield call
        return
    yield {**call, kind: {**body, key: ""}}
    yield from ({kind: {key: piece}} for piece in pieces_of(body[key], size))


EVENTS = OpenAIEvents()
