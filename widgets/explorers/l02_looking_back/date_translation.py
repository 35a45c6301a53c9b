"""A model translates a date, one character a step: is it right, and does it read the part that it writes?"""

from widgets.base.controls import stepper
from widgets.base.words import context, key, percent, query, quote, say
from widgets.explorers.l02_looking_back.translation import TranslationExplorer


class DateTranslationExplorer(TranslationExplorer):
    """`TranslationExplorer` for dates: year, month and day are named, and the right place to look is known."""

    step = stepper(1, 1, None, label="character", help="the character that is being written")

    def groups(self, result) -> list[list]:
        iso = len(result.written) == 10 and result.written[4] == result.written[7] == "-"
        return [[0, 4, "year"], [5, 7, "month"], [8, 10, "day"]] if iso else []

    def choices(self, result) -> tuple[list[str], list[int]]:
        labels = [*"0123456789-"]
        return labels, [self.task.target_vocabulary.index(label) for label in labels]

    def sentence(self, state, result) -> list:
        row = result.row(state.step)
        written, example = "".join(result.written), self.task.recognise(state.text)
        verdict = "right" if written == example.target else f"wrong, it is {example.target}"
        end = [context(written), f" is {verdict}."]
        group = next(((a, b) for a, b, _ in self.groups(result) if a <= row < b), None)
        rows = range(*group) if group else [row]
        changed = sum(r in state.given for r in rows)
        by_hand = f", with {'a row' if changed == 1 else 'rows'} set by hand" if changed else ""
        if group is None:
            start = [
                "Writing ",
                query(quote(result.written[row])),
                f"{by_hand}, the model looks at ",
                key(quote(result.source[result.top(row)])),
                ". ",
            ]
            return say(*start, *end)
        places = sorted(self.task.alignment(example)[row])
        share = float(result.weights[group[0] : group[1]][:, places].sum(-1).mean())
        read = "".join(result.source[place] for place in places)
        writes = query(written[group[0] : group[1]])
        if share < 0.5:
            lies = f"{by_hand}, {'only ' * (share < 0.25)}{percent(share)} of the weight lies on "
            return say("While it writes ", writes, lies, key(quote(read)), ". ", *end)
        lies = f"{by_hand}: {percent(share)} of the weight lies there. "
        return say("The model reads ", key(quote(read)), " while it writes ", writes, lies, *end)
