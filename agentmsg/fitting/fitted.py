"""The result of fit: the output, and what is known of how it was made. The loss report is their difference."""

from __future__ import annotations

import attrs

from agentmsg.formats.capabilities import Unsent
from agentmsg.formats.reasons import Reasons
from agentmsg.model.construction import maker
from agentmsg.model.history import History


@attrs.frozen(eq=False)
class Known:
    """What is known of how one history became another: it decides how well their difference reads, never what it is.

    Attributes:
        reasons: what was said meanwhile.
        like: a history like the source, with each message, block and tool in the same place, from which the output was
            made; None: the source itself.
        in_place: whether each message of the output was made from the one in its place.
        is_secret: whether the source holds what was redacted in the output.
    """

    reasons: Reasons | None = None
    like: History | None = None
    in_place: bool = False
    is_secret: bool = False


UNKNOWN = Known()
make_known = maker(Known)


@attrs.frozen(eq=False)
class Fitted:
    """The result of fit.

    Attributes:
        source: the input.
        history: the output; the input itself if nothing changed.
        codec: the name of the codec.
        derives_names: whether the reader of the output names results after their calls (see ``Caps``).
        known: how the output was made.
        unsent: what documents of the codec hold, and clients don't send (see ``Caps``).
    """

    source: History
    history: History
    codec: str
    derives_names: bool = False
    known: Known = UNKNOWN
    unsent: tuple[Unsent, ...] = ()


make_fitted = maker(Fitted)
