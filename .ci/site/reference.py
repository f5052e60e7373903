"""The pages of reference: public names by room, and the command line from its help."""

from __future__ import annotations

import inspect
import re
import sys
from typing import TYPE_CHECKING, Any

import click
import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["api_pages", "command_page", "undocumented"]

# Page, title, a line about it, and the modules whose names stand on it. The longest of the modules that fit wins.
_PAGES = (
    (
        "convert",
        "Convert",
        "Read, write and convert documents, in memory and in files.",
        (
            "agentmsg.api",
            "agentmsg.files",
            "agentmsg.checking",
            "agentmsg.formats.sending",
            "agentmsg.registry",
            "agentmsg.embed",
            "agentmsg_codecs",
        ),
    ),
    ("messages", "Messages", "Messages, histories, and what they consist of.", ("agentmsg.model", "agentmsg.values")),
    ("blocks", "Blocks", "The content of messages.", ("agentmsg.model.blocks", "agentmsg.model.sources")),
    ("losses", "Losses", "What a conversion lost.", ("agentmsg.fitting",)),
    ("operations", "Operations", "Filter, trim, count and pair messages.", ("agentmsg.ops",)),
    ("streaming", "Streaming", "Messages that arrive in pieces.", ("agentmsg.stream",)),
    ("more", "More", "Names from rooms that have no page of their own.", ("agentmsg",)),
    ("errors", "Errors and limits", "All errors are AgentMsgErrors.", ("agentmsg.errors", "agentmsg.limits")),
)
_FACES = (
    ("formats", "For authors of codecs", "agentmsg.formats"),
    ("testing", "Test a codec", "agentmsg.testing"),
)

Names = dict[str, griffe.Object | griffe.Alias]


def _load(root: Path) -> griffe.Module:
    loader = griffe.GriffeLoader(
        search_paths=[str(root), str(root / "codecs")],
        extensions=griffe.load_extensions("attrs_classes"),
        docstring_parser=griffe.Parser.google,
    )
    loader.load("agentmsg_codecs")  # the names of codecs are its
    package = loader.load("agentmsg")
    loader.resolve_aliases(external=False)
    assert isinstance(package, griffe.Module)
    return package


def _public(module: griffe.Object | griffe.Alias) -> Names:
    """Return what a module's ``__all__`` names, dunders aside."""
    names = [each if isinstance(each, str) else each.name for each in module.exports or ()]
    return {f"{module.path}.{name}": module.members[name] for name in names if not name.startswith("__")}


def _named(package: griffe.Module) -> Names:
    """Return the public names of the package, and of its public modules those that it hasn't itself."""
    own = _public(package)
    inside = [_public(found) for found in own.values() if found.is_module]
    names = {path: found for path, found in own.items() if not found.is_module}
    homes = set(map(_home, names.values()))
    return names | {path: found for each in inside for path, found in each.items() if _home(found) not in homes}


def _home(found: griffe.Object | griffe.Alias) -> str:
    return found.target_path if isinstance(found, griffe.Alias) else found.path


def _page_of(home: str) -> str:
    """Return the page of a name, by the module where it lives."""
    fits = [
        (len(module), page)
        for page, _, _, modules in _PAGES
        for module in modules
        if f"{home}.".startswith(f"{module}.")
    ]
    return max(fits)[1]


def _is_on_a_page(module: griffe.Object | griffe.Alias) -> bool:
    """Whether a page has the names of a module already."""
    return any(_home(module) in modules for _, _, _, modules in _PAGES)


def _told_fields(cls: griffe.Object | griffe.Alias) -> set[str]:
    """Return the fields that the docstring of a class describes, or those of its bases."""
    told: set[str] = set()
    assert isinstance(cls, griffe.Class | griffe.Alias)
    for each in (cls, *cls.mro()):
        for section in each.docstring.parsed if each.docstring else ():
            if section.kind in {griffe.DocstringSectionKind.attributes, griffe.DocstringSectionKind.parameters}:
                told |= {entry.name for entry in section.value}
    return told


def _of_builtins(cls: griffe.Object | griffe.Alias) -> set[str]:
    """Return the methods that a class overrides of dict or list: everybody knows them."""
    assert isinstance(cls, griffe.Class | griffe.Alias)
    bases = [base for base in (dict, list) if any(str(each).startswith(base.__name__) for each in cls.bases)]
    return {name for base in bases for name in dir(base)}


def undocumented(path: str, found: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Yield the path of a name, and of each public member of it, that nothing describes."""
    if not found.has_docstring:
        yield path
    if found.is_class:
        told = _told_fields(found) | _of_builtins(found)
        for name, member in found.members.items():
            if not name.startswith("_") and not member.has_docstring and name not in told:
                yield f"{path}.{name}"
    elif found.is_module and not _is_on_a_page(found):
        for name, member in _public(found).items():
            yield from undocumented(name, member)


def _about(found: griffe.Object | griffe.Alias) -> str:
    """Return the first line of a docstring, fit for a cell."""
    line = found.docstring.value.strip().partition("\n")[0] if found.docstring else ""
    return line.replace("|", "\\|")


def _in_order(names: Names) -> list[tuple[str, griffe.Object | griffe.Alias]]:
    """Return functions first: they are what people look for."""
    return sorted(names.items(), key=lambda item: not item[1].is_function)


def _table(page: str, names: Names) -> Iterator[str]:
    yield "| name | |"
    yield "| --- | --- |"
    for path, found in _in_order(names):
        yield f"| [`{found.name}`]({page}.md#{path}) | {_about(found)} |"
    yield ""


def _page(title: str, about: str, names: Names) -> str:
    lines = [f"# {title}", "", about, ""]
    for path, found in _in_order(names):
        lines += [f"::: {path}", ""]
        if found.is_module and _is_on_a_page(found):
            lines[-1:] = ["    options:", "      members: false", ""]
    return "\n".join(lines)


def _index(pages: dict[str, tuple[str, str, Names]]) -> str:
    lines = ["# API reference", "", "`import agentmsg as am` has all names but those of the last two groups.", ""]
    for page, (title, _, names) in pages.items():
        lines += [f"## {title}", "", *_table(page, names)]
    return "\n".join(lines)


def api_pages(root: Path) -> dict[str, str]:
    """Return the pages about public names, by the names of their files.

    Raises:
        SystemExit: with the names that have no docstring.
    """
    package = _load(root)
    pages: dict[str, tuple[str, str, Names]] = {page: (title, about, {}) for page, title, about, _ in _PAGES}
    for page, title, module in _FACES:
        face = package[module.removeprefix("agentmsg.")]
        pages[page] = (title, f"`{module}`: {_about(face)}", _public(face))
    shown = {_home(found) for page, _, _ in _FACES for found in pages[page][2].values()}
    for path, found in _named(package).items():
        home = _home(found)
        if home not in shown:
            pages[_page_of(home)][2][path] = found
    pages = {page: each for page, each in pages.items() if each[2]}
    wrong = [
        each for _, _, names in pages.values() for path, found in names.items() for each in undocumented(path, found)
    ]
    if wrong:
        sys.exit("\n".join(f"no docstring: {each}" for each in wrong))
    return {"README.md": _index(pages), **{f"{page}.md": _page(*each) for page, each in pages.items()}}


def _prose(text: str | None) -> Iterator[str]:
    """Yield help as Markdown: a paragraph that click leaves as it is becomes a block of text."""
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        if paragraph.startswith("\b"):
            yield from ("```text", *paragraph.splitlines()[1:], "```", "")
        else:
            yield from (re.sub(r"([<>*_])", r"\\\1", paragraph), "")


def _cell(text: Any) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    records = [record for each in command.get_params(context) if (record := each.get_help_record(context))]
    rows = [f"| `{names}` | {_cell(words)} |" for names, words in records if words]
    if rows:
        yield from ("| option | meaning |", "| --- | --- |", *rows, "")


def _command(name: str, command: click.Command, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, parent=parent, info_name=name, **command.context_settings)
    yield f"## {name}"
    yield ""
    yield from ("```text", f"{name} {' '.join(command.collect_usage_pieces(context))}", "```", "")
    yield from _prose(command.help)
    yield from _options(command, context)
    yield from _prose(command.epilog)


def command_page() -> str:
    """Return the page about the command line."""
    from agentmsg.cli.program import program  # noqa: PLC0415 - the pages about Python need none of it

    lines = [
        "# Command line",
        "",
        "What `--help` prints. [The guide](../agentmsg/guides/command-line.md) explains it.",
        "",
    ]
    context = click.Context(program, info_name="agentmsg", **program.context_settings)
    commands = {f"agentmsg {name}": program.get_command(context, name) for name in program.list_commands(context)}
    lines += _command("agentmsg", program, None)
    for name, command in commands.items():
        assert command is not None
        lines += _command(name, command, context)
    return "\n".join(lines)
