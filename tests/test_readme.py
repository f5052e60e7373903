"""README.md and the guides: every example runs and gives its claimed result, every link works, every table is true.

The examples of a file run in order, in one folder and one namespace. After an expression in a ``python`` block,
``# -> value`` claims its repr, and ``# raises Name`` the class of its error. A block marked
``python fastapi`` runs if that package is installed, and compiles anywhere; one marked ``python recipes`` compiles
here, and runs in tests/real. A ``console`` block holds commands (after ``$``) with their whole output. ``sh`` blocks
are for set-up and don't run here, except those of README.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli.guide import guides
from agentmsg.cli.program import program
from agentmsg.errors import CODES
from support.examples import CORE, ROOT, Example, examples, located, run_python, text_of
from support.providers import playing

if TYPE_CHECKING:
    from collections.abc import Iterator

README = "README.md"
GUIDES = sorted(f"agentmsg/guides/{path.name}" for path in (CORE / "guides").glob("*.md"))
AUTHORS = "codecs/README.md"
RUN = [README, *GUIDES, AUTHORS]
READ = [
    *RUN,
    ".github/CONTRIBUTING.md",
    ".github/SECURITY.md",
    "agentmsg/README.md",
    "benchmarks/README.md",
    *sorted(f"codecs/{path.name}" for path in (ROOT / "codecs").glob("*.md") if path.name != README),
    "tests/README.md",
]
MOST_LINES = 150
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def prose(name: str) -> str:
    """Return the text of a file without its fenced blocks and comments."""
    return re.sub(r"^```.*?^```$|<!--.*?-->", "", text_of(name), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def _clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the examples in the same place as in a clone."""
    shutil.copytree(ROOT / "tests" / "examples", tmp_path / "tests" / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def provider() -> Iterator[dict[str, str]]:
    """Play the providers that the examples ask; return how their SDKs find them."""
    with playing() as variables:
        yield variables


def run_console(example: Example) -> int:
    """Run the commands of a block, and compare their output on both streams together; return their number."""
    parts = example.text.removeprefix("$ ").split("\n$ ")
    for part in parts:
        command, _, expected = part.partition("\n")
        name, *arguments = shlex.split(command)
        assert name == "agentmsg", command
        done = CliRunner().invoke(program, arguments, prog_name=name)
        assert done.output.rstrip("\n") == expected, f"{example.file}:{example.line} {command}"
    return len(parts)


@pytest.mark.parametrize("name", RUN)
def test_examples_are_true(name: str, monkeypatch: pytest.MonkeyPatch, provider: dict[str, str]) -> None:
    """The examples of a file run in order, and give each value, error and line that they claim."""
    for variable, value in provider.items():
        monkeypatch.setenv(variable, value)
    module = ModuleType("an_example")
    # cattrs and dataclasses look up a class's annotations in its module.
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for example in examples(name):
        has_all = all(map(_is_there, example.needs))
        if example.language == "console" and has_all:
            assert run_console(example)
        elif example.language == "python":
            if has_all:
                assert run_python(example, vars(module)), f"{name}:{example.line} proves nothing: it claims nothing"
            else:
                compile(example.text, name, "exec", dont_inherit=True)


def _is_there(package: str) -> bool:
    """Whether a package is installed; of one inside another, the other may be missing."""
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("name", READ)
def test_languages_are_known(name: str) -> None:
    """Each block is marked with its kind, so that none escapes: an example, or a drawing."""
    known = {"python", "console", "json", "sh", "", "text", "toml"}
    assert not [f"{name}:{each.line}" for each in examples(name) if each.language not in known]


def test_the_format_is_that_short() -> None:
    """The codec on the page for authors has at most 150 lines: all blocks up to the first that tests it."""
    blocks = [each.text for each in examples(AUTHORS) if each.language == "python"]
    codec = next(number for number, text in enumerate(blocks) if "check_codec" in text)
    assert sum(len(text.splitlines()) for text in blocks[:codec]) <= MOST_LINES


def test_what_the_first_guide_restores_is_the_same() -> None:
    """The console examples restore the JSON value of the original."""
    for example in examples("agentmsg/guides/first-steps.md"):
        if example.language == "console":
            run_console(example)
    original, again = Path("tests/examples/refund.json"), Path("refund.again.json")
    assert am.dumps(am.loads(original.read_bytes(), "json"), "json") == again.read_bytes()


def test_set_up_converts_and_accounts() -> None:
    """The set-up commands that call agentmsg succeed; one loses nothing, one reports its losses."""
    (block,) = [each.text for each in examples(README) if each.language == "sh" and "agentmsg convert" in each.text]
    outputs: list[str] = []
    for command in block.replace("\\\n", " ").split("&&"):
        name, *arguments = shlex.split(command)
        if name == ".venv/bin/agentmsg":
            done = CliRunner().invoke(program, arguments, prog_name="agentmsg")
            assert done.exit_code == 0, done.output
            outputs.append(done.stderr)
    assert len(outputs) == 2
    assert "nothing lost" in outputs[0]
    assert "annotation losses" in outputs[1]
    assert Path("weather.losses.jsonl").is_file()


def test_test_command_is_marked() -> None:
    """CI's test command is the one in README."""
    marked = text_of(README).split("<!-- test-command -->")[1]
    command = marked.split("<!-- /test-command -->")[0].strip().removeprefix("```sh").removesuffix("```").strip()
    assert command == "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest"


def test_readme_is_short() -> None:
    """README has at most 150 lines, and the guides have the rest."""
    assert len(text_of(README).splitlines()) <= MOST_LINES


def _anchors(name: str) -> set[str]:
    """Return the anchors of a file's headings, as GitHub makes them."""
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose(name)))
    return {heading.strip().replace(" ", "-") for heading in kept}


def _broken(name: str) -> list[str]:
    """Return the broken links of a file."""
    broken: list[str] = []
    for link in _LINK.findall(prose(name)):
        if re.match(r"https?://", link):
            continue
        target, _, anchor = link.partition("#")
        path = Path(name).parent.joinpath(target) if target else Path(name)
        # Folders above the repository's don't count: "a/../b" is "b".
        full = path.as_posix()
        while ".." in full.split("/"):
            full = re.sub(r"(^|/)(?!\.\.(/|$))[^/]+/\.\.(/|$)", r"\1", full, count=1)
        found = located(full)
        if not found.exists() or (anchor and anchor not in _anchors(full)):
            broken.append(f"{name}: {link}")
    return broken


@pytest.mark.parametrize("name", READ)
def test_links_lead_somewhere(name: str) -> None:
    """Each link between files of the repository names an existing file, and a heading in it."""
    assert _broken(name) == []


def test_every_guide_is_listed() -> None:
    """The list of guides names each file of the folder once, and README links to it."""
    assert sorted(f"agentmsg/guides/{name}.md" for name in guides()) == [name for name in GUIDES if name[-9:] != README]
    assert set(_LINK.findall(text_of(README))) >= {name for name in GUIDES if name[-9:] != README}


@pytest.mark.parametrize("name", [name for name in GUIDES if name[-9:] != README])
def test_guides_begin_alike(name: str) -> None:
    """A guide begins with its title and its purpose in a line or two."""
    title, blank, about, *_ = text_of(name).splitlines()
    assert re.match(r"# \w", title)
    assert not blank
    assert about.strip()


def test_extras_exist() -> None:
    """Each extra in an install command is one of the project's."""
    pyproject = ROOT / "pyproject.toml"
    if not pyproject.is_file():
        pytest.skip("an installed wheel is tested: pyproject.toml stands in the checkout only")
    extras = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {
        extra
        for name in READ
        for several in re.findall(r"(?:agentmsg|'\.)\[([\w,]+)\]", text_of(name))
        for extra in several.split(",")
    }
    assert named <= set(extras)
    assert "cli" in named


def _rows(name: str, heading: str) -> dict[str, str]:
    """Return the first two columns of the table in a section."""
    text = text_of(name).split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", text, re.MULTILINE))


def test_error_codes_are_all_told() -> None:
    """The table of error codes is that of agentmsg.errors."""
    assert _rows("agentmsg/guides/errors.md", "Error codes") == dict(CODES)


def test_formats_are_all_told() -> None:
    """The table of formats names every codec that ships with agentmsg."""
    import agentmsg_codecs

    table = text_of(README).split("\n## Formats\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)
    named = [name for cell in cells for name in re.findall("`([^`]+)`", cell)]
    assert named == sorted(agentmsg_codecs.CODECS, key=["json", "msgpack"].count, reverse=True)


def test_commands_are_all_told() -> None:
    """The table of commands names every command, with its line in --help."""
    lines = CliRunner().invoke(program, ["--help"]).stdout.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    told = dict(line.split(maxsplit=1) for line in lines)
    assert _rows("agentmsg/guides/command-line.md", "Commands") == told


def test_examples_are_found() -> None:
    """There are examples of each kind: a change of markup loses none."""
    found = [each for name in RUN for each in examples(name)]
    assert len([each for each in found if each.language == "python"]) >= 30
    assert len([each for each in found if each.language == "console"]) >= 8
    assert {each.language for each in examples(README)} >= {"python", "console", "sh"}


def test_examples_can_fail() -> None:
    """A false claim about a value, an error, an output or a link fails."""
    with pytest.raises(AssertionError, match=r"README\.md:1"):
        run_python(Example("python", (), "1 + 1  # -> 3", README, 0), {})
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_python(Example("python", (), "1 / 0  # raises KeyError", README, 0), {})
    with pytest.raises(AssertionError, match="nothing"):
        run_python(Example("python", (), "1 / 1  # raises KeyError", README, 0), {})
    with pytest.raises(AssertionError, match=r"README\.md:0 agentmsg detect"):
        run_console(Example("console", (), "$ agentmsg detect nothing.json\nnothing.json:  json 1.00", README, 0))


def test_the_history_of_langchain_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangChain itself reads the example of a LangChain history, and writes it the same."""
    import json

    from langchain_core import messages

    document = json.loads((ROOT / "tests/examples/lisbon.json").read_bytes())
    assert messages.messages_to_dict(messages.messages_from_dict(document)) == document
