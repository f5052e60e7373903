"""The conversations to convert: one of 20 messages, written out, and the recorded ones of the test data.

The recorded ones aren't part of the project: they are at ``$AGENTMSG_SHARED``, else in ``shared`` beside the checkout.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SHARED", "chat_tools", "recorded", "support_chat", "trajectories"]

SHARED = Path(os.environ.get("AGENTMSG_SHARED") or Path(__file__).resolve().parents[2] / "shared")


def _call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": call_id, "type": "function", "function": function}


def _result(call_id: str, content: Any) -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": call_id, "content": text}


_ORDER = {
    "order_id": "NW-48213",
    "status": "delivered",
    "placed_at": "2026-10-02T09:14:51Z",
    "delivered_at": "2026-10-06T16:40:00Z",
    "currency": "EUR",
    "total": 184.9,
    "items": [
        {"sku": "LMP-220", "title": "Desk lamp, brass", "quantity": 1, "price": 89.9, "returnable": True},
        {"sku": "CHR-014", "title": "Seat cushion, grey", "quantity": 2, "price": 47.5, "returnable": True},
    ],
    "ship_to": {"name": "Zoë Lindqvist", "street": "Norra Vägen 4", "city": "Malmö", "country": "SE"},
}
_POLICY = (
    "Goods that arrive damaged can be exchanged or refunded within 60 days of delivery. A photo of the damage is "
    "needed above 50 EUR. Return shipping is free where the damage is ours; the label is valid for 14 days."
)


def support_chat() -> list[dict[str, Any]]:
    """Return 20 OpenAI Chat messages with 5 tool calls, two of them in parallel: a customer, an agent, its tools."""
    return [
        {
            "role": "system",
            "content": "You are the support agent of a furniture shop. Be brief and friendly. Look up orders before "
            "you answer, never promise a refund that the policy does not allow, and ask before you change anything.",
        },
        {"role": "user", "content": "Hi! My order NW-48213 came with a broken lamp. What can I do?"},
        {
            "role": "assistant",
            "content": "I am sorry to hear that. Let me look at your order.",
            "tool_calls": [_call("call_9pXbT2mQk4", "get_order", order_id="NW-48213", include=["items", "shipping"])],
        },
        _result("call_9pXbT2mQk4", _ORDER),
        {
            "role": "assistant",
            "content": "I found it: a brass desk lamp and two seat cushions, delivered on 6 October. Could you send me "
            "a photo of the lamp? And would you rather have a new one or your money back?",
        },
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Here it is, the foot is cracked. A new one please, if it comes soon."},
                {"type": "image_url", "image_url": {"url": "https://example.org/uploads/7f3a/lamp-foot.jpg"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                _call("call_Zr81LwqVn0", "search_policies", query="damaged on arrival exchange", limit=3),
                _call("call_c7Yd5sHgUe", "check_stock", sku="LMP-220", warehouses=["MMX", "CPH"], country="SE"),
            ],
        },
        _result("call_Zr81LwqVn0", _POLICY),
        _result("call_c7Yd5sHgUe", {"sku": "LMP-220", "stock": {"MMX": 0, "CPH": 12}, "ships_in_days": 2}),
        {
            "role": "assistant",
            "content": "Thank you, that is clearly damage in transit, so the exchange is free. The lamp is in stock in "
            "Copenhagen and would be with you in two days. Shall I send it to Norra Vägen 4 in Malmö?",
        },
        {"role": "user", "content": "Yes, please. Do I have to send the broken one back?"},
        {
            "role": "assistant",
            "content": "Yes, but we pay for it. I am ordering the exchange now.",
            "tool_calls": [
                _call(
                    "call_K2jN6vRfA3",
                    "create_exchange",
                    order_id="NW-48213",
                    lines=[{"sku": "LMP-220", "quantity": 1, "reason": "damaged", "photo": "7f3a/lamp-foot.jpg"}],
                    ship_from="CPH",
                    notify={"email": True, "sms": False},
                )
            ],
        },
        _result("call_K2jN6vRfA3", {"exchange_id": "EX-90017", "status": "confirmed", "arrives": "2026-10-10"}),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [_call("call_t0WqE9xBmL", "create_return_label", exchange_id="EX-90017", format="pdf")],
        },
        _result(
            "call_t0WqE9xBmL", {"label_id": "RL-5521", "valid_days": 14, "carrier": "PostNord", "sent_to": "email"}
        ),
        {
            "role": "assistant",
            "content": "Done. The new lamp arrives on 10 October (exchange EX-90017), and the label for the old one is "
            "in your mailbox. Put the lamp into any box and bring it to a PostNord shop within 14 days.",
        },
        {"role": "user", "content": "Great, thanks. Can the cushions go back too? They are the wrong grey."},
        {
            "role": "assistant",
            "content": "They can: you have until 5 December, unused and in their wrapping. As nothing is wrong with "
            "them, the return costs 4.90 EUR, which we take off the refund of 95.00 EUR. Would you like that?",
        },
        {"role": "user", "content": "Hm, no, then I keep them. Thank you for the quick help!"},
        {"role": "assistant", "content": "You are welcome, Zoë. Enjoy the new lamp!"},
    ]


# Of each tool: what it does, and its parameters with their types; those without a question mark are required.
_TOOLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "get_order": ("Look up an order.", {"order_id": "string", "include?": "array"}),
    "search_policies": ("Search the policies of the shop.", {"query": "string", "limit?": "integer"}),
    "check_stock": ("Count what is in stock.", {"sku": "string", "warehouses?": "array", "country?": "string"}),
    "create_exchange": (
        "Send new goods for damaged ones.",
        {"order_id": "string", "lines": "array", "ship_from?": "string", "notify?": "object"},
    ),
    "create_return_label": ("Make a label for a parcel.", {"exchange_id": "string", "format?": "string"}),
    "refund": ("Pay money back.", {"order_id": "string", "amount": "number", "reason?": "string"}),
    "find_customer": ("Find a customer by name or mail.", {"name": "string", "mail?": "string"}),
    "change_address": ("Change where an order goes.", {"order_id": "string", "ship_to": "object"}),
    "track_parcel": ("Tell where a parcel is.", {"parcel_id": "string"}),
    "hand_over": ("Hand the customer over to a person.", {"reason": "string", "is_urgent?": "boolean"}),
}


def chat_tools() -> list[dict[str, Any]]:
    """Return the definitions of 10 tools for OpenAI Chat."""
    return [
        {"type": "function", "function": {"name": name, "description": words, "parameters": _schema(parameters)}}
        for name, (words, parameters) in _TOOLS.items()
    ]


def _schema(parameters: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name.rstrip("?"): {"type": kind, "description": f"The {name.rstrip('?').replace('_', ' ')}."}
            for name, kind in parameters.items()
        },
        "required": [name for name in parameters if not name.endswith("?")],
        "additionalProperties": False,
    }


def recorded(system: str) -> list[dict[str, Any]]:
    """Return the recorded request bodies of one system.

    Raises:
        FileNotFoundError: if there are none.
    """
    folder = SHARED / "corpus" / system
    bodies = [
        interaction["request"]
        for path in sorted(folder.glob("*.json"))
        for interaction in json.loads(path.read_text(encoding="utf-8"))["interactions"]
        if "messages" in interaction["request"]
    ]
    if not bodies:
        raise FileNotFoundError(f"no recorded conversations in {folder}")
    return bodies


def trajectories() -> bytes:
    """Return a file of 200 recorded conversations of agents with tools, one per line, 3.3 MB.

    Raises:
        FileNotFoundError: if it is missing.
    """
    return (SHARED / "corpus/openai_chat/tau-bench__historical_trajectories_gpt-4o-airline.jsonl").read_bytes()
