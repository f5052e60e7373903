"""TotalCodec: the base of codecs in containers that write any history, without a capability table of their own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.formats.containers import ContainerCodec

if TYPE_CHECKING:
    from agentmsg.formats.capabilities import Caps
    from agentmsg.formats.nearest import Nearest
    from agentmsg.model.history import History

__all__ = ["TotalCodec"]


@attrs.frozen(kw_only=True, eq=False, repr=False)
class TotalCodec(ContainerCodec):
    """Base of codecs that find the nearest history that their format holds, and write it."""

    def make_nearest(self) -> Nearest:
        """Return what finds the nearest history; called on first use, for readers don't need it."""
        raise NotImplementedError

    def write_near(self, history: History) -> list[Any]:
        """Write the messages of a history that the format holds."""
        raise NotImplementedError

    @cached_property
    def nearest(self) -> Nearest:
        """Finds the nearest history that the format holds."""
        return self.make_nearest()

    def make_caps(self) -> Caps:
        """Return what the format holds; what is lost is found by reading."""
        return self.nearest.caps

    def covers(self, history: History) -> bool:
        """Whether the format holds all of a history."""
        return self.nearest.keeps(history)

    def foreseen(self, history: History) -> History:
        """Return what comes back: the nearest history, for what the format holds is read as it was."""
        return self.nearest.history(history)

    def write(self, history: History) -> Any:
        """Write any history, in the container that it was read from, or as the option decides."""
        near = self.nearest.history(history)
        return self.containers.document(near, self.write_near(near), self.container)
