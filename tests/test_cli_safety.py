"""The user's files: no command overwrites its input or, unless told to, an existing file.

One table has every output of every command; each rule is tried with each of them.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from click.testing import CliRunner
from fsspec import core

import agentmsg as am
from agentmsg.cli.program import program
from agentmsg.errors import CODES
from agentmsg.files import Input, Request, run, targets_of
from support.files import ENVIRONMENT, JOB, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links, pipes and modes are those of POSIX")

EXAMPLES = Path(__file__).parent / "examples"
# Each command that reads and writes: its arguments, with SRC, LOSSES and OUT for the names of files.
OUTPUTS = {
    "convert -o": "convert SRC -t json -o OUT",
    "convert -o, many": "convert MANY -t json -o OUT",
    "convert --losses": "convert SRC -t langchain -o new --losses OUT",
    "convert --losses, many": "convert MANY -t langchain -o new --losses OUT",
    "convert --losses-flat": "convert SRC -t langchain -o new --losses-flat OUT",
    "convert --losses-flat, many": "convert MANY -t langchain -o new --losses-flat OUT",
    "convert --bad": "convert SRC -t json -o new --bad OUT",
    "convert --bad, many": "convert MANY -t json -o new --bad OUT",
    "convert --losses to stdout": "convert SRC -t langchain --losses OUT",
    "restore -o": "restore CONVERTED LOSSES -o OUT",
    "show -o": "show SRC -o OUT",
    "show --html": "show SRC --html OUT",
    "stats -o": "stats SRC -o OUT",
    "stats --plot": "stats SRC --json --plot OUT",
    "diff -o": "diff SRC SRC -o OUT",
    "detect -o": "detect SRC -o OUT",
    "formats -o": "formats json -o OUT",
    "schema -o": "schema -o OUT",
    "completion -o": "completion bash -o OUT",
}
# Commands that read no document.
_NO_SOURCE = {"formats", "schema", "completion"}
# The endings that the names of these files must have.
ENDINGS = {"show --html": ".html", "stats --plot": ".svg"}
SLOW = {"stats --plot"}
EVERY = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in OUTPUTS]
READING = [each for name, each in zip(OUTPUTS, EVERY, strict=True) if name.split()[0] not in _NO_SOURCE]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with sources, a converted document and its loss report."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "refund.json", "src")
    document = json.dumps(json.loads(Path("src").read_bytes())).encode()
    Path("many.jsonl").write_bytes(document + b"\n" + document + b"\n")
    assert agentmsg("convert", "src", "-t", "langchain", "-o", "converted", "--losses", "losses").exit_code == 0


def agentmsg(*args: str, given: bytes | None = None) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, input=given, prog_name="agentmsg")


def call(name: str, out: str, *more: str, src: str = "src", many: str = "many.jsonl") -> Result:
    """Run a command of the table with an output."""
    names = {"SRC": src, "MANY": many, "CONVERTED": "converted", "LOSSES": "losses", "OUT": out}
    return agentmsg(*[names.get(word, word) for word in OUTPUTS[name].split()], *more)


def everything() -> dict[str, bytes]:
    """Return all files in the folder, with their content."""
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


# -- targets


@pytest.mark.parametrize("name", EVERY)
def test_what_exists_is_replaced_by_force_only(name: str) -> None:
    """An existing file is refused, and nothing else is written either; with --force it is replaced."""
    out = f"out{ENDINGS.get(name, '')}"
    Path(out).write_bytes(b"mine")
    before = everything()
    done = call(name, out)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"error [exists] {out}: the file exists; --force replaces it" in done.stderr
    assert everything() == before
    assert call(name, out, "--force").exit_code == 0
    assert not Path(out).exists() or Path(out).read_bytes() != b"mine"


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("leads", ["somewhere", "nowhere"])
def test_a_link_is_replaced_and_not_written_through(name: str, leads: str) -> None:
    """A link exists; with --force it is replaced itself, and its target stays unchanged; not one that leads nowhere."""
    out = f"out{ENDINGS.get(name, '')}"
    Path("somewhere").write_bytes(b"mine")
    Path(out).symlink_to(leads)
    assert (call(name, out).exit_code, Path(out).is_symlink()) == (2, True)
    done = call(name, out, "--force")
    is_dangling = leads == "nowhere"
    assert (done.exit_code, Path(out).is_symlink()) == (2 if is_dangling else 0, is_dangling)
    assert ("a link that leads nowhere is not replaced" in done.stderr) == is_dangling
    assert Path("somewhere").read_bytes() == b"mine"
    assert not Path("nowhere").exists()


def _link_to_a_link(source: str, out: str) -> None:
    Path("between").symlink_to(source)
    Path(out).symlink_to("between")


NAMES: dict[str, Callable[[str, str], None]] = {
    "link": lambda source, out: Path(out).symlink_to(source),
    "hard link": lambda source, out: Path(out).hardlink_to(source),
    "link to a link": _link_to_a_link,
}


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("other", NAMES)
def test_a_source_is_never_written_over(name: str, other: str) -> None:
    """A source is refused even with --force, under any name: through links and hard links too."""
    source = {"restore -o": "converted"}.get(name, "many.jsonl" if name.endswith("many") else "src")
    out = f"out{ENDINGS.get(name, '')}"
    NAMES[other](source, out)
    before = everything()
    done = call(name, out, "--force")
    assert (done.exit_code, "error [same-file]" in done.stderr) == (2, True), done.output
    assert everything() == before
    assert not done.stdout


@pytest.mark.parametrize("name", READING)
@pytest.mark.parametrize("spelling", ["{}", "./{}", "deep/../{}", "{here}/{}"])
def test_a_source_is_known_however_it_is_spelt(name: str, spelling: str) -> None:
    """The same file by another path is the same file."""
    Path("deep").mkdir()
    ending = ENDINGS.get(name, ".jsonl" if name.endswith("many") else "")
    source = f"source{ending}"
    shutil.copy("many.jsonl" if name.endswith("many") else "src", source)
    if name == "restore -o":
        shutil.copy("converted", source)
    before = everything()
    words = [
        {"SRC": source, "MANY": source, "CONVERTED": source, "LOSSES": "losses"}.get(w, w)
        for w in OUTPUTS[name].split()
    ]
    out = spelling.format(source, here=Path.cwd())
    form = ["--form", "jsonl"] if name.endswith("many") else []
    done = agentmsg(*[out if word == "OUT" else word for word in words], "--force", *form)
    assert (done.exit_code, "error [same-file]" in done.stderr) == (2, True), done.output
    assert everything() == before


@pytest.mark.parametrize("losses", ["losses", "./losses", "link"])
def test_an_account_is_a_source_of_restore(losses: str) -> None:
    """Restore overwrites neither of its files."""
    Path("link").symlink_to("losses")
    before = Path("losses").read_bytes()
    assert agentmsg("restore", "converted", "losses", "-o", losses, "--force").exit_code == 2
    assert Path("losses").read_bytes() == before


@pytest.mark.parametrize(
    ("sources", "out"), [(["in"], "in"), (["in/*.json"], "in"), (["in"], "in/b.json"), (["in", "src"], "in/")]
)
def test_sources_in_folders_and_patterns_are_sources(sources: list[str], out: str) -> None:
    """The files of a folder or a pattern are sources like named files."""
    Path("in").mkdir()
    for name in ("in/a.json", "in/b.json"):
        shutil.copy("src", name)
    before = everything()
    done = agentmsg("convert", *sources, "-t", "json", "-o", out, "--force", "--array")
    assert (done.exit_code, "error [same-file]" in done.stderr) == (2, True), done.stderr
    assert everything() == before


def test_stdin_is_a_source() -> None:
    """A file redirected to stdin isn't overwritten, nor is one that stdout is redirected from."""
    before = Path("src").read_bytes()
    command = [sys.executable, "-m", "agentmsg", "convert", "-", "-t", "json", "-o", "src", "--force"]
    with Path("src").open("rb") as given:
        done = subprocess.run(command, env=ENVIRONMENT, check=False, stdin=given, capture_output=True)
    assert (done.returncode, b"error [same-file]" in done.stderr) == (2, True)
    command = [sys.executable, "-m", "agentmsg", "convert", "src", "-t", "json"]
    with Path("src").open("ab") as out:
        done = subprocess.run(command, env=ENVIRONMENT, check=False, stdout=out, stderr=subprocess.PIPE)
    assert (done.returncode, b"error [same-file]" in done.stderr) == (2, True)
    assert Path("src").read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [
        "-o b --losses b",
        "-o b --losses ./b",
        "-o b --losses-flat b",
        "-o b --bad b",
        "-o b --losses l --losses-flat l",
        "-o b --losses l --bad deep/../l",
        "-o b --losses-flat l --bad l",
        "-o b --losses link --force",
        "-o - --losses -",
    ],
)
@pytest.mark.parametrize("source", ["src", "many.jsonl"])
def test_two_outputs_are_two_files(options: str, source: str) -> None:
    """Two outputs of one command that would be one file are refused, in any spelling."""
    Path("deep").mkdir()
    Path("link").symlink_to("b")
    before = everything()
    done = agentmsg("convert", source, "-t", "langchain", *options.split())
    assert (done.exit_code, "error [same-file]" in done.stderr, done.stdout) == (2, True, ""), done.output
    assert everything() == before


def test_the_quarantine_is_an_output() -> None:
    """An existing quarantine is refused, and no other output may have its name."""
    Path("b.jsonl.bad.jsonl").write_bytes(b"mine")
    assert agentmsg("convert", "many.jsonl", "-t", "json", "-o", "b.jsonl").exit_code == 2
    assert Path("b.jsonl.bad.jsonl").read_bytes() == b"mine"
    done = agentmsg("convert", "many.jsonl", "-t", "json", "-o", "c.jsonl", "--losses", "c.jsonl.bad.jsonl")
    assert "error [same-file]" in done.stderr


def test_two_sources_are_two_files_of_a_folder() -> None:
    """Two sources with one name in the target folder are refused, instead of overwritten or joined."""
    for folder in ("x", "y"):
        Path(folder).mkdir()
        shutil.copy("many.jsonl", f"{folder}/a.jsonl")
    done = agentmsg("convert", "x/a.jsonl", "y/a.jsonl", "-t", "json", "-o", "out/")
    assert (done.exit_code, "x/a.jsonl and y/a.jsonl would both be written there" in done.stderr) == (2, True)
    assert not Path("out").exists()


@pytest.mark.parametrize("more", [[], ["--losses", "accounts"], ["--bad", "accounts"]])
def test_a_file_of_a_folder_is_refused_as_well(more: list[str]) -> None:
    """One existing target of many stops a run before anything is written."""
    Path("in").mkdir()
    for name in ("in/a.json", "in/b.json"):
        shutil.copy("src", name)
    existing = Path("accounts/b.jsonl" if more else "out/b.json")
    existing.parent.mkdir()
    existing.write_bytes(b"mine")
    before = everything()
    done = agentmsg("convert", "in", "-t", "json", "-o", "out", *more)
    assert (done.exit_code, f"error [exists] {existing}" in done.stderr) == (2, True), done.stderr
    assert everything() == before
    assert agentmsg("convert", "in", "-t", "json", "-o", "out", *more, "--force").exit_code == 0


def test_what_appears_meanwhile_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that appears while a run is at work isn't replaced at its end."""
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)

    def progress(size: int, documents: int) -> None:
        del size, documents
        Path("b.jsonl").write_bytes(b"mine")

    targets = targets_of([lines("a.jsonl")], "b.jsonl", JOB, Input(source="openai"))
    with pytest.raises(am.FileError) as raised:
        run(attrs.evolve(JOB, losses=False, flat=False), targets, Request(work=".work", progress=progress))
    assert (raised.value.code, Path("b.jsonl").read_bytes()) == ("exists", b"mine")


@pytest.mark.parametrize("trouble", [errno.EPERM, errno.EXDEV])
@pytest.mark.parametrize("appears", [True, False])
def test_where_there_are_no_hard_links(trouble: int, appears: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without hard links, and on another disk, files are written, and none is overwritten."""
    link, calls = os.link, 0

    def refuse(source: str, target: str) -> None:
        nonlocal calls
        calls += 1
        if appears and calls == 1:
            Path(target).write_bytes(b"mine")
        if calls > 1:
            link(source, target)
        else:
            raise OSError(trouble, os.strerror(trouble))

    monkeypatch.setattr(os, "link", refuse)
    done = agentmsg("convert", "many.jsonl", "-t", "json", "-o", "b.jsonl")
    assert (done.exit_code, "error [exists] b.jsonl" in done.stderr) == ((2, True) if appears else (0, False))
    assert (Path("b.jsonl").read_bytes() == b"mine") is appears
    assert not list(Path().glob(".*.part"))


def test_what_goes_meanwhile_is_quarantined() -> None:
    """If one file of many has become unreadable, it is quarantined; if it is the only one, that is an error."""
    for name in ("x.jsonl", "y.jsonl"):
        lines(name, 3)
    job = attrs.evolve(JOB, losses=False, flat=False)
    both = targets_of(["x.jsonl", "y.jsonl"], "b.jsonl", job, Input(source="openai"))
    alone = targets_of(["y.jsonl"], "c.jsonl", job, Input(source="openai"))
    Path("y.jsonl").unlink()
    outcome = run(job, both, Request(work=".work"))
    assert (outcome.documents, outcome.bad, outcome.bad_files) == (3, 1, ["b.jsonl.bad.jsonl"])
    assert outcome.first_bad == "y.jsonl:1: [file] y.jsonl: No such file or directory"
    with pytest.raises(am.FileError, match=r"y\.jsonl: No such file"):
        run(job, alone, Request(work=".work2"))


@pytest.mark.parametrize("scheme", ["memory://bucket", "file://{here}"])
def test_urls_are_safe_as_well(scheme: str) -> None:
    """The rules for file names hold for URLs, and for the two names of a file on this machine."""
    base = scheme.format(here=Path.cwd())
    open_url: Any = core.url_to_fs  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - no types
    files: Any = open_url(base)[0]
    files.makedirs(f"{base}/in")
    files.pipe_file(f"{base}/in/a.jsonl", Path("many.jsonl").read_bytes())
    done = agentmsg("convert", f"{base}/in/a.jsonl", "-t", "json", "-o", f"{base}/in/a.jsonl", "--force")
    assert "error [same-file]" in done.stderr
    assert agentmsg("convert", f"{base}/in", "-t", "json", "-o", f"{base}/out").exit_code == 0
    before = files.cat_file(f"{base}/out/a.jsonl")
    done = agentmsg("convert", f"{base}/in", "-t", "langchain", "-o", f"{base}/out")
    assert (done.exit_code, f"error [exists] {base}/out/a.jsonl" in done.stderr) == (2, True)
    assert files.cat_file(f"{base}/out/a.jsonl") == before
    assert agentmsg("convert", f"{base}/in", "-t", "langchain", "-o", f"{base}/out", "--force").exit_code == 0
    if base.startswith("file"):
        done = agentmsg("convert", "in/a.jsonl", "-t", "json", "-o", f"{base}/in/a.jsonl", "--force")
        assert "error [same-file]" in done.stderr
    files.rm(f"{base}/in", recursive=True)
    files.rm(f"{base}/out", recursive=True)


def test_a_folder_of_somebody_else_is_no_work_folder() -> None:
    """A folder with the name of a work folder that isn't ours is left unchanged."""
    Path(".b.jsonl.agentmsg").mkdir()
    Path(".b.jsonl.agentmsg/mine").write_bytes(b"mine")
    for more in ([], ["--force"], ["--resume"]):
        done = agentmsg("convert", "many.jsonl", "-t", "json", "-o", "b.jsonl", *more)
        assert (done.exit_code, "error [exists] .b.jsonl.agentmsg" in done.stderr) == (2, True)
    assert Path(".b.jsonl.agentmsg/mine").read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout", "pipe"])
def test_devices_and_pipes_are_written_to(name: str) -> None:
    """A device or pipe isn't an existing file: it is written to without --force, and stays a device or pipe."""
    os.mkfifo("pipe")
    kind = stat.S_IFMT(Path(name).lstat().st_mode)
    command = [sys.executable, "-m", "agentmsg", "convert", "many.jsonl", "-t", "json", "-o", name, "--form", "jsonl"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        read = Path("pipe").read_bytes() if name == "pipe" else b""
        out, errors = child.communicate()
    assert child.returncode == 0, errors
    assert len((read or out).splitlines()) == (0 if name == "/dev/null" else 2)
    assert stat.S_IFMT(Path(name).lstat().st_mode) == kind


def test_a_pipe_is_read_once() -> None:
    """A source that is a pipe is converted whole: detecting its format loses nothing."""
    read, write = os.pipe()
    os.write(write, Path("src").read_bytes())
    os.close(write)
    command = [sys.executable, "-m", "agentmsg", "convert", f"/dev/fd/{read}", "-t", "json"]
    done = subprocess.run(command, env=ENVIRONMENT, check=False, pass_fds=[read], capture_output=True)
    os.close(read)
    assert done.returncode == 0, done.stderr
    assert am.same(am.loads(done.stdout, "json"), am.loads(Path("src").read_bytes(), "json"))


# -- names


@pytest.mark.parametrize("name", [each for name, each in zip(OUTPUTS, EVERY, strict=True) if name != "completion -o"])
@pytest.mark.parametrize("ending", [".yaml", ".csv", ".tar.gz"])
def test_endings_that_nobody_writes_are_refused(name: str, ending: str) -> None:
    """A file's name must fit its content."""
    before = everything()
    done = call(name, f"out{ending}", "--force")
    assert (done.exit_code, everything() == before) == (2, True), done.output


@pytest.mark.parametrize("out", ["out.yaml", "out.yaml.gz", "out.YML", "out.json.lz4", "out.txt"])
@pytest.mark.parametrize("source", ["src", "in", "many.jsonl"])
def test_folders_are_not_called_like_files(out: str, source: str) -> None:
    """Nor is a folder of that name made instead of a file."""
    Path("in").mkdir()
    shutil.copy("src", "in/a.json")
    done = agentmsg("convert", source, "-t", "json", "-o", out)
    assert (done.exit_code, "error [form]" in done.stderr, Path(out).exists()) == (2, True, False)
    assert agentmsg("convert", source, "-t", "json", "-o", f"{out}/").exit_code == 0
    assert Path(out).is_dir()


@pytest.mark.parametrize("option", ["-o", "--losses", "--losses-flat", "--bad"])
def test_an_empty_name_is_none(option: str) -> None:
    """A file needs a name; lines can't go into frames."""
    done = agentmsg("convert", "src", "-t", "langchain", "-o", "new", option, "")
    assert (done.exit_code, "the name of the output is empty" in done.stderr) == (2, True), done.output
    if option != "-o":
        assert "this output is JSON Lines" in agentmsg("convert", "src", "-t", "json", option, "x.msgpack").stderr


def test_positional_names_are_sources() -> None:
    """A second name is a source too; if there is no such file, the error explains how to name the target."""
    done = agentmsg("convert", "src", "b.json", "-t", "json")
    assert (done.exit_code, done.stdout, Path("b.json").exists()) == (1, "", False)
    assert "b.json: No such file or directory. Every name is an input: use -o to name the output" in done.stderr
    assert agentmsg("restore", "converted", "losses", "b.json").exit_code == 2
    assert agentmsg("convert", "src", "src", "-t", "json").stdout.count('"agentmsg":1') == 2


LETTERS = {
    "-f": "--from",
    "-t": "--to",
    "-O": "--option",
    "-o": "--output",
    "-j": "--jobs",
    "-q": "--quiet",
    "-h": "--help",
}


@pytest.mark.parametrize("name", program.list_commands(None))  # type: ignore[arg-type]
def test_letters_mean_the_same_everywhere(name: str) -> None:
    """A letter means one option in all commands, and an option has the same letter in all of them."""
    command: Any = program.get_command(None, name)  # type: ignore[arg-type]
    for option in [param for param in command.params if param.param_type_name == "option"]:
        letters = [word for word in option.opts if not word.startswith("--")]
        longs = [word for word in option.opts if word.startswith("--")]
        assert [LETTERS[letter] for letter in letters] == [word for word in longs if word in LETTERS.values()]
    assert "--output" in {word for param in command.params for word in param.opts}
    assert "--force" in {word for param in command.params for word in param.opts}


# -- folders


def _broken() -> None:
    """Make a folder with documents and with files that aren't documents."""
    Path("in/deep").mkdir(parents=True)
    shutil.copy("src", "in/good.json")
    shutil.copy("many.jsonl", "in/deep/good.jsonl")
    Path("in/odd.json").write_bytes(b'{"what": 1}')
    Path("in/cut.json").write_bytes(Path("src").read_bytes()[:100])
    Path("in/empty.json").write_bytes(b"")
    Path("in/odd.jsonl").write_bytes(b'{"what": 1}\n' * 9 + Path("many.jsonl").read_bytes())
    Path("in/cut.jsonl").write_bytes(Path("many.jsonl").read_bytes()[:-9])
    Path("in/cut.json.gz").write_bytes(gzip.compress(Path("src").read_bytes())[:-20])
    Path("in/cut.jsonl.gz").write_bytes(gzip.compress(os.urandom(100_000).hex().encode())[:50_000])
    Path("in/late.jsonl.gz").write_bytes(gzip.compress(Path("many.jsonl").read_bytes()) + b"\x1f\x8bxx")
    Path("in/nogzip.json.gz").write_bytes(b"plain")
    Path("in/bad.msgpack").write_bytes(b"\xc1\xc1")
    Path("in/text.json").write_bytes(b"\xff\xfe")


BROKEN = {
    "odd.json": 1,
    "cut.json": 1,
    "empty.json": 1,
    "odd.jsonl": 9,
    "cut.jsonl": 1,
    "cut.json.gz": 1,
    "cut.jsonl.gz": 1,
    "late.jsonl.gz": 1,
    "nogzip.json.gz": 1,
    "bad.msgpack": 1,
    "text.json": 1,
}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("source", [[], ["--from", "json"]], ids=["detected", "told"])
def test_broken_files_of_a_folder_are_quarantined(jobs: str, source: list[str]) -> None:
    """Undetectable, cut or broken files in a folder are quarantined like documents; all others are converted."""
    _broken()
    done = agentmsg("convert", "in", "-t", "json", "-o", "out", "--jobs", jobs, *source)
    assert done.exit_code == 3, done.output
    assert am.same(am.loads(Path("out/good.json").read_bytes(), "json"), am.loads(Path("src").read_bytes(), "json"))
    for name, count in {"deep/good.jsonl": 2, "odd.jsonl": 2, "cut.jsonl": 1}.items():
        assert len(Path(f"out/{name}").read_bytes().splitlines()) == count
    assert len(gzip.decompress(Path("out/late.jsonl.gz").read_bytes()).splitlines()) == 2
    kept = [json.loads(line) for path in Path("out").rglob("*.bad.jsonl") for line in path.read_bytes().splitlines()]
    found = {name: sum(row["file"] == f"in/{name}" for row in kept) for name in BROKEN}
    assert found == BROKEN
    assert all(row["code"] in CODES and row["reason"] for row in kept)
    assert not Path("out/.agentmsg").exists()


def test_broken_files_of_many_are_quarantined() -> None:
    """The same holds for files named one by one that become one file; a single named one is an error."""
    _broken()
    names = [f"in/{name}" for name in ("odd.jsonl", "cut.jsonl", "late.jsonl.gz", "cut.json.gz")]
    done = agentmsg("convert", *names, "-t", "json", "-o", "all.jsonl")
    assert done.exit_code == 3
    assert len(Path("all.jsonl").read_bytes().splitlines()) == 5
    assert (
        "quarantined: 12 documents, in all.jsonl.bad.jsonl; the first: in/odd.jsonl:1: [required] json" in done.stderr
    )
    for name in ("in/cut.json.gz", "in/odd.json"):
        done = agentmsg("convert", name, "-t", "json", "-o", "alone.json")
        assert (done.exit_code, Path("alone.json").exists()) == (1, False)
    assert agentmsg("convert", "src", "none.json", "-t", "json", "-o", "x/").exit_code == 1


def test_what_a_folder_leaves_out_is_counted() -> None:
    """Hidden files, links out of the folder, other files and earlier quarantines are skipped, and counted."""
    Path("in/.git").mkdir(parents=True)
    Path("out-of-it").mkdir()
    for name in (
        "in/a.json",
        "in/.hidden.json",
        "in/.git/b.json",
        "in/notes.txt",
        "in/a.json.bad.jsonl",
        "out-of-it/c.json",
    ):
        shutil.copy("src", name)
    Path("in/link.json").symlink_to("../src")
    Path("in/folder").symlink_to("../out-of-it")
    Path("in/dangling.txt").symlink_to("nowhere")
    Path("in/inside.json").symlink_to("a.json")
    done = agentmsg("convert", "in", "-t", "json", "-o", "out")
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in Path("out").rglob("*")) == ["a.json", "inside.json"]
    assert done.stderr.splitlines()[0] == (
        "agentmsg: skipped: 2 hidden files, 3 links that lead out of the folder, 1 file of another type, "
        "1 quarantine of an earlier run"
    )
    assert "skipped" not in agentmsg("convert", "in", "-t", "json", "-o", "out2", "-q").stderr


@pytest.mark.parametrize("folder", ["in", "./in", "in/", "in//", "deep/../in", "{here}/in"])
def test_folders_have_many_spellings(folder: str) -> None:
    """However a folder is spelt, its files have the same names in the target."""
    Path("in/sub").mkdir(parents=True)
    Path("deep").mkdir()
    shutil.copy("src", "in/sub/a.json")
    agentmsg("convert", folder.format(here=Path.cwd()), "-t", "json", "-o", "out")
    assert [str(path) for path in Path("out").rglob("*.json")] == ["out/sub/a.json"]


@pytest.mark.parametrize("where", ["out", "accounts"])
def test_nothing_is_written_out_of_the_target_folder(where: str) -> None:
    """A link in the target folder, or in that of loss reports, that leads out of it is not written through."""
    Path("in/sub").mkdir(parents=True)
    shutil.copy("src", "in/sub/a.json")
    for name in ("out", "accounts", "elsewhere"):
        Path(name).mkdir()
    Path(f"{where}/sub").symlink_to("../elsewhere")
    done = agentmsg("convert", "in", "-t", "json", "-o", "out", "--losses", "accounts", "--force")
    assert (done.exit_code, "a link leads out of" in done.stderr) == (1, True), done.output
    assert list(Path("elsewhere").iterdir()) == []


# -- runs that were stopped


def _stopped(target: str = "b.jsonl", sources: tuple[str, ...] = ("a.jsonl",), *, done: int = 3) -> None:
    """Stop a run of the command line after some ranges."""
    lines("a.jsonl", 400)
    script = (
        "import sys; from agentmsg.files import plan, engines\n"
        "plan.PIECE = 1500\n"
        "def stop(function, calls, jobs, advance):\n"
        f"    for number, call in list(enumerate(calls))[:{done}]: yield number, function(*call)\n"
        "    import os; os._exit(9)\n"
        "engines.ENGINES['local'] = stop\n"
        f"sys.argv = ['agentmsg', 'convert', *{sources!r}, '-f', 'openai', '-t', 'anthropic', '-o', {target!r}]\n"
        "from agentmsg.cli import main; main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], env=ENVIRONMENT, check=False, capture_output=True)
    assert ended.returncode == 9, ended.stderr


def test_a_rerun_says_that_resume_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a kill, the same command suggests --resume, and throws nothing away; --force begins anew."""
    _stopped()
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)
    before = everything()
    command = ["convert", "a.jsonl", "-f", "openai", "-t", "anthropic", "-o", "b.jsonl"]
    done = agentmsg(*command)
    assert done.exit_code == 1
    assert "a run was stopped here; --resume continues it, --force starts over" in done.stderr
    assert {name: data for name, data in everything().items() if not name.endswith("lock")} == {
        name: data for name, data in before.items() if not name.endswith("lock")
    }
    assert agentmsg(*command, "--resume").exit_code == 0
    assert len(Path("b.jsonl").read_bytes().splitlines()) == 400
    again = agentmsg(*command, "--resume")
    assert "b.jsonl is newer than the input, and no stopped run is left: nothing to do" in again.stderr
    # A file of loss reports that isn't there was never written.
    done = agentmsg(*command, "--losses", "l.jsonl", "--resume")
    assert (done.exit_code, "error [exists] b.jsonl" in done.stderr) == (2, True)
    # Nor was a file of somebody's, or one of another format.
    done = agentmsg(*command, "-t", "gemini", "--resume")
    assert (done.exit_code, "error [exists] b.jsonl" in done.stderr) == (2, True)
    _stopped("c.jsonl")
    assert agentmsg(*command[:-1], "c.jsonl", "--force").exit_code == 0
    assert Path("c.jsonl").read_bytes() == Path("b.jsonl").read_bytes()


def test_a_rerun_says_that_nothing_was_done() -> None:
    """If a run was killed before anything was done, the next begins anew and reports it, with --resume."""
    _stopped(done=0)
    done = agentmsg("convert", "a.jsonl", "-f", "openai", "-t", "anthropic", "-o", "b.jsonl")
    assert (done.exit_code, len(Path("b.jsonl").read_bytes().splitlines())) == (0, 400)
    assert "an earlier run stopped before it had saved any work: starting over" in done.stderr


def test_a_resumed_run_knows_its_own_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output written before a run was stopped is its own: --resume needs no --force, and doesn't take it as source."""
    Path("in").mkdir()
    for name in "abcde":
        lines(f"in/{name}.jsonl", 20)
    _stopped("in/out/", ("in",))
    written = sorted(path.name for path in Path("in/out").glob("*.jsonl"))
    assert "a.jsonl" in written
    assert "e.jsonl" not in written
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)
    command = ["convert", "in", "-f", "openai", "-t", "anthropic", "-o", "in/out/"]
    assert "--resume continues" in agentmsg(*command).stderr
    Path("in/out/e.jsonl").write_bytes(b"mine")
    assert "error [exists] in/out/e.jsonl" in agentmsg(*command, "--resume").stderr
    Path("in/out/e.jsonl").unlink()
    done = agentmsg(*command, "--resume")
    assert done.exit_code == 0, done.stderr
    assert [len(Path(f"in/out/{name}.jsonl").read_bytes().splitlines()) for name in "abcde"] == [20] * 5
