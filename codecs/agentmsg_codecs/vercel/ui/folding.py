"""The message that chunks of the AI SDK's UI message stream bring; see ``events``.

As ``processUIMessageStream`` of the npm package ai 7.0.173 makes it, except: a message without an id has none, and of
arguments that were cut there is ``rawInput``, but no ``input``: that would be a guess.
"""

from __future__ import annotations

from typing import Any

from agentmsg.formats import Native, Unreadable, is_object
from agentmsg.formats.events import Fold
from agentmsg_codecs.vercel.ui.tool_parts import DYNAMIC

STEP = "step-start"
META, CALLED, ANSWERED = "providerMetadata", "callProviderMetadata", "resultProviderMetadata"
# The keys of chunks that are a part, by type: those that it must have, and those that it may have.
WHOLE_PARTS = {
    "file": (("mediaType", "url"), (META,)), "reasoning-file": (("mediaType", "url"), (META,)),
    "source-url": (("sourceId", "url"), ("title", META)), "custom": (("kind",), (META,)),
    "source-document": (("sourceId", "mediaType", "title"), ("filename", META)),
    "steering-message": (("id", "parts"), ()),
}  # fmt: skip
# By key of an approval, that of the chunk.
ASKED = {"descriptor": "approvalDescriptor", "inputSchemaInput": "inputSchemaInput", "requestReason": "reason",
         "isAutomatic": "isAutomatic", "signature": "signature"}  # fmt: skip
# Keys of a tool's part that several chunks may tell.
STAYS = ("title", "toolMetadata", "providerExecuted")
# By kind of chunk, the state of a tool's part and the keys that the chunk sets; others of these keys go.
_STATES = {
    "tool-input-start": ("input-streaming", ("inputEncoding",)),
    "tool-input-available": ("input-available", ("input",)),
    "tool-input-error": ("output-error", ("input", "errorText")),
    "tool-output-available": ("output-available", ("output", "preliminary")),
    "tool-output-error": ("output-error", ("errorText",)),
}  # fmt: skip
_SET = frozenset({"input", "output", "errorText", "rawInput", "inputEncoding", "preliminary"})
OF_TOOLS = frozenset({
    *_STATES, "tool-input-delta", "tool-output-denied", "tool-approval-request", "tool-approval-response",
})  # fmt: skip


def is_data(kind: object) -> bool:
    """Whether a chunk or part with this type is an application's data."""
    return type(kind) is str and kind.startswith("data-")


def given(chunk: Native, keys: Any) -> Native:
    """Return those of some keys that are there and not null."""
    return {key: chunk[key] for key in keys if chunk.get(key) is not None}


def _merged(base: Any, more: Any) -> Any:
    if not (is_object(base) and is_object(more)):
        return more
    return {**base, **{key: _merged(base.get(key), value) for key, value in more.items()}}


class UIFold(Fold):
    """Collects chunks into a list of one message.

    Attributes:
        head: what it has beside its parts.
        parts: those of the message.
        reason: why it ended.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reason: str | None = None
        self._others: list[Native] = []
        self._begin({})

    def _begin(self, head: Native) -> None:
        self.parts: list[Native] = []
        self.head = head
        self._first = 0  # the number of the step's first part
        self._open: dict[tuple[str, str], Native] = {}
        self._inputs: dict[str, tuple[Native, list[str]]] = {}  # what announced a call, and the pieces of its input
        self._raw: dict[int, tuple[Native, list[str]]] = {}  # the parts whose input is on its way
        self._tools: dict[tuple[str, bool | None], Native] = {}  # those of the step: by kind, and the first of any
        self._held: list[dict[Any, Native]] = [{}, {}, {}]

    def take(self, event: Native) -> None:
        """Take the next chunk."""
        kind: str = event["type"]
        family, _, what = kind.rpartition("-")
        if family in ("text", "reasoning") and what in ("start", "delta", "end"):
            self._take_text(family, what, event)
        elif kind in OF_TOOLS:
            self._take_tool(kind, event)
        elif is_data(kind):
            self._take_data(event)
        elif kind in WHOLE_PARTS:
            keys, more = WHOLE_PARTS[kind]
            self.parts.append({"type": kind, **{key: event[key] for key in keys}, **given(event, more)})
        elif kind in ("start-step", "reset-step"):
            self._take_step(is_new=kind == "start-step")
        elif kind in ("start", "finish", "message-metadata"):
            self._take_head(kind, event)
        elif kind in ("error", "abort"):
            self.error = event["errorText"] if kind == "error" else event
        elif kind != "finish-step":
            self._others.append(event)

    def _take_head(self, kind: str, event: Native) -> None:
        link = event.get("messageId") if kind == "start" else None
        if link is not None and link != self.head.get("id"):
            self._begin({"id": link})
        metadata, before = event.get("messageMetadata"), self.head.get("metadata")
        if metadata is not None:
            self.head["metadata"] = _merged(before, metadata)
        if kind == "finish":
            self.ended, self.reason = True, event.get("finishReason", self.reason)

    def _take_step(self, *, is_new: bool) -> None:
        if is_new:
            self.parts.append({"type": STEP})
            self._first = len(self.parts)
        else:
            dropped = set(map(id, self.parts[self._first :]))
            del self.parts[self._first :]
            self._open, self._inputs = {}, {}
            self._held = [{key: part for key, part in held.items() if id(part) not in dropped} for held in self._held]
        self._tools = {}

    def _take_text(self, family: str, what: str, event: Native) -> None:
        key = (family, event["id"])
        if what == "start":
            named = {"id": event["id"]} if family == "reasoning" else {}
            self._open[key] = {"type": family, **named, "text": "", "state": "streaming"}
            self.parts.append(self._open[key])
        part = self._open[key]
        if what == "delta":
            self.strings.add(part, "text", event["delta"])
        elif what == "end":
            part |= {"state": "done", **given(event, ("citations",))}
            del self._open[key]
        part |= given(event, (META,))

    def _take_data(self, event: Native) -> None:
        key, data = (event["type"], event.get("id")), self._held[0]
        if event.get("transient"):
            return
        if key[1] is not None and key in data:
            data[key].pop("data", None)
            data[key] |= {name: event[name] for name in ("data",) if name in event}
        else:
            self.parts.append(dict(event))
            data[key] = self.parts[-1]

    def tool(self, link: str) -> Native:
        """Return the part of a call by its id: in the step, else the last one."""
        return self._tools.get((link, None)) or self._held[1][link]

    # -- tools --------------------------------------------------------------------------------------------------------

    def _take_tool(self, kind: str, event: Native) -> None:
        if kind == "tool-approval-response":
            self._decide(event)
            return
        link: str = event["toolCallId"]
        if kind == "tool-input-delta":
            call, pieces = self._inputs[link]
            part = self._tools.get((link, call["dynamic"]))
            if part is None or id(part) not in self._raw:
                part = self._called("tool-input-start", call)
                self._raw[id(part)] = (part, pieces)
            pieces.append(event["inputTextDelta"])
            if type(pieces[-1]) is not str:
                raise Unreadable
        elif kind.startswith("tool-input-"):
            part = self._called(kind, event)
            if kind == "tool-input-start":
                call = {
                    "dynamic": bool(event.get("dynamic")),
                    **given(event, ("toolCallId", "toolName", "inputEncoding", "title", "toolMetadata")),
                }
                self._inputs[link] = (call, [])
        else:
            part = self.tool(link)
            if kind in _STATES:
                self._change(part, kind, event)
            elif kind == "tool-output-denied":
                part["state"] = "output-denied"
            else:
                self._ask(part, event)

    def _called(self, kind: str, event: Native) -> Native:
        """Return the part of a call in the step, changed by what announces its input or says it."""
        link, name, is_dynamic = event["toolCallId"], event["toolName"], bool(event.get("dynamic"))
        if type(link) is not str or type(name) is not str:
            raise Unreadable
        if kind == "tool-input-error" and (link, None) in self._tools:
            is_dynamic = self._tools[link, None]["type"] == DYNAMIC
        part = self._tools.get((link, is_dynamic))
        if part is None:
            part = self._tools[link, is_dynamic] = self._held[1][link] = {"type": DYNAMIC, "toolCallId": link}
            self._tools.setdefault((link, None), part)
            self.parts.append(part)
        part |= {"toolName": name} if is_dynamic else {"type": f"tool-{name}"}
        self._change(part, kind, event)
        return part

    def _change(self, part: Native, kind: str, event: Native) -> None:
        state, keys = _STATES[kind]
        _, raw = self._raw.pop(id(part), (None, None))
        for key in _SET.intersection(part):
            if not (kind.startswith("tool-output-") and key == "input"):
                del part[key]
        if kind == "tool-output-error" and raw is not None and part["type"] != DYNAMIC:
            part["rawInput"] = "".join(raw)
        part |= {"state": state, **{key: event[key] for key in keys if key in event}, **given(event, STAYS)}
        if event.get(META) is not None:
            part[ANSWERED if state.startswith("output-") else CALLED] = event[META]

    def _ask(self, part: Native, event: Native) -> None:
        told = {key: event[name] for key, name in ASKED.items() if event.get(name) not in (None, False)}
        if "inputSchemaInput" in event:
            told["inputSchemaInput"] = event["inputSchemaInput"]
        part |= {"state": "approval-requested", "approval": {"id": event["approvalId"], **told}}
        self._held[2].setdefault(event["approvalId"], part)

    def _decide(self, event: Native) -> None:
        part = self._held[2][event["approvalId"]]
        told = {"approved": event["approved"], **given(event, ("reason",))}
        part |= {"state": "approval-responded", "approval": {**part["approval"], **told}}
        part |= given(event, ("providerExecuted",))
        if event.get(META) is not None:
            part[CALLED] = event[META]

    def made(self) -> Any:
        """Return the list of the message; empty if nothing came."""
        for part, pieces in self._raw.values():
            pieces[:] = ["".join(pieces)]
            part["rawInput"] = pieces[0]
        if not (self.head or self.parts or self._others):
            return []
        events = {"events": self._others} if self._others else {}
        return [{**self.head, "role": "assistant", "parts": self.parts, **events}]
