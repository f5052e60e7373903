"""Shared options: each has one name, one letter and one meaning in all commands.

-f --from CODEC          the format that is read
-t --to CODEC            the format that is written (of diff: that of the second document)
-O --option NAME=VALUE   an option of the codec that writes
-o --output FILE         what is written, a folder where there are several; else stdout
   --force               replace files that are there
   --form FORM           how the input holds documents, whatever its name says
   --split               JSON input is an array of documents
   --limit NAME=NUMBER   how much is read of one document
-j --jobs N              number of worker processes
-q --quiet               errors only
   --json                JSON for programs
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from agentmsg.api.joining import EACH
from agentmsg.api.reading import Unknown
from agentmsg.errors import DecodeError, InvalidMessage
from agentmsg.files.file_names import STANDARD
from agentmsg.files.places import pointers
from agentmsg.fitting.allowing import WORDS
from agentmsg.limits import Limits
from agentmsg.registry import codec_names
from agentmsg.values.pointers import step_to
from agentmsg.values.text import parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")
# Where a command keeps the pointers of --thread until it reads --at.
_THREADS = "agentmsg.threads"
_LIMIT = re.compile(r"(bytes|depth|inline_media|line)=([0-9]{1,15})([KMG]?)")


class Named(StringParamType):
    """The name of something; shells complete it. The caller checks that it exists.

    Args:
        name: of what it names.
        known: returns the names, each with a line about it.
    """

    def __init__(self, name: str, known: Callable[[], Mapping[str, str | None]]) -> None:
        self.name = name
        self._known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the incomplete word."""
        found = self._known().items()
        return [CompletionItem(name, help=line) for name, line in found if name.startswith(incomplete)]


CODEC = Named("codec", lambda: dict.fromkeys(codec_names()))


def _pairs(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, Any], ...]:
    return tuple(map(_pair, texts))


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        msg = f"-O needs NAME=VALUE, not {text!r}"
        raise click.UsageError(msg)
    try:
        return name, parse_json(value)
    except DecodeError:
        return name, value


codec_options = click.option(
    "-O",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_pairs,
    help="Option of the output codec. VALUE is JSON, or else plain text.",
)
"""Gives a command the option ``-O NAME=VALUE``, as the parameter ``options``: pairs of name and value."""


def _words(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    words = sorted({word for text in texts for word in text.split(",")})
    if unknown := [word for word in words if word not in WORDS]:
        msg = f"--allow takes {', '.join(WORDS)}; not {unknown[0]!r}"
        raise click.UsageError(msg)
    return tuple(words)


allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="WORD",
    callback=_words,
    help="Kind of content that documents may lose, such as thinking or thinking,citations; those that would lose "
    "any other are refused. Repeatable.",
)
"""Gives a command the option ``--allow WORD``, as the parameter ``allow``: a tuple of words."""


def from_option(words: str) -> Callable[[_F], _F]:
    """Give a command the option ``-f CODEC``, as the parameter ``source``."""
    return click.option(
        "-f", "--from", "source", type=Named("codec", lambda: dict.fromkeys([*codec_names(), EACH])), help=words
    )


def at_option(command: _F) -> _F:
    """Give a command the options ``--at`` and ``--thread``, both as the parameter ``at``: JSON pointers."""
    threads = click.option(
        "--thread",
        multiple=True,
        metavar="ID",
        is_eager=True,
        expose_value=False,
        callback=_thread_pointers,
        help="Thread of a database that a framework keeps its conversations in (default: all). Repeatable.",
    )(command)
    return click.option(
        "--at",
        multiple=True,
        metavar="POINTER",
        callback=_pointers,
        help="JSON pointer to documents inside the input, such as /items/*/request; * matches every item or key, and "
        "~2 is a * in a key. Repeatable.",
    )(threads)


def _thread_pointers(ctx: click.Context, _: click.Parameter, given: tuple[str, ...]) -> None:
    ctx.meta[_THREADS] = tuple(map(step_to, given))


def _pointers(ctx: click.Context, _: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return pointers((*given, *ctx.meta.get(_THREADS, ())))
    except InvalidMessage as error:
        raise click.UsageError(error.message.replace("at must", "--at must", 1)) from None


join_option = click.option(
    "--join",
    is_flag=True,
    help="Read documents as parts of one conversation: those of each record if --at may find several in it, "
    "otherwise all of a file.",
)
"""Gives a command the option ``--join``, as the parameter ``join``."""

column_option = click.option(
    "--column",
    metavar="NAME",
    help='Column of a Parquet file that holds the documents; "*" for the whole row (default: detected).',
)
"""Gives a command the option ``--column``, as the parameter ``column``."""


def to_option(words: str, *, required: bool = False) -> Callable[[_F], _F]:
    """Give a command the option ``-t CODEC``, as the parameter ``codec``."""
    return click.option("-t", "--to", "codec", type=CODEC, required=required, help=words)


def output_option(words: str) -> Callable[[_F], _F]:
    """Give a command the options ``-o FILE``, as the parameter ``output``, and ``--force``."""

    def given(command: _F) -> _F:
        forced = click.option("--force", is_flag=True, help="Replace files that exist.")(command)
        return click.option(
            "-o", "--output", metavar="FILE", default=STANDARD, type=click.Path(), help=f"{words} (default: stdout)."
        )(forced)

    return given


encoding_option = click.option(
    "--encoding", metavar="NAME", help="Count tokens with this encoding of tiktoken (default: approximate)."
)
"""Gives a command the option ``--encoding``, as the parameter ``encoding``."""

unknown_option = click.option(
    "--unknown",
    type=click.Choice(get_args(Unknown)),
    default="keep",
    show_default=True,
    help="Keep keys, roles and types of blocks that the model has no place for, or refuse documents with such.",
)
"""Gives a command the option ``--unknown``, as the parameter ``unknown``."""


def with_options(command: _F, *options: Callable[[Any], Any]) -> _F:
    """Give a command several options, in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def form_option(command: _F) -> _F:
    """Give a command the option ``--form``, as the parameter ``form``, and ``--split`` for one of its values."""
    form = click.option(
        "--form",
        type=click.Choice(["array", "json", "jsonl", "msgpack", "parquet", "sqlite", "yaml"]),
        help="How the input holds documents (default: as its name says; for stdin and other names, json). array: the "
        "items of a JSON array.",
    )
    split = click.option("--split", "form", flag_value="array", help="The same as --form array.")
    return with_options(command, form, split)


def limits_option(command: _F) -> _F:
    """Give a command the option ``--limit NAME=NUMBER``, as the parameter ``limits``."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=NUMBER",
        callback=_limits,
        help="Raise or lower a limit: bytes of a document, or of a line; depth; inline_media. K, M and G may follow "
        "the number. Repeatable.",
    )(command)


def _limits(_: click.Context, __: click.Parameter, texts: tuple[str, ...]) -> Limits:
    found = list(map(_LIMIT.fullmatch, texts))
    if None in found:
        msg = f"--limit takes bytes, depth, inline_media or line, such as bytes=256M; not {texts[found.index(None)]!r}"
        raise click.UsageError(msg)
    try:
        return Limits(**{each[1]: int(each[2]) << 10 * " KMG".index(each[3] or " ") for each in found if each})
    except InvalidMessage as error:
        raise click.UsageError(f"--limit: {error.message}") from None


jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Number of worker processes (default: 1).",
)
"""Gives a command the option ``--jobs N``, as the parameter ``jobs``."""


_OF_EACH = 'The format of all documents, or "each" to detect that of each document (default: detected by file).'


def reading_options(words: str = _OF_EACH) -> Callable[[_F], _F]:
    """Give a command the options for files to look at, as the parameters of ``files.plan.Input``."""
    return lambda command: with_options(
        command, from_option(words), form_option, at_option, join_option, column_option, unknown_option, limits_option
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
"""Gives a command the option ``--json``, as the parameter ``as_json``."""


def losses_key_option(words: str) -> Callable[[_F], _F]:
    """Give a command the option ``--losses-key``, as the parameter ``losses_key``."""
    return click.option("--losses-key", metavar="KEY", help=words)


quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
"""Gives a command the option ``-q``, as the parameter ``quiet``."""
