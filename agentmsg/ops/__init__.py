"""Operations on histories: pure functions, one module a subject. They stand above codecs and conversion.

| module | what |
| --- | --- |
| ``filtering`` | what ``History.filter`` and ``History.exclude`` give, and ``filter_messages`` |
| ``trimming`` | what ``History.trim`` gives |
| ``truncating`` | the part of one message that fits |
| ``tokens`` | how many tokens a message is, estimated or counted by a tokenizer |
| ``conditions`` | names, ids and roles that are asked for, one or several |
| ``stats`` | what ``History.stats`` gives |
| ``totals`` | the same of many histories, in bounded memory |
| ``differences`` | what differs between two histories, and the second made of the first and that |
| ``alignment`` | which items of two sequences, and which words of two texts, belong together |
| ``merging`` | neighbours of one role become one message |
| ``ids`` | a later message in the place of the earlier one of its id; removals |
| ``turns`` | a user's message and all that follows until the next one |
| ``pairs`` | calls of tools with what answers them |
| ``text`` | a history as one text, plain or XML |
| ``transcript_tags`` | what such a text shows of each block |

May import ``registry``, ``formats`` and what lies below them. The model reaches these modules by name, when asked.
"""
