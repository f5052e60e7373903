"""Record: the base of the classes that descriptions and tables consist of.

attrs would compile several functions for each of these forty classes, and the first use of a codec would wait for it.
So one function makes all records, one copies and one shows them; a record is equal only to itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, dataclass_transform

from attrs.exceptions import FrozenInstanceError

from agentmsg.model.checks import clean_repr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class _Signature:
    """The signature of a record's class, made for whoever asks: ``help``, notebooks, editors."""

    def __get__(self, _: object, cls: type[Record]) -> Any:
        from inspect import Parameter, Signature  # noqa: PLC0415 - few ask

        return Signature(
            [
                Parameter(
                    name,
                    Parameter.POSITIONAL_OR_KEYWORD if is_placed else Parameter.KEYWORD_ONLY,
                    default=cls._defaults.get(name, Parameter.empty),
                    annotation=cls._kinds[name],
                )
                for name, is_placed in sorted(cls._names.items(), key=lambda item: not item[1])
            ]
        )


@dataclass_transform(frozen_default=True)
class Record:
    """Named values that never change, declared as in a dataclass; those after ``_: KW_ONLY`` are passed by name.

    A default is shared by all records of the class, so it must not change either.
    """

    # By name: whether a value may be passed by position.
    _names: ClassVar[Mapping[str, bool]] = {}
    _places: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[Mapping[str, Any]] = {}
    _kinds: ClassVar[Mapping[str, Any]] = {}
    __signature__ = _Signature()

    def __init_subclass__(cls) -> None:
        """Collect the names and defaults of a class, after those of its base."""
        names, defaults, by_place = dict(cls._names), dict(cls._defaults), True
        for name, kind in cls.__annotations__.items():
            if name == "_":
                by_place = False
            elif "ClassVar" not in str(kind):  # of a text, or of the type itself
                names[name] = by_place
                if name in vars(cls):
                    defaults[name] = vars(cls)[name]
        cls._names, cls._defaults = names, defaults
        cls._kinds = {**cls._kinds, **{name: kind for name, kind in cls.__annotations__.items() if name in names}}
        cls._places = tuple(name for name in names if names[name])

    def __init__(self, *args: Any, **named: Any) -> None:
        """Take the values.

        Raises:
            TypeError: if one is missing, passed twice or unknown.
        """
        given = {**dict(zip(self._places, args, strict=False)), **named} if args else named
        values = {**self._defaults, **given}
        known = len(values) == len(self._names) and named.keys() <= self._names.keys()
        if not known or len(given) != len(args) + len(named):
            raise TypeError(self._fault(args, named))
        # Past the frozen class, and all at once: a codec makes hundreds of records.
        object.__setattr__(self, "__dict__", values)

    def _fault(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> str:
        placed = self._places[: len(args)]
        missing = [name for name in self._names if name not in {*self._defaults, *placed, *named}]
        wrong = {"missing": missing, "passed twice": named.keys() & {*placed}, "unknown": named.keys() - self._names}
        told = [f"{what}: {', '.join(sorted(names))}" for what, names in wrong.items() if names]
        return f"{type(self).__name__}: {'; '.join(told) or f'at most {len(placed)} values by position'}"

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with some values replaced."""
        own = vars(self)
        return type(self)(**{**{name: own[name] for name in self._names}, **changes})

    def set_values(self) -> Iterator[tuple[str, Any]]:
        """Yield the values that aren't defaults, by name."""
        for name in self._names:
            value = getattr(self, name)
            if name not in self._defaults or value != self._defaults[name]:
                yield name, value

    __repr__ = clean_repr
    __rich_repr__ = set_values
    __replace__ = evolve

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a record never changes."""
        raise FrozenInstanceError

    def __delattr__(self, name: str) -> None:
        """Refuse: a record never changes."""
        raise FrozenInstanceError
