"""Where people are: visits per tile, before and after."""

from typing import Any

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.figures import Floats
from shoal.usefulness.likeness import jensen_shannon, kendall_tau, smape, top_overlap
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.views import Viewed

TOPS = (10, 100)


def alike(raw: Floats, published: Floats, elsewhere: float, new: Floats) -> dict[str, Any]:
    """Compare counts of the same tiles or ways; of others ``elsewhere`` are published in all, ``new`` of each."""
    return {
        "jensen_shannon": jensen_shannon(raw, published, elsewhere=elsewhere),
        "smape": smape(raw, published, elsewhere),
        "kendall_tau": kendall_tau(raw, published),
        **{f"top_{count}": top_overlap(raw, published, count, new) for count in TOPS},
    }


@measure(BOXES, POINTS)
def visits_per_tile(compared: Viewed) -> Figures:
    """Compare how many records (of boxes: boxes) each tile of the map has.

    A box counts in all tiles that it covers, by area. Beside that: the share of boxes that lie in one tile, and the
    divergence if those alone counted, or if a box counted fully in every tile that it touches.
    """
    tiles, published = compared.tiles, compared.published_view
    figures: dict[str, Any] = {
        "tile_m": tiles.side_m,
        "tiles": len(tiles),
        **alike(tiles.raw, *tiles.expected(published)),
    }
    if published.has_extent:
        figures["definite_share"] = float(tiles.inside_one(published).mean()) if published.rows else 0.0
        for name, counts in (("definite", tiles.definite(published)), ("possible", tiles.possible(published))):
            figures[f"jensen_shannon_{name}"] = jensen_shannon(tiles.raw, counts.on_tiles, elsewhere=counts.elsewhere)
    return {"visits_per_tile": figures}
