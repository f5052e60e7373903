"""Build the site: ``python .ci/site/build_site.py FOLDER``, in an environment with the extra ``docs``.

The pages are README.md, the guides, the pages about formats, the READMEs of the rooms, a reference of the public names
from their docstrings, and a reference of the command line from its help. Each is taken from where it lives, under the
path that it has there, so that the same links work here and on a forge.

Whatever is wrong ends the build: a link or an anchor that leads nowhere, a public name without docstring or group.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference import api_pages, command_page

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The site describes this checkout, whatever is installed.
_PATH = [str(ROOT), str(ROOT / "codecs"), str(HERE)]
GUIDES = "agentmsg/guides"
# A folder that begins with a dot is no part of a site.
_HIDDEN, _SHOWN = ".github", "github"
_PROJECT = {
    "Rooms": "agentmsg/README.md",
    "Tests": "tests/README.md",
    "Speed": "benchmarks/README.md",
    "Changes": "CHANGELOG.md",
    "Contributing": f"{_SHOWN}/CONTRIBUTING.md",
    "Security": f"{_SHOWN}/SECURITY.md",
}
_ENTRY = re.compile(r"^- \[[\w-]+\]\(([\w-]+\.md)\)", re.MULTILINE)
_CODEC = re.compile(r"^\| \[`[\w-]+`\]\(([\w-]+\.md)\)", re.MULTILINE)
_FENCE = re.compile(r"^(```\w+) .*$", re.MULTILINE)
_ABORTED = "Aborted because --strict flag is set"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_IMAGE = re.compile(r"!\[[^]]*\]\(([^)#:]+)\)")


def sources() -> Iterator[Path]:
    """Yield the pages of the repository, and the images and other files that these show."""
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "LICENSE", *(ROOT / _HIDDEN).glob("*.md")]
    pages += [path for room in ("agentmsg", "benchmarks", "codecs", "tests") for path in (ROOT / room).glob("*.md")]
    pages += (ROOT / GUIDES).glob("*.md")
    for page in pages:
        yield page
        for name in _IMAGE.findall(page.read_text(encoding="utf-8")):
            yield (page.parent / name).resolve()


def copy(source: Path, pages: Path) -> None:
    """Copy a file to where it stands on the site."""
    name = source.relative_to(ROOT).as_posix()
    target = pages / re.sub(f"^{re.escape(_HIDDEN)}/", f"{_SHOWN}/", name)
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".md":
        # Behind the language of an example stand the packages that it needs, which no renderer knows.
        text = _FENCE.sub(r"\1", source.read_text(encoding="utf-8"))
        target.write_text(re.sub(rf"(\]\((?:\.\./)*){re.escape(_HIDDEN)}/", rf"\1{_SHOWN}/", text), encoding="utf-8")
    else:
        shutil.copyfile(source, target)


def listed(name: str, entry: re.Pattern[str]) -> list[str]:
    """Return an index and the pages that it lists, in its order."""
    found = entry.findall((ROOT / name).read_text(encoding="utf-8"))
    return [name, *(str(Path(name).with_name(each)) for each in found)]


def navigation(reference: list[str]) -> dict[str, Any]:
    """Return the tabs of the site, each with its pages."""
    formats = listed("codecs/README.md", _CODEC)
    return {
        "Start": "README.md",
        "Guides": listed(f"{GUIDES}/README.md", _ENTRY),
        "Formats": [formats[0], "codecs/conversions.md", *formats[1:]],
        "Reference": reference,
        "Project": _PROJECT,
    }


def toml(value: Any) -> str:
    """Return titles and pages as the value of ``nav``."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return f"[{', '.join(f'{{ {json.dumps(key)} = {toml(each)} }}' for key, each in value.items())}]"


def assemble(work: Path) -> None:
    """Put all pages and the configuration into a folder."""
    sys.path[:0] = _PATH
    pages = work / "docs"
    for source in sources():
        copy(source, pages)
    shutil.copy(HERE / "wide.css", pages)
    reference = {**api_pages(ROOT), "cli.md": command_page()}
    (pages / "reference").mkdir()
    for name, text in reference.items():
        (pages / "reference" / name).write_text(text, encoding="utf-8")
    config = (HERE / "zensical.toml").read_text(encoding="utf-8")
    nav = toml(navigation([f"reference/{name}" for name in reference]))
    (work / "zensical.toml").write_text(config.replace("nav = []", f"nav = {nav}"), encoding="utf-8")


def build(work: Path) -> str:
    """Build the site of an assembled folder, strictly; return what is wrong with it."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(_PATH)}
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=False)
    told = _COLOUR.sub("", done.stdout + done.stderr)
    if _ABORTED in told:
        told = told.rpartition("Traceback")[0]
    # A docstring that doesn't fit its signature is only a warning to others.
    return told if done.returncode or re.search("^(griffe|mkdocstrings):", told, re.MULTILINE) else ""


def main(target: str) -> int:
    """Build the site in a folder that doesn't exist yet; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        assemble(work)
        wrong = build(work)
        if wrong:
            print(wrong)
            return 1
        shutil.copytree(work / "site", target)
    print(f"{sum(1 for _ in Path(target).rglob('*.html'))} pages in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
