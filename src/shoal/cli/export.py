"""``shoal export``: a release in the shape of another library."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet


def export(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Directory of the release.")],
    *,
    to: Annotated[str, typer.Option(help="skmob, trackintel, movingpandas or geoparquet.", metavar="SHAPE")],
    out: Annotated[Path, typer.Option(help="File to write: .parquet, or .csv without geometries; must not exist.")],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a release in the shape of another library: scikit-mobility, trackintel, MovingPandas or GeoParquet.

    Boxes become points in their middle, with their extent in columns beside; in GeoParquet they are polygons.

    Example: shoal export release --to geoparquet --out boxes.parquet
    """
    from shoal.exports import export as write

    written = write(release, to, out)
    if json:
        talk.print_json(written.to_dict())
    words = f"{written.rows:,} rows: {out}. It is for working with: what is audited and handed on is the release"
    talk.say(words, quiet=quiet or json)
