"""What the files of a release are, and what a release can claim: the specification, as declarations.

The one room that both those who make releases and those who audit them may import. Nothing here reads, writes or
computes anything about people: ``kinds`` says what a published table looks like, ``claims`` what can be promised and in
which words, ``parameters`` what a manifest may publish, ``reasons`` why something may be withheld, ``files`` what lies
in the directories and how a manifest is spelled, ``parquet`` how tables are written.
"""
