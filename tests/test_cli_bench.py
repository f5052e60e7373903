"""``agentmsg bench``: the codecs that take part, what is measured, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import agentmsg as am
from agentmsg.cli import bench
from agentmsg.cli.program import program

if TYPE_CHECKING:
    from click.testing import Result

CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
HISTORY = am.decode(CHAT, "openai")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of the test's own, with runs as short as possible."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "_LEAST", 1)


def run(*args: str, given: bytes | None = None) -> Result:
    """Run ``agentmsg bench`` with one round."""
    return CliRunner().invoke(program, ["bench", "--rounds", "1", *args], input=given, prog_name="agentmsg")


def measured(*args: str) -> dict[str, Any]:
    """Return the measured figures, as data."""
    done = run(*args, "--json")
    assert done.exit_code == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def written(name: str, *documents: bytes) -> str:
    """Write documents to a file, one per line; return its name."""
    raw = b"\n".join(documents)
    Path(name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return name


@pytest.mark.parametrize(
    ("name", "codec", "floor"),
    [
        ("a.json", "json", "orjson"),
        ("a.jsonl", "json", "orjson"),
        ("a.jsonl.gz", "openai", "orjson"),
        ("a.json", "langchain", "orjson"),
        ("a.msgpack", "msgpack", "msgpack"),
    ],
)
def test_codecs_of_a_file_are_measured(name: str, codec: am.CodecName, floor: str) -> None:
    """A codec that reads a file has its messages, bytes, times and speeds, each beside the bare parser of its bytes."""
    document = am.dumps(HISTORY, codec, on_loss="ignore")
    lines = [document] * (3 if ".jsonl" in name else 1)
    found = measured(written(name, *lines))
    mine = next(row for row in found["codecs"] if row["name"] == codec)
    assert (mine["messages"], mine["bytes"]) == (2 * len(lines), len(document) * len(lines))
    assert (found["documents"], found["is_all"]) == (len(lines), True)
    for way in ("decode", "encode"):
        assert mine[way]["us"] > 0
        assert mine[way]["mb_s"] > 0
        assert mine[way]["ratio"] > 0
        assert found["floor"][way]["ratio"] == 1
    assert found["floor"]["name"] == floor


def test_every_codec_that_reads_all_takes_part() -> None:
    """If several codecs recognise the documents, all that read each of them are measured."""
    found = measured(written("a.json", json.dumps(CHAT).encode()))
    assert {"openai", "anthropic"} <= {row["name"] for row in found["codecs"]}


def test_conversions_are_measured() -> None:
    """--to measures the conversion to each format, once, by each codec that reads the file."""
    found = measured(written("a.json", am.dumps(HISTORY, "json")), "-t", "openai", "-t", "anthropic", "-t", "openai")
    mine = next(row for row in found["codecs"] if row["name"] == "json")
    assert set(mine["convert"]) == {"openai", "anthropic"}
    assert mine["convert"]["openai"]["us"] > 0


def test_the_table_names_all() -> None:
    """The table has a row for each codec and the floor, and each way."""
    raw = json.dumps(CHAT).encode()
    done = run(written("a.json", raw), "--from", "openai", "--to", "json")
    assert done.exit_code == 0
    title, heading, _, *rows = done.stdout.strip().splitlines()
    assert title == "a.json: 1 document"
    assert heading.split() == ["messages", "bytes", "µs", "a", "message", "MB/s", "/", "orjson"]
    names = ["openai: decode", "orjson: decode", "openai: encode", "orjson: encode", "openai: to json"]
    assert [row.split("  ")[0] for row in rows] == names
    assert {tuple(row[len(name) :].split()[:2]) for row, name in zip(rows, names, strict=True)} == {
        ("2", str(len(raw)))
    }


def test_a_strange_format_is_doubted() -> None:
    """A named codec that hardly fits is measured, with a warning."""
    strange = [{"role": "user", "content": [{"words": "Hi"}, {"words": "there"}]}]
    done = run(written("a.json", json.dumps(strange).encode()), "-f", "openai")
    assert done.exit_code == 0
    assert "warning: a.json looks like another format" in done.stderr


def test_only_the_start_of_a_long_file_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a longer file than needed the first documents are measured, and stderr reports how many."""
    line = json.dumps(CHAT).encode()
    monkeypatch.setattr(bench, "_MOST", 2 * len(line))
    name = written("a.jsonl", *[line] * 5)
    done = run(name, "-f", "openai")
    assert done.stderr == "agentmsg: measured the first 2 documents of a.jsonl\n"
    assert not run(name, "-f", "openai", "-q").stderr
    assert measured(name, "-f", "openai", "-q")["is_all"] is False


def test_results_go_to_a_file() -> None:
    """-o writes the table, or JSON by its ending, and replaces nothing without --force."""
    name = written("a.json", am.dumps(HISTORY, "json"))
    assert run(name, "-o", "b.json").exit_code == 0
    assert json.loads(Path("b.json").read_bytes())["codecs"][0]["name"] == "json"
    assert run(name, "-o", "b.json").exit_code == 2
    assert run(name, "-o", name, "--force").exit_code == 2
    assert Path(name).read_bytes() == am.dumps(HISTORY, "json")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["no.json"], 1, "error [file] no.json: "),
        (["empty.jsonl"], 1, "error [required] empty.jsonl holds no documents"),
        (["hi.json"], 1, "error [not-understood] no codec recognises hi.json; --from CODEC measures one anyway"),
        (["broken.jsonl"], 1, "(broken.jsonl)"),
        (["chat.json", "-f", "msgpack", "-q"], 1, "(chat.json)"),
        (["chat.json", "-f", "nonsense"], 2, "error [unknown-codec] "),
        (["chat.json", "-t", "nonsense"], 2, "error [unknown-codec] "),
        (["chat.json", "--rounds", "0"], 2, "--rounds"),
        (["chat.json", "--at", "/nowhere"], 1, "/nowhere"),
    ],
)
def test_errors_are_typed(arguments: list[str], code: int, words: str) -> None:
    """If nothing can be measured, one line with a code is printed, never a traceback."""
    chat = json.dumps(CHAT).encode()
    written("empty.jsonl")
    written("hi.json", b'{"a": 1}')
    written("broken.jsonl", chat, b"{", chat)
    written("chat.json", chat)
    done = run(*arguments)
    assert done.exit_code == code
    assert words in done.stderr
    assert code == 2 or done.stderr.count("\n") == 1
    assert not done.stdout


def test_stdin_is_read() -> None:
    """- is stdin, and --form gives the form of its documents."""
    line = json.dumps(CHAT).encode()
    done = run("-", "--form", "jsonl", "-f", "openai", given=line + b"\n" + line)
    assert "stdin: 2 documents" in done.stdout
