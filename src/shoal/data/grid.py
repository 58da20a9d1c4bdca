"""The grid that samples are snapped to: whole cells of space and time.

Coordinates are int32 *grid units*, counted from the projection's origin and the UTC epoch, so that kernels
work on small integers and a coarser grid is an integer division (``docs/adr/0001-grid-units.md``).
"""

from dataclasses import dataclass

from shoal.errors import ParameterError, given

SPACE_CAP_M = 20_000
"""Beyond this stretch in space a sample is worthless (GLOVE §4.1, phi_max)."""

TIME_CAP_S = 8 * 3600
"""Beyond this stretch in time a sample is worthless (GLOVE §4.1, phi_max)."""

_USUAL = "100 metres and 60 seconds are usual"


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of ``cell_m`` × ``cell_m`` metres and ``dt_s`` seconds.

    >>> Grid().space_cap, Grid().time_cap
    (200, 480)
    """

    cell_m: int = 100
    dt_s: int = 60

    def __post_init__(self) -> None:
        for name, value, unit in (("cell_m", self.cell_m, "metres"), ("dt_s", self.dt_s, "seconds")):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ParameterError(
                    given(f"grid.{name}", value), expected=f"a whole number of {unit}, 1 or more", hint=_USUAL
                )

    def check_caps(self) -> None:
        """Refuse a grid that samples cannot be measured on: 20 km and 8 h must be whole cells."""
        for name, value, cap, unit in (
            ("grid.cell_m", self.cell_m, SPACE_CAP_M, "metres"),
            ("grid.dt_s", self.dt_s, TIME_CAP_S, "seconds"),
        ):
            if cap % value:
                raise ParameterError(
                    given(name, value),
                    expected=f"a whole number of {unit} that divides {cap}",
                    hint="the stretch effort is capped at 20 km and 8 h, which must be whole cells",
                )

    @property
    def space_cap(self) -> int:
        """20 km in cells."""
        return SPACE_CAP_M // self.cell_m

    @property
    def time_cap(self) -> int:
        """8 h in cells."""
        return TIME_CAP_S // self.dt_s

    def to_dict(self) -> dict[str, int]:
        return {"cell_m": self.cell_m, "dt_s": self.dt_s}
