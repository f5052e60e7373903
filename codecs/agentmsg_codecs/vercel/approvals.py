"""Approvals of tool calls: parts of messages for models; messages for users hold them in the parts of calls."""

from __future__ import annotations

from typing import Any

import agentmsg as am
from agentmsg.formats import Native, adopt, natives
from agentmsg.formats.forms import Form, Hatch, Key, Link, Text, Truth, Wrapped
from agentmsg_codecs.vercel.calls import KIND
from agentmsg_codecs.vercel.names import APPROVAL

# Keys of requests without a field, which both families share.
SHARED = ("isAutomatic", "inputSchemaInput", "descriptor")


def _read_shared(native: Native) -> dict[str, Any]:
    found = {key: native[key] for key in SHARED if key in native}
    return {"extras": {APPROVAL: adopt(found)}} if found else {}


def _write_shared(block: Any) -> Native:
    return {key: value for key, value in natives.extras_copy(block, APPROVAL).items() if key in SHARED}


def _read_kind(native: Native) -> dict[str, Any]:
    return {name: value for name, value in KIND.get(native).items() if name != "provider"}


_KIND = KIND.evolve(cells={"kind": KIND.cells["kind"]}, get=_read_kind)
APPROVALS = (
    Form("request", am.ApprovalRequestBlock, "tool-approval-request", (
        Key("approvalId", "id", Text()),
        Key("toolCallId", "tool_call_id", Link()),
        Key("reason", "reason", Text(), "may"),
        Key("signature", "signature", Wrapped(am.Signature, "value", {"provider": "vercel"}), "may"),
        Hatch(keys=SHARED, cells={}, get=_read_shared, put=_write_shared, spaces=(APPROVAL,),
              about='extras["vercel.approval"]'),
    )),
    Form("response", am.ApprovalResponseBlock, "tool-approval-response", (
        Key("approvalId", "id", Text()),
        Key("approved", "approved", Truth()),
        Key("reason", "reason", Text(), "may"),
        _KIND,
    )),
)  # fmt: skip
