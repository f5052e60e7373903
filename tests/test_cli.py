"""The command line: what it writes where, exit codes, and that no data reaches a terminal unescaped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import agentmsg as am
import agentmsg_codecs
from agentmsg.cli import main
from agentmsg.cli.program import program
from agentmsg.cli.terminal import abandon_output, aligned, printable, write_bytes
from agentmsg.optional import install
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLE = Path(__file__).parent / "examples" / "lisbon.json"
HELLO = am.History.of(
    am.Msg.user("Hello", id="m1", created_at=None, name="Ada"),
    am.Msg.assistant("Hi.", id="m2", created_at=None),
)
CALL = HELLO.extended(
    am.Msg.assistant(tool_calls=[{"name": "add", "id": "c1", "args": {"a": 1}}], id=None, created_at=None),
    am.Msg.tool("3", tool_call_id="c1", id=None, created_at=None),
)


@pytest.fixture(autouse=True)
def transcript(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Add the lossy codec to the table, and work in a folder of the test's own."""
    monkeypatch.setitem(agentmsg_codecs.CODECS, "transcript", "support.transcript:TranscriptCodec")
    monkeypatch.chdir(tmp_path)


def run(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def spawn(*args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the command line in its own process."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-m", "agentmsg", *args]
    return subprocess.run(command, input=given, env=env, check=False, capture_output=True)


def saved(name: str, history: am.History = HELLO, codec: am.CodecName = "json") -> str:
    """Write a history to a file; return its name."""
    Path(name).write_bytes(am.dumps(history, codec))
    return name


def listing() -> list[str]:
    """Return the names of all files in the test's folder."""
    return sorted(path.name for path in Path().iterdir())


# -- convert
# ---------------------------------------------------------------------------------------------------------


def test_convert_writes_the_document_to_stdout() -> None:
    """Without DST the bytes of the document, and nothing else, go to stdout."""
    done = run("convert", saved("a.json"), "--to", "msgpack")
    assert done.stdout_bytes == am.dumps(HELLO, "msgpack")


def test_convert_says_what_it_detected() -> None:
    """Without --from the format is detected, and reported on stderr."""
    assert "read as json" in run("convert", saved("a.json"), "--to", "json").stderr


def test_convert_takes_the_format_given() -> None:
    """With --from nothing is detected."""
    assert "read as" not in run("convert", saved("a.json"), "--from", "json", "--to", "json").stderr


def test_convert_reads_stdin() -> None:
    """The name - means stdin."""
    done = run("convert", "-", "--to", "json", given=am.dumps(HELLO, "json"))
    assert done.stdout_bytes == am.dumps(HELLO, "json")


def test_convert_writes_a_file() -> None:
    """With DST the document is in the file, and stdout is empty; no part file stays behind."""
    done = run("convert", saved("a.json"), "--to", "msgpack", "-o", "b")
    assert done.stdout_bytes == b""
    assert Path("b").read_bytes() == am.dumps(HELLO, "msgpack")
    assert listing() == ["a.json", "b"]


def test_convert_tells_losses_by_kind_content_first() -> None:
    """Losses are reported by level, content first, and by path and reason; a single loss with its index."""
    lines = run("convert", saved("a.json", CALL), "--to", "transcript").stderr.splitlines()
    assert lines[1:] == [
        "agentmsg: lost: 2 content losses",
        "agentmsg:   1 × messages/2/content/0: no place for a tool_use block here",
        "agentmsg:   1 × messages/3: no messages with the role 'tool'",
        "agentmsg: lost: 3 annotation losses",
        "agentmsg:   2 × messages/*/id: dropped",
        "agentmsg:   1 × messages/0/name: dropped",
    ]


def test_convert_counts_losses_alike() -> None:
    """All losses with the same path and reason are one line."""
    calls = [am.ToolUseBlock(f"c{index}", "add", {}) for index in range(7)]
    history = am.History.of(am.Msg("assistant", calls, id=None, created_at=None))
    lines = run("convert", saved("a.json", history), "--to", "transcript").stderr.splitlines()
    assert lines[1:3] == [
        "agentmsg: lost: 7 content losses",
        "agentmsg:   7 × messages/*/content/*: no place for a tool_use block here",
    ]


def test_convert_counts_kinds_of_losses() -> None:
    """After ten kinds of content losses, the others are only counted."""
    roles = [am.Msg.chat(f"role{index}", f"text {index}", id=None, created_at=None) for index in range(13)]
    lines = run("convert", saved("a.json", am.History(roles)), "--to", "transcript").stderr.splitlines()
    assert len([line for line in lines if "×" in line]) == 11


def test_convert_says_that_nothing_was_lost() -> None:
    """An empty loss report is shown too."""
    assert run("convert", saved("a.json"), "--to", "msgpack").stderr.splitlines()[-1] == "agentmsg: nothing lost"


def test_on_loss_error_writes_nothing() -> None:
    """With --on-loss error a content loss ends with exit code 3, and no file is made."""
    done = run(
        "convert",
        saved("a.json", CALL),
        "--to",
        "transcript",
        "-o",
        "b",
        "--losses",
        "l",
        "--on-loss",
        "error",
    )
    assert done.exit_code == 3
    assert "error [content-loss] transcript: " in done.stderr
    assert listing() == ["a.json"]


def test_on_loss_error_lets_annotations_go() -> None:
    """With --on-loss error a loss of annotations is reported, but is no error."""
    done = run("convert", saved("a.json"), "--to", "transcript", "--on-loss", "error")
    assert done.exit_code == 0
    assert "3 annotation losses" in done.stderr


def test_on_loss_ignore_is_silent() -> None:
    """With --on-loss ignore stderr stays empty."""
    done = run("convert", saved("a.json", CALL), "--from", "json", "--to", "transcript", "--on-loss", "ignore")
    assert (done.exit_code, done.stderr) == (0, "")


def test_pretty_is_the_same_value() -> None:
    """With --pretty JSON is indented, integers beyond 64 bits stay exact, and a line end follows."""
    history = am.History.of(am.Msg("user", "Größe", id=None, created_at=None, metadata={"n": 2**70}))
    done = run("convert", saved("a.json", history), "--to", "json", "--pretty")
    assert done.stdout.startswith('{\n  "agentmsg": 1,')
    assert done.stdout.endswith("}\n")
    assert "Größe" in done.stdout
    assert am.same(am.loads(done.stdout, "json"), history)


def test_pretty_needs_json() -> None:
    """With a binary format --pretty is a usage error."""
    assert run("convert", saved("a.json"), "--to", "msgpack", "--pretty").exit_code == 2


def test_codec_options_are_given_by_name() -> None:
    """The value of -O is JSON."""
    done = run("convert", saved("a.json"), "--to", "transcript", "-O", "shout=true")
    assert json.loads(done.stdout) == [{"USER": ["Hello"]}, {"ASSISTANT": ["Hi."]}]


@pytest.mark.parametrize("option", ["shout=1", "shout=yes", "whisper=true", "shout", "=true"])
def test_wrong_codec_options_are_refused(option: str) -> None:
    """An option that a codec refuses is a usage error, and so is one without name or value."""
    assert run("convert", saved("a.json"), "--to", "transcript", "-O", option).exit_code == 2


def test_account_and_document_need_two_files() -> None:
    """--losses and DST may not name the same file."""
    assert run("convert", saved("a.json"), "--to", "json", "-o", "b", "--losses", "b").exit_code == 2


def test_ambiguous_documents_need_a_format() -> None:
    """If two formats are equally likely, none is chosen."""
    agentmsg_codecs.CODECS["zz"] = "support.transcript:TranscriptCodec"
    try:
        done = run("convert", "-", "--to", "json", given=b'[{"user":["Hi"]}]')
    finally:
        del agentmsg_codecs.CODECS["zz"]
    assert done.exit_code == 1
    assert "choose with --from" in done.stderr


# -- errors
# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (b'{"agentmsg":1,"messages":[],"messages":[]}', "duplicate-key"),
        (b'{"agentmsg":1,"messages":[', "syntax"),
        (b'{"agentmsg":1,"messages":[{}]}', "required"),
        (b'{"agentmsg":2,"messages":[]}', "version"),
        (b'{"agentmsg":1,"messages":' + b"[" * 500 + b"]" * 500 + b"}", "depth"),
        (b'"nothing"', "not-understood"),
        (b"", "syntax"),
    ],
)
def test_bad_documents_end_in_one_line(given: bytes, code: str) -> None:
    """An unreadable document gives exit code 1, one line with the stable code, and no output."""
    done = run("convert", "-", "--to", "json", given=given)
    errors = [line for line in done.stderr.splitlines() if "error [" in line]
    assert (done.exit_code, done.stdout_bytes, len(errors)) == (1, b"", 1)
    assert f"error [{code}]" in errors[0]


@pytest.mark.parametrize(
    "arguments", [["nope.json", "--to", "json"], [".", "--to", "json"], ["a\x00b", "--to", "json"]]
)
def test_unreadable_files_are_errors(arguments: list[str]) -> None:
    """An unreadable file is one line with the code "file"."""
    done = run("convert", *arguments)
    assert done.exit_code == 1
    assert "error [file]" in done.stderr


def test_unwritable_files_are_errors() -> None:
    """An unwritable file is one line with the code "file"."""
    done = run("convert", saved("a.json"), "--to", "json", "-o", "no/such/folder")
    assert done.exit_code == 1
    assert "error [file] no/such/folder: No such file" in done.stderr


def test_unknown_codecs_are_errors() -> None:
    """An unknown codec is a usage error, which suggests close matches."""
    done = run("convert", saved("a.json"), "--to", "transcipt")
    assert done.exit_code == 2
    assert "did you mean transcript" in done.stderr


@pytest.mark.parametrize("arguments", [["convert", "a.json"], ["nonsense"], ["convert", "--to", "json"], ["detect"]])
def test_wrong_command_lines_exit_with_two(arguments: list[str]) -> None:
    """A usage error differs from an error of a document."""
    assert run(*arguments).exit_code == 2


def test_nothing_printed_obeys_the_data() -> None:
    """Control characters in data and file names are escaped wherever they are printed."""
    name = "\x1b[31m\r\n.json"
    done = run("detect", saved(name))
    assert done.stdout.startswith("\\x1b[31m\\r\\n.json:  json 1.00")
    assert done.stdout.count("\n") == 1
    done = run("convert", "-", "--to", "json", given=b'{"agentmsg":1,"\x1b[2J":1,"\x1b[2J":2}')
    assert "\x1b" not in done.output
    assert printable("a\u202eb\ud800\U000e0001") == "a\\u202eb\\ud800\\U000e0001"


def test_ctrl_c_ends_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C gives one line and exit code 130."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agentmsg.cli.running.targets_of", stop)
    done = run("convert", "a.json", "--to", "json")
    assert (done.exit_code, done.stderr) == (130, "agentmsg: stopped\n")


def test_a_closed_pipe_behind_a_file_ends_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed pipe is not a file's error, whatever name it was opened by."""

    def closed(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(Path, "replace", closed)
    done = run("convert", saved("a.json"), "--from", "json", "--to", "json", "-o", "b", "--force")
    assert (done.exit_code, done.output) == (141, "")


def test_what_was_buffered_goes_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After a closed pipe, buffered output for stdout is thrown away, and the pipe is not touched."""
    with (tmp_path / "out").open("w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        stream.write("late")
        abandon_output()
        stream.flush()
    assert (tmp_path / "out").read_text() == ""


class Terminal:
    """A stdout that claims to be a terminal."""

    def __init__(self) -> None:
        self.buffer = self
        self.data = b""

    def isatty(self) -> bool:
        """Return True."""
        return True

    def write(self, data: bytes) -> None:
        """Keep the data."""
        self.data += data

    def flush(self) -> None:
        """Do nothing."""


def test_a_document_on_a_terminal_ends_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, a line end is added if missing."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    write_bytes(b"{}")
    write_bytes(b"[]\n")
    assert screen.data == b"{}\n[]\n"


def test_a_terminal_gets_no_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    """By default a binary document isn't written to a terminal."""
    monkeypatch.setattr("agentmsg.cli.running.is_terminal", bool)  # of a stream: True
    done = run("convert", saved("a.json"), "--to", "msgpack")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "won't write binary data to a terminal: name a file with -o" in done.stderr
    assert run("convert", "a.json", "-o", "b", "--to", "msgpack").exit_code == 0


def test_errors_of_writing_name_the_codec(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the bytes can't be made, the error names the format."""

    def refuse(self: object, history: am.History) -> object:
        raise am.EncodeError("too odd", code="number")

    monkeypatch.setattr("agentmsg_codecs.json.JsonCodec.to_bytes", refuse)
    done = run("convert", "-", "--to", "json", given=b'{"agentmsg":1,"messages":[]}')
    assert "error [number] json: too odd" in done.stderr


# -- files
# ---------------------------------------------------------------------------------------------------------


def test_files_are_replaced_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """If writing fails half-way, the old file is unchanged and no part file stays behind."""
    Path("b").write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = run("convert", saved("a.json"), "--to", "json", "-o", "b", "--force")
    assert done.exit_code == 1
    assert "error [file] b: No space left on device" in done.stderr
    assert Path("b").read_bytes() == b"old"
    assert listing() == ["a.json", "b"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such links and modes")
def test_files_keep_their_mode_and_links_go() -> None:
    """A replaced file keeps its mode; a link is replaced itself, and its target stays unchanged."""
    Path("real").write_bytes(b"old")
    Path("real").chmod(0o640)
    Path("link").symlink_to("real")
    run("convert", saved("a.json"), "--to", "json", "-o", "link", "--force")
    assert (Path("link").is_symlink(), Path("real").read_bytes()) == (False, b"old")
    assert Path("link").read_bytes() == am.dumps(HELLO, "json")
    run("convert", saved("a.json"), "--to", "json", "-o", "real", "--force")
    assert Path("real").read_bytes() == am.dumps(HELLO, "json")
    assert Path("real").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name == "nt", reason="there are no such devices")
def test_devices_are_not_replaced() -> None:
    """A device is written to, not replaced by a file."""
    assert run("convert", saved("a.json"), "--to", "json", "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


# -- restore
# ---------------------------------------------------------------------------------------------------------


def converted(history: am.History, spelling: Callable[[bytes], bytes] = bytes) -> tuple[bytes, Result]:
    """Convert a history into a transcript and restore it; return the original bytes and the result."""
    Path("a.json").write_bytes(original := spelling(am.dumps(history, "json")))
    run("convert", "a.json", "--from", "json", "--to", "transcript", "-o", "b.json", "--losses", "l.jsonl", "--force")
    return original, run("restore", "b.json", "l.jsonl", "--to", "json")


@pytest.mark.parametrize("history", [HELLO, CALL, am.History(id="h1", metadata={"k": [1]})])
def test_restore_gives_the_same_bytes(history: am.History) -> None:
    """A compact document in our order of keys comes back byte for byte."""
    original, done = converted(history)
    assert (done.stdout_bytes, done.stderr, done.exit_code) == (original, "", 0)


def test_restore_gives_the_same_value() -> None:
    """Any other document comes back as the same JSON value."""

    def reversed_keys(raw: bytes) -> bytes:
        return json.dumps(dict(reversed(json.loads(raw).items())), indent=1).encode()

    original, done = converted(CALL, reversed_keys)
    assert done.stdout_bytes != original
    assert json.loads(done.stdout_bytes) == json.loads(original)


def test_restore_gives_the_spelling_back() -> None:
    """A document in another form of its format comes back in that form, with the same meaning."""

    def bare_list(raw: bytes) -> bytes:
        return raw[raw.index(b"[") : raw.rindex(b"]") + 1]

    original, done = converted(HELLO, bare_list)
    assert done.stdout_bytes == original


@pytest.mark.parametrize("target", ["json", "langchain", "msgpack", "transcript"])
def test_restore_gives_the_grand_tour_back(target: str) -> None:
    """A tour through the whole model comes back byte for byte, with its notes and the texts of its arguments."""
    saved("a.json", grand_tour())
    run("convert", "a.json", "--to", target, "-o", "b", "--losses", "l.jsonl")
    run("restore", "b", "l.jsonl", "--to", "json", "-o", "c.json")
    assert Path("c.json").read_bytes() == Path("a.json").read_bytes()


@pytest.mark.parametrize("target", ["json", "msgpack", "transcript"])
def test_restore_gives_the_example_back(target: str) -> None:
    """A LangChain history comes back as the same JSON value, through any format."""
    run("convert", str(EXAMPLE), "--from", "langchain", "--to", target, "-o", "b", "--losses", "l.jsonl")
    done = run("restore", "b", "l.jsonl", "--to", "langchain")
    assert json.loads(done.stdout_bytes) == json.loads(EXAMPLE.read_bytes())


def test_restore_keeps_new_messages() -> None:
    """Messages added at the end of the converted document are in the restored one."""
    converted(HELLO)
    Path("b.json").write_bytes(Path("b.json").read_bytes()[:-1] + b',{"user":["Thanks."]}]')
    done = run("restore", "b.json", "l.jsonl", "--to", "json")
    assert [message.text for message in am.loads(done.stdout_bytes, "json")] == ["Hello", "Hi.", "Thanks."]


def test_restore_refuses_edited_documents() -> None:
    """Any other change to the converted document is refused, with the code "edited"."""
    converted(HELLO)
    Path("b.json").write_bytes(Path("b.json").read_bytes().replace(b"Hello", b"Hullo"))
    done = run("restore", "b.json", "l.jsonl", "--to", "json")
    assert (done.exit_code, done.stdout_bytes) == (1, b"")
    assert "error [edited]" in done.stderr


def test_restore_reports_what_another_format_loses() -> None:
    """Restoring into a lossy format is a conversion, with a loss report."""
    converted(CALL)
    assert "lost: 2 content losses" in run("restore", "b.json", "l.jsonl", "--to", "transcript").stderr
    assert run("restore", "b.json", "l.jsonl", "--to", "transcript", "--quiet").stderr == ""


def test_restore_needs_an_account() -> None:
    """A file that isn't a loss report is an error with the line number; stdin can't be both files."""
    Path("l.jsonl").write_bytes(b'{"agentmsg-losses":1,"codec":"json"}\n{"at":7}\n')
    done = run("restore", saved("b.json"), "l.jsonl", "--to", "json")
    assert done.exit_code == 1
    assert "error [schema] /1: " in done.stderr
    assert run("restore", "b.json", "b.json", "--to", "json").exit_code == 1
    assert run("restore", "-", "-", "--to", "json").exit_code == 2


# -- detect, formats, help
# ---------------------------------------------------------------------------------------------------------


def test_detect_tells_each_file() -> None:
    """Each file has a line; an unknown or unreadable one makes the exit code 1."""
    Path("x.json").write_bytes(b"[]")
    done = run("detect", saved("a.json"), saved("b", codec="msgpack"), "x.json", "nope")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("a.json:  json 1.00")
    assert lines[1].startswith("b:       msgpack ")
    assert lines[2:] == ["x.json:  unknown", "nope:    unknown"]
    assert done.exit_code == 1
    assert done.stderr == "agentmsg: error [file] nope: No such file or directory\n"


def test_detect_is_content_with_known_files() -> None:
    """The exit code is 0 if all files have a known format."""
    assert run("detect", saved("a.json")).exit_code == 0


def test_formats_lists_all_codecs() -> None:
    """Every registered codec has a row, in alphabetical order, under aligned columns."""
    lines = run("formats").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(am.codec_names())
    column = lines[0].index("SUPPORTS")
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in lines)


def test_a_broken_codec_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third party's codec that can't be imported is reported by formats, and doesn't stop detect."""
    point = EntryPoint("broken", "no.such.module:Codec", "agentmsg.codecs")
    monkeypatch.setattr("agentmsg.registry._theirs", lambda: {"broken": point})
    done = run("formats")
    assert "agentmsg: skipped: broken: the codec 'broken' of no.such.module:Codec" in done.stderr
    assert "transcript" in done.stdout
    assert run("detect", saved("a.json")).stdout.startswith("a.json:  json 1.00")


def test_formats_of_a_codec_shows_its_table() -> None:
    """With the name of a codec, its support is shown by role."""
    done = run("formats", "transcript")
    assert "2 roles, 0 of" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.startswith("TextBlock"))
    assert row.split() == ["TextBlock", "yes", "yes"]
    assert run("formats", "nope").exit_code == 2


def test_formats_of_a_codec_shows_its_options() -> None:
    """With the name of a codec, its options are listed with values, default and meaning; with --json too."""
    lines = run("formats", "openai").stdout.splitlines()
    at = lines.index("openai: option results=text|user (default text)")
    assert lines[at + 1].startswith("Where ")
    (listed,) = json.loads(run("formats", "openai", "--json").stdout)
    option = next(each for each in listed["options"] if each["name"] == "results")
    assert (option["values"], option["default"]) == (["text", "user"], "text")


def test_formats_as_json() -> None:
    """With --json programs get the same."""
    listing = {entry["name"]: entry for entry in json.loads(run("formats", "--json").stdout)}
    assert set(listing) == set(am.codec_names())
    assert listing["json"]["carries"] == "everything"
    carried = listing["transcript"]["carries"]
    assert carried["fields of blocks"]["TextBlock"]["yes"] == "text"
    assert carried["blocks, by role"]["ImageBlock"] == {
        "user": "no",
        "assistant": "no",
    }


def test_columns_are_aligned() -> None:
    """Cells of a column are aligned, and no line ends in spaces."""
    assert aligned([("a", "b"), ("long", ""), ("", "c\n")]) == ["a     b", "long", "      c\\n"]


@pytest.mark.parametrize("command", [[], ["convert"], ["restore"], ["detect"], ["formats"]])
def test_help_is_there(command: list[str]) -> None:
    """Every command has --help and -h."""
    assert run(*command, "--help").stdout == run(*command, "-h").stdout
    assert "Usage: agentmsg" in run(*command, "--help").stdout


def test_help_has_examples() -> None:
    """The main help shows whole command lines, one per line."""
    assert "  agentmsg guide first-steps\n" in run("--help").stdout


# -- as a process
# ---------------------------------------------------------------------------------------------------------


def test_runs_as_a_module() -> None:
    """``python -m agentmsg`` is the command line."""
    done = spawn("--version")
    assert (done.returncode, done.stdout.decode().strip()) == (0, f"agentmsg {am.__version__}")


def test_converts_in_a_process() -> None:
    """Bytes go through pipes unchanged."""
    done = spawn("convert", "-", "--to", "msgpack", given=am.dumps(HELLO, "json"))
    assert done.stdout == am.dumps(HELLO, "msgpack")
    assert done.stderr.decode().splitlines() == ["agentmsg: read as json", "agentmsg: nothing lost"]


def test_without_click_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without click, the exit code is 2 and one line has the command that installs it."""
    for name in [name for name in sys.modules if name.startswith("agentmsg.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err == ("agentmsg: the command line needs more packages: " + install("cli") + "\n")


def test_other_missing_packages_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a missing click is reported as a missing extra."""
    for name in [name for name in sys.modules if name.startswith("agentmsg.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agentmsg.cli.terminal", None)
    with pytest.raises(ModuleNotFoundError, match="terminal"):
        main()
