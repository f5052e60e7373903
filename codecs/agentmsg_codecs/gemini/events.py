"""Chunks of Gemini's streams (``alt=sse``, or one array): each is a response; follows the REST API v1beta.

| chunk | response |
| --- | --- |
| candidates: parts | joined where both are texts of one kind without a signature, else further ones |
| candidates: any other key | the last |
| usageMetadata and any other key | the last |
| error | the stream has failed |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from agentmsg.formats import Native, Unreadable, is_list, is_object
from agentmsg.formats.events import Events, Fold, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator


_SIGNATURES = ("thoughtSignature", "thought_signature")


class GeminiFold(Fold):
    """Collects chunks.

    Attributes:
        head: all but candidates.
    """

    def __init__(self) -> None:
        super().__init__()
        self.head: Native = {}
        self._candidates: dict[int, Native] = {}

    def take(self, event: Native) -> None:
        """Take the next chunk."""
        if event.get("error") is not None:
            self.error = event["error"]
        for candidate in event.get("candidates") or ():
            self._join(candidate)
        self.head |= {key: value for key, value in event.items() if key not in ("candidates", "error")}
        feedback = event.get("promptFeedback")
        is_blocked = is_object(feedback) and "blockReason" in feedback
        ended = [candidate.get("finishReason") is not None for candidate in self._candidates.values()]
        self.ended = is_blocked or (bool(ended) and all(ended))

    def _join(self, candidate: Native) -> None:
        index = candidate.get("index", 0)
        if type(index) is not int:
            raise Unreadable
        mine = self._candidates.setdefault(index, {})
        mine |= {key: value for key, value in candidate.items() if key != "content"}
        content = candidate.get("content")
        if content is None:
            return
        own = mine.setdefault("content", {})
        own |= {key: value for key, value in content.items() if key != "parts"}
        if is_list(content.get("parts")):
            parts = own.setdefault("parts", [])
            for part in content["parts"]:
                if parts and goes_on(parts[-1], part):
                    self.strings.add(parts[-1], "text", part["text"])
                elif not (is_blank(part) and parts):
                    parts.append(dict(part))

    def made(self) -> Native:
        """Return the response."""
        if not self._candidates:
            return dict(self.head)
        candidates = [self._candidates[index] for index in sorted(self._candidates)]
        if not self.ended and 0 not in self._candidates:  # the first is yet to come
            candidates.insert(0, {"index": 0})
        return {**self.head, "candidates": candidates}


def first_of(candidates: Any) -> Native:
    """Return the candidate that is read; an empty one if there is none."""
    nothing: Native = {}
    return next((candidate for candidate in candidates or () if candidate.get("index", 0) == 0), nothing)


def goes_on(before: Native, part: Native) -> bool:
    """Whether a part continues the text before it."""
    if type(part.get("text")) is not str or type(before.get("text")) is not str:
        return False
    is_plain = part.keys() <= {"text", "thought"} and before.keys() <= {"text", "thought"}
    return is_plain and bool(part.get("thought")) == bool(before.get("thought"))


def is_blank(part: Native) -> bool:
    """Whether a part says nothing: the last chunk often has an empty text."""
    return part == {"text": ""}


class GeminiEvents(Events):
    """Chunks of Gemini's streams."""

    response: ClassVar[str] = "gemini-response"
    live: ClassVar[str] = "agentmsg_codecs.gemini.live"
    fold: ClassVar[type[Fold]] = GeminiFold
    are_responses: ClassVar[bool] = True

    def is_event(self, document: Native) -> bool:
        """Whether an object is a response."""
        return is_list(document.get("candidates"))

    def unfold(self, document: Native, size: int) -> Iterator[Native]:
        """Yield the chunks that bring a response."""
        head: Native = {key: document[key] for key in ("modelVersion", "responseId") if key in document}
        for candidate in document.get("candidates") or ():
            content = candidate.get("content")
            parts = content.get("parts") if is_object(content) else None
            if not is_list(parts):
                continue
            index = {"index": candidate["index"]} if "index" in candidate else {}
            for part in parts:
                for piece in _pieces(part, size):
                    yield {"candidates": [{"content": {**content, "parts": [piece]}, **index}], **head}
        yield {key: without_parts(value) if key == "candidates" else value for key, value in document.items()}


def _pieces(part: Native, size: int) -> Iterator[Native]:
    if type(part.get("text")) is not str or not part.keys() <= {"text", "thought"} or not part["text"]:
        yield part
        return
    yield from ({**part, "text": piece} for piece in pieces_of(part["text"], size))


def without_parts(candidates: Any) -> Any:
    """Return candidates without the parts that were brought before."""
    if not is_list(candidates):
        return candidates
    found: list[Any] = []
    for candidate in candidates:
        content = candidate.get("content")
        if is_object(content) and is_list(content.get("parts")):
            empty: Native = {**content, "parts": []}
            found.append({**candidate, "content": empty})
        else:
            found.append(candidate)
    return found


EVENTS = GeminiEvents()
