"""Recipes: a way from data to an audited release, written down once in TOML and followed as often as needed.

``keys`` and ``sections`` declare what may stand in a recipe, ``recipe`` reads one, ``steps`` follows it, ``lock`` keeps
what it was followed with. ``plan`` says beforehand what would be done and how long that may take; ``draft`` writes a
first recipe for data.
"""

from shoal.recipes.recipe import Recipe, load

__all__ = ["Recipe", "load"]
