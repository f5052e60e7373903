"""The Markdown in codecs/ is generated from the codecs, and is up to date."""

from __future__ import annotations

import json
import re

import pytest

import agentmsg as am
import agentmsg_codecs
from agentmsg.cli.formats import options_of
from support.codec_pages import AUTHORS, FOLDER, CodecPage, pages

NAMES = list(agentmsg_codecs.CODECS)
REFUSED = "What the provider refuses"
SECTIONS = ["Documents", "Example", "Mapping", "Options", "What it supports", REFUSED, "Conversions"]
# Without its tables, which grow with each format.
MOST_LINES_OF_THE_INDEX = 35


@pytest.fixture(scope="module")
def text() -> dict[str, str]:
    """Return the generator's present output."""
    return pages()


def test_are_up_to_date(text: dict[str, str]) -> None:
    """Each file is the generator's output: ``python -m support.codec_pages``."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")} == text


def test_are_the_same_each_time(text: dict[str, str]) -> None:
    """The generator depends on nothing but the codecs."""
    assert pages() == text


def test_every_codec_has_a_page(text: dict[str, str]) -> None:
    """The table of codecs is the list of pages; the index names each, and stays short."""
    assert text.keys() == {"README.md", "conversions.md", *(f"{name}.md" for name in NAMES)}
    index = text["README.md"].partition(AUTHORS)[0]
    assert re.findall(r"^\| \[`(.+?)`\]\(\1\.md\) \|", index, re.MULTILINE) == NAMES
    assert sum(not line.startswith("| [") for line in index.splitlines()) <= MOST_LINES_OF_THE_INDEX


@pytest.mark.parametrize("name", NAMES)
def test_pages_are_of_one_shape(text: dict[str, str], name: str) -> None:
    """A page has the title of the codec, and the same sections in the same order."""
    page = text[f"{name}.md"]
    assert page.startswith(f"# {am.get_codec(name).title}\n")
    sections = [each for each in SECTIONS if each != REFUSED or am.get_codec(name).rules]
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == sections


@pytest.mark.parametrize("name", NAMES)
def test_codecs_tell_what_they_map_and_follow(name: str) -> None:
    """The docstring of a codec has a mapping, and names the version of the library or specification that it follows."""
    told = CodecPage.of(am.get_codec(name))
    assert told.mapping.startswith("| ")
    assert re.match(r"Follows .*\d", told.follows)


@pytest.mark.parametrize("name", NAMES)
def test_options_are_described(text: dict[str, str], name: str) -> None:
    """Each option is on the page with its values, default and meaning."""
    codec = am.get_codec(name)
    for option in options_of(codec):
        assert option.about
        assert option.value == getattr(codec, option.name)
        options = text[f"{name}.md"].partition("\n## Options\n")[2]
        row = next(line for line in options.splitlines() if line.startswith(f"| `{option.name}` |"))
        assert all(f"`{value}`" in row for value in option.values)


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_read(text: dict[str, str], name: str) -> None:
    """The document of a page, read by its codec, is the canonical form beside it."""
    first, *others = map(json.loads, re.findall(r"^```json\n(.+?)^```", text[f"{name}.md"], re.MULTILINE | re.DOTALL))
    for canonical in others:
        assert am.encode(am.decode(first, am.get_codec(name)), "json") == canonical
    assert len(others) == (name != "json")


@pytest.mark.parametrize("name", ["json", "msgpack"])
def test_canonical_forms_are_exact(text: dict[str, str], name: str) -> None:
    """The canonical forms lose nothing, neither of the tour nor of any other format."""
    assert f"| [`{name}`]({name}.md#conversions) | exact |" in text["conversions.md"]
    for other in NAMES:
        if other != name:
            assert f"| [`{name}`]({name}.md) | exact |" in text[f"{other}.md"]
            assert f"| [`{other}`]({other}.md) |" in text[f"{name}.md"]
