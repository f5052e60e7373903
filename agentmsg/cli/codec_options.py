"""The options of a codec for people: values, default, and a line from the class's docstring."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats.codec import Codec

# An entry of an "Attributes:" section, with its indented continuation lines.
_ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {8,}.*)*)", re.MULTILINE)


@attrs.frozen
class Option:
    """One option of a codec.

    Attributes:
        name: as in ``am.get_codec("openai", thinking="text")`` and ``-O thinking=text``.
        values: all allowed values; empty if there is no such list.
        value: the codec's value: the default, unless another was chosen.
        about: one or two sentences; empty if no docstring describes it.
    """

    name: str
    values: tuple[Any, ...]
    value: Any
    about: str


def options_of(codec: Codec) -> list[Option]:
    """Return the options of a codec, in the order of its fields."""
    told = _told(type(codec))
    return [
        Option(field.name, _values(field.validator), getattr(codec, field.name), told.get(field.name, ""))
        for field in attrs.fields(type(codec))
        if field.init
    ]


def _values(validator: Any) -> tuple[Any, ...]:
    """Return the values that an attrs validator allows, if it lists them."""
    return tuple(getattr(validator, "options", None) or ())


def _told(cls: type[Any]) -> Mapping[str, str]:
    """Return the description of each attribute in the docstrings of a class and its bases."""
    told: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        text = inspect.cleandoc(each.__doc__ or "").partition("\nAttributes:\n")[2]
        told.update((name, _sentence(words)) for name, words in _ENTRY.findall(text))
    return told


def _sentence(words: str) -> str:
    """Return words on one line, with a capital letter in front."""
    line = " ".join(words.split())
    return line[:1].upper() + line[1:]
