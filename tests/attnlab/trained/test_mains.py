"""Each table is made whole by one `main()`: what stands in the file is what its script would write today.

The trainings are left out, each of which has its test in test_trained.py; all else is compared: what is measured, the
seeds and rates, the settings in words, the sizes of the models.
"""

from collections.abc import Iterator
from importlib import import_module

import pytest

from attnlab.tasks import Phrasebook, Task
from attnlab.trained import tables


class Measured:
    """In place of what a training gives: whatever is asked of it, and equal to whatever was measured."""

    def __getitem__(self, name):
        return [0.5] if name == "exact" else 0.5

    def __round__(self, decimals):
        return self


TRAININGS = {
    "copiers": ["of_all_seeds"],
    "dates": ["train"],
    "depths": ["three"],
    "gates": ["right", "gradient_at_first"],
    "ladder": ["of_all_seeds", "counted"],
    "mixtures": ["mixture"],
    "patch_sizes": ["run"],
    "positions": ["for_all"],
    "pretraining": ["pretrain", "share_named", "save_both", "best_rate", "tuned", "bag_of_words"],
    "recall": ["run", "translator", "right_sentences"],
    "recipe": ["after", "train"],
    "registers": ["run", "ship"],
    "rest": ["run"],
    "reviews": ["measured", "ship"],
    "roots": ["steps_to_learn", "at_the_start"],
    "scores": ["score_run", "hard_run"],
    "search": ["train"],
    "switches": ["of_all_seeds"],
    "translators": ["race", "step_time", "depths", "names", "even_aligned_share"],
    "when_not": ["light", "reading"],
}
CHOSEN = {("translators", "rates"), ("translators", "exact at other rates")}  # the best of what was measured


def differences(made, kept, at: tuple) -> Iterator[str]:
    """Where what a script makes is not what the file holds, in words."""
    if isinstance(made, Measured) or at in CHOSEN:
        return
    if isinstance(made, dict) and isinstance(kept, dict):
        if [*map(str, made)] != [*kept]:
            yield f"{at}: {[*made]}, in the file {[*kept]}"
        for name in made.keys() & kept.keys() | {name for name in made if str(name) in kept}:
            yield from differences(made[name], kept[str(name)], (*at, str(name)))
    elif isinstance(made, list | tuple) and isinstance(kept, list):
        if len(made) != len(kept):
            yield f"{at}: {len(made)}, in the file {len(kept)}"
        for place, (one, other) in enumerate(zip(made, kept, strict=False)):
            yield from differences(one, other, (*at, place))
    elif made != kept:
        yield f"{at}: {made!r}, in the file {kept!r}"


@pytest.mark.parametrize("name", TRAININGS)
def test_one_main_makes_the_whole_table(name, monkeypatch, tmp_path):
    script, written = import_module(f"attnlab.trained.train_{name}"), {}
    for training in TRAININGS[name]:
        monkeypatch.setattr(script, training, lambda *_, **__: Measured())
    monkeypatch.setattr(Task, "batch", lambda *_: None)  # no training asks for it: nothing is generated
    monkeypatch.setattr(Phrasebook, "test", [])
    monkeypatch.setattr(script, "HERE", tmp_path, raising=False)  # where one of them writes its log
    monkeypatch.setattr(tables, "write", written.__setitem__)
    monkeypatch.setattr(tables, "versions", lambda: tables.read(name)["versions"])  # another machine's may be others
    script.main()
    assert list(differences(written[name], tables.read(name), (name,))) == []
