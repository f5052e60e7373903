"""Operations on histories: pure functions, one module per subject. They are above codecs and conversion.

| module | what |
| --- | --- |
| ``filtering`` | ``History.filter``, ``History.exclude`` and ``filter_messages`` |
| ``truncating`` | the part of one message that fits |
| ``tokens`` | tokens of a message, estimated or counted by a tokenizer |
| ``conditions`` | the names, ids and roles that a caller asks for |
| ``stats`` | ``History.stats`` |
| ``totals`` | statistics of many histories, in bounded memory |
| ``differences`` | the differences between two histories, enough to get the second from the first |
| ``alignment`` | which items of two sequences, and which words of two texts, belong together |
| ``merging`` | merge adjacent messages of one role |
| ``ids`` | a later message replaces an earlier one with its id; removals |
| ``turns`` | a user message and all that follows until the next one |
| ``pairs`` | tool calls with their results |
| ``text`` | a history as one text, plain or XML, and what that shows for each block |

May import ``registry``, ``formats`` and what lies below them. The model looks these modules up by name when needed.
"""
