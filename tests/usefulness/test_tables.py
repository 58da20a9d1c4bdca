"""What ``shoal utility`` prints, for any figures that a measure may return."""

from shoal.cli.utility import show

SPREAD = {"mean": 1500.0, "q25": 1000.0, "median": 1200.0, "q75": 2000.0}


def test_boxes(capsys):
    spans = {"span_max_m": SPREAD, "span_s": SPREAD}
    show(
        {
            "people_published": 1234,
            "people_suppressed": 0,
            "samples_deleted_share": 0.051,
            "samples_created": 0,
            "per_sample": spans,
            "per_box": spans,
        }
    )
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in (
        "What is left",
        "people published 1,234",
        "samples deleted 5.1%",
        "samples created 0",
        "How accurate, per raw sample",
        "How accurate, per published box",
        "larger side of the box km 1 1.2 2 1.5",
        "duration of the box min 16.7 20 33.3 25",
    ):
        assert line in lines


def test_points_and_profiles(capsys):
    show(
        {
            "people_published": 3,
            "samples_created_share": 0.5,
            "compression": 0.25,
            "parts_per_person": SPREAD,
            "similarity": SPREAD,
            "mean_absolute_difference_per_cell": {"w1_weekday_night": 0.125},
        }
    )
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in (
        "samples created, as a share 50.0%",
        "published samples for each raw one 0.25",
        "parts per person 1,000 1,200 2,000 1,500",
        "similarity to the true profile 1,000 1,200 2,000 1,500",
        "Difference, per cell",
        "w1 weekday night 0.125",
    ):
        assert line in lines


def test_a_figure_that_is_new_to_the_printer_is_printed(capsys):
    show({"people_published": 3, "trips_kept": 7, "stay_error_m": SPREAD, "per_trip": {"length_m": SPREAD}})
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in ("trips kept 7", "stay error m km 1 1.2 2 1.5", "per trip", "length m km 1 1.2 2 1.5"):
        assert line in lines


def test_stops_and_queries(capsys):
    found = {"counted": 3, "raw_pois": 12, "f_score": 0.0633, "f_score_standard_error": 0.001}
    asked = {"queries": 1000, "raw_people": 17.5, "distortion_expected": 0.25, "distortion": 0.0}
    show({"people_published": 3, "spatial_error_m": SPREAD, "poi_per_trace": found, "range_queries": asked})
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "distance from the person's way km 1 1.2 2 1.5",
        "Stops, per trace",
        "those who stop somewhere 3",
        "in the raw data 12",
        "F-score 6.33%",
        "F-score, standard error 0.10%",
        "people, in the raw data 17.5",
        "distortion of the expected count 25.00%",
        "distortion 0.00%",
    ):
        assert line in lines


def test_what_is_small_is_told_in_metres(capsys):
    tiny = {"mean": 0.0244, "q25": 0.0119, "median": 0.0235, "q75": 0.0361}
    jumps = {"raw_m": {"median": 4.24}, "published_m": {"median": 200.0}, "earth_mover_m": 194.0}
    show({"people_published": 3, "spatial_error_m": tiny, "jump_length": jumps, "similar_share": 0.066})
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for line in (
        "distance from the person's way m 0.0119 0.0235 0.0361 0.0244",
        "length of a jump m 4.24 200 194",
        "profiles similar to the true ones 6.6%",
    ):
        assert line in lines
    assert "e-0" not in out
