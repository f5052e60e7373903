"""Calls, what their tools give, and approvals.

The input of a call is any JSON; its id tells which provider runs the tool. Text that isn't JSON, as a model
may write it, is itself the input: a string. An input that is a string but not JSON is put into an envelope,
``{"_raw": "its JSON"}``, and so is an input that looks like one.

Marks of results: ``/content`` (read from parts), ``/null`` (from null).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Unreadable,
    adopt,
    cells,
    dump_json,
    is_list,
    is_mapping,
    is_marked,
    is_object,
    maker,
    natives,
    speed,
    spelling,
    text_at,
    tool_arguments,
)
from agentmsg.formats.forms import Const, Form, Hatch, Key, Link, Text, Truth, Wrapped
from agentmsg_codecs.vercel.names import APPROVAL, FAMILY, ITEMS, OPTIONS, OUTPUT, RUNNERS, UI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agentmsg.formats import Parts


_make_signature = maker(am.Signature, "provider", "value")


class Slot(speed.Record):
    """A field of the model, and the provider's key that holds it."""

    field: str
    provider: str
    key: str

    def read(self, value: Any) -> Any:
        """Return the field's value for a native one; None if that means something else."""
        if self.field == "cache":
            is_hint = is_mapping(value) and {"type"} <= value.keys() <= {"type", "ttl"}
            if not is_hint or not all(type(word) is str for word in value.values()):
                return None
            return am.CacheHint(value["type"], value.get("ttl"))
        if not isinstance(value, str):
            return None
        return _make_signature(self.provider, value) if self.field == "signature" else value

    def write(self, block: Any) -> Any:
        """Return the native value of a block's field; None if it is absent, or signed by another provider."""
        value = getattr(block, self.field)
        if value is None or self.field not in ("cache", "signature"):
            return value
        if self.field == "signature":
            return value.value if value.provider == self.provider else None
        return {"type": value.kind} if value.ttl is None else {"type": value.kind, "ttl": value.ttl}


CACHE = Slot("cache", "anthropic", "cacheControl")
_ITEM = Slot("item_id", "openai", "itemId")
ENCRYPTED = Slot("encrypted", "openai", "encryptedContent")
_GOOGLE = Slot("signature", "google", "thoughtSignature")
_SIGNATURES = (
    Slot("signature", "anthropic", "signature"),
    _GOOGLE,
    Slot("signature", "openai", "reasoningEncryptedContent"),
    Slot("signature", "bedrock", "signature"),
)
# The kind of the custom part that is a summary.
COMPACTION = "openai.compaction"
SIGNERS = frozenset(slot.provider for slot in _SIGNATURES)
SLOTS: Mapping[type[Any], tuple[Slot, ...]] = {
    am.TextBlock: (CACHE, _ITEM, Slot("phase", "openai", "phase"), _GOOGLE),
    am.ThinkingBlock: (_ITEM, Slot("redacted", "anthropic", "redactedData"), *_SIGNATURES),
    am.ToolUseBlock: (CACHE, _ITEM, _GOOGLE),
    am.ToolResultBlock: (CACHE, _ITEM),
    am.ImageBlock: (CACHE, Slot("detail", "openai", "imageDetail"), _GOOGLE),
    am.AudioBlock: (CACHE, _GOOGLE),
    am.VideoBlock: (CACHE, _GOOGLE),
    am.FileBlock: (CACHE, Slot("title", "anthropic", "title"), Slot("context", "anthropic", "context"), _GOOGLE),
    am.SourceBlock: (),
    am.CompactionBlock: (_ITEM, ENCRYPTED),
}
"""The fields in the options of a part, by its class."""


def compaction(key: str, options: Hatch) -> Form:
    """Return the form of a summary that only OpenAI can read, with these options under a key."""

    def fits(native: Mapping[str, Any]) -> bool:
        own: Any = native.get(key)
        is_told = are_options(own) and isinstance(own.get("openai", {}).get(ENCRYPTED.key), str)
        return native.get("kind") == COMPACTION and is_told

    return Form("compaction", am.CompactionBlock, "custom", (Const("kind", COMPACTION), options), fits=fits)


class Options(speed.Record):
    """The options of one kind of part.

    Attributes:
        key: the key that holds them.
        family: the family of marks and extras.
        slots: the fields among them.
    """

    key: str
    family: str
    slots: tuple[Slot, ...]

    @property
    def hatch(self) -> Hatch:
        """The functions that read and write them."""
        signed = cells.signed_by(*(slot.provider for slot in self.slots if slot.field == "signature"), is_empty=True)
        odd: dict[str, Cell] = {"cache": cells.bare, "item_id": self._item_id, "signature": signed}
        odd |= {slot.field: cells.sealed_by(slot.provider) for slot in self.slots if slot.field == "redacted"}
        own = {slot.field: odd.get(slot.field, KEEP) for slot in self.slots}
        return Hatch(
            keys=(self.key,), cells=own, get=self._get, put=self._put, odd=(self.key,), is_optional=True,
            schema={self.key: {"type": "object", "additionalProperties": {"type": "object"}}},
            about=", ".join(own) or "extras", spaces={OPTIONS: self._left},
            silent={self.key: frozenset({"null", "{}"})},
        )  # fmt: skip

    # -- reading ------------------------------------------------------------------------------------------------------

    def _get(self, native: Native) -> dict[str, Any]:
        value = native[self.key]
        if value is None:
            return {"notes": {self.key: "null"}}
        if not are_options(value):
            return {"odd": (self.key,)}
        if not value:
            return {"notes": {self.key: "{}"}}
        fields, rest = self._take(value)
        item = fields.get("item_id")
        marks = {"/id": True} if item is not None and not item.startswith(ITEMS) else {}
        return {**fields, "notes": marks, "extras": {OPTIONS: adopt(rest)} if rest else {}}

    def _take(self, value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fields in options, and the rest of the options."""
        fields: dict[str, Any] = {}
        rest: dict[str, Any] = {provider: dict(own) for provider, own in value.items()}
        for slot in self.slots:
            own = rest.get(slot.provider)
            if own is None or slot.field in fields or slot.key not in own:
                continue
            found = slot.read(own[slot.key])
            if found is None:
                continue
            fields[slot.field] = found
            del own[slot.key]
            if not own:
                del rest[slot.provider]
        return fields, rest

    # -- writing ------------------------------------------------------------------------------------------------------

    def _put(self, block: Any) -> Native:
        found: Native = natives.extras_copy(block, OPTIONS)
        for slot in self.slots:
            value = slot.write(block)
            if value is not None:
                found.setdefault(slot.provider, {})[slot.key] = value
        return {self.key: found} if found else {}

    # -- what is supported --------------------------------------------------------------------------------------------

    def _item_id(self, value: str, block: Any) -> str | None:
        """Keep the id of an OpenAI item, or one that was read as such."""
        is_read = is_marked(block, FAMILY, "/id") or is_marked(block, UI, "/id")
        return value if value.startswith(ITEMS) or is_read else None

    def _left(self, options: Any, block: Any) -> Any:
        """Return the options of a block's extras that are read as extras again, beside the block's fields."""
        if not self._has_fields(options):
            return options
        taken: set[tuple[str, str]] = set()
        written: set[str] = set()
        for slot in self.slots:
            own = options.get(slot.provider)
            if slot.write(block) is not None:
                written.add(slot.field)
            # Only the first of several signatures is the field.
            elif slot.field in written or not is_mapping(own) or slot.read(own.get(slot.key)) is None:
                continue
            taken.add((slot.provider, slot.key))
        found: dict[str, Any] = {}
        for provider, own in options.items():
            if not is_mapping(own):
                continue
            kept = {key: own[key] for key in own if (provider, key) not in taken}
            if kept or (not own and all(name != provider for name, _ in taken)):
                found[provider] = own if len(kept) == len(own) else kept
        return options if len(found) == len(options) and all(found[key] is options[key] for key in found) else found

    def _has_fields(self, options: Mapping[str, Any]) -> bool:
        """Whether any of a block's options may be read as a field, or say nothing; usually not."""
        for own in speed.peek_values(options):
            if not own or not is_mapping(own):
                return True
        for slot in self.slots:  # a loop: this is called for each block
            own = speed.peek(options, slot.provider)
            if own is not None and slot.key in own:
                return True
        return False


def are_options(value: Any) -> bool:
    """Whether a value may be options: an object of objects, by provider."""
    return is_mapping(value) and all(map(is_mapping, value.values()))


_RAW = "_raw"

# -- input ------------------------------------------------------------------------------------------------------------


def _is_envelope(args: Any) -> bool:
    if len(args) != 1 or _RAW not in args:
        return False
    value = args[_RAW]
    if is_mapping(value):
        return _is_envelope(value)
    if not isinstance(value, str):
        return False
    valid, parsed, _ = speed.parse_arguments(value)
    return valid and isinstance(parsed, str) and not _is_json(parsed) and dump_json(parsed).decode() == value


def _is_json(text: str) -> bool:
    return bool(speed.parse_arguments(text)[0])


def read_input(native: Any) -> dict[str, Any]:
    """Return the field ``input`` or ``raw_input`` for a native input."""
    if type(native) is str:
        return {"input": native} if _is_json(native) else {"raw_input": native}
    if is_object(native) and _is_envelope(native):
        value = native[_RAW]
        return {"input": adopt(value) if is_object(value) else speed.parse_arguments(value)[1]}
    return {"input": adopt(native)}


def write_input(block: am.ToolUseBlock) -> Any:
    """Return the native input of a call; for an invalid one, its text."""
    copy = tool_arguments.object_copy(block)
    if copy is not None:
        return copy  # the usual case
    value: Any = block.input
    if not block.is_valid:
        return block.raw_input
    if isinstance(value, str):
        return value if _is_json(value) else {_RAW: dump_json(value).decode()}
    return {_RAW: thaw(value)} if is_mapping(value) and _is_envelope(value) else thaw(value)


def _get_input(native: Native) -> dict[str, Any]:
    return {"raw_input": None, **read_input(native["input"])}


def _put_input(block: am.ToolUseBlock) -> Native:
    return {"input": write_input(block)}


INPUT = Hatch(
    keys=("input",), cells={"input": KEEP, "raw_input": cells.arguments_text}, get=_get_input, put=_put_input,
    must=("input",), schema={"input": {}}, about="input",
)  # fmt: skip

# -- who runs a tool --------------------------------------------------------------------------------------------------


def runner_of(link: Any) -> str | None:
    """Return the provider that runs a tool, which the id of its call tells; None if the client does."""
    if isinstance(link, str):
        for prefix, provider in RUNNERS.items():
            if link.startswith(prefix):
                return provider
    return None


def _read_kind(native: Native) -> dict[str, Any]:
    value = native["providerExecuted"]
    if value is True:
        return {"kind": "server", "provider": runner_of(native.get("toolCallId"))}
    if value is None or value is False:
        return {"kind": "function", "notes": {"providerExecuted": spelling.spelling_of(value)}}
    return {"kind": "function", "odd": ("providerExecuted",)}


def _write_kind(block: am.ToolUseBlock) -> Native:
    return {"providerExecuted": True} if block.kind == "server" else {}


def carried_provider(value: str, block: Any) -> str | None:
    """Keep the provider that runs a tool if the id of the call tells it."""
    return value if block.kind == "server" and value == runner_of(natives.link_at(block)) else None


KIND = Hatch(
    keys=("providerExecuted",), cells={"kind": cells.kinds("server"), "provider": carried_provider}, get=_read_kind,
    put=_write_kind, odd=("providerExecuted",), is_optional=True,
    silent={"providerExecuted": frozenset({"false", "null"})},
    schema={"providerExecuted": {"type": "boolean"}}, about="kind",
)  # fmt: skip


# By tag, the status of a result.
_TEXTS, _VALUES = {"text": None, "error-text": "error"}, {"json": None, "error-json": "error"}
_DENIAL, _OTHERS = frozenset({"type", "reason"}), frozenset({"type", "value"})
_make_text = maker(am.TextBlock, "text")


def _is_text(block: am.ToolResultBlock) -> bool:
    content = block.content
    return not content or (len(content) == 1 and natives.is_bare_text(content[0], FAMILY))


def _unknown(output: Any, block: am.ToolResultBlock) -> Any:
    """Return the extras of a result's output: a denial has a reason, any other a value."""
    known = _DENIAL if block.status == "denied" else _OTHERS
    return output if known.isdisjoint(output) else {key: output[key] for key in output if key not in known}


def _read(native: Native, inner: Parts) -> dict[str, Any]:
    output: Any = native.get("output")
    tag: Any = output.get("type") if is_object(output) else None
    if type(tag) is not str:
        raise Unreadable
    fields = _fields_of(tag, output, inner)
    known = _DENIAL if tag == "execution-denied" else _OTHERS
    return {**fields, "extras": natives.rest_of(output, known, OUTPUT)}


def _fields_of(tag: str, output: Native, inner: Parts) -> dict[str, Any]:
    if tag == "execution-denied":
        return {"status": "denied", "error": text_at(output, "reason") if "reason" in output else None}
    if tag in _TEXTS:
        text = text_at(output, "value")
        return {"content": (_make_text(text),) if text else (), "status": _TEXTS[tag]}
    value = output.get("value")
    if tag in _VALUES and "value" in output:
        notes = {"/null": True} if value is None else {}
        return {"structured": adopt(value), "status": _VALUES[tag], "notes": notes}
    if tag != "content" or not is_list(value):
        raise Unreadable
    return {"content": tuple(map(inner.read, value)), "notes": {"/content": True}}


def _write(block: am.ToolResultBlock, inner: Parts) -> Native:
    content: Any = block.content
    if block.status == "denied":
        output: Native = {"type": "execution-denied"}
        if block.error is not None:
            output["reason"] = block.error
    elif block.structured is not None or (not content and is_marked(block, FAMILY, "/null")):
        output = {"type": "json" if block.status is None else "error-json", "value": thaw(block.structured)}
    elif block.status is None and (is_marked(block, FAMILY, "/content") or not _is_text(block)):
        output = {"type": "content", "value": list(map(inner.write, content))}
    else:
        output = {"type": "text" if block.status is None else "error-text", "value": content[0].text if content else ""}
    return {"output": {**output, **natives.extras_copy(block, OUTPUT)}}


# -- what is supported ------------------------------------------------------------------------------------------------


def is_denial(block: am.ToolResultBlock) -> bool:
    """Whether a result says only that its call was denied, and why."""
    return block.status == "denied" and not block.content and block.structured is None


def output(inner: Callable[[], Parts], *, is_served: bool) -> Hatch:
    """Return the hatch of outputs.

    Args:
        inner: returns the table of the parts in them.
        is_served: whether the provider ran the tool.
    """

    def get(native: Native) -> dict[str, Any]:
        fields = _read(native, inner())
        return {**fields, "provider": runner_of(native.get("toolCallId"))} if is_served else fields

    def put(block: Any) -> Native:
        return _write(block, inner())

    def of(*tags: str, **value: Any) -> Native:
        return {"type": "object", "properties": {"type": {"enum": list(tags)}, **value},
                "required": ["type", *value]}  # fmt: skip

    parts = {"type": "array", "items": {"$ref": "#/$defs/place_inner"}}
    denied = {"type": "object", "properties": {"type": {"const": "execution-denied"}, "reason": {"type": "string"}},
              "required": ["type"]}  # fmt: skip
    kinds = [of(*_TEXTS, value={"type": "string"}), of(*_VALUES, value={}), of("content", value=parts), denied]
    supported: dict[str, Cell] = {
        "content": KEEP, "structured": KEEP, "error": lambda value, block: value if is_denial(block) else None,
        "status": lambda value, block: value if is_denial(block) else "error" if block.is_error else None,
    }  # fmt: skip
    return Hatch(
        keys=("output",), cells={**supported, "provider": carried_provider} if is_served else supported, get=get,
        put=put, schema={"output": {"anyOf": kinds}}, about="content, structured, status, error",
        spaces={OUTPUT: _unknown},
    )  # fmt: skip


# Keys of requests without a field, which both families share.
SHARED = ("isAutomatic", "inputSchemaInput", "descriptor")


def _read_shared(native: Native) -> dict[str, Any]:
    found = _shared(native)
    return {"extras": {APPROVAL: adopt(found)}} if found else {}


def _shared(extras: Any, _: Any = None) -> Any:
    return extras if extras.keys() <= {*SHARED} else {key: extras[key] for key in extras if key in SHARED}


def _write_shared(block: Any) -> Native:
    return _shared(natives.extras_copy(block, APPROVAL))  # type: ignore[no-any-return]


def _kind_alone(native: Native) -> dict[str, Any]:
    return {name: value for name, value in KIND.get(native).items() if name != "provider"}


_DECIDED = KIND.evolve(cells={"kind": KIND.cells["kind"]}, get=_kind_alone)
APPROVALS = (
    Form("request", am.ApprovalRequestBlock, "tool-approval-request", (
        Key("approvalId", "id", Text()),
        Key("toolCallId", "tool_call_id", Link()),
        Key("reason", "reason", Text(), "may"),
        Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "vercel"}), "may"),
        Hatch(keys=SHARED, cells={}, get=_read_shared, put=_write_shared, spaces={APPROVAL: _shared},
              about='extras["vercel.approval"]'),
    )),
    Form("response", am.ApprovalResponseBlock, "tool-approval-response", (
        Key("approvalId", "id", Text()),
        Key("approved", "approved", Truth()),
        Key("reason", "reason", Text(), "may"),
        _DECIDED,
    )),
)  # fmt: skip
