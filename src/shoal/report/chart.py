"""Line charts as plain SVG: small files, no library, readable in any browser and in a repository."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 168, 44, 52

# Okabe and Ito's colours, told apart by nearly everybody; black last, as it draws the eye.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("", "6 3", "2 3")

LONG_AXIS = 2.5
"""Powers of ten from which a logarithmic axis has ticks at these only."""


@dataclass(frozen=True, slots=True)
class Series:
    """A line, or marks where ``marks`` is set.

    Attributes
    ----------
    dots
        Marks on the line, for lines through few points.
    colour, dashed
        For lines that belong together: the number of a colour, by default that of the series.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    marks: bool = False
    dots: bool = False
    colour: int | None = None
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Some series over common axes.

    Attributes
    ----------
    x_range, y_range
        Ends of the axes; taken from the data where None.
    log_x, log_y
        A logarithmic axis; values that are not positive are left out.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    log_x: bool = False
    log_y: bool = False

    def to_svg(self) -> str:
        """Draw.

        >>> Chart("Nothing", "x", "y", ()).to_svg().startswith("<svg")
        True
        """
        x_axis = _Axis.over(self.x_range, [v for s in self.series for v in s.x], LEFT, WIDTH - RIGHT, log=self.log_x)
        y_axis = _Axis.over(self.y_range, [v for s in self.series for v in s.y], HEIGHT - BOTTOM, TOP, log=self.log_y)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
            ' font-family="system-ui, sans-serif" font-size="12" fill="#222">',
            f"<title>{escape(self.title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{LEFT}" y="24" font-size="14" font-weight="600">{escape(self.title)}</text>',
            *self._frame(x_axis, y_axis),
            f'<clipPath id="plot"><rect x="{LEFT}" y="{TOP - 2}" width="{WIDTH - LEFT - RIGHT}"'
            f' height="{HEIGHT - TOP - BOTTOM + 4}"/></clipPath>',
        ]
        for i, series in enumerate(self.series):
            parts += _draw(series, i, x_axis, y_axis)
        return "\n".join([*parts, "</svg>", ""])

    def _frame(self, x_axis: "_Axis", y_axis: "_Axis") -> list[str]:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        parts = []
        for value in y_axis.ticks():
            y = y_axis.at(value)
            parts.append(f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_label(value)}</text>')
        for value in x_axis.ticks():
            x = x_axis.at(value)
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 4}" stroke="#222"/>')
            parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{_label(value)}</text>')
        middle_x, middle_y = (LEFT + right) / 2, (TOP + bottom) / 2
        parts += [
            f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#222"/>',
            f'<text x="{middle_x}" y="{HEIGHT - 12}" text-anchor="middle">{escape(self.x_label)}</text>',
            f'<text transform="translate(16 {middle_y}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.y_label)}</text>",
        ]
        return parts


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    start: float
    end: float
    log: bool

    @classmethod
    def over(
        cls, ends: tuple[float, float] | None, values: list[float], start: float, end: float, *, log: bool
    ) -> "_Axis":
        if ends is None:
            usable = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
            low, high = (min(usable), max(usable)) if usable else (1.0, 10.0)
            high = high if high > low else low + 1
            # On a logarithmic axis the least value is as much worth seeing as the greatest: neither lies on the frame.
            ends = (low / 1.1, high * 1.1) if log else (min(low, 0.0), high)
        return cls(*ends, start, end, log)

    def at(self, value: float) -> float:
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        return self.start + ((math.log(value) if self.log else value) - low) / (high - low) * (self.end - self.start)

    def shows(self, position: float) -> bool:
        return min(self.start, self.end) - 0.1 <= position <= max(self.start, self.end) + 0.1

    def ticks(self) -> list[float]:
        if self.log:
            exponents = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            # Where the axis spans few powers of ten, they alone would leave it bare.
            decades = math.log10(self.high / self.low)
            steps = (1,) if decades > LONG_AXIS else (1, 2, 5) if decades > 1 else (1, 1.5, 2, 3, 4, 5, 7)
            values = (m * 10.0**e for e in exponents for m in steps)
            return [v for v in values if self.low * (1 - 1e-9) <= v <= self.high * (1 + 1e-9)]
        rough = (self.high - self.low) / 5
        magnitude = 10.0 ** math.floor(math.log10(rough))
        step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        return [i * step for i in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _draw(series: Series, index: int, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    colour = COLOURS[(index if series.colour is None else series.colour) % len(COLOURS)]
    dash = DASHES[1] if series.dashed else DASHES[index // len(COLOURS) % len(DASHES)] if series.colour is None else ""
    points = [
        (x_axis.at(x), y_axis.at(y))
        for x, y in zip(series.x, series.y, strict=True)
        if math.isfinite(x) and math.isfinite(y) and (x > 0 or not x_axis.log) and (y > 0 or not y_axis.log)
    ]
    legend_y = TOP + 8 + 20 * index
    at = WIDTH - RIGHT + 12
    name = f'<text x="{at + 26}" y="{legend_y + 4}">{escape(series.name)}</text>'
    style = f'fill="none" stroke="{colour}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
    parts = [name]
    if series.marks or series.dots:
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
            for x, y in points
            if x_axis.shows(x) and y_axis.shows(y)
        ]
        parts.append(f'<circle cx="{at + 10}" cy="{legend_y}" r="3.5" fill="{colour}"/>')
    if not series.marks:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) if points else ""
        parts.append(f'<path clip-path="url(#plot)" d="{path}" {style}/>')
        parts.append(f'<path d="M{at} {legend_y}h20" {style}/>')
    return parts


def _label(value: float) -> str:
    if value and (abs(value) >= 100_000 or abs(value) < 0.001):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:,.10g}"
