"""The site: any error in it ends the build. ``.ci/run`` builds the site itself."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

SITE = Path(__file__).resolve().parents[1] / ".ci" / "site"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SITE.exists(), reason="an installed wheel is tested: .ci stands in the checkout only"),
]

FAULTS = {
    "[a page](nothing.md)": "page does not exist",
    "[a heading](CHANGELOG.md#nothing)": "anchor does not exist",
    "[a name][agentmsg.nothing]": "unresolved autoref",
}
MODULE = '''
"""A module."""

__all__ = ["Plain", "documented", "undocumented"]


class Plain:
    """A class.

    Attributes:
        told: is described.
    """

    told: int
    untold: int


def documented() -> None:
    """Do nothing."""


def undocumented() -> None: ...
'''


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(SITE), *sys.path])


def _of_site(name: str) -> Any:
    return import_module(name)


def test_dead_links_end_the_build(tmp_path: Path) -> None:
    """A link to a missing page, heading or name is an error, and the build names each."""
    site = _of_site("build_site")
    site.assemble(tmp_path)
    readme = tmp_path / "docs" / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8") + "\n\n".join(["", *FAULTS]), encoding="utf-8")
    told = site.build(tmp_path)
    assert [words for words in FAULTS.values() if words not in told] == []
    assert f"{len(FAULTS)} issues found" in told


def test_names_without_docstring_are_found(tmp_path: Path) -> None:
    """A public function without docstring, and a field missing in its class's docstring, are named."""
    griffe = pytest.importorskip("griffe")
    (tmp_path / "planted.py").write_text(MODULE, encoding="utf-8")
    module = griffe.load("planted", search_paths=[str(tmp_path)], docstring_parser=griffe.Parser.google)
    assert list(_of_site("reference").undocumented("planted", module)) == [
        "planted.Plain.untold",
        "planted.undocumented",
    ]


def test_every_public_name_has_a_page() -> None:
    """The reference has each public name of agentmsg, of ``agentmsg.formats`` and of ``agentmsg.testing`` once."""
    import agentmsg
    import agentmsg.formats
    import agentmsg.testing

    index = _of_site("reference").api_pages(SITE.parents[1])["README.md"]
    for module in (agentmsg, agentmsg.formats, agentmsg.testing):
        # `blocks` and `stream` are modules, with names that have their pages, and their guides.
        for name in {*module.__all__} - {"Codec", "__version__", "blocks", "stream"}:
            assert index.count(f"#{module.__name__}.{name})") == 1, name
    assert "#agentmsg.formats.Codec)" in index
    assert "#agentmsg.formats.blocks)" in index
