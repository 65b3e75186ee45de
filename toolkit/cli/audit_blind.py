"""toolkit audit-blind."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.cli import common


@click.command("audit-blind")
@click.argument("study", type=common.STUDY)
@click.argument("files", type=common.FILE, nargs=-1, metavar="[FILE_OR_FOLDER]...")
@common.options(common.limits, common.as_json)
def command(study: Path, files: tuple[Path, ...], limits: dict[str, int], as_json: bool) -> None:
    """Search every part of outgoing workbooks for what would unblind their annotators, and those of the discussion.

    That is: judge scores and justifications, names of judges, providers, models and other annotators, item_ids.
    make-sheets does the same before it writes a file. Without files named, those in STUDY/send are searched.

    Ends with exit code 1 when a file would unblind its annotator. The rank tests ask whether the order or the length of
    the items goes with judge scores or models; they are for information, and change no verdict.
    """
    from toolkit.errors import shown
    from toolkit.jobs.audit import audit_blind
    from toolkit.jobs.make_sheets import SEND

    found = audit_blind(study, files or (study / SEND,), limits)
    leaking = any(audited.problems for audited in found.files)
    if as_json:
        common.say_json(
            {
                "blind": not leaking,
                "files": [
                    {
                        "file": audited.name,
                        "annotator": audited.annotator,
                        "kind": audited.kind,
                        "problems": [str(problem) for problem in audited.problems],
                        "associations": [
                            {"what": a.what, "rho": a.rho, "p_value": a.p_value, "n": a.n} for a in audited.associations
                        ],
                    }
                    for audited in found.files
                ],
                "names_in_answers": {item: list(names) for item, names in found.own_names.items()},
                "moved_since_sealed": list(found.moved),
            }
        )
        sys.exit(int(leaking))
    for audited in found.files:
        whose = audited.annotator or ("" if audited.kind == "unknown" else audited.kind)
        whose = f" ({shown(whose)})" if whose else ""
        verdict = "could not be checked" if audited.kind == "unknown" else "NOT BLIND" if audited.problems else "blind"
        click.echo(f"{shown(audited.name)}{whose}: {verdict}")
        for problem in audited.problems:
            click.echo(f"  {problem}")
        for association in audited.associations:
            if association.p_value is not None:
                rho = "" if association.rho is None else f"rank correlation {association.rho:+.2f}, "
                click.echo(f"  {association.what}: {rho}p = {association.p_value:.2f} (n = {association.n})")
    if any(association.p_value is not None for audited in found.files for association in audited.associations):
        click.echo(
            "the order of items follows from the seed alone; of many such tests one in twenty has p < 0.05 by chance"
        )
    for item, names in found.own_names.items():
        named = ", ".join(map(shown, names))
        click.echo(f"note: a text of item {shown(item)} names its own model or provider, or a judge: {named}")
    for what in found.moved:
        click.echo(f"note: the sealed {what.replace('_', ' ')} changed after the workbooks were made")
    sys.exit(int(leaking))
