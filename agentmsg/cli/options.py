"""Options that several commands take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from agentmsg._registry import codec_names
from agentmsg.errors import DecodeError
from agentmsg.json_text import parse_json

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CODEC", "codec_options"]

_F = TypeVar("_F", bound="Callable[..., Any]")


class _Codec(StringParamType):
    """The name of a format; shells complete it. Whether there is one is said by whoever looks it up."""

    name = "codec"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin so."""
        return [CompletionItem(name) for name in codec_names() if name.startswith(incomplete)]


CODEC = _Codec()


def _pairs(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
    return tuple(map(_pair, texts))


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        msg = f"-o needs NAME=VALUE, not {text!r}"
        raise click.UsageError(msg)
    try:
        return name, parse_json(value)
    except DecodeError:
        return name, value


def codec_options(command: _F) -> _F:
    """Give a command the option ``-o NAME=VALUE``, as the parameter ``options``: pairs of name and value."""
    return click.option(
        "-o",
        "--option",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_pairs,
        help="An option of the codec that writes; VALUE is JSON or, where it is none, a text.",
    )(command)
