"""Whole files of documents: read, converted and written in pieces, safely. ``agentmsg convert`` runs it.

| module | what |
| --- | --- |
| ``file_names`` | what a file's name says about its content |
| ``storage`` | local disks, and URLs by fsspec |
| ``packing`` | what goes around documents; gzip, bzip2, XZ, Zstandard; rows of Parquet |
| ``parquet`` | the documents in the rows of Parquet files |
| ``yaml_values`` | the value of a YAML file |
| ``databases`` | the documents in an SQLite database, whose tables a codec knows |
| ``documents`` | the documents of a range of a file; the parts of a JSON value, without parsing it |
| ``places`` | documents inside records, by JSON pointers |
| ``reading`` | the documents of a range, from opening the file to its end |
| ``converting`` | the core: convert or restore a document, or a range of a file into part files and counts |
| ``changing`` | a job's changes to each history |
| ``groups`` | losses grouped by what they have in common |
| ``job`` | what to do, and the result |
| ``finding`` | find the files that names, folders and patterns mean |
| ``overwriting`` | check what may be written |
| ``plan`` | plan sources, targets and ranges |
| ``work_folder`` | the folder of an unfinished run: resume, lock |
| ``engines`` | who runs the pieces: processes, Dask, Ray |
| ``run`` | all of that together, and parts joined into whole files |
| ``piping`` | the same for streams: stdin and stdout |
| ``accounts`` | files of loss reports, found by the digest of a document |
| ``load_and_dump`` | ``load``, ``dump``, ``load_lines``, ``dump_lines`` for paths and file objects |

May import ``api``, ``stream`` and what lies below them.
"""

from __future__ import annotations

from agentmsg.files.converting import convert_range
from agentmsg.files.file_names import Kind, kind_of
from agentmsg.files.job import Job, Piece, Report, Source
from agentmsg.files.piping import stream
from agentmsg.files.plan import Input, Target, targets_of
from agentmsg.files.run import Outcome, Request, run

__all__ = [
    "Input",
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
