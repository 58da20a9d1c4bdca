"""The numbers that GLOVE prints in its Table 2 (§7.2): its own columns (15 km and 6 h), and those of W4M-LC."""

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


class PrintedW4m(NamedTuple):
    """One column of W4M-LC; shares are of all fingerprints, or of all samples."""

    discarded_percent: float
    created_percent: float
    deleted_percent: float
    position_error_m: float
    time_error_min: float


TABLE_2_W4M = {
    ("civ", 2): PrintedW4m(1.3, 24.9, 7.5, 10_190.88, 1_151.51),
    ("sen", 2): PrintedW4m(0.1, 17.9, 5.3, 9_392.85, 1_037.74),
    ("abidjan", 2): PrintedW4m(16.8, 20.8, 20.7, 2_939.70, 2_769.74),
    ("dakar", 2): PrintedW4m(1.4, 17.4, 6.1, 1_889.34, 1_172.66),
    ("civ", 5): PrintedW4m(1.5, 44.9, 9.6, 23_534.062, 3_455.94),
    ("sen", 5): PrintedW4m(1.2, 29.9, 7.3, 19_881.9, 2_600.64),
    ("abidjan", 5): PrintedW4m(0.1, 73.8, 13.5, 4_033.4, 3_334.4),
    ("dakar", 5): PrintedW4m(0.8, 17.4, 7.8, 3_365.22, 2_030.13),
}
