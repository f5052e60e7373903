"""What blocks, sources, usage and messages share: extras, notes, and the fields common to all blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

import attrs

from agentmsg.errors import InvalidMessage, excerpt, is_a
from agentmsg.limits import DEFAULT_LIMITS
from agentmsg.model.checks import clean_repr, instance, listed, optional_text, shown_fields, text, whole
from agentmsg.model.construction import evolver
from agentmsg.model.pickling import above
from agentmsg.values.frozen import EMPTY, JSON, adopt, freeze, freeze_mapping


def _named(convert: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    def converted(value: Any, field: Any) -> Any:
        try:
            return convert(value)
        except InvalidMessage as error:
            raise error.at(field.alias) from None

    return converted


if TYPE_CHECKING:
    from agentmsg.model.blocks import Block
    from agentmsg.values.frozen import freeze as free_json
    from agentmsg.values.frozen import freeze_mapping as free_mapping
else:
    # attrs inspects a plain function again for every subclass, a Converter only here. A Converter also knows the
    # field's name, which belongs in an error's path.
    free_json = attrs.Converter(_named(freeze), takes_field=True)
    free_mapping = attrs.Converter(_named(freeze_mapping), takes_field=True)

__all__ = [
    "BaseBlock",
    "CacheHint",
    "Citation",
    "Noted",
    "Signature",
    "Tagged",
    "as_blocks",
    "free_json",
    "free_mapping",
    "inner_blocks",
]


_getters: dict[type, Callable[[object], object]] = {}


def _values(obj: Noted) -> object:
    """Return the values that equality compares."""
    get = _getters.get(type(obj))
    if get is None:
        names = [field.name for field in attrs.fields(type(obj)) if field.eq]
        get = _getters[type(obj)] = attrgetter(*names)
    return get(obj)


@attrs.frozen(repr=False, eq=False)
class Noted:
    """Base of everything a document holds.

    Equality and hash are defined here for all classes of the model, which say ``eq=False``: attrs would compile both
    for each class, and that took a third of agentmsg's import time.

    Attributes:
        extras: native fields without a home in the model, by family of formats. They are compared, and reported as lost
            when another family writes. The order of the families says nothing; that of the fields of one counts.
        notes: how a document spelt this object. Private to codecs: never compared, shown or lost.
    """

    extras: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    notes: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, eq=False, repr=False, kw_only=True)

    __repr__ = clean_repr
    __rich_repr__ = shown_fields

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self), _values(self)))

    @property
    def sorted_extras(self) -> Mapping[str, JSON]:
        """The extras with their families in alphabetical order, as all that compares or stores them takes them."""
        extras = self.extras
        if len(extras) < 2:  # noqa: PLR2004 - there is no order
            return extras
        families = sorted(extras)
        return extras if families == list(extras) else adopt({family: extras[family] for family in families})

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; all others stay, notes included.

        Raises:
            InvalidMessage: if a new value is refused.
        """
        cls: Any = type(self)
        new: Self = evolver(cls)(self, changes)
        return new

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Make the class a pydantic type that reads and writes the canonical form; see ``agentmsg.embed``."""
        # A schema that a class gives is repeated wherever the class stands; one of an annotation may be a reference.
        return handler.generate_schema(Annotated[Any, Tagged(cls)])

    @property
    def __pydantic_serializer__(self) -> Any:
        """What pydantic writes an object with where it expects anything, as inside ``dict[str, Any]``."""
        return above("embed.fields").serializer(type(self))


class Tagged:
    """Marks one of our unions in ``Annotated``, so that pydantic picks the class by its tag; or one of its classes.

    Args:
        name: the union's name in the JSON Schema of the canonical form; or a class.
    """

    def __init__(self, name: str | type[Any]) -> None:
        self.name = name

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"Tagged({self.name!r})"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Do as the classes of the model do."""
        return above("embed.fields").core_schema(self.name)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        """Do as the classes of the model do."""
        return above("embed.fields").json_schema(self.name, handler)


@attrs.frozen(repr=False, eq=False)
class Signature(Noted):
    """A provider's opaque proof for something it generated; valid only there.

    Attributes:
        provider: who made it.
        value: the proof.
    """

    provider: str | None = attrs.field(validator=optional_text)
    value: str = attrs.field(validator=text)


@attrs.frozen(repr=False, eq=False)
class CacheHint(Noted):
    """A request to cache the prompt up to this point.

    Attributes:
        kind: the provider's word, commonly "ephemeral".
        ttl: how long to keep it, such as "5m" or "1h".
    """

    kind: str = attrs.field(default="ephemeral", validator=text)
    ttl: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class Citation(Noted):
    """A source that a piece of text is based on.

    Attributes:
        url: of the cited source.
        title: of the cited source.
        cited_text: the passage of the source.
        start: the piece of our text begins at this character.
        end: the piece of our text ends before this character.
        kind: the provider's word for the kind of location, such as "char_location".
    """

    url: str | None = attrs.field(default=None, validator=optional_text)
    title: str | None = attrs.field(default=None, validator=optional_text)
    cited_text: str | None = attrs.field(default=None, validator=optional_text)
    start: int | None = attrs.field(default=None, validator=whole)
    end: int | None = attrs.field(default=None, validator=whole)
    kind: str | None = attrs.field(default=None, validator=optional_text)


@attrs.frozen(repr=False, eq=False)
class BaseBlock(Noted):
    """Base of all content blocks, including your own (see ``register_block``).

    Attributes:
        item_id: the id of this item in its native document; never a link.
        phase: "commentary", "final_answer" or another word for the part of a response.
        metadata: the application's own; never part of a prompt.
        cache: a request to cache the prompt up to and including this block.
        signature: the provider's proof for this block.
    """

    item_id: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    phase: str | None = attrs.field(default=None, validator=optional_text, kw_only=True)
    metadata: Mapping[str, JSON] = attrs.field(default=EMPTY, converter=free_mapping, kw_only=True)
    cache: CacheHint | None = attrs.field(default=None, validator=instance(CacheHint), kw_only=True)
    signature: Signature | None = attrs.field(default=None, validator=instance(Signature), kw_only=True)


def as_blocks(value: Iterable[BaseBlock]) -> tuple[Block, ...]:
    """Return blocks as a tuple.

    Raises:
        InvalidMessage: code "type" if an item isn't a block.
    """
    blocks = cast("tuple[Block, ...]", listed(value, "content"))
    for index, block in enumerate(blocks):
        if not is_a(block, BaseBlock):
            msg = f"not a content block: {excerpt(block)}; agentmsg.decode reads content of other formats"
            raise InvalidMessage(msg, code="type", path=("content", index))
    _check_nesting(blocks)
    return blocks


def inner_blocks(block: object) -> tuple[Block, ...]:
    """Return the blocks inside a block: those of a result, or of a source made of blocks."""
    content: tuple[Block, ...] | None = getattr(block, "content", None)
    if content is None:
        content = getattr(getattr(block, "source", None), "content", None)
    return content or ()


def _check_nesting(blocks: tuple[Block, ...]) -> None:
    level = [inner for block in blocks for inner in inner_blocks(block)]
    for _ in range(DEFAULT_LIMITS.nesting):
        if not level:
            return
        level = [inner for block in level for inner in inner_blocks(block)]
    msg = f"blocks are nested deeper than {DEFAULT_LIMITS.nesting}"
    raise InvalidMessage(msg, code="depth", path=("content",))
