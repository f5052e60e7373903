"""``agentmsg formats``: the known formats, and what each supports."""

from __future__ import annotations

import inspect
import re
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import click

from agentmsg.cli.options import CODEC
from agentmsg.cli.output import Output, reporting, write_json
from agentmsg.cli.terminal import aligned, printable, say
from agentmsg.errors import AgentMsgError, CodecLookupError, is_a
from agentmsg.formats.capabilities import ANY_ROLE, KEEP
from agentmsg.formats.forms.tables import mapped_by, mapping_of
from agentmsg.model.base import BaseBlock
from agentmsg.model.blocks import BLOCK_TAGS, NativeBlock, ToolResultBlock
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.settings import Settings
from agentmsg.registry import codec_names, get_codec

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from agentmsg.formats.capabilities import Caps, Row
    from agentmsg.formats.codec import Codec
    from agentmsg.formats.forms.tables import Mapped

_WIDTH = 100
_PLAIN = (str, int, float, type(None))

_EXAMPLES = """\b
Examples:
  agentmsg formats
  agentmsg formats openai anthropic
  agentmsg formats anthropic --code
  agentmsg formats --json
"""


@click.command("formats", short_help="List the formats, and what each supports.", epilog=_EXAMPLES)
@click.argument("codecs", metavar="[CODEC]...", nargs=-1, type=CODEC)
@reporting
@click.option(
    "--code", "as_code", is_flag=True, help="Print the generated code of formats that are described in forms."
)
def command(*, codecs: tuple[str, ...], out: Output, as_code: bool) -> None:
    """List the formats. Name some to see the options of each, and what it supports.

    In the tables, "yes" means always supported. "if" means supported where the format has a place for the value.
    "rule" means rewritten by a rule, and reported. "no" means lost, and reported.
    """
    if as_code and (out.as_json or not codecs):
        raise click.UsageError("--code is Python, not JSON" if out.as_json else "--code: name a format")
    out.check()
    chosen = [get_codec(name) for name in codecs] if codecs else _available()
    code = [_code(codec) for codec in chosen] if as_code else []
    with out.printed():
        if as_code:
            click.echo("\n\n".join(code), nl=False)
        elif out.as_json:
            _print_json(chosen)
        else:
            _print(chosen, has_tables=bool(codecs))


def _code(codec: Codec) -> str:
    """Return the generated code of a format.

    Raises:
        CodecLookupError: if it isn't described in forms.
    """
    if not codec.described:
        raise CodecLookupError("this format isn't described in forms", code="option", codec=codec.name)
    return "\n\n".join(described.code() for described in codec.described)


def _print(codecs: list[Codec], *, has_tables: bool) -> None:
    rows = [(codec.name, codec.title, codec.family, summary(codec.caps)) for codec in codecs]
    click.echo("\n".join(aligned([("NAME", "TITLE", "FAMILY", "SUPPORTS"), *rows])))
    if has_tables:
        for codec in codecs:
            _print_tables(codec)


def _available() -> list[Codec]:
    """Return all available codecs; report why others aren't."""
    found: list[Codec] = []
    for name in codec_names():
        try:
            codec = get_codec(name)
            summary(codec.caps)
        except Exception as error:  # noqa: BLE001 - whatever another package raises
            say(f"skipped: {error if is_a(error, AgentMsgError) else f'{name}: {type(error).__name__}: {error}'}")
        else:
            found.append(codec)
    return found


def _print_tables(codec: Codec) -> None:
    for option in options_of(codec):
        click.echo(f"\n{codec.name}: option {_choices(option)}")
        click.echo(fill(printable(option.about), _WIDTH))
    mapped = filter(None, (mapped_by(codec), *map(mapping_of, codec.described)))
    for title, rows in (*(("mapping", _mapping(each)) for each in mapped), *tables(codec.caps)):
        click.echo("\n".join([f"\n{codec.name}: {title}", *aligned(rows)]))


def _mapping(mapped: Sequence[Mapped]) -> list[tuple[str, ...]]:
    """Return the table of native keys, grouped below the names of native objects."""
    rows: list[tuple[str, ...]] = [("NATIVE", "AGENTMSG")]
    for each in mapped:
        rows += [(each.native, each.cls), *((f"  {key}", told) for key, told in each.keys)]
    return rows


def _choices(option: Option) -> str:
    words = "|".join(map(str, option.values)) or type(option.value).__name__
    return printable(f"{option.name}={words} (default {option.value})")


def _print_json(codecs: list[Codec]) -> None:
    listing: list[dict[str, Any]] = [
        {
            "name": codec.name,
            "title": codec.title,
            "family": codec.family,
            "binary": codec.binary,
            "carries": tables_as_data(codec.caps),
            "options": [_as_data(option) for option in options_of(codec)],
        }
        for codec in codecs
    ]
    write_json(listing)


def _as_data(option: Option) -> dict[str, Any]:
    """Return an option as plain data; values that JSON can't hold are texts."""
    values = [each if isinstance(each, _PLAIN) else str(each) for each in (*option.values, option.value)]
    return {"name": option.name, "values": values[:-1], "default": values[-1], "about": option.about}


# -- capability tables for people

Table: TypeAlias = "list[tuple[str, ...]]"
Rows: TypeAlias = "Mapping[type[BaseBlock], Row]"

_YES, _IF, _RULE, _NO = "yes", "if", "rule", "no"
_STRUCTURE = {"role", "content", "messages", "notes"}
_EVERYTHING = "everything"
# A codec without a table.
_MEASURED = "what comes back"


def _block_classes() -> list[type[Any]]:
    """Return agentmsg's own block classes: those that others register come and go."""
    return [cls for cls in BLOCK_TAGS if cls.__module__.split(".", 1)[0] == "agentmsg"]


def _fields(cls: type[Any], but: Collection[str] = _STRUCTURE) -> list[str]:
    names = (field.alias or field.name for field in attrs.fields(cls) if field.init)
    return [name for name in names if name not in but]


def _word(cell: Any) -> str:
    return _NO if cell is None else _YES if cell is KEEP else _IF


def _row_of(rows: Rows, cls: type[Any]) -> Row | None:
    return rows.get(cls) or (rows.get(BaseBlock) if cls is not NativeBlock else None)


def _of_block(rows: Rows, cls: type[Any]) -> str:
    own = _row_of(rows, cls)
    if own is None:
        return _NO
    return _YES if own.otherwise is None else _RULE


def _block_columns(caps: Caps) -> dict[str, Rows]:
    """Return the rows of blocks by role, and those of blocks inside the results of tool messages."""
    columns = {_title(role): row.blocks for role, row in caps.messages.items()}
    tool = caps.row("tool")
    if tool is not None:
        columns["in results"] = tool.blocks if tool.results is None else tool.results
    return columns


def _title(role: str) -> str:
    return "others" if role == ANY_ROLE else role


def _message_fields(caps: Caps) -> Table:
    rows = {_title(role): row.fields for role, row in caps.messages.items()}
    lines = [(name, *(_word(fields.get(name)) for fields in rows.values())) for name in _fields(Msg)]
    return [("", *rows), *lines]


def _blocks(caps: Caps) -> Table:
    columns = _block_columns(caps)
    lines = [(cls.__name__, *(_of_block(rows, cls) for rows in columns.values())) for cls in _block_classes()]
    return [("", *columns), *lines]


def _block_fields(caps: Caps) -> Table:
    """Return the fields of each block class that is supported anywhere, by how they are supported."""
    lines: Table = [("", _YES, _IF, _NO)]
    for cls in _block_classes():
        rows = [row for rows in _block_columns(caps).values() if (row := _row_of(rows, cls)) is not None]
        if rows:
            words: dict[str, list[str]] = {_YES: [], _IF: [], _NO: []}
            for name in _fields(cls, but=("notes",)):
                found = {_word(row.fields.get(name)) for row in rows}
                # The blocks inside a result have their own table; they aren't reset as a whole.
                always = cls is ToolResultBlock and name == "content"
                words[_YES if always else found.pop() if len(found) == 1 else _IF].append(name)
            lines.append((cls.__name__, *(", ".join(names) for names in words.values())))
    return lines


def _history_fields(caps: Caps) -> Table:
    tools = _NO if "tools" not in caps.history else _IF if len(caps.tools) == 1 else _YES
    apart = {"tools": tools, "settings": _NO if caps.settings is None else _IF}
    lines = [(name, apart.get(name) or _word(caps.history.get(name))) for name in _fields(History)]
    return [("", "supported"), *lines]


def _overall(caps: Caps) -> str | None:
    """Return what stands for the tables of a format; None if it has tables."""
    return _MEASURED if caps.measured else _EVERYTHING if caps.everything else None


def tables(caps: Caps) -> Iterator[tuple[str, Table]]:
    """Yield the tables of a format, each with its title; none if it supports everything, or has no table."""
    if _overall(caps) is not None:
        return
    yield "fields of messages, by role", _message_fields(caps)
    yield "blocks, by role", _blocks(caps)
    yield "fields of blocks", _block_fields(caps)
    yield "fields of histories", _history_fields(caps)
    if caps.settings is not None:
        names = [name for name in _fields(Settings) if name != "extras"]
        lines = [(name, _word(caps.settings.fields.get(name))) for name in names]
        yield "settings of requests", [("", "supported"), *lines]


def summary(caps: Caps) -> str:
    """Return a short summary of what a format supports."""
    if (overall := _overall(caps)) is not None:
        return overall
    classes = _block_classes()
    columns = _block_columns(caps).values()
    blocks = sum(any(_of_block(rows, cls) != _NO for rows in columns) for cls in classes)
    fields = sum(any(word != _NO for word in line[1:]) for line in _message_fields(caps)[1:])
    roles = (
        "any role" if ANY_ROLE in caps.messages else f"{len(caps.messages)} role{'s' if len(caps.messages) > 1 else ''}"
    )
    return f"{roles}, {fields} of {len(_fields(Msg))} fields, {blocks} of {len(classes)} block classes"


def tables_as_data(caps: Caps) -> Any:
    """Return the tables as plain data: title, row, column; or "everything"."""
    return _overall(caps) or {
        title: {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}
        for title, rows in tables(caps)
    }


# -- the options of a codec for people

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
    fields: list[Any] = [field for field in attrs.fields(type(codec)) if field.init]
    # A validator may list the values that it allows.
    values = [tuple(getattr(field.validator, "options", None) or ()) for field in fields]
    return [
        Option(field.name, allowed, getattr(codec, field.name), told.get(field.name, ""))
        for field, allowed in zip(fields, values, strict=True)
    ]


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
