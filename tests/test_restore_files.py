"""restore over files: each document finds its loss report by its digest, wherever it stands now."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from click.testing import CliRunner, Result

from agentmsg.cli.program import program
from agentmsg.files.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with small ranges."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agentmsg.files.plan.PIECE", 1500)


def agentmsg(*args: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(program, args, prog_name="agentmsg")


def saved(name: str, rows: Sequence[Any]) -> str:
    """Write documents to a file, one per line; return its name."""
    Path(name).parent.mkdir(exist_ok=True, parents=True)
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return name


def lines(name: str) -> list[Any]:
    """Return the values of a file of lines."""
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def logs(count: int = 60, first: int = 0) -> list[Any]:
    """Return requests that lose something to Anthropic, each another."""
    return [
        {"messages": [{"role": "user", "content": f"{number} " + "x" * (number * 7 % 90), "name": f"n{number}"}]}
        for number in range(first, first + count)
    ]


def converted(rows: Sequence[Any], *more: str) -> list[Any]:
    """Convert rows into b.jsonl with l.jsonl, and return the converted ones."""
    saved("a.jsonl", rows)
    done = agentmsg("convert", "a.jsonl", "-t", "anthropic", "-o", "b.jsonl", "-q", *(more or ("--losses", "l.jsonl")))
    assert done.exit_code == 0, done.output
    return lines("b.jsonl")


def restored(name: str, *more: str) -> list[Any]:
    """Restore a file whose documents are all found, and return the originals."""
    done = agentmsg("restore", name, *more, "-o", "c.jsonl", "--force")
    assert (done.exit_code, done.stderr.count("quarantined")) == (0, 0), done.output
    return lines("c.jsonl")


# What may have been done to a file of documents since it was converted: the order of those that are there now.
ORDERS: dict[str, Callable[[int], list[int]]] = {
    "as it was": lambda count: list(range(count)),
    "filtered": lambda count: [each for each in range(count) if each % 3],
    "sorted": lambda count: sorted(range(count), key=lambda each: (each * 7919) % count),
    "split": lambda count: list(range(count // 2, count)),
    "repeated": lambda count: [*range(count), *range(count)],
    "one": lambda count: [count - 1],
    "none": lambda count: [],
}


@pytest.mark.parametrize(("order", "jobs"), [*((order, "1") for order in ORDERS), ("filtered", "2"), ("sorted", "2")])
def test_a_row_finds_its_report_by_its_digest(order: str, jobs: str) -> None:
    """Whatever is left of a converted file, in whatever order and spelling, comes back as it was."""
    rows = logs()
    made = converted(rows)
    kept = ORDERS[order](len(rows))
    saved("b.jsonl", [dict(reversed(made[each].items())) for each in kept])
    assert restored("b.jsonl", "l.jsonl", "--jobs", jobs) == [rows[each] for each in kept]


@pytest.mark.parametrize("suffix", [".jsonl.gz", pytest.param(".parquet", marks=pytest.mark.slow), ".json"])
def test_any_kind_of_file_is_restored_by_digest(suffix: str) -> None:
    """Files of other kinds, and packed reports, are restored like lines."""
    rows = logs()
    converted(rows, "--losses", "l.jsonl.gz")
    more = ("--array",) if suffix == ".json" else ()
    saved("a.jsonl", rows[::-1])
    assert agentmsg("convert", "a.jsonl", "-t", "anthropic", "-o", f"d{suffix}", "-q", *more).exit_code == 0
    assert restored(f"d{suffix}", "l.jsonl.gz", *(("--split",) if more else ())) == rows[::-1]


@pytest.mark.parametrize("names", [("ada", "ben"), ("ada", "ada")])
def test_reports_that_differ_for_one_document_are_not_guessed(names: tuple[str, str]) -> None:
    """Two originals became one document: at their places they are known, elsewhere only if both were the same."""
    twins = [{"messages": [{"role": "user", "content": "Hi", "name": name}]} for name in names]
    rows = [twins[0], *logs(3), twins[1]]
    made = converted(rows)
    assert restored("b.jsonl", "l.jsonl") == rows
    done = agentmsg("restore", saved("f.jsonl", made[1:]), "l.jsonl", "-o", "f.out.jsonl")
    if len(set(names)) == 1:
        assert (done.exit_code, lines("f.out.jsonl")) == (0, rows[1:])
    else:
        assert (done.exit_code, lines("f.out.jsonl")) == (3, rows[1:-1])
        assert "f.jsonl:4: [edited] several loss reports fit this document" in done.stderr


def test_an_edited_row_needs_its_place() -> None:
    """An edit is known by the place of its row; where rows were left out too, only that row is refused."""
    rows = logs(5)
    made = converted(rows)
    made[2]["messages"][0]["content"] = "Edited"
    rows[2]["messages"][0]["content"] = "Edited"
    assert restored(saved("b.jsonl", made), "l.jsonl", "--edits", "keep") == rows
    made[3]["messages"] += [{"role": "assistant", "content": "More."}]
    assert len(lines(saved("b.jsonl", made))) == 5
    done = agentmsg("restore", "b.jsonl", "l.jsonl", "-o", "d.jsonl")
    assert [row["line"] for row in lines("d.jsonl.bad.jsonl")] == [3], "messages may be appended"
    done = agentmsg("restore", saved("b.jsonl", made[1:]), "l.jsonl", "-o", "e.jsonl", "--edits", "keep")
    assert (done.exit_code, lines("e.jsonl")) == (3, [rows[1], rows[4]])
    assert "the document has no loss report here, or was edited since" in done.stderr


def test_folders_come_back_as_folders() -> None:
    """A folder and its folder of reports give a folder; so does one file of rows from all of them."""
    for index in range(3):
        saved(f"in/deep/{index}.jsonl", logs(20, first=20 * index))
    assert agentmsg("convert", "in", "-t", "anthropic", "-o", "out", "--losses", "l", "-q").exit_code == 0
    done = agentmsg("restore", "out", "l", "-o", "back", "--jobs", "2")
    assert done.exit_code == 0, done.output
    for index in range(3):
        name = f"deep/{index}.jsonl"
        assert lines(f"back/{name}") == lines(f"in/{name}")
    mixed = [row for index in (2, 0) for row in lines(f"out/deep/{index}.jsonl")[::3]]
    assert restored(saved("mixed.jsonl", mixed), "l") == [*logs(20, first=40)[::3], *logs(20)[::3]]


# -- stops


def test_a_stopped_restore_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """--resume continues a restore, writes the same bytes, and has nothing to do once all is done."""
    rows = logs()
    converted(rows)
    local = ENGINES["local"]

    def stop(function: Any, calls: Any, crew: Any, advance: Any) -> Any:
        for done, each in enumerate(local(function, calls, crew, advance)):
            if done == 2:
                raise KeyboardInterrupt
            yield each

    monkeypatch.setitem(cast("Any", ENGINES), "local", stop)
    command = ["restore", "b.jsonl", "l.jsonl", "-o", "c.jsonl"]
    assert agentmsg(*command).exit_code != 0
    monkeypatch.setitem(cast("Any", ENGINES), "local", local)
    assert "--resume continues it" in agentmsg(*command).stderr
    assert agentmsg(*command, "--resume").exit_code == 0
    assert lines("c.jsonl") == rows
    assert "[exists]" in agentmsg(*command).stderr


@pytest.mark.parametrize("command", ["convert a.jsonl -t anthropic -o d.jsonl", "restore b.jsonl l.jsonl -o d.jsonl"])
@pytest.mark.parametrize("is_bad", [False, True])
def test_a_finished_run_has_nothing_to_resume(command: str, is_bad: bool) -> None:
    """--resume on a finished output succeeds, with the same exit code and bytes; a newer source is told."""
    converted(logs(3))
    source = command.split()[1]
    if is_bad:
        Path(source).write_text(Path(source).read_text(encoding="utf-8") + "{]\n", encoding="utf-8")
    code = 3 if is_bad else 0
    assert agentmsg(*command.split(), "-q").exit_code == code
    before = Path("d.jsonl").read_bytes()
    done = agentmsg(*command.split(), "--resume")
    assert (done.exit_code, "d.jsonl is newer than the input" in done.stderr) == (code, True), done.output
    assert ("quarantined: 1 document, in d.jsonl.bad.jsonl" in done.stderr) == is_bad
    assert Path("d.jsonl").read_bytes() == before
    os.utime(source, (2**31, 2**31))
    done = agentmsg(*command.split(), "--resume")
    assert (done.exit_code, "[source-changed]" in done.stderr) == (1, True)


# -- where losses are told


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_losses_of_merged_files_name_file_and_line(jobs: str) -> None:
    """Each report and each single loss names its document's file and line there, however files are cut."""
    names = [saved(f"{name}.jsonl", logs(count)) for name, count in (("p", 30), ("q", 1), ("r", 40))]
    Path("q.jsonl").write_text("\n\n" + Path("q.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    command = ["convert", *names, "-t", "anthropic", "--losses", "l.jsonl", "--losses-flat", "f.jsonl", "--jobs", jobs]
    assert agentmsg(*command, "-o", "m.jsonl").exit_code == 0
    expected = [
        (name, line) for name, found in zip(names, [range(1, 31), [3], range(1, 41)], strict=True) for line in found
    ]
    for name in ("l.jsonl", "f.jsonl"):
        rows = [row for row in lines(name) if "line" in row]
        assert [(row["file"], row["file_line"]) for row in rows] == expected
        assert [row["line"] for row in rows] == list(range(1, 72))
    assert restored("m.jsonl", "l.jsonl") == [*logs(30), *logs(1), *logs(40)]


@pytest.mark.parametrize("more", [(), ("--jobs", "2"), ("--carry",)], ids=str)
def test_losses_are_put_into_the_rows(more: tuple[str, ...]) -> None:
    """With --losses-key each row has its own report, and comes back by itself, whatever became of the others."""
    rows = logs()
    made = converted(rows, "--losses-key", "lost", *more)
    assert all(list(row)[-1] == "lost" for row in made)
    order = random.Random(1).sample(range(60), 40)
    saved("b.jsonl", [made[each] for each in order])
    assert restored("b.jsonl", "--losses-key", "lost", *more[:2] * (more[:1] == ("--jobs",))) == [
        rows[i] for i in order
    ]
    done = agentmsg("restore", "b.jsonl", "--losses-key", "other", "-o", "d.jsonl")
    assert "the document has no loss report under 'other'" in done.stderr
    assert agentmsg("restore", "b.jsonl", "l.jsonl", "--losses-key", "lost").exit_code == 2


def test_there_must_be_a_place_for_them() -> None:
    """A row that is no object, or has that key, is refused; so is a format that is no JSON."""
    saved("a.jsonl", [[{"role": "user", "content": "Hi"}], {"messages": [{"role": "user", "content": "Hi"}], "x": 1}])
    done = agentmsg("convert", "a.jsonl", "-f", "openai", "-t", "openai", "-o", "b.jsonl", "--losses-key", "x")
    reasons = [row["reason"] for row in lines("b.jsonl.bad.jsonl")]
    assert (done.exit_code, len(reasons)) == (3, 2)
    assert "no place for the loss report under 'x': the document is no object" in reasons[0]
    assert "there is such a key already" in reasons[1]
    assert agentmsg("convert", "a.jsonl", "-t", "msgpack", "-o", "b.msgpack", "--losses-key", "x").exit_code == 2


def test_an_empty_object_is_a_place_too() -> None:
    """The report of a document without any key is its only one, also in indented JSON."""
    Path("a.json").write_text('{"messages":[{"role":"user","content":"Hi"}]}', encoding="utf-8")
    done = agentmsg("convert", "a.json", "-t", "anthropic", "-o", "b.json", "--losses-key", "lost", "--pretty")
    assert done.exit_code == 0, done.output
    assert list(json.loads(Path("b.json").read_text(encoding="utf-8"))) == ["messages", "lost"]
    assert agentmsg("restore", "b.json", "--losses-key", "lost").stdout == Path("a.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["c.jsonl", "-"])
def test_limits_hold_for_loss_reports(target: str) -> None:
    """A line of a loss report may be as long as one of a document, and no longer."""
    rows = logs(3)
    rows[1]["messages"][0]["name"] = "n" * 5000
    converted(rows)
    command = ["restore", "b.jsonl", "l.jsonl", "-o", target, "-q", "--limit"]
    done = agentmsg(*command, "line=4000")
    assert (done.exit_code, "more than 4000 bytes" in done.stderr) == (1, True), done.output
    assert agentmsg(*command, "line=9000").exit_code == 0
