"""Whole files of documents: read, converted and written in pieces, safely. ``agentmsg convert`` runs it.

| module | what |
| --- | --- |
| ``file_names`` | what the name of a file says of what is in it |
| ``storage``, ``storages``, ``local_storage``, ``remote_storage`` | local disks, and URLs by fsspec |
| ``compression`` | gzip, Zstandard |
| ``packing`` | documents to what a file holds: compressed, or rows |
| ``parquet``, ``arrow_values`` | the documents in the rows of Parquet files |
| ``documents`` | the documents of a range of a file |
| ``places`` | documents inside of records, by JSON pointers |
| ``reading`` | the same, from the opening of the file to its end |
| ``converting`` | what becomes of one document |
| ``groups`` | losses, by what they have in common |
| ``job`` | what is to be done, and what became of it |
| ``finding`` | names, folders, patterns to files |
| ``overwriting`` | what may be written |
| ``plan`` | files to sources, targets, ranges |
| ``ranges`` | the heart: a range in, part files and counts out |
| ``work_folder`` | the folder of a run under way: resume, lock |
| ``joining`` | parts to whole files |
| ``engines`` | who runs the pieces: processes, Dask, Ray |
| ``framing`` | what stands around documents that are written |
| ``run`` | all of that together |
| ``piping`` | the same as it comes, for stdin and stdout |
| ``restoring`` | the way back, with the loss reports |
| ``given`` | paths and file objects of callers |
| ``whole`` | ``load`` and ``dump`` |
| ``lines`` | ``load_lines`` and ``dump_lines`` |

May import ``api``, ``stream`` and what lies below them.
"""

from __future__ import annotations

from agentmsg.files.file_names import Kind, kind_of
from agentmsg.files.job import Job, Piece, Report, Source
from agentmsg.files.piping import stream
from agentmsg.files.plan import Target, targets_of
from agentmsg.files.ranges import convert_range
from agentmsg.files.run import Outcome, Request, run

__all__ = [
    "Job",
    "Kind",
    "Outcome",
    "Piece",
    "Report",
    "Request",
    "Source",
    "Target",
    "convert_range",
    "kind_of",
    "run",
    "stream",
    "targets_of",
]
