"""The engine on Spark: the same work on other machines. Nothing of pyspark is loaded before it is needed.

- `session` opens a session of ours, or looks at one that was given: what it spills to disk has to be encrypted.
- `engine` is the engine: a list of parts, and where tables are worked on.
- `rows` reads Parquet under all rules, and surveys it; `people` cuts whole people from a stream of batches.
- `sorting` brings what was made of them to the driver, in the order of published names.
- `failures` carries errors from there to here, and nothing else of what went wrong: it could show somebody's data.
"""

from shoal.engines.spark.engine import Spark

__all__ = ["Spark"]
