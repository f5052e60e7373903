"""Provider options: the keys of ``providerOptions`` with a field in the model; all others are extras.

Messages for models have them under ``providerOptions``, those for users under ``providerMetadata``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

import agentmsg as am
from agentmsg import thaw
from agentmsg.formats import (
    KEEP,
    Cell,
    Native,
    Row,
    adopt,
    carried_extras,
    cells,
    is_mapping,
    is_marked,
    maker,
    natives,
    speed,
)
from agentmsg.formats.forms import Described, Hatch
from agentmsg_codecs.vercel.names import ITEMS, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agentmsg.formats import Shape
    from agentmsg.formats.forms import Form

    Space: TypeAlias = tuple[str, Callable[[Any], frozenset[str]]]

_make_signature = maker(am.Signature, "provider", "value")


@attrs.frozen
class _Slot:
    """Where a provider has what is a field of the model."""

    field: str
    provider: str
    key: str

    def read(self, value: Any) -> Any:
        """Return the value of the field; None where it is another."""
        if self.field == "cache":
            is_hint = is_mapping(value) and {"type"} <= value.keys() <= {"type", "ttl"}
            if not is_hint or not all(type(said) is str for said in value.values()):
                return None
            return am.CacheHint(value["type"], value.get("ttl"))
        if not isinstance(value, str):
            return None
        return _make_signature(self.provider, value) if self.field == "signature" else value

    def write(self, value: Any) -> Any:
        """Return what stands there."""
        if self.field == "cache":
            return {"type": value.kind} if value.ttl is None else {"type": value.kind, "ttl": value.ttl}
        return value.value if self.field == "signature" else value


_SLOTS = {
    "cache": _Slot("cache", "anthropic", "cacheControl"),
    "item_id": _Slot("item_id", "openai", "itemId"),
    "phase": _Slot("phase", "openai", "phase"),
    "detail": _Slot("detail", "openai", "imageDetail"),
    "title": _Slot("title", "anthropic", "title"),
    "context": _Slot("context", "anthropic", "context"),
    "redacted": _Slot("redacted", "anthropic", "redactedData"),
}
_SIGNATURES = {
    "anthropic": _Slot("signature", "anthropic", "signature"),
    "google": _Slot("signature", "google", "thoughtSignature"),
    "openai": _Slot("signature", "openai", "reasoningEncryptedContent"),
    "bedrock": _Slot("signature", "bedrock", "signature"),
}
ALL_SIGNERS = tuple(_SIGNATURES)


@attrs.frozen
class Options:
    """The options of one kind of part.

    Attributes:
        key: that they stand under.
        family: whose marks these are.
        slots: what is a field.
    """

    key: str
    family: str
    slots: tuple[_Slot, ...]

    @property
    def hatch(self) -> Hatch:
        """What reads and writes them."""
        own: dict[str, Cell] = {slot.field: KEEP for slot in self.slots}
        if "cache" in own:
            own["cache"] = cells.bare
        if "item_id" in own:
            own["item_id"] = self._item_id
        if "signature" in own:
            own["signature"] = cells.signed_by(*self._signers(), is_empty=True)
        values = {"type": "object", "additionalProperties": {"type": "object"}}
        return Hatch(keys=(self.key,), cells=own, get=self._get, put=self._put, odd=(self.key,), is_optional=True,
                     schema={self.key: values}, about=", ".join(own) or "extras", spaces=(OPTIONS,))  # fmt: skip

    # -- reading ------------------------------------------------------------------------------------------------------

    def _get(self, native: Native) -> dict[str, Any]:
        value = native[self.key]
        if value is None:
            return {"notes": {self.key: "null"}}
        if not _are_options(value):
            return {"odd": (self.key,)}
        if not value:
            return {"notes": {self.key: "{}"}}
        fields, rest = self.take(value)
        item = fields.get("item_id")
        marks = {"/id": True} if item is not None and not item.startswith(ITEMS) else {}
        return {**fields, "notes": marks, "extras": {OPTIONS: adopt(rest)} if rest else {}}

    def take(self, value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fields that options say, and the rest of the options."""
        fields: dict[str, Any] = {}
        rest: dict[str, Any] = {provider: dict(own) for provider, own in value.items()}
        for slot in self.slots:
            own = rest.get(slot.provider)
            if own is None or slot.field in fields or slot.key not in own:
                continue
            said = slot.read(own[slot.key])
            if said is None:
                continue
            fields[slot.field] = said
            del own[slot.key]
            if not own:
                del rest[slot.provider]
        return fields, rest

    # -- writing ------------------------------------------------------------------------------------------------------

    def _put(self, block: Any) -> Native:
        rest = block.extras.get(OPTIONS) if block.extras else None
        found: Native = thaw(rest) if is_mapping(rest) else {}
        for slot in self._said(block):
            found = {**found, slot.provider: {**found.get(slot.provider, {}), slot.key: _value(slot, block)}}
        return {self.key: found} if found else {}

    def _said(self, block: Any) -> list[_Slot]:
        """Return where the fields of a block are written."""
        return [
            slot
            for slot in self.slots
            if (value := getattr(block, slot.field)) is not None
            and (slot.field != "signature" or value.provider == slot.provider)
        ]

    # -- what is supported --------------------------------------------------------------------------------------------

    def _item_id(self, value: str, block: Any) -> str | None:
        """Keep the id of an item of OpenAI's, or one that was read as such."""
        return value if value.startswith(ITEMS) or is_marked(block, self.family, "/id") else None

    def _signers(self) -> set[str]:
        return {slot.provider for slot in self.slots if slot.field == "signature"}

    def row(self, row: Row, shape: Shape, forms: Sequence[Form], *spaces: Space) -> Row:
        """Return a row whose extras may be options, and in other namespaces.

        Args:
            row: of the capability table.
            shape: of the class.
            forms: of the class.
            spaces: of objects inside, which stand before the options, each with what returns its own keys.
        """
        choose = Described.chooser(forms)

        def keys(block: Any) -> frozenset[str]:
            found = choose(block)
            return (forms[0] if found is None else found).keys

        cell = self._extras(shape, keys, spaces)
        return Row({**row.fields, "extras": cell}, row.otherwise, row.concerns)

    def _extras(self, shape: Shape, keys: Callable[[Any], frozenset[str]], spaces: Sequence[Space]) -> Cell:
        odd = natives.odd_at(shape, self.family)
        cell = carried_extras(*spaces, (OPTIONS, _no_keys), (self.family, keys), odd=odd)

        def settled(extras: Any, block: Any) -> Any:
            kept = cell(extras, block)
            told = kept.get(OPTIONS)
            if told is None:
                return kept
            left = self._left(told, block)
            if left is told:
                return kept
            return {
                space: left if space == OPTIONS else value for space, value in kept.items() if space != OPTIONS or left
            }

        return settled

    def _left(self, told: Mapping[str, Any], block: Any) -> Mapping[str, Any]:
        """Return the options that are read as such beside the fields of a block."""
        if not self._has_fields(told):
            return told
        said = self._said(block)
        fields = {slot.field for slot in said}
        found: dict[str, Any] = {}
        for provider, own in told.items():
            if not is_mapping(own):
                continue
            kept = {key: value for key, value in own.items() if not self._is_taken(provider, key, value, said, fields)}
            if kept or (not own and all(slot.provider != provider for slot in said)):
                found[provider] = own if len(kept) == len(own) else kept
        return told if len(found) == len(told) and all(found[key] is told[key] for key in found) else found

    def _has_fields(self, told: Mapping[str, Any]) -> bool:
        """Whether some options may be read as fields, or say nothing: most are only carried."""
        for own in speed.peek_values(told):
            if not own or not is_mapping(own):
                return True
        for slot in self.slots:  # a loop: it is asked for each block
            own = speed.peek(told, slot.provider)
            if own is not None and slot.key in own:
                return True
        return False

    def _is_taken(self, provider: str, key: str, value: Any, said: Sequence[_Slot], fields: set[str]) -> bool:
        for slot in self.slots:
            if (slot.provider, slot.key) != (provider, key):
                continue
            if slot in said:
                return True
            # Of several signatures, the first is the field.
            later = slot.field in fields and any(
                one.field == slot.field and self.slots.index(one) < self.slots.index(slot) for one in said
            )
            return slot.read(value) is not None and not later
        return False


def options(key: str, family: str, *fields: str, signers: tuple[str, ...] = ()) -> Options:
    """Return the options of a kind of part.

    Args:
        key: that they stand under.
        family: whose marks these are.
        fields: what they say.
        signers: the providers whose signature they say.
    """
    return Options(key, family, (*(_SLOTS[name] for name in fields), *(_SIGNATURES[name] for name in signers)))


def _value(slot: _Slot, block: Any) -> Any:
    return slot.write(getattr(block, slot.field))


def _are_options(value: Any) -> bool:
    return is_mapping(value) and all(map(is_mapping, value.values()))


def _no_keys(_: Any) -> frozenset[str]:
    return frozenset()
