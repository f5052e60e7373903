"""The benchmarks run, at sizes so tiny that their figures mean nothing."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING

import pytest

import agentmsg as am
from agentmsg_codecs import CODECS
from benchmarks import __main__ as command
from benchmarks import page, plots, profile, targets, timing
from benchmarks.competitors import TABLE, Missing, enter
from benchmarks.data import mixed_history
from benchmarks.fields import OURS, TAGGED, UNIONS
from benchmarks.growth import RAW, REMEMBERED, growth_section
from benchmarks.operations import DECODE, OPERATIONS
from benchmarks.page import replaced
from benchmarks.section import Scale, Section
from benchmarks.sections import SECTIONS

if TYPE_CHECKING:
    from pathlib import Path

_TINY = ["--messages", "12", "--rounds", "1"]


@pytest.fixture(autouse=True)
def frozen_heap() -> None:
    """Freeze what other tests left: every round collects garbage, and scanning all that took most of the time."""
    gc.freeze()


def test_history_is_the_same_every_time() -> None:
    """The history depends only on its seed and length, and a shorter one is the beginning of a longer one."""
    assert am.same(mixed_history(30), mixed_history(30))
    assert am.same(mixed_history(40)[:30], mixed_history(30))
    assert not am.same(mixed_history(30), mixed_history(30, seed=8))


def test_history_is_mixed() -> None:
    """The history has every role and block that the report mentions, in about 710 bytes a message."""
    history = mixed_history(200)
    assert {message.role for message in history} == {"system", "user", "assistant", "tool"}
    kinds = {type(block) for message in history for block in message.content}
    assert kinds == {am.TextBlock, am.ImageBlock, am.ThinkingBlock, am.ToolUseBlock, am.ToolResultBlock}
    assert 650 < len(am.dumps(history, "json")) / 200 < 770


@pytest.mark.slow
@pytest.mark.parametrize("form", list(TABLE))
def test_section_has_all_figures(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A format's section has a row, or a reason, for each competitor."""
    assert command.main([*_TINY, "--only", form]) == 0
    printed = capsys.readouterr().out
    assert not [name for name in TABLE[form] if name not in printed]
    assert "msgspec 0." in printed


@pytest.mark.slow
def test_all_codecs_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The section of codecs has a row for each, and a promise beside the LangChain codec for all others."""
    assert command.main([*_TINY, "--only", "codecs"]) == 0
    printed = capsys.readouterr().out
    assert not [name for name in CODECS if f"\n{name} " not in printed]
    assert printed.count(" / langchain") == 2 * (len(CODECS) - 1)


@pytest.mark.slow
def test_all_operations_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The section of operations has a row for each, and a promise beside decoding the same messages."""
    assert command.main([*_TINY, "--only", "operations"]) == 0
    printed = capsys.readouterr().out
    assert not [name for name in OPERATIONS if f"\n{name} " not in printed]
    assert printed.count(f" / {DECODE}") == len(OPERATIONS)


@pytest.mark.slow
def test_fields_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """The section of fields has a row for each body and reader, all of which read and wrote the same."""
    assert command.main([*_TINY, "--only", "fields"]) == 0
    printed = capsys.readouterr().out
    rows = [f"canonical: {name}" for name in (OURS, TAGGED)] + [f"openai: {name}" for name in (OURS, TAGGED, UNIONS)]
    assert not [row for row in rows if f"\n{row} " not in printed]


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name.startswith(("filter", "trim"))])
def test_choosing_and_trimming_have_work_to_do(name: str) -> None:
    """The measured operation neither keeps nor leaves out all messages; a budget for half of them keeps about half."""
    kept = len(OPERATIONS[name](mixed_history(600)))
    assert 0 < kept < 600
    assert "half" not in name or 240 < kept < 360


def test_runs_of_several_things_are_compared_by_the_thing() -> None:
    """A run of ten messages in ten moments is no slower than one of two messages in two."""
    assert timing.Times((10_000, 20_000)).each(10).beside(timing.Times((2000, 4000)).each(2)) == 1.0


@pytest.mark.slow
def test_figures_for_programs(tmp_path: Path) -> None:
    """``--json`` writes all figures, with versions and ratios."""
    path = tmp_path / "figures.json"
    assert command.main([*_TINY, "--only", "json,account", "--json", str(path)]) == 0
    report = json.loads(path.read_bytes())
    assert set(report["sections"]) == {"json", "account"}
    assert set(report["sections"]["json"]["rows"]["agentmsg"]) >= {
        "decode",
        "encode median",
        "bytes",
        "memory",
    }
    assert report["versions"]["orjson"][0].isdigit()
    assert report["machine"]["processor"]
    assert "json decode / msgspec" in [ratio["name"] for ratio in report["ratios"]]


def test_import_is_measured_in_whole_processes() -> None:
    """Processes are timed by what they run."""
    times = timing.interleave_processes({"nothing": "pass", "sleep": "import time; time.sleep(0.3)"}, timing.Rounds(1))
    assert min(times["sleep"].runs) > min(times["nothing"].runs) + 50_000_000


def test_missing_peer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that is not installed is named with the reason."""
    monkeypatch.delitem(sys.modules, "benchmarks.peers.with_msgspec", raising=False)
    monkeypatch.setitem(sys.modules, "msgspec", None)
    found = enter("msgspec", TABLE["json"]["msgspec"], mixed_history(2))
    assert isinstance(found, Missing)
    assert "msgspec" in found.why


def test_ratios_are_reckoned() -> None:
    """A ratio is ours divided by theirs, kept up to its bound, and left out if a side is missing."""
    rows = {
        "agentmsg": {"decode": 6.0, "decode median": 8.0},
        "msgspec": {"decode": 3.0, "decode median": 2.0},
        "pydantic": {"decode": 7.5, "decode median": 8.0},
    }
    found = targets.ratios({"json": Section("JSON", rows)})
    assert [(ratio.best, ratio.middle, ratio.kept) for ratio in found] == [
        (2.0, 4.0, True),
        (0.8, 1.0, False),
    ]


def test_slow_moments_cancel_out() -> None:
    """Rounds are compared one by one, so that a slow moment of the machine counts on both sides."""
    ours, theirs = timing.Times((4000, 12_000, 12_000)), timing.Times((1000, 3000, 1000))
    assert ours.beside(theirs) == 4.0
    rows = {"agentmsg": {"decode": 4.0}, "msgspec": {"decode": 1.5}}
    section = Section("JSON", rows, (), {"decode": {"agentmsg": ours, "msgspec": theirs}})
    assert [(ratio.paired, ratio.kept) for ratio in targets.ratios({"json": section})] == [(4.0, False)]


def test_every_target_names_a_section() -> None:
    """No promise is left out because of a misspelt section."""
    assert {target.section for target in targets.TARGETS} <= set(SECTIONS)
    assert {target.other[0] for target in targets.TARGETS} <= set(SECTIONS)


def test_rounds_are_interleaved() -> None:
    """Every case runs once uncounted and once a round, each round beginning with another one."""
    ran: list[str] = []
    cases = {name: timing.Case(partial(str, name), ran.append) for name in ("a", "b")}
    times = timing.interleave(cases, timing.Rounds(2))
    assert ran == ["a", "b", "a", "b", "b", "a"]
    assert [len(spent.runs) for spent in times.values()] == [2, 2]


def test_memory_is_of_what_is_kept() -> None:
    """Memory counts the result, not the work of making it."""
    assert 100_000 < timing.kept_bytes(lambda: [bytes(1_000_000), bytes(100_000)][1]) < 110_000


def test_rounds_end_when_the_time_is_over() -> None:
    """A slow case runs less often, but at least as often as needed; the number of its runs is reported."""
    told: list[tuple[int, int]] = []
    rounds = timing.Rounds(50, seconds=0.0, least=3, tell=lambda done, most: told.append((done, most)))
    times = timing.interleave({"a": timing.Case(lambda: None, lambda _: None)}, rounds)
    assert len(times["a"].runs) == 3
    assert told == [(1, 50), (2, 50), (3, 50)]
    assert rounds.at_most(2).most == 2


def test_growth_is_measured_on_equal_work() -> None:
    """All writers of a growing history, and readers of repeated lines, gave the same values, and have figures."""
    section = growth_section(Scale(mixed_history(2), timing.Rounds(1)))
    assert {"agentmsg", REMEMBERED, "msgspec", RAW} <= set(section.rows)
    assert len(targets.ratios({"growth": section})) == 4


@pytest.mark.slow
def test_tables_are_printed_as_they_are_ready(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table is printed before the next section is measured, and stderr shows the progress."""
    printed: list[str] = []

    def last(_: Scale) -> Section:
        printed.append(capsys.readouterr().out)
        return Section("Last", {})

    monkeypatch.setattr(command, "SECTIONS", {**SECTIONS, "import": last})
    assert command.main([*_TINY, "--only", "json,import"]) == 0
    assert "Canonical JSON" in printed[0]


@pytest.mark.parametrize("name", ["nonsense", "json,nonsense"])
def test_unknown_sections_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown section is reported, with the known ones."""
    with pytest.raises(SystemExit):
        command.main(["--only", name])
    assert "there is no section nonsense; the sections are json, msgpack" in capsys.readouterr().err


def test_a_table_of_the_page_is_replaced() -> None:
    """Only the text between the markers of a name changes."""
    text = "a\n<!-- results:x -->\nold\n<!-- /results:x -->\n<!-- results:y -->\n<!-- /results:y -->\n"
    changed = replaced(text, "x", "new \\1")
    assert changed == text.replace("old", "\nnew \\1\n")
    assert replaced(changed, "x", "new \\1") == changed
    assert replaced(text, "z", "new") == text


def test_every_table_has_a_place_on_the_page() -> None:
    """The page has a place for the table of each section, and shows each plot."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert not [name for name in SECTIONS if f"<!-- results:{name} -->\n" not in text]
    assert not [name for name in plots.PLOTS if f"(plots/{name}.svg)" not in text]


@pytest.mark.slow
def test_the_page_writes_itself(tmp_path: Path) -> None:
    """``--page`` writes the tables of the measured sections, and draws their plots; the rest stays unchanged."""
    before = page.PAGE.read_text(encoding="utf-8")
    copy = tmp_path / "README.md"
    copy.write_text(before, encoding="utf-8")
    sections = {"growth": growth_section(Scale(mixed_history(2), timing.Rounds(1)))}
    # The imports of matplotlib warn of many things.
    with warnings.catch_warnings(action="ignore"):
        page.write(sections, 2, copy)
    written = copy.read_text(encoding="utf-8")
    assert "| agentmsg, remember |" in written.partition("<!-- results:growth -->")[2]
    assert "agentmsg, remember read again / msgspec" in written.partition("<!-- results:promises -->")[2]
    assert before.partition("## Results")[0] == written.partition("## Results")[0]
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["growth.svg"]


@pytest.mark.slow
def test_plots_are_drawn(tmp_path: Path) -> None:
    """``--plot`` draws a small picture of each kind that has figures; files are left out without the test data."""
    command_line = [sys.executable, "-W", "ignore", "-m", "benchmarks", *_TINY, "--only", "json,growth,files"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    env["AGENTMSG_SHARED"] = str(tmp_path / "none")
    subprocess.run([*command_line, "--plot", str(tmp_path)], check=True, capture_output=True, env=env)
    assert {path.name for path in tmp_path.iterdir()} == {"formats.svg", "growth.svg"}
    assert b"json: decode" in (tmp_path / "formats.svg").read_bytes()
    assert not [path for path in tmp_path.iterdir() if path.stat().st_size > 100_000]


@pytest.mark.slow
def test_profile_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The profile names the functions that take the time."""
    assert profile.main(["json.decode", "--rounds", "1", "--messages", "12"]) == 0
    assert "canonical json: read_Msg" in capsys.readouterr().out
