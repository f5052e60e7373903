"""The commands that inspect data: stats, diff, schema, detect, formats, completion; and the cost of --help."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.optional import install
from agentmsg_codecs.canonical.schema import json_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = Path(__file__).parent / "examples"
LISBON, REFUND, WEATHER = (str(EXAMPLES / f"{name}.json") for name in ("lisbon", "refund", "weather"))
COMMANDS = ("check", "completion", "convert", "detect", "diff", "formats", "restore", "schema", "stats")
EVIL = "\x1b[31m[red]$x$\u202e"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Work in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


def run(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def saved(name: str, *histories: am.History) -> str:
    """Write histories to a file, one per line; return its name."""
    Path(name).write_bytes(b"\n".join(am.dumps(history, "json") for history in histories))
    return name


def evil() -> am.History:
    """Return a history with names that a terminal or a plot could obey."""
    call = am.ToolUseBlock("c1", EVIL, {})
    result = am.ToolResultBlock("c1", "no", error="no")
    return am.History([am.Msg.chat(EVIL, EVIL), am.Msg("assistant", (call,)), am.Msg("tool", (result,))])


def rows(output: str) -> dict[str, list[str]]:
    """Return the cells of all rows of all tables by their first cell."""
    lines = [line.split("  ") for line in output.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return {line[0]: line[1:] for line in cells if len(line) > 1}


# -- stats
# ----------------------------------------------------------------------------------------------------------


def test_stats_tell_what_files_hold() -> None:
    """All files are counted together: roles, formats, tools with their errors, usage."""
    done = run("stats", LISBON, REFUND, WEATHER)
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("3 conversations, 21 messages, 3 formats\n")
    found = rows(done.stdout)
    assert found["langchain"] == ["1", "10"]
    assert found["assistant"][:2] == ["8", "38%"]
    assert found["search_flights"] == ["2", "2", "1", "50.0%"]
    assert found["input tokens"] == ["3,764", "6 messages"]


def test_stats_as_json() -> None:
    """With --json programs get the same numbers, without a table."""
    data = json.loads(run("stats", LISBON, "--json").stdout)
    stats = am.loads(Path(LISBON).read_bytes(), "langchain").stats()
    assert (data["histories"], data["messages"], data["unreadable"]) == (1, stats.messages, 0)
    assert {role: entry["count"] for role, entry in data["by_role"].items()} == dict(stats.by_role)
    assert data["lengths"]["max"] == max(stats.lengths)
    assert data["tools"]["search_flights"]["error_rate"] == 0.5
    assert data["tokens_a_history"]["max"] == stats.tokens


def test_stats_count_tokens_of_tools_and_media() -> None:
    """Tokens of conversations are those of a prompt; those of tools and of media have a row of their own."""
    picture = am.Msg("user", [am.ImageBlock(am.URLSource("https://example.com/x.png"))])
    name = saved("a.jsonl", am.History.of("hi"), am.History([picture], tools=[am.ToolSpec("add")]))
    found = rows(run("stats", name).stdout)
    assert found["tokens"] == ["5", "91", "91", "91"]
    assert found["tokens of tools"] == ["2"] * 4
    assert found["tokens of media"] == ["85"] * 4
    refused = run("stats", name, "--encoding", "o300k")
    assert (refused.exit_code, "no encoding 'o300k'" in refused.stderr) == (2, True)


def test_stats_read_a_history_a_line() -> None:
    """A file whose name ends in .jsonl holds one document per line; empty lines don't count."""
    one, other = am.History.of("a"), am.History.of("b", "c")
    name = saved("a.jsonl", one, other)
    Path(name).write_bytes(Path(name).read_bytes() + b"\n\n")
    data = json.loads(run("stats", name, "--from", "json", "--json").stdout)
    assert (data["histories"], data["messages"]) == (2, 3)


@pytest.mark.parametrize("name", ["a.msgpack", "a.msgpack.gz"])
def test_stats_read_what_convert_writes(name: str) -> None:
    """Frames and compressed files are read too."""
    saved("a.jsonl", am.History.of("a"), am.History.of("b", "c"))
    assert run("convert", "a.jsonl", "-o", name, "--to", "msgpack").exit_code == 0
    data = json.loads(run("stats", name, "--json").stdout)
    assert (data["histories"], data["messages"]) == (2, 3)


def test_stats_tell_and_leave_out_what_cannot_be_read() -> None:
    """A bad line and a missing file are reported with their place; the others count, and the exit code is 1."""
    Path("a.jsonl").write_bytes(b'[{"role":"user"}]\n[{"role":7}]\n[{"role":"user"}]\n')
    done = run("stats", "a.jsonl", "nope", "--from", "json", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["messages"] == 2
    assert json.loads(done.stdout)["unreadable"] == 2
    assert done.stderr.splitlines() == [
        "agentmsg: error [type] a.jsonl, line 2: json, /0/role: a role is needed, not 7",
        "agentmsg: error [file] nope: No such file or directory",
    ]


def test_stats_need_a_format_that_is_known() -> None:
    """An unknown format is one error, not one for each document."""
    done = run("stats", LISBON, REFUND, "--from", "langchian")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "did you mean langchain" in done.stderr


def test_stats_of_unclear_documents_need_from() -> None:
    """A document of no known format, or of several, is reported with the option that helps."""
    assert "name it with --from" in run("stats", "-", given=b'[{"odd": 1}]').stderr


def test_stats_of_nothing() -> None:
    """An empty history is counted too."""
    done = run("stats", saved("a.json", am.History()))
    assert (done.exit_code, done.stdout) == (0, "1 conversation, 0 messages, 1 format\n")


def test_stats_obey_no_data() -> None:
    """Names of roles and tools are escaped, and aren't read as markup."""
    done = run("stats", saved("a.json", evil()))
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert rows(done.stdout)["\\x1b[31m[red]$x$\\u202e"][-4:] == ["1", "1", "1", "100.0%"]


@pytest.mark.slow
@pytest.mark.parametrize("files", [[LISBON, REFUND, WEATHER], ["a.json"], ["b.json"]])
def test_stats_are_drawn(files: list[str]) -> None:
    """A plot is a complete picture of the kind in its name, for any history, and always the same."""
    saved("a.json", evil())
    saved("b.json", am.History())
    assert run("stats", *files, "--plot", "p.svg").exit_code == 0
    first = Path("p.svg").read_bytes()
    assert ET.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file
    run("stats", *files, "--plot", "p.svg")
    assert Path("p.svg").read_bytes() == first
    assert run("stats", *files, "--plot", "p.png").exit_code == 0
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_stats_draw_known_kinds_only() -> None:
    """A plot of another kind is a usage error; a missing folder is an error."""
    assert run("stats", LISBON, "--plot", "p.txt").exit_code == 2
    assert run("stats", LISBON, "--plot", "no/such/folder.svg").exit_code == 1


@pytest.mark.parametrize(
    ("missing", "args", "extra"),
    [("matplotlib", ["stats", LISBON, "--json", "--plot", "p.svg"], "plot"), ("rich", ["stats", LISBON], "cli")],
)
def test_missing_packages_are_told(
    monkeypatch: pytest.MonkeyPatch, missing: str, args: Sequence[str], extra: str
) -> None:
    """A command without its package prints the install command in one line, and exits with 2."""
    for name in list(sys.modules):
        if name.partition(".")[0] == missing or name == "agentmsg.cli.stats_plot":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    done = run(*args)
    assert (done.exit_code, done.stderr) == (
        2,
        f"agentmsg: this command needs the package {missing}: {install(extra)}\n",
    )


# -- diff
# ----------------------------------------------------------------------------------------------------------


def changed() -> str:
    """Write the example of a refund with one word changed; return the file's name."""
    Path("b.json").write_bytes(Path(REFUND).read_bytes().replace(b"charged twice", b"charged two times"))
    return "b.json"


def test_diff_of_the_same_is_quiet() -> None:
    """Two histories that are the same exit with 0, in whatever formats they are."""
    assert (run("diff", REFUND, REFUND).stdout, run("diff", REFUND, REFUND).exit_code) == ("no differences\n", 0)
    run("convert", LISBON, "-o", "a.json", "--to", "json")
    assert run("diff", LISBON, "a.json").exit_code == 0


def test_diff_tells_words() -> None:
    """A changed text is shown word by word, below its path; the exit code is 1."""
    done = run("diff", REFUND, changed())
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        f"--- {REFUND} (json)",
        "+++ b.json (json)",
        "~ /messages/1/content/0/text",
        "    I was charged [-twice-]{+two times+} for order 4711.",
        "1 difference: 1 changed",
    ]


def test_diff_as_json() -> None:
    """With --json each difference has path, kind and values; an absent value has no key."""
    one, other = am.History.of("a"), am.History.of("a", am.Msg.user("b", id="m", created_at=None))
    same_ids = am.History([one[0], *other[1:]])
    saved("a.json", one)
    done = run("diff", "a.json", saved("b.json", same_ids), "--json")
    assert json.loads(done.stdout) == {
        "a": {"file": "a.json", "codec": "json"},
        "b": {"file": "b.json", "codec": "json"},
        "differences": [
            {
                "path": "/messages/1",
                "kind": "added",
                "now": {"role": "user", "content": [{"type": "text", "text": "b"}], "id": "m"},
            }
        ],
    }


def test_diff_tells_what_a_conversion_lost() -> None:
    """Between two formats only supported fields are compared, and no spelling; with --exact everything is."""
    run("convert", WEATHER, "-o", "b.json", "--to", "anthropic")
    found = json.loads(run("diff", WEATHER, "b.json", "--from", "openai", "--to", "anthropic", "--json").stdout)
    assert [(each["kind"], each["path"]) for each in found["differences"]] == [
        ("changed", "/messages/0/role"),
        ("removed", "/messages/1/content/1/detail"),
        ("removed", "/messages/1/name"),
        ("removed", "/settings"),
    ]
    exact = json.loads(run("diff", WEATHER, "b.json", "--exact", "--json").stdout)
    seen = {each["path"] for each in found["differences"]}
    more = [each["path"] for each in exact["differences"] if each["path"] not in seen]
    assert more == [f"/messages/2/content/{index}/raw_input" for index in (1, 2)]


@pytest.mark.parametrize("arguments", [["nope", REFUND], [REFUND, "x.jsonl"], [REFUND, LISBON, "--to", "jsn"]])
def test_diff_of_what_cannot_be_read_is_trouble(arguments: list[str]) -> None:
    """As with diff, 2 means trouble, and 1 means a difference."""
    saved("x.jsonl", am.History(), am.History())
    done = run("diff", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("agentmsg: error [")
    assert run("diff", "-", "-").exit_code == 2


def test_diff_names_the_file_that_is_bad() -> None:
    """An error names which of the two is unreadable, and the path in it."""
    Path("bad.json").write_bytes(b'{"agentmsg":1,"messages":[{"role":7}]}')
    error = run("diff", REFUND, "bad.json").stderr
    assert error == "agentmsg: error [type] json, /messages/0/role: a role is needed, not 7 (bad.json)\n"


def test_diff_obeys_no_data() -> None:
    """Texts, keys and values are escaped, and aren't read as markup."""
    a, b = am.History(metadata={EVIL: EVIL}), am.History(metadata={EVIL: f"a {EVIL}"})
    done = run("diff", saved("a.json", a), saved("b.json", b))
    assert not {"\x1b", "\u202e"} & set(done.stdout)
    assert "[red]" in done.stdout


def test_diff_cuts_what_is_long() -> None:
    """A long value is cut, and its length shown; a long text is shown only around the change."""
    a = am.History([am.Msg.user("x " * 1000 + "one " + "y " * 1000, id="a")], metadata={"k": "z" * 5000})
    b = am.History([a[0].evolve(content="x " * 1000 + "two " + "y " * 1000)])
    lines = run("diff", saved("a.json", a), saved("b.json", b)).stdout.splitlines()
    assert max(map(len, lines)) < 250
    assert "(5,002 characters)" in "".join(lines)
    assert "[-one-]{+two+}" in "".join(lines)


# -- schema, detect, completion, help
# ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["json"], ["json", "--compact"]])
def test_schema_is_printed(arguments: list[str]) -> None:
    """The schema goes to stdout, by default that of agentmsg's own JSON."""
    done = run("schema", *arguments)
    assert json.loads(done.stdout) == json_schema()
    assert (done.stdout.count("\n") == 1) is ("--compact" in arguments)


def test_a_format_without_schema_is_told() -> None:
    """A request for a missing schema is answered with the list of schemas."""
    done = run("schema", "msgpack")
    assert done.exit_code == 2
    assert "msgpack has no schema; formats with one: agentscope" in done.stderr


def test_a_described_format_has_the_schema_of_its_native_objects() -> None:
    """A format described in forms has a definition for each form, and for each place of parts."""
    printed = json.loads(run("schema", "anthropic").stdout)
    assert printed["title"] == "Anthropic Messages (requests)"
    assert printed["$defs"]["text"]["required"] == ["type", "text"]
    assert {"$ref": "#/$defs/text"} in printed["$defs"]["place_content"]["anyOf"]


def test_detect_as_json() -> None:
    """With --json each file has its formats, best first, or its error."""
    Path("x.json").write_bytes(b"\xc1")  # neither JSON nor MessagePack
    done = run("detect", LISBON, "nope", "x.json", "--json")
    lisbon, nope, bad = json.loads(done.stdout)
    assert lisbon == {"file": LISBON, "formats": [{"codec": "langchain", "score": 1.0}]}
    assert nope["error"] == {"code": "file", "message": "nope: No such file or directory"}
    assert (bad["formats"], bad["error"]["code"]) == ([], "syntax")
    assert done.exit_code == 1


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_prints_a_script(shell: str) -> None:
    """Each shell gets a script that calls the program."""
    done = run("completion", shell)
    assert done.exit_code == 0
    assert f"_AGENTMSG_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [("agentmsg sta", {"stats"}), ("agentmsg diff --from anth", {"anthropic", "anthropic-response"})],
)
def test_commands_and_formats_are_completed(words: str, expected: set[str]) -> None:
    """The script's requests are answered: with commands, and with formats for an option that takes one."""
    asked = {"_AGENTMSG_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = CliRunner().invoke(program, [], env=asked, prog_name="agentmsg", complete_var="_AGENTMSG_COMPLETE")
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["statz"], "there is no command 'statz'; did you mean stats or stream?"),
        (["\x1b"], "there is no command '\\x1b'; the commands are bench, check, completion"),
        (["stats", LISBON, "--jsn"], "--json"),
        (["formats", "langchian"], "did you mean langchain"),
        (["convert", LISBON, "--to", "json", "-O", "remembr=1"], "no option 'remembr'; did you mean remember?"),
    ],
)
def test_close_matches_are_offered(arguments: list[str], words: str) -> None:
    """For a misspelt command, option, format or option of a format, the error suggests the likely one."""
    done = run(*arguments)
    assert done.exit_code in {1, 2}
    assert words in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--collect --losses l.json", "--losses can't be used with --collect"),
        ("--emit a.json --losses l.json", "--losses can't be used with --emit"),
        ("--emit a.json --collect", "--collect can't be used with --emit"),
        ("--collect --thinking drop", "--thinking drop can't be used with --collect"),
        ("--delay 9", "--delay needs --emit"),
    ],
)
def test_options_of_streams_that_do_nothing_together_are_refused(options: str, words: str) -> None:
    """By name, before anything is read."""
    done = run("stream", "-f", "openai", "-t", "anthropic", *options.split())
    assert (done.exit_code, words in done.stderr) == (2, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_listed_as_it_calls_itself(name: str) -> None:
    """The list in --help, which imports no command, has each command with its own summary and help."""
    command: Any = program.get_command(None, name)  # type: ignore[arg-type]
    listed = [line.split("  ") for line in run("--help").stdout.splitlines()]
    assert [cells[-1].strip() for cells in listed if cells[1:2] == [name]] == [command.short_help]
    assert run(name, "-h").exit_code == 0


@pytest.mark.parametrize("name", ["completion", "detect", "diff", "formats", "schema", "stats"])
def test_help_has_real_examples(name: str) -> None:
    """The help of a command ends with example command lines of it."""
    lines = run(name, "--help").stdout.partition("Examples:\n")[2].splitlines()
    assert len(lines) >= 2
    assert all(f"agentmsg {name}" in line for line in lines)


def test_help_imports_nothing_heavy() -> None:
    """--help and --version import no rich, no codec, no parser, and no command."""
    script = (
        "import sys; sys.argv[1:] = [sys.argv[1]]\n"
        "from agentmsg.cli import main\n"
        "try: main()\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    for option in ("--help", "--version"):
        command = [sys.executable, "-c", script, option]
        done = subprocess.run(command, env=env, check=True, capture_output=True, text=True)
        loaded = set(done.stderr.split())
        assert "agentmsg.cli.program" in loaded
        heavy = {"agentmsg_codecs", "cattrs", "difflib", "json", "matplotlib", "msgpack", "orjson", "rich"}
        assert not heavy & loaded
        assert not {f"agentmsg.cli.{name}" for name in COMMANDS} & loaded
