"""Settings: what a request asks of the model besides the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, Unpack

import attrs

from agentmsg.errors import InvalidMessage, close_to, excerpt, is_a, refused
from agentmsg.model.base import Noted, free_json, free_mapping
from agentmsg.model.checks import counter, instance, items_of, optional_text, whole
from agentmsg.values.frozen import EMPTY, JSON, check_text, thaw
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from agentmsg.model.fields import SettingsFields

# The note that says whose model name this is: the reader's, as long as the noted model is still set.
OWNER = "/model"
_ASKED: Mapping[str, tuple[tuple[str, ...], Mapping[str, type[Any]], str | None]] = MappingProxyType({
    "tool_choice": (("auto", "required", "none"), {"name": str}, "name"),
    "response_format": (
        ("text", "json"), {"schema": dict, "name": str, "description": str, "strict": bool}, "schema",
    ),
    "reasoning": (("off",), {"effort": str, "budget": int, "summary": str}, None),
})  # fmt: skip
_TYPES = {str: "a string", int: "a whole number", bool: "True or False", dict: "an object"}


def _texts(value: Iterable[str]) -> tuple[str, ...]:
    items = items_of(value, "stop", lambda item: is_a(item, str), "stop holds texts, not")
    for index, item in enumerate(items):
        try:
            check_text(item)
        except InvalidMessage as error:
            raise error.at("stop", index) from None
    return items


def known_of(field: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return those keys of an object, with their values, that a setting may have."""
    keys = _ASKED[field][1]
    return {key: inner for key, inner in value.items() if key in keys and _fits(inner, keys[key])}


def _fits(value: Any, kind: type[Any]) -> bool:
    return value is None or (is_a(value, kind) and (kind is not int or type(value) is int))


def _asked(_: Any, attribute: Any, value: Any) -> None:
    """Accept None, a word of the setting, or an object of its keys."""
    field = attribute.name
    words, keys, needed = _ASKED[field]
    if value is None or (is_a(value, str) and value in words):
        return
    may_be = f"{', '.join(map(repr, words))} or an object with {', '.join(keys)}"
    if not is_mapping(value) or not value:
        raise refused(field, thaw(value), may_be)
    for key, inner in value.items():
        if key not in keys:
            msg = f"{field} has no key {excerpt(key)}; it may be {may_be}"
            raise InvalidMessage(msg, code="schema", path=(field, key))
        if not _fits(inner, keys[key]):
            raise refused(key, inner, _TYPES[keys[key]]).at(field)
    if needed is not None and value.get(needed) is None:
        msg = f"{field} needs {needed}; it may be {may_be}"
        raise InvalidMessage(msg, code="required", path=(field, needed))


@attrs.frozen(kw_only=True, repr=False, eq=False)
class Settings(Noted):
    """What a request asks for, in the words that providers share; None means not stated, so the model decides.

    A format takes what it has a place for. All other parameters of a request stay ``History.extras`` of its format.

    Attributes:
        model: the name of the model. It means something to one provider only, so it stays behind when a request is
            converted for another.
        max_tokens: the most tokens to write.
        temperature: how freely to choose, from 0.
        top_p: the share of likelihood to choose from, from 0 to 1.
        top_k: how many tokens to choose from.
        stop: texts that end the answer.
        seed: a number that makes answers repeat.
        tool_choice: "auto", "required" (some tool), "none", or ``{"name": "get_weather"}`` for one tool.
        parallel_tool_calls: whether the model may call several tools at once.
        response_format: "text", "json", or ``{"schema": {...}}`` for JSON of a JSON Schema, perhaps with "name",
            "description" and "strict".
        reasoning: "off", ``{"effort": "high"}`` in the provider's words, or ``{"budget": 2048}`` in tokens, -1 for
            as many as the model decides; perhaps with "summary", how to sum it up.
        stream: whether to stream the answer.
        store: whether the provider may keep the exchange; None means the same as False. Formats that keep it unless a
            request says otherwise are read and written accordingly.
        user: an id of the user, for the provider.
        metadata: labels, for the provider.
    """

    flags: ClassVar[Mapping[str, str]] = {"store": "is_stored"}
    """The fields whose None means false, and the properties that say so."""
    asked: ClassVar[Mapping[str, tuple[tuple[str, ...], Mapping[str, type[Any]], str | None]]] = _ASKED
    """The fields that are a word or an object: the words, the keys with their types, and the key that is required."""

    model: str | None = attrs.field(default=None, validator=optional_text)
    max_tokens: int | None = attrs.field(default=None, validator=whole)
    temperature: int | float | None = attrs.field(default=None, validator=counter)
    top_p: int | float | None = attrs.field(default=None, validator=counter)
    top_k: int | None = attrs.field(default=None, validator=whole)
    stop: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    seed: int | None = attrs.field(default=None, validator=whole)
    tool_choice: Literal["auto", "required", "none"] | Mapping[str, JSON] | None = attrs.field(
        default=None, converter=free_json, validator=_asked
    )
    parallel_tool_calls: bool | None = attrs.field(default=None, validator=instance(bool))
    response_format: Literal["text", "json"] | Mapping[str, JSON] | None = attrs.field(
        default=None, converter=free_json, validator=_asked
    )
    reasoning: Literal["off"] | Mapping[str, JSON] | None = attrs.field(
        default=None, converter=free_json, validator=_asked
    )
    stream: bool | None = attrs.field(default=None, validator=instance(bool))
    store: bool | None = attrs.field(default=None, validator=instance(bool))
    user: str | None = attrs.field(default=None, validator=optional_text)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping)

    @property
    def is_stored(self) -> bool:
        """Whether the provider may keep the exchange."""
        return bool(self.store)

    def asking(self, **changes: Unpack[SettingsFields]) -> Self:
        """Return these settings with others; see ``History.with_settings``."""
        names = [field.name for field in attrs.fields(type(self))]
        for name in changes:
            if name not in names:
                close = close_to(name, names) or ", ".join(names)
                msg = f"there is no setting {excerpt(name)}; {close}"
                raise InvalidMessage(msg, code="option", path=(name,))
        if "model" not in changes:
            return self.evolve(**changes)
        notes = {family: _without_owner(note) for family, note in self.notes.items()}
        return self.evolve(**changes, notes={family: note for family, note in notes.items() if note})


def _without_owner(note: Any) -> Any:
    return {key: value for key, value in note.items() if key != OWNER} if is_mapping(note) else note
