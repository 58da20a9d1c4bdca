"""The public function: read what was measured, measure what can be, name what is missing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.attacks.released import open_release
from shoal.contract.files import AUDIT, UTILITY
from shoal.data import ReadOptions
from shoal.dossiers import lines, recipients
from shoal.dossiers.audited import audited
from shoal.dossiers.sheet import data_sheet, promise_of, register_entry
from shoal.errors import DataError
from shoal.files.paths import AnyPath, secret_beside

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dossier:
    """The result of ``shoal report --dossier``: for those who sign, not for publication.

    Attributes
    ----------
    content
        Everything, as in ``docs/reference/dossier.schema.json``.
    """

    content: Mapping[str, Any]

    def __repr__(self) -> str:
        sheet, missing = self.content["data_sheet"], len(self.content["missing"])
        return f"Dossier({sheet['mechanism']} for {self.content['recipient']['name']}, {missing} missing)"

    def to_dict(self) -> dict[str, Any]:
        return dict(self.content)

    def to_markdown(self) -> str:
        from shoal.dossiers.pages import markdown

        return markdown(self.content)

    def to_html(self) -> str:
        """One page that asks no network for anything."""
        from shoal.dossiers.pages import html

        return html(self.content)


def dossier(
    release: AnyPath,
    *,
    recipient: str,
    original: Any = None,
    secret: AnyPath | None = None,
    options: ReadOptions | None = None,
) -> Dossier:
    """Put together what those who sign a release need, from what was measured.

    Parameters
    ----------
    release
        The directory.
    recipient
        Who gets it: ``public``, ``partner`` or ``enclave``.
    original
        The data that it was made from. Where given, the release is audited and measured now; otherwise what the last
        audit and the last measure left in the secret directory is read, and what is missing is named.
    secret
        The secret directory; by default ``<release>.secret`` beside the release, where there is one.
    options
        How to read the original.
    """
    who = recipients.find(recipient)
    path, released = Path(release), open_release(release)
    folder = Path(secret) if secret is not None else secret_beside(release)
    if secret is not None and not folder.is_dir():
        raise DataError("no secret directory there", expected="a directory", hint="by default RELEASE.secret")
    verdict, figures = (
        _kept(folder, AUDIT, "checks", list),
        (_kept(folder, UTILITY, "figures", dict) or {}).get("figures"),
    )
    if original is not None:
        verdict, figures = _measured(path, original, folder, options)
    audit = audited(verdict)
    missing = [*audit.missing, *([] if figures else ["what the release is still good for was not measured"])]
    promise = promise_of(released)
    content = {
        "dossier_version": VERSION,
        "date": datetime.now(UTC).date().isoformat(),
        "recipient": who.to_dict(),
        "data_sheet": data_sheet(released),
        "promise": promise,
        "audit": audit.summary,
        "risks": audit.risks,
        "intruder": audit.intruder,
        "missing": missing,
        "residual_risks": lines.residual(promise, audit),
        "utility": lines.useful(figures),
        "retention": lines.retention(),
        "review": lines.review(),
        "sign_off": lines.sign_off(),
        "register": register_entry(path, released, folder if folder.is_dir() else None),
    }
    return Dossier(content)


def _kept(secret: Path, name: str, key: str, type_: type) -> dict[str, Any] | None:
    """What the last audit or the last measure left in the secret directory, if there was one."""
    if not (secret / name).is_file():
        return None
    try:
        found: dict[str, Any] = json.loads((secret / name).read_bytes())
        readable = isinstance(found[key], type_)
    except (OSError, ValueError, TypeError, KeyError):
        readable = False
    if not readable:
        raise DataError(
            f"no readable {name}",
            expected=f"what shoal {Path(name).stem} kept",
            hint=f"run shoal {Path(name).stem} again",
        )
    return found


def _measured(
    release: Path, original: Any, secret: Path, options: ReadOptions | None
) -> tuple[dict[str, Any], Mapping[str, Any]]:
    from shoal.auditor import audit
    from shoal.usefulness import utility as measure

    verdict = audit(release, original=original, secret=secret, options=options).to_dict()
    return verdict, measure(release, original=original, secret=secret, options=options).to_dict()
