"""The discrete Laplace law, as borders on the line from 0 to 1: as many binary digits of them as anybody asks for.

The chance of n is (1 - q) / (1 + q) q^|n| with q = exp(-1 / scale). A uniform number between 0 and 1 falls between the
chance of less than n and that of n or less, F(n), just as often. So whoever knows the borders F(n) and draws a uniform
number digit by digit, until it is clear between which of them it lies, draws noise of exactly that law (Knuth and Yao
1976). Borders are computed in whole numbers, from below and from above: what is not certain is computed again with
more digits. No border has finitely many digits, as exp(-1 / scale) is transcendental for a scale that is a fraction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

GUARD_BITS = 64
"""Computed beyond what is asked for: errors of thousands of products are far below."""


@dataclass(frozen=True)
class NoiseLaw:
    """Discrete Laplace noise; what is farther from 0 than `most` counts as `most`, or as minus that.

    Attributes
    ----------
    scale
        The chance of n is proportional to exp(-abs(n) / scale).
    most
        The largest step that anybody can tell from a larger one.

    Examples
    --------
    >>> law = NoiseLaw(Fraction(1000), most=2)
    >>> [border / 2**20 for border in law.borders(20)]  # of -2, -1, 0 and 1
    [0.4992504119873047, 0.49974918365478516, 0.5002498626708984, 0.5007486343383789]
    """

    scale: Fraction
    most: int

    def borders(self, bits: int) -> list[int]:
        """Return F(n) for n from -most to most - 1: the whole part of F(n) times 2 to the power of `bits`."""
        guard = GUARD_BITS
        while True:
            below, above = (list(self._borders(bits + guard, up=up)) for up in (False, True))
            certain = [low >> guard for low in below]
            if certain == [high >> guard for high in above]:
                return certain
            guard *= 2

    def _borders(self, bits: int, *, up: bool) -> Iterator[int]:
        """Bound F(n) times 2^bits: nowhere above it, or nowhere below it."""
        one = 1 << bits
        left = list(self._left_borders(bits, up=up))
        yield from reversed(left)
        # The law is symmetric: F(n) = 1 - F(-1 - n).
        yield from (one - border for border in self._left_borders(bits, up=not up))

    def _left_borders(self, bits: int, *, up: bool) -> Iterator[int]:
        """Bound F(-1), F(-2), …, F(-most): q^n / (1 + q), which grows with q for every n from 1."""
        q = _exp_minus(1 / self.scale, bits, up=up)
        power = _divided(q << bits, (1 << bits) + q, up=up)
        for _ in range(self.most):
            yield power
            power = _divided(power * q, 1 << bits, up=up)


def _exp_minus(x: Fraction, bits: int, *, up: bool) -> int:
    """Bound exp(-x) times 2^bits, for x between 0 and 1: terms shrink and alternate, so sums lie on both sides."""
    assert 0 < x < 1
    term = total = Fraction(1 << bits)
    n = 0
    # A last term that was added leaves the sum above, one that was taken off leaves it below.
    while abs(term) > 1 or (term > 0) != up:
        n += 1
        term *= -x / n
        total += term
    return _divided(total.numerator, total.denominator, up=up)


def _divided(number: int, by: int, *, up: bool) -> int:
    return -(-number // by) if up else number // by
