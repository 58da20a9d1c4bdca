"""The numbers that GLOVE prints in its Table 2 (§7.2), GLOVE's columns: thresholds of 15 km and 6 h."""

from typing import NamedTuple


class Printed(NamedTuple):
    """One column: nobody is discarded and no sample is created anywhere."""

    deleted_percent: float
    position_error_m: float
    time_error_min: float


TABLE_2 = {
    ("civ", 2): Printed(8.3, 1_013.71, 60.21),
    ("sen", 2): Printed(14.1, 1_312.28, 69.31),
    ("abidjan", 2): Printed(4.03, 1_323.12, 57.21),
    ("dakar", 2): Printed(4.8, 1_249.24, 58.47),
    ("civ", 5): Printed(8.3, 5_129.9, 171.01),
    ("sen", 5): Printed(16.9, 5_694.2, 408.30),
    ("abidjan", 5): Printed(4.41, 1_870.10, 146.90),
    ("dakar", 5): Printed(6.4, 1_596.77, 147.53),
}
