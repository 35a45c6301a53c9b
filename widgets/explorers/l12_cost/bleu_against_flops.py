"""Table 2 of the paper: the quality of translations against the cost of the training."""

from typing import NamedTuple

import numpy as np
import torch

from attnlab.costs import TRANSLATIONS
from widgets.base.controls import select, switch
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, number, power_of_ten, say
from widgets.instruments.chart.chart import Chart, figure, points

KINDS = {"Transformer": "context", "Ensemble": "key", "": "value"}
LEFT = ("MoE", "ConvS2S Ensemble")  # their names stand where another mark would be
LANGUAGES = {"German": "german", "French": "french"}


class Rows(NamedTuple):
    """names, and for each flops and bleu."""

    names: list[str]
    flops: torch.Tensor
    bleu: torch.Tensor


def kind(name: str) -> str:
    """Which of `KINDS` a system is."""
    return next(one for one in KINDS if one in name)


class BleuAgainstFlopsExplorer(Explorer):
    """BLEU and FLOPs of ten systems, as far as the paper has both."""

    language = select(LANGUAGES, help="what is translated into; English is what is translated")
    ensembles = switch(True, help="systems of several models that vote, too")

    shows = {"bleu": lambda parts: np.concatenate([parts["chart"].trace(i)["y"] for i in range(len(KINDS))])}

    def views(self) -> dict:
        marks = [
            points([1e19], [0.0], [""], name=one or "one model", role=role, marker_size=11)
            for one, role in KINDS.items()
        ]
        return {
            "chart": Chart(
                figure(
                    *marks,
                    x="FLOPs of the training",
                    y="BLEU",
                    xaxis_type="log",
                    x_range=[18.2, 21.7],
                    xaxis_dtick=1,
                    xaxis_exponentformat="power",
                    height=330,
                    showlegend=False,
                )
            )
        }

    def compute(self, state) -> Rows:
        column = LANGUAGES[state.language]
        found = [(name, getattr(row, f"{column}_flops"), getattr(row, column)) for name, row in TRANSLATIONS.items()]
        found = [row for one in KINDS for row in found if kind(row[0]) == one and None not in row]
        if not state.ensembles:
            found = [row for row in found if "Ensemble" not in row[0]]
        names, flops, bleu = zip(*found, strict=True)
        return Rows(list(names), torch.tensor(flops, dtype=torch.float64), torch.tensor(bleu, dtype=torch.float64))

    def picture(self, state, result) -> dict:
        traces = {}
        for i, one in enumerate(KINDS):
            mine = [j for j, name in enumerate(result.names) if kind(name) == one]
            names = [result.names[j] for j in mine]
            traces[str(i)] = {
                "x": result.flops[mine],
                "y": result.bleu[mine],
                "text": names,
                "textposition": [f"middle {'left' if name in LEFT else 'right'}" for name in names],
            }
        ends = [24, 29] if state.language == "German" else [37.5, 42.5]
        layout = {"yaxis": {"range": ends, "title": {"text": f"BLEU, English to {state.language}"}}}
        return {"chart": {"traces": traces, "figure_layout": layout}}

    def sentence(self, state, result) -> list:
        runs: list = [f"English to {state.language}. "]
        others = [i for i, name in enumerate(result.names) if "Transformer" not in name]
        for i, name in enumerate(result.names):
            if "Transformer" in name:
                beaten = int((result.bleu[others] < result.bleu[i]).sum())
                runs += [
                    context(name),
                    f": {number(float(result.bleu[i]), 1)}, better than ",
                    key(f"{beaten} of the {len(others)} others"),
                    f", for {power_of_ten(float(result.flops[i]))} FLOPs. ",
                ]
        least, most = (power_of_ten(float(end)) for end in result.flops[others].aminmax())
        return say(*runs, f"The others took {least} to {most}.")

    def code(self, state) -> str:
        column = LANGUAGES[state.language]
        only = [] if state.ensembles else ["rows = {name: row for name, row in rows.items() if 'Ensemble' not in name}"]
        return "\n".join([
            "from attnlab.costs import TRANSLATIONS",
            "",
            "rows = {name: row for name, row in TRANSLATIONS.items()",
            f"        if row.{column} and row.{column}_flops}}",
            *only,
            "kinds = ['Transformer', 'Ensemble', '']",
            "names = sorted(rows, key=lambda name: [kind in name for kind in kinds].index(True))",
            f"flops = [rows[name].{column}_flops for name in names]",
            f"bleu = [rows[name].{column} for name in names]",
        ])
