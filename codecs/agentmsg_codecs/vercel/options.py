"""Provider options: the keys of ``providerOptions`` with a field in the model; all others are extras.

Messages for models hold them under ``providerOptions``, messages for users under ``providerMetadata``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    adopt,
    cells,
    is_mapping,
    is_marked,
    maker,
    natives,
    speed,
)
from agentmsg.formats.forms import Const, Form, Hatch
from agentmsg_codecs.vercel.names import FAMILY, ITEMS, OPTIONS, UI

if TYPE_CHECKING:
    from collections.abc import Mapping

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
            about=", ".join(own) or "extras", spaces=(OPTIONS,),
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


def are_options(value: Any) -> bool:
    """Whether a value may be options: an object of objects, by provider."""
    return is_mapping(value) and all(map(is_mapping, value.values()))
