"""``shoal reproduce PAPER``: printed findings beside measured ones."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, ReadFlags, expand, whole_number
from shoal.data.traces import Traces
from shoal.errors import ParameterError, did_you_mean
from shoal.pages import tools
from shoal.reproduce.findings import Finding

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="The papers' figures and tables, from our own commands."
)

Scale = Literal["small", "paper"]
_SCALES: tuple[Scale, ...] = ("small", "paper")


@dataclass(frozen=True)
class SourceFlags:
    """Whom a paper is reproduced on."""

    scale: Annotated[str, typer.Option(help="small takes minutes, paper the papers' sizes.")] = "small"
    data: Annotated[Path | None, typer.Option(help="Use this data instead of synthetic people.")] = None
    seed: Annotated[int, typer.Option(help="The same seed gives the same synthetic people.")] = 0

    def checked_scale(self) -> Scale:
        """Check what can be checked before hours of work: the scale, and that figures can be drawn."""
        tools.require()
        for scale in _SCALES:
            if self.scale == scale:
                return scale
        hint = did_you_mean(self.scale, _SCALES)
        raise ParameterError(f"--scale {self.scale}", expected="small or paper", hint=hint)

    def read(self, reading: ReadFlags) -> Traces | None:
        return reading.read(self.data)[0] if self.data else None


@app.command()
@expand(source=SourceFlags, reading=ReadFlags)
def anonymizability(
    *,
    source: SourceFlags,
    out: Annotated[Path, typer.Option(help="Directory for curves and table; run again to go on.")] = Path(
        "reproduced-anonymizability"
    ),
    presets: Annotated[str, typer.Option(help="Some of civ,sen.", metavar="PRESET,…")] = "",
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """On the anonymizability of mobile traffic datasets, Figs. 2–6, and GLOVE, Figs. 3–5.

    Example: shoal reproduce anonymizability --scale small --out reproduced
    """
    from shoal.reproduce.anonymizability import PRESETS, reproduce

    scale, chosen = source.checked_scale(), _chosen("--presets", presets, PRESETS)
    out.mkdir(parents=True, exist_ok=True)
    with talk.progress_bars(quiet=quiet) as progress:
        traces = source.read(reading)
        findings = reproduce(out, scale=scale, data=traces, presets=chosen, seed=source.seed, progress=progress)
    show(findings, json=json)
    talk.say(f"curves and table: {out}", quiet=quiet)


@app.command()
@expand(source=SourceFlags, reading=ReadFlags)
def glove(
    *,
    source: SourceFlags,
    out: Annotated[Path, typer.Option(help="Directory for curves and tables; run again to go on.")] = Path(
        "reproduced-glove"
    ),
    only: Annotated[str, typer.Option(help="Some of fig7,fig8,fig9,fig10,fig11,table2.", metavar="FIGURE,…")] = "",
    presets: Annotated[str, typer.Option(help="Some of civ,sen,abidjan,dakar.", metavar="PRESET,…")] = "",
    k: Annotated[str, typer.Option(help="Some of 2,3,5.", metavar="K,…")] = "",
    users: Annotated[
        str | None, typer.Option(help="So many synthetic people of each preset, whatever the scale.", metavar="N")
    ] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hiding mobile traffic fingerprints with GLOVE, Figs. 7–11 and Table 2.

    Example: shoal reproduce glove --scale small --presets civ --only fig7,table2 --out reproduced
    """
    from shoal.reproduce.glove.plan import FEWEST_PEOPLE, FIGURES, PRESETS, SIZES

    scale = source.checked_scale()
    figures, names = _chosen("--only", only, FIGURES), _chosen("--presets", presets, PRESETS)
    sizes = [int(size) for size in _chosen("--k", k, tuple(map(str, SIZES)))]
    people = whole_number("--users", users, at_least=FEWEST_PEOPLE) if users else None

    from shoal.reproduce.glove.run import reproduce

    out.mkdir(parents=True, exist_ok=True)
    with talk.progress_bars(quiet=quiet) as progress:
        findings = reproduce(
            out,
            scale=scale,
            data=source.read(reading),
            figures=figures,
            presets=names,
            sizes=sizes,
            users=people,
            seed=source.seed,
            progress=progress,
        )
    show(findings, json=json)
    talk.say(f"curves and tables: {out}", quiet=quiet)


@app.command()
@expand(source=SourceFlags, reading=ReadFlags)
def kte(
    *,
    source: SourceFlags,
    out: Annotated[Path, typer.Option(help="Directory for curves and tables; run again to go on.")] = Path(
        "reproduced-kte"
    ),
    only: Annotated[str, typer.Option(help="Some of fig5,fig6,fig7.", metavar="FIGURE,…")] = "",
    presets: Annotated[str, typer.Option(help="Some of abidjan,dakar,shanghai,civ,sen.", metavar="PRESET,…")] = "",
    tau: Annotated[str, typer.Option(help="Some of 10,30,60,120,240 (minutes).", metavar="TAU,…")] = "",
    variant: Annotated[
        str,
        typer.Option(
            help="Some of repaired,paper; the latter is for small sizes, and left out at the scale of the paper.",
            metavar="VARIANT,…",
        ),
    ] = "",
    users: Annotated[
        str | None, typer.Option(help="So many synthetic people of each preset, whatever the scale.", metavar="N")
    ] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Preserving mobile subscriber privacy (k^{tau,epsilon}-anonymity), Figs. 5–7 and the range of suppression.

    Example: shoal reproduce kte --scale small --presets abidjan,dakar --out reproduced
    """
    from shoal.reproduce.kte.plan import FEWEST_PEOPLE, FIGURES, PRESETS, TAUS, VARIANTS, variants_at

    scale = source.checked_scale()
    figures, names = _chosen("--only", only, FIGURES), _chosen("--presets", presets, PRESETS)
    taus = [int(minutes) for minutes in _chosen("--tau", tau, tuple(map(str, TAUS)))]
    asked = _chosen("--variant", variant, VARIANTS) if variant else variants_at(scale)
    people = whole_number("--users", users, at_least=FEWEST_PEOPLE) if users else None

    from shoal.reproduce.kte.run import reproduce

    out.mkdir(parents=True, exist_ok=True)
    with talk.progress_bars(quiet=quiet) as progress:
        findings = reproduce(
            out,
            scale=scale,
            data=source.read(reading),
            figures=figures,
            presets=names,
            taus=taus,
            variants=[one for one in VARIANTS if one in asked],
            users=people,
            seed=source.seed,
            progress=progress,
        )
    show(findings, json=json)
    talk.say(f"curves and tables: {out}", quiet=quiet)


@app.command()
@expand(source=SourceFlags, reading=ReadFlags)
def promesse(
    *,
    source: SourceFlags,
    out: Annotated[Path, typer.Option(help="Directory for the tables; run again to go on.")] = Path(
        "reproduced-promesse"
    ),
    printed: Annotated[
        str, typer.Option(help="The paper's data set that DATA is: cabspotting, geolife or mdc.", metavar="SET")
    ] = "",
    only: Annotated[str, typer.Option(help="Some of promesse,geoind,w4m.", metavar="MECHANISM,…")] = "",
    days: Annotated[str, typer.Option(help="Days to keep of whoever has more.", metavar="N")] = "20",
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Time distortion anonymization for mobility data (Promesse), Tables I–VI.

    Example: shoal reproduce promesse --data cabspotting.parquet --printed cabspotting --out reproduced
    """
    from shoal.data import Fixes, read_as
    from shoal.reproduce.promesse.plan import MECHANISMS
    from shoal.reproduce.promesse.printed import DATA_SETS
    from shoal.reproduce.promesse.run import reproduce

    scale, mechanisms = source.checked_scale(), _chosen("--only", only, MECHANISMS)
    named = printed or (reading.schema if reading.schema in DATA_SETS else "")
    chosen = _chosen("--printed", named, DATA_SETS) if named else ()
    data_set = next((one for one in DATA_SETS if one in chosen), None)
    kept = whole_number("--days", days)
    out.mkdir(parents=True, exist_ok=True)
    with talk.progress_bars(quiet=quiet) as progress:
        findings = reproduce(
            out,
            scale=scale,
            data=read_as(Fixes, source.data, options=reading.options(), progress=progress)[0] if source.data else None,
            data_set=data_set,
            mechanisms=mechanisms,
            days=kept,
            seed=source.seed,
            progress=progress,
        )
    show(findings, json=json)
    talk.say(f"tables: {out}", quiet=quiet)


@app.command()
@expand(source=SourceFlags, reading=ReadFlags)
def primule(
    *,
    source: SourceFlags,
    out: Annotated[Path, typer.Option(help="Directory for figures and tables; run again to go on.")] = Path(
        "reproduced-primule"
    ),
    users: Annotated[
        str | None, typer.Option(help="So many synthetic people, whatever the scale.", metavar="N")
    ] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """PRIMULE: privacy risk mitigation for user profiles, Figs. 4–9, beside Laplace noise.

    Example: shoal reproduce primule --scale small --out reproduced
    """
    from shoal.data import Profiles, read_as
    from shoal.reproduce.primule.run import reproduce

    scale = source.checked_scale()
    people = whole_number("--users", users, at_least=500) if users else None
    out.mkdir(parents=True, exist_ok=True)
    with talk.progress_bars(quiet=quiet) as progress:
        findings = reproduce(
            out,
            scale=scale,
            data=read_as(Profiles, source.data, None, reading.options(), progress)[0] if source.data else None,
            users=people,
            seed=source.seed,
            progress=progress,
        )
    show(findings, json=json)
    talk.say(f"figures and tables: {out}", quiet=quiet)


def _chosen(option: str, text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names in a list, in their usual order; all where none is given."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"{option} {name}", expected="some of " + ", ".join(known), hint=did_you_mean(name, known)
            )
    return tuple(name for name in known if name in names) or known


def show(findings: list[Finding], *, json: bool = False) -> None:
    """Print the table paper | measured; of a remark only the verdict: what follows the colon is in the files."""
    if json:
        talk.print_json([asdict(finding) for finding in findings])
        return
    sets = list(findings[0].measured)
    verdicts = [""] if any(f.note for f in findings) else []
    table = talk.table("Printed beside measured", "where", "what", "printed", *sets, *verdicts, numbers_from=3)
    for f in findings:
        verdict = [f.note.split(":")[0]] if verdicts else []
        table.add_row(f.where, f.what, f.printed, *(f.measured.get(name, "") for name in sets), *verdict)
    talk.out.print(table)
