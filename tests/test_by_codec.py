"""``pytest --codec NAME``: the tests that concern a codec, and the error for an unknown name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentmsg import codec_names
from support.by_codec import chosen_words, named_in

HERE = Path(__file__).resolve().parent
# Files that import quickly: named by file, parameters, a marker; and one that names no codec.
NAMED = ("test_openai_siblings.py", "test_stored.py", "test_provider_losses.py")
UNNAMED = "test_reprs.py"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("test_openai_servers test_a_body_is_read", {"openai"}),
        ("test_openai_response test_x", {"openai-response"}),
        ("test_openai_anthropic test_x", {"openai", "anthropic"}),
        ("test_agentscope_java test_x", {"agentscope-java"}),
        ("test_laws test_floor[langchain-lc-F1]", {"langchain-lc"}),
        ("test_strict test_x[openai_chat]", {"openai"}),
        ("test_x test_y[riffer, tool call]", {"riffer"}),
        ("test_langchainer test_jsonl", set[str]()),
    ],
)
def test_words_name_codecs(text: str, named: set[str]) -> None:
    """A codec is named by a whole word, the longest name that matches."""
    assert named_in(text) == named


def test_a_codec_brings_its_family() -> None:
    """A codec of a family concerns the tests of the family, but not the other way round."""
    assert chosen_words(["openai-response"]) == {"openai", "openai-response"}
    assert chosen_words(["openai", "riffer"]) == {"openai", "riffer"}


def test_the_option_keeps_the_tests_of_a_codec() -> None:
    """Tests are kept by file, parameters or marker; all others are left out."""
    run = _pytest("--codec", "openai", "--codec", "json", "--collect-only", "-q", *NAMED, UNNAMED)
    assert run.returncode == 0, run.stdout + run.stderr
    kept = [line.rpartition("/")[2] for line in run.stdout.splitlines() if "::" in line]
    assert {line.partition("::")[0] for line in kept} == set(NAMED)
    assert {word for line in kept if line.startswith("test_stored") for word in named_in(line)} == {"json"}


def test_an_unknown_codec_is_refused() -> None:
    """An unknown codec name is a usage error, which lists the codecs."""
    run = _pytest("--codec", "opanai", "test_by_codec.py")
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "no codec 'opanai'" in run.stderr
    assert ", ".join(codec_names()) in run.stderr


def _pytest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False, timeout=120)
