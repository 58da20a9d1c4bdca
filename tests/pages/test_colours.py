"""The colours of pages can be told apart, light and dark, by the contrast that WCAG 2.1 defines."""

import re
from importlib.resources import files

import pytest

CSS = (files("shoal.pages") / "page.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([a-z0-9-]+): #([0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", CSS, re.S)
)
LETTERS, MARKS, SHADE = 4.5, 3.0, 1.2
"""Least contrasts: of letters and marks as the guideline has them; of a shade to the next, and to the ground."""


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_letters_marks_and_shades_stand_out(look):
    for ground in ("paper", "panel"):
        assert all(contrast(look[name], look[ground]) >= LETTERS for name in ("ink", "soft", "link"))
        assert all(contrast(look[f"c{i}"], look[ground]) >= MARKS for i in range(1, 8))
        assert contrast(look["s1"], look[ground]) >= SHADE
    for tone in ("fine", "careful", "bad"):
        assert contrast(look[tone], look[f"{tone}-paper"]) >= LETTERS
        assert contrast(look["ink"], look[f"{tone}-paper"]) >= LETTERS
    assert all(contrast(look[f"s{i}"], look[f"s{i + 1}"]) >= SHADE for i in range(1, 6))


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_on_shades_can_be_read(look):
    """As a matrix writes them: ink on the first three shades, paper on the others."""
    written = {1: "ink", 2: "ink", 3: "ink", 4: "paper", 5: "paper", 6: "paper"}
    found = {i: contrast(look[f"s{i}"], look[on]) for i, on in written.items()}
    assert min(found.values()) >= MARKS
    assert min(found[i] for i in (1, 2, 5, 6)) >= LETTERS, "those of most cells"
