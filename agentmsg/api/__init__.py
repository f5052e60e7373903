"""The calls that users make: loads, dumps, decode, encode, convert, restore; ``agentmsg`` itself has their names.

May import whatever lies below it.

| module | what is in it |
| --- | --- |
| reading | loads and decode, without what writing needs |
| writing | dumps, encode, convert, restore |
"""
