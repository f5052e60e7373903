"""How chunks of Chat Completions add up to a response.

| chunk | response |
| --- | --- |
| choices: delta | message: texts appended (see ``_TEXTS``), lists joined by index or extended, the rest set |
| choices: delta.content as a list | content is a list; its texts and thinking go on with the item before |
| choices: logprobs | lists extended |
| choices: finish_reason and any other key | the last that isn't null |
| usage, and any other key | the last that isn't null; the keys of objects each |
| object | chat.completion |
| obfuscation | nothing: it pads the transport |
| error; an object "error", as vLLM's | the stream has failed |
| what has a type, and is neither a chunk nor of the SDK's own stream | events, a list |

The SDK's own sum repeats roles, kinds and formats that servers repeat; here they are set. It keeps the index of calls,
which no response has.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg.formats.events import Fold, Strings, base64_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmsg.formats.events import More

CHUNK, RESPONSE = "chat.completion.chunk", "chat.completion"
# The texts of a delta, in the order of their blocks.
BLOCKS: dict[str, type[am.Block]] = {
    "reasoning_content": am.ThinkingBlock, "reasoning": am.ThinkingBlock, "content": am.TextBlock,
    "refusal": am.RefusalBlock,
}  # fmt: skip
SPLIT = tuple(BLOCKS)
_TEXTS = frozenset({*SPLIT, "arguments", "input", "text", "summary", "data", "transcript"})
_ELSEWHERE = frozenset({"choices", "error", "obfuscation"})
_OF_CHOICE = frozenset({"index", "delta"})
_PADDING = "obfuscation"
# What every response has.
_PLAIN = frozenset({"index", "message", "finish_reason", "logprobs", "native_finish_reason"})
USUAL = frozenset({"id", "object", "created", "model", "system_fingerprint", "service_tier", "usage", "provider"})
_OF_SDK = frozenset({
    "chunk", *(f"{of}.{step}" for of in ("content", "refusal", "tool_calls.function.arguments", "logprobs.content",
                                         "logprobs.refusal") for step in ("delta", "done")),
})  # fmt: skip
_VARIES = frozenset({"choices", "delta", _PADDING})
_INDEXED = 2  # index and function


def chunk_in(event: Native) -> Native | None:
    """Return the chunk that something with a type is; None if it is neither one nor an event of the SDK's own stream.

    Some of those hold a chunk; the others repeat chunks, so there is nothing in them.
    """
    if "choices" in event or "error" in event or event.get("object") == "error":
        return event
    return event.get("chunk", {}) if event["type"] in _OF_SDK else None


class Pieces:
    """Tells most chunks: those that say what the one before said, but for a piece of one text."""

    def __init__(self) -> None:
        # Of the chunk before, and of its choice: how many keys, what gets the values that are repeated, and these.
        self._event = self._choice = _likeness({"delta": None})

    def of(self, event: Native) -> More | None:
        """Return what a chunk is more of, with the index of a call or the key of a text; None of any other chunk."""
        size, get, said = self._event
        try:
            if len(event) - (_PADDING in event) == size and get(event) == said:
                (choice,) = event["choices"]
                size, get, said = self._choice
                if len(choice) == size and get(choice) == said:
                    ((key, value),) = choice["delta"].items()
                    if key != "tool_calls":
                        return (BLOCKS[key], key, value) if value.__class__ is str else None
                    (call,) = value
                    ((key, value),) = call["function"].items()
                    index, is_more = call["index"], key == "arguments" and len(call) == _INDEXED
                    if is_more and index.__class__ is int and value.__class__ is str:
                        return am.ToolUseBlock, index, value
                    return None
        except (LookupError, ValueError, TypeError, AttributeError):
            pass  # another kind of chunk
        if event:
            self._remember(event, event.get("choices") or ())
        return None

    def _remember(self, event: Native, choices: Any) -> None:
        choice: Native = choices[0] if len(choices) == 1 else {}
        is_open = choice.get("finish_reason") is None and choice.get("index", 0) == 0 and not choice.get("logprobs")
        if is_open and "delta" in choice:
            self._event, self._choice = _likeness(event), _likeness(choice)
        else:
            self._event = _likeness({"delta": None})


def _likeness(document: Native) -> tuple[int, Callable[[Native], Any], Any]:
    """Return how many keys a document has, what gets the values of those that don't vary, and these values."""
    get = itemgetter(*([key for key in document if key not in _VARIES] or document))
    return len(document) - (_PADDING in document), get, get(document)


class Joined(Strings):
    """What has begun inside a document: its texts, and the items of lists that have an index."""

    def __init__(self) -> None:
        super().__init__()
        # Of each list, with it, so that its identity stays its own: its items by index, and by index and id.
        self._items: dict[int, tuple[list[Any], dict[int, list[Native]], dict[tuple[int, str], Native]]] = {}

    def begun(self, have: list[Any], item: Native) -> Native:
        """Return the last item that this is a further piece of: of its index, and of its id and kind if it has them."""
        _, by_index, by_link = self._items.setdefault(id(have), (have, {}, {}))
        index, link, kind = item["index"], item.get("id"), item.get("type")
        old = by_link.get((index, str(link))) if link else None
        olds = by_index.setdefault(index, [])
        # Without an id it belongs to any; with one that is new, to an item that has none yet, if that is the last.
        mine = (old,) if old is not None else reversed(olds[-1:] if link else olds)
        found = next((each for each in mine if _may_be(each, "id", link) and _may_be(each, "type", kind)), None)
        if found is None:
            begun: Native = {}
            found = begun
            have.append(found)
            olds.append(found)
        if link:
            by_link[index, str(link)] = found
        return found


def _may_be(item: Native, key: str, value: Any) -> bool:
    """Whether a value is that of an item, or one of both says none."""
    return not value or item.get(key) in (value, None, "")


class OpenAIFold(Fold):
    """Collects chunks into one response."""

    def __init__(self) -> None:
        super().__init__()
        self.strings = self._joined = Joined()
        self._head: Native = {}
        self._choices: dict[int, Native] = {}
        self._usual = Pieces()
        self._open: dict[int | str, list[str]] = {}  # the texts that pieces go on with

    def take(self, event: Native) -> More | None:
        """Take the next chunk, and return what it is more of, but for thinking, which may be said twice."""
        if "type" in event:
            chunk = chunk_in(event)
            if chunk is None:
                self._joined.extend(self._head, "events", (event,))
                return None
            event = chunk
        found = self._usual.of(event)
        if found is None:
            self._open.clear()
        else:
            kind, place, text = found
            pieces = self._open.get(place)
            if pieces is not None:
                pieces.append(text)
                return None if kind is am.ThinkingBlock else found
        if event.get("object") == "error":
            self.error = {key: value for key, value in event.items() if key != "object"}
            return None
        if event.get("error") is not None:
            self.error = event["error"]
        for choice in event.get("choices") or ():
            self._choose(choice)
        self._say(event)
        if found is not None and not is_list(self._choices[0]["message"].get(found[1])):
            self._open[found[1]] = self.strings.latest
        return None

    @property
    def says_more(self) -> bool:
        """Whether there may be more than texts, calls and what all responses have."""
        choice: Native = self._choices.get(0, {})
        return not (
            choice.keys() <= _PLAIN and choice.get("message", {}).keys() <= {"role"} and self._head.keys() <= USUAL
        )

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
            join_delta(mine["message"], delta, self._joined)
        for key, value in choice.items():
            if key in _OF_CHOICE or (value is None and key in mine):
                continue
            if key == "logprobs" and is_object(value):
                join_delta(_object_in(mine, key), value, self._joined)
                continue
            mine[key] = value
            if key == "finish_reason":
                self.ended = all(held.get(key) is not None for held in self._choices.values())

    def made(self) -> Native:
        """Return the response, as far as it has come."""
        if not self._head and not self._choices:
            return {}
        choices = [_told(self._choices[index]) for index in sorted(self._choices)]
        if choices and not self.ended and 0 not in self._choices:  # the first is yet to come
            choices.insert(0, {"index": 0, "message": {}})
        named = {"object": RESPONSE} if self._head.get("object", CHUNK) == CHUNK else {}
        return {**self._head, **named, "choices": choices}


def join_delta(mine: Native, delta: Native, strings: Joined) -> None:
    """Join a delta into what came before."""
    for key, value in delta.items():
        kind = value.__class__
        if kind is str:
            if key in _TEXTS and is_list(mine.get(key)):
                _join_items(mine, key, [{"type": "text", "text": value}] if value else [], strings)
            elif key in _TEXTS:
                strings.add(mine, key, value)
            elif value or key not in mine:
                mine[key] = value
        elif kind is list:
            _join_items(mine, key, value, strings)
        elif kind is dict and key != "arguments":  # which are whole if they are an object
            join_delta(_object_in(mine, key), value, strings)
        elif value is not None or key not in mine:
            mine[key] = value


def _join_items(mine: Native, key: str, items: list[Any], strings: Joined) -> None:
    have: Any = mine.get(key)
    if not is_list(have):
        before = strings.taken(mine, key)
        have = mine[key] = [{"type": "text", "text": before}] if before else []
    for place, item in enumerate(items):
        if is_object(item) and type(item.get("index")) is int:
            join_delta(strings.begun(have, item), item, strings)
        elif place or not _goes_on(have, item, strings):
            have.append(_own(item))


def _own(item: Any) -> Any:
    """Return an item of a list whose texts may be appended to."""
    if not is_object(item):
        return item
    thoughts = item.get("thinking")
    return {**item, "thinking": list(map(_own, thoughts))} if is_list(thoughts) else dict(item)


def _goes_on(have: list[Any], item: Any, strings: Joined) -> bool:
    """Join a text or thinking, as Mistral's content has them, to such an item before it."""
    last: Any = have[-1] if have else None
    if not (is_object(item) and is_object(last)) or last.get("type") != item.get("type"):
        return False
    kind: Any = item.get("type")
    if kind == "text" and type(last.get(kind)) is str:
        strings.add(last, kind, item[kind])
    elif kind == "thinking" and is_list(last.get(kind)) and is_list(item.get(kind)):
        _join_items(last, kind, item[kind], strings)
    else:
        return False
    last |= {key: value for key, value in item.items() if key != kind}
    return True


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
        changes["audio"] = {**audio, "data": base64_of(audio["data"])}
    return {**choice, "message": {**message, **changes}} if changes else choice


def _without_index(call: Any) -> Any:
    return {key: value for key, value in call.items() if key != "index"} if is_object(call) else call
