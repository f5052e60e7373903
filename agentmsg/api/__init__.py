"""The calls that users make: loads, dumps, decode, decode_parts, encode, convert, restore, trim_messages.

``agentmsg`` itself has their names.

May import whatever lies below it.

| module | what is in it |
| --- | --- |
| joining | decode_parts: several documents that are one conversation |
| reading | loads and decode, without what writing needs |
| trimming | trim_messages |
| writing | dumps, encode, convert, restore |
"""
