"""The plot: one bar for each promised ratio, beside its bound. Imports only targets; matplotlib on use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.targets import Ratio

__all__ = ["draw"]

_KEPT, _MISSED, _BOUND, _INK = "#4878a8", "#c2452d", "#1a1a1a", "#1a1a1a"
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "agentmsg", "font.size": 10, "text.color": _INK}
# Longer bars run out of the picture: a ratio that far off is told by its label.
_WIDEST = 2.0


def draw(ratios: list[Ratio], path: Path, title: str) -> None:
    """Write the plot of some ratios to a file; its ending (.svg, .png ...) chooses the kind.

    Every bar is a share of its own bound, because the bounds differ by two orders of magnitude; its label is
    the ratio itself.
    """
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("Agg")
    matplotlib.rcParams.update(_STYLE)
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.38 * len(ratios)), facecolor="white")
    shares = [ratio.paired / ratio.bound for ratio in ratios]
    places = range(len(ratios))
    axes.barh(places, shares, color=[_KEPT if ratio.kept else _MISSED for ratio in ratios], height=0.62)
    for place, ratio in enumerate(ratios):
        label = f"{ratio.paired:.2f}  (at most {ratio.bound:g})"
        axes.text(1.01, place, label, va="center", transform=axes.get_yaxis_transform())
    axes.axvline(1, color=_BOUND, linewidth=1, linestyle="--")
    axes.set_yticks(list(places), [ratio.name for ratio in ratios])
    axes.set_xlim(0, min(_WIDEST, max([1.0, *shares]) * 1.05))
    axes.set_xlabel("share of what is promised: left of the dashed line is kept")
    axes.set_title(title, loc="left", fontsize=11)
    axes.invert_yaxis()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
