"""The trained models: they load, they are as good as their logs say, and their headers say how they came about."""

import json
import re
from contextlib import nullcontext
from itertools import chain, pairwise
from math import log

import pytest
import torch
from elsewhere import ELSEWHERE, SECOND, there
from torch.nn.functional import cross_entropy

from attnlab import override, trained, write
from attnlab.analysis import forbidden, mapping_accuracy, resting, without
from attnlab.costs import self_attention
from attnlab.decoding import most_probable
from attnlab.tasks import BytePairs, LetterMapping, Votes
from attnlab.tasks.digits import split
from attnlab.tasks.letter_places import QUESTIONS, taggers
from attnlab.tasks.reactions import WRITINGS, reactions
from attnlab.tasks.text import Characters, Text
from attnlab.trained import (
    make_rxnmapper,
    record_dinov2,
    record_smollm2,
    train_captions,
    train_copiers,
    train_dates,
    train_depths,
    train_few_shot,
    train_gates,
    train_glimpses,
    train_heads,
    train_induction,
    train_ladder,
    train_large,
    train_leak,
    train_mixtures,
    train_order,
    train_patch_sizes,
    train_positions,
    train_pretraining,
    train_race,
    train_recall,
    train_recipe,
    train_reference,
    train_registers,
    train_rest,
    train_reviews,
    train_roots,
    train_scores,
    train_search,
    train_switches,
    train_text_heads,
    train_translators,
    train_when_not,
)
from attnlab.transformer import gpt
from attnlab.vision.vit import vit


@pytest.fixture(scope="module")
def reference():
    return trained.reference()


def logged(name, pattern):
    return float(re.findall(pattern, (trained.HERE / name).read_text(encoding="utf-8"))[-1])


def test_the_loss_is_the_logs(reference):
    loss = train_reference.held_out_loss(reference.model, reference.text)
    assert loss == pytest.approx(logged("reference.log", r"in 16 bits: held-out ([\d.]+)"), abs=0.02)
    assert loss == pytest.approx(reference.header["held_out_loss"], abs=0.02)
    assert loss < 1.25


def test_the_header_says_how_it_came_about(reference):
    header = reference.header
    assert header["seed"] == train_reference.SEED
    assert header["settings"] == train_reference.SETTINGS
    assert header["python"] == "3.11.7"
    assert header["versions"]["torch"]
    assert repr(trained.new_reference()).partition("\n")[0] in header["architecture"]
    assert header["settings"] in (trained.HERE / "reference.log").read_text(encoding="utf-8")


def test_it_is_small_and_in_whole_numbers_of_32_bits(reference):
    files = list(trained.HERE.glob("*.safetensors"))
    assert sum(file.stat().st_size for file in files) < 8_000_000
    assert {p.dtype for p in reference.model.parameters()} == {torch.float32}
    assert sum(p.numel() for p in reference.model.parameters()) == 1_053_568


def test_the_held_out_text_is_in_the_file(reference):
    text = reference.text
    assert text.decode(text.held_out) == reference.header["text"]
    assert len(text.vocabulary) == 1024
    assert text.encode("an instance of the class").tolist() == text.encode("an instance of the class").tolist()


def test_greedy_it_goes_round_in_circles(reference):
    steps = write(reference.model, reference.text.encode("If an exception is"), 100, most_probable)
    written = reference.text.decode([step.token for step in steps])
    assert written.count("exception is raised") > 3


@pytest.mark.parametrize("name", ["letters", "votes"])
def test_few_shot_models_are_as_good_as_logged(name):
    answering = getattr(trained, name)()
    fresh = LetterMapping().batch if name == "letters" else Votes().unseen
    assert answering.header["seeds"] == list(trained.SEEDS)
    for seed, (model, right) in enumerate(zip(answering.models, answering.header["right"], strict=True)):
        found = train_few_shot.right(model, fresh(2000, torch.Generator().manual_seed(1000 + seed)))
        assert found == pytest.approx(right, abs=0.02)
        line = f"{name}, seed {seed}: {' '.join(f'{share:.3f}' for share in right)}"
        assert line in (trained.HERE / "few_shot.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", trained.GLIMPSE_SIZES)
def test_the_models_that_look_are_as_good_as_logged(size):
    model, header = trained.glimpses(size)
    assert model.size == size
    gaze = train_glimpses.mean_gaze(model.location)
    found = train_glimpses.shares(model, gaze, train_glimpses.unseen())
    assert found == pytest.approx(header["right"], abs=0.01)
    table = trained.glimpse_runs()
    runs = table["runs"]["learned"] if size == train_glimpses.SIZE else table["sizes"][str(size)]
    assert len(runs) == len(trained.SEEDS)
    assert header["right"] == runs[0]["right"][str(train_glimpses.STEPS)]
    assert header["settings"] == table["settings"] == train_glimpses.settings()


def test_one_look_more_than_it_learned_with_is_no_worse_and_beats_its_controls():
    """As lesson 14 plays it: five looks for the hand and for the model."""
    model, unseen, looks = trained.glimpses().model, train_glimpses.unseen(), trained.GLIMPSES + 1
    random, centre = train_glimpses.random_gaze(torch.Generator().manual_seed(0)), train_glimpses.centre_gaze
    *_, four, five = train_glimpses.shares(model, train_glimpses.mean_gaze(model.location), unseen, looks)
    assert five >= four - 0.005
    assert all(five > train_glimpses.shares(model, gaze, unseen, looks)[-1] + 0.2 for gaze in (random, centre))


def test_a_size_of_glimpses_that_nobody_trained():
    with pytest.raises(ValueError, match=r"among \[4, 8, 12\], got 5"):
        trained.glimpses(5)


def test_a_learned_gaze_beats_every_control_with_every_seed():
    runs = trained.glimpse_runs()["runs"]
    assert list(runs) == list(train_glimpses.POLICIES)
    last = {name: [run["right"][str(train_glimpses.STEPS)][-1] for run in seeds] for name, seeds in runs.items()}
    assert all(len(shares) == len(trained.SEEDS) for shares in last.values())
    assert all(min(last["learned"]) > max(shares) for name, shares in last.items() if name != "learned")
    assert all(min(last["learned"]) > max(last[name]) + 0.15 for name in ("random", "centre", "mean detached"))
    few = trained.glimpse_runs()["two glimpses"]
    assert list(few) == list(train_glimpses.FEW)
    learned, fixed = ([run["right"][str(train_glimpses.STEPS)][-1] for run in few[name]] for name in few)
    assert min(learned) > max(fixed) + 0.03
    found = trained.glimpse_runs()
    assert (found["rate"], list(found["at this rate"])) == (train_glimpses.HIGHER, list(train_glimpses.FEW))
    assert all(len(runs) == len(trained.SEEDS) for runs in found["at this rate"].values())


def test_switches_hold_three_seeds_of_each_change():
    found = trained.switches()
    for group in ("alone", "all but"):
        assert list(found[group]) == list(train_switches.SWITCHES)
    assert list(found["warmed up"]) == ["AdamW", "Muon"]
    groups = [found[group].values() for group in ("alone", "all but", "warmed up")]
    for one in [found["none"], found["all"], *chain(*groups)]:
        assert len(one["held_out"]) == len(trained.SEEDS)
        assert all(1 < loss < found["uniform"] for loss in one["held_out"])
        assert one["rates"][str(one["rate"])] == min(one["rates"].values()) == one["held_out"][0]
    assert max(found["all"]["held_out"]) < min(found["none"]["held_out"])


def test_only_the_optimiser_changes_where_muon_is_put_in_or_taken_out():
    for changed, schedule in (
        (train_switches.alone("Muon"), train_switches.ADAM.schedule),
        (train_switches.all_but("Muon"), train_switches.MUON.schedule),
    ):
        assert changed.moved_by.schedule is schedule
    assert train_switches.alone("Muon").moved_by.optimiser is train_switches.MUON.optimiser
    assert train_switches.all_but("Muon").moved_by.optimiser is train_switches.ADAM.optimiser


def test_what_a_change_is_worth_by_pencil():
    """It helps the plain model by 0.5 of 3, in the mean, and the modern one can do without it."""
    table = {
        "none": {"held_out": [3.0, 3.1, 2.9]},
        "all": {"held_out": [2.0, 2.0, 2.0]},
        "alone": {"cap": {"held_out": [2.4, 2.5, 2.6]}},
        "all but": {"cap": {"held_out": [1.9, 2.0, 2.1]}},
    }
    worth = train_switches.worth(table)
    assert worth["put in"]["cap"] == pytest.approx([0.6, 0.5, 0.4])
    assert worth["taken out"]["cap"] == pytest.approx([-0.1, 0.0, 0.1])


@pytest.mark.parametrize("name", train_switches.SWITCHES)
def test_a_switch_changes_something_and_knows_nothing_yet(name):
    """Both ways; Muon is no part of a model."""
    tokens = torch.randint(300, (2, 8), generator=torch.Generator().manual_seed(0))
    for whole, changed in (
        (train_switches.plain, train_switches.alone(name).new),
        (train_switches.modern, train_switches.all_but(name).new),
    ):
        models = []
        for new in (whole, changed):
            torch.manual_seed(1)
            models.append(new(300).eval())
        with torch.no_grad():
            loss = cross_entropy(models[1](tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()).item()
        assert loss == pytest.approx(log(300), abs=0.3)
        one, other = ((str(model), sum(p.numel() for p in model.parameters())) for model in models)
        assert (one == other) == (name in ("Muon", "maps into the stream start at 0"))
    zeros = [not block.attention.output.weight.any() for block in train_switches.blocks_of(models[1])]
    assert zeros == [name != "maps into the stream start at 0"] * 2


def test_rungs_hold_three_seeds_and_the_counts_are_exact():
    found = trained.ladder()
    assert list(found["rungs"]) == list(train_ladder.RUNGS)
    for rung in [*found["rungs"].values(), found["one block, letters, longer windows"]]:
        assert len(rung["held_out"]) == len(trained.SEEDS)
        assert max(rung["held_out"]) < found["counts of pairs"] < found["guessing evenly"]
    text = Text("abab" * 400, "abab", Characters)
    assert train_ladder.counted(text) == pytest.approx((2 * log(802 / 801) + log(801 / 800)) / 3, abs=1e-4)


def test_large_gpts_were_run_with_the_settings_of_the_script():
    found = trained.large()
    for name, settings in train_large.SETTINGS.items():
        assert [run["setting"] for run in found[name]] == [setting._asdict() for setting in settings]
        for run, setting in zip(found[name], settings, strict=True):
            looks = [*range(setting.every, setting.until + 1, setting.every)]
            assert [*map(int, run["held_out"])] == sorted({*looks, setting.until})
    lowest = {name: min(min(run["held_out"].values()) for run in found[name]) for name in train_large.SET_UPS}
    assert lowest["plain"] < lowest["modern"] - 0.01
    first, published = found["modern"][0]["held_out"], found["plain"][0]["held_out"]
    assert first["600"] < published["750"] - 0.1  # far ahead, while it trains


@pytest.mark.parametrize("name", train_large.SET_UPS)
@pytest.mark.parametrize("where", SECOND)
def test_a_large_gpt_made_small_learns_there(name, where, monkeypatch):
    for setting, value in {"DIM": 12, "LAYERS": 2, "CONTEXT": 8, "device": lambda: torch.device(where)}.items():
        monkeypatch.setattr(train_large, setting, value)
    if where == ELSEWHERE.type:
        monkeypatch.setattr(torch, "autocast", lambda *_: nullcontext())  # it has no 16 bits
    text = Text("abcdefgh" * 200, "abcdefgh" * 20)
    setting = train_large.Setting(0.01, 40, batch=8, dropout=0.1, every=15, until=30)
    with there(where):
        found = train_large.run(text, train_large.SET_UPS[name], setting)
    assert list(found["held_out"]) == [15, 30]
    assert found["held_out"][30] < log(8)


def test_byte_pairs_written_down_and_read_again():
    pairs = BytePairs("abab abab abab acac " * 20, size=270)
    again = BytePairs.from_json(pairs.json)
    assert again.vocabulary == pairs.vocabulary
    assert again.encode("abacab é").tolist() == pairs.encode("abacab é").tolist()
    assert again.decode(pairs.encode("abacab é").tolist()) == "abacab é"
    assert json.loads(pairs.json)


def test_a_damaged_file_is_told(tmp_path, monkeypatch):
    whole = (trained.HERE / "letters.safetensors").read_bytes()
    (tmp_path / "letters.safetensors").write_bytes(whole[:1000])
    monkeypatch.setattr(trained, "HERE", tmp_path)
    with pytest.raises(ValueError, match="whole checkpoint of attnlab"):
        trained.letters()
    with pytest.raises(FileNotFoundError):
        trained.reference()


def test_the_race_holds_three_seeds_of_each_start():
    found = trained.race()
    assert list(found["runs"]) == list(found["rates"]) == list(train_race.MODELS)
    for name, rows in found["runs"].items():
        assert list(rows) == [str(pictures) for pictures in train_race.PICTURES]
        assert all(len(runs) == len(trained.SEEDS) for runs in rows.values())
        assert set(found["rates"][name].values()) <= set(train_race.RATES)
        means = [sum(run["accuracy"] for run in runs) for runs in rows.values()]
        assert means == sorted(means)  # more pictures, better answers


def test_the_race_is_fair():
    sizes = {name: sum(p.numel() for p in new().parameters()) for name, new in train_race.MODELS.items()}
    assert trained.race()["parameters"] == sizes
    assert abs(sizes["ViT"] / sizes["convolution"] - 1) < 0.01


def test_a_race_of_one_step(monkeypatch):
    monkeypatch.setattr(train_race, "STEPS", 1)
    for name in train_race.MODELS:
        found = train_race.run(name, 50, 0.01, seed=0)
        assert 0 <= found["accuracy"] <= 0.5
        assert found["loss"] > 1


def test_patch_sizes_hold_three_seeds_of_each():
    found = trained.patch_sizes()["sizes"]
    assert list(found) == [str(size) for size in train_patch_sizes.SIZES]
    for size, row in found.items():
        assert len(row["runs"]) == len(trained.SEEDS)
        assert {name: number for name, number in row.items() if name != "runs"} == train_patch_sizes.costs(int(size))


def test_the_costs_of_a_patch_size_are_those_of_its_products():
    from torch.utils.flop_counter import FlopCounterMode

    model = train_patch_sizes.vit(28, 14, train_patch_sizes.DIM, train_patch_sizes.HEADS, train_patch_sizes.LAYERS)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, 1, 28, 28))
    inside = train_patch_sizes.LAYERS * self_attention(5, train_patch_sizes.DIM).mixing  # of the kernel, not counted
    assert counter.get_total_flops() / 2 + inside == train_patch_sizes.costs(14)["multiply_adds"]


def test_a_patch_size_of_one_step():
    assert 0 <= train_patch_sizes.run(14, 0, steps=1)["accuracy"] <= 0.5


def test_registers_hold_three_seeds_of_each_and_take_over_nothing():
    found = trained.registers()
    alone, beside = found["runs"].values()
    assert [len(alone), len(beside)] == [len(trained.SEEDS)] * 2
    assert {run["on registers"] for run in alone} == {0}
    assert max(run["on registers"] for run in beside) < found["even"]
    assert min(run["on blank patches"] for run in beside) > 5 * max(run["on registers"] for run in beside)
    assert max(run["longest"] for run in alone) < 1.5
    assert min(run["right"] for run in (*alone, *beside)) > 0.93


def test_where_a_vit_with_a_register_rests():
    assert train_registers.run(0, 0, steps=1)["on registers"] == 0
    model = vit(28, 7, 8, 2, 1)
    model.embed = train_registers.WithRegisters(model.embed, 1, 8)
    weights = torch.full((18, 18), 1 / 18)
    weights[[0, 17]] = torch.eye(18)[[0, 17]]  # of the class token and of the register, which do not count
    with override(model, {"blocks.0.attention": weights}):
        found = train_registers.rests(model)
    assert found["on the class token"] == found["on registers"] == pytest.approx(1 / 18, abs=1e-3)
    dark = torch.nn.functional.max_pool2d(split()[1].images, 7) < train_registers.INK
    assert found["on blank patches"] == pytest.approx(float(dark.sum((1, 2)).float().mean()) / 18, abs=1e-3)


def test_dates_hold_three_seeds_of_each():
    found = trained.dates()
    assert list(found["runs"]) == list(found["parameters"]) == list(train_dates.KINDS)
    for kind, runs in found["runs"].items():
        assert len(runs) == len(trained.SEEDS)
        assert all(list(run["exact"]) == [str(steps) for steps in train_dates.AFTER[kind]] for run in runs)
    looking, fixed = found["runs"].values()
    assert min(run["exact"]["200"] for run in looking) > 0.98
    assert max(run["exact"]["200"] for run in fixed) < 0.5 < 0.98 < min(run["exact"]["1600"] for run in fixed)
    assert all(run["inside"] > 0.85 for run in looking)


def test_date_translators_of_one_step():
    task = train_dates.Dates(pairs=70, tests_per_locale=1)
    assert train_dates.train(task, "looking back", 0, (1,))["exact"] == {"1": 0}
    assert "inside" not in train_dates.train(task, "one fixed vector", 0, (1,))


def test_searches_of_three_seeds():
    runs = trained.search()["runs"]
    assert len(runs) == len(trained.SEEDS)
    for run in runs:
        assert list(run) == [str(steps) for steps in train_search.AFTER]
        assert all(list(shares) == [str(width) for width in train_search.WIDTHS] for shares in run.values())
        assert run["60"]["2"] > run["60"]["1"], "two hypotheses help a model in doubt"
        assert run["400"]["5"] == run["400"]["1"] > 0.98, "and one that is sure needs none"


def test_a_search_after_one_step():
    task = train_search.Phrasebook()
    assert train_search.train(task, 0, (1,), sentences=2) == {"1": {"1": 0.0, "2": 0.0, "5": 0.0}}


def test_scores_of_five_seeds():
    found = trained.scores()
    assert list(found["runs"]) == [*train_scores.SCORES_OF_CARDS, *train_scores.WITH_GAIN, *train_scores.FASTER]
    right = {name: torch.tensor([run["right"] for run in runs]) for name, runs in found["runs"].items()}
    assert all(shares.shape == (5, 2) for shares in right.values())
    for name in ("scaled_dot", "additive", "general", "perceptron", "content with gain 8", *train_scores.FASTER):
        assert right[name].min() > 0.98, name
    assert right["dot"][:, 0].min() < 0.9, "at this rate it needs luck"
    assert right["concat"].max() < 0.42
    assert right["location"][:, 1].max() < 0.42 < 0.98 < right["location"][:, 0].min()
    hard = {name: torch.tensor(runs) for name, runs in found["hard"].items()}
    assert all(shares.shape == (3, train_scores.HARD_STEPS // train_scores.EVERY) for shares in hard.values())
    last = [shares[:, -1] for shares in hard.values()]
    assert list(hard) == list(train_scores.WAYS), "from the surest to the noisiest"
    assert all(better.min() >= worse.max() - 0.03 for better, worse in pairwise(last))


def test_scores_of_one_step():
    assert train_scores.score_run(train_scores.SCORES_OF_CARDS["location"], 0, steps=1)["parameters"] == 160
    for name in train_scores.WAYS:
        assert len(train_scores.hard_run(name, 0, steps=1, every=1)) == 1


def test_roots_of_five_seeds():
    found = trained.roots()
    assert list(found["steps"]) == list(found["at the start"]) == list(train_roots.SCORES)
    for widths in found["steps"].values():
        assert list(widths) == [str(width) for width in train_roots.WIDTHS]
        assert all(list(rates) == [str(rate) for rate in train_roots.RATES] for rates in widths.values())
    plain, divided, smaller = (widths["256"] for widths in found["steps"].values())
    for rate in plain:
        assert sum(plain[rate]) > 2 * sum(divided[rate]), rate
    assert all(sum(smaller[rate]) <= sum(divided[rate]) for rate in ("0.001", "0.003", "0.01"))
    assert plain["0.03"] == smaller["0.03"] == [train_roots.MOST] * 5  # what the root alone makes possible
    silent = [[run["silent"] for run in widths["256"]] for widths in found["at the start"].values()]
    assert min(silent[0]) > 0.5 > 0 == max(silent[1]) == max(silent[2])


def test_the_smaller_start_has_the_scores_of_the_division():
    questions = train_roots.ask(train_roots.language(64, 0), 10, torch.Generator().manual_seed(1))
    divided, smaller = (
        train_roots.new(name, 64, 0)(questions.asked, questions.names).scores
        for name in ("divided", train_roots.SMALLER)
    )
    torch.testing.assert_close(smaller, divided)


def test_roots_of_one_step():
    assert train_roots.steps_to_learn("divided", 16, 0, 1e-3, most=1) == 1
    assert train_roots.at_the_start("divided", 16, 0)["silent"] == 0


def test_recall_in_three_seeds():
    found = trained.recall()
    assert {name: list(runs) for name, runs in found["runs"].items()} == {
        name: list(map(str, trainings)) for name, (_, trainings) in train_recall.NEW.items()
    }
    vector, longer, back, wide = (torch.tensor(run) for runs in found["runs"].values() for run in runs.values())
    assert vector.shape == longer.shape == back.shape == wide.shape == (len(trained.SEEDS), len(found["lengths"]))
    assert bool((vector.diff() <= 0.01).all()), "longer strings are harder"
    assert back[:, -1].min() > 0.7 > 0.15 > longer[:, -1].max()
    assert bool((longer[:, 2:6] > wide[:, 2:6] - 0.2).all())
    assert found["parameters"]["64 numbers"] > 2 * found["parameters"]["looking back"]


def test_recall_of_sentences():
    narrow, wide, back = trained.recall()["sentences"].values()
    assert list(trained.recall()["sentences"]) == list(train_recall.TRANSLATORS)
    assert max(narrow) < 45 < 58 < min(wide + back) <= len(train_recall.PHRASES.test) == 60
    assert train_recall.right_sentences(train_recall.translator(train_recall.FixedContext, 8, steps=1)) == 0


def test_recall_after_one_step():
    assert max(train_recall.run(lambda: train_recall.fixed(8), steps=1, seed=0)) < 0.1


def test_gates_in_three_seeds():
    found = trained.gates()
    assert list(found["right"]) == list(found["at the start"]) == list(map(str, train_gates.INPUTS))
    for inputs, kinds in found["right"].items():
        assert list(kinds) == list(found["at the start"][inputs]) == list(train_gates.KINDS)
        assert all(list(rates) == list(map(str, train_gates.RATES)) for rates in kinds.values())
        assert all(len(shares) == len(trained.SEEDS) for rates in kinds.values() for shares in rates.values())
    assert train_gates.gradient_at_first("RNN", 20, seed=0) == pytest.approx(found["at the start"]["20"]["RNN"][0], 0.1)


def test_gates_after_no_training(monkeypatch):
    monkeypatch.setattr(train_gates, "STEPS", 1)
    assert train_gates.right("GRU", 5, 1e-3, seed=0) < 0.3


def test_depths_of_three_seeds():
    found = trained.depths()
    assert list(found["runs"]) == list(train_depths.AROUND)
    deep = {
        around: {rate: [run["learned"] for run in depths["12"]] for rate, depths in rates.items()}
        for around, rates in found["runs"].items()
    }
    assert all(list(rates) == list(train_depths.RATES) for rates in deep.values())
    assert all(map(all, deep["pre-norm"].values()))
    assert [sum(runs) for runs in deep["post-norm"].values()] == [0, 3, 2, 3]
    for rate in train_depths.AT_ALL_DEPTHS:
        depths = found["runs"]["post-norm"][rate]
        assert list(depths) == [str(depth) for depth in train_depths.DEPTHS]
        assert all(run["learned"] for run in depths["3"])
    for run in found["runs"]["post-norm"]["0.01 at once"]["12"]:
        assert run["alike"]["1"] > 0.98 > 0.6 > run["alike"]["0"]
        assert run["alike"]["end"] > 0.999
    lost = found["a second try"]["post-norm"] + found["clipped"]["post-norm"]
    assert len(lost) == 6
    assert not any(run["learned"] for run in lost)


def test_depths_of_two_steps():
    run = train_depths.one_run(train_depths.AROUND["post-norm"], "0.01 after a rise", 1, seed=0, most=2)
    assert len(run["losses"]) == run["steps"] == 2
    assert list(run["alike"]) == ["0", "1", "2", "end"]
    assert not run["learned"]
    assert [train_depths.rising(step, 9) for step in (1, 20, 40, 200)] == [1 / 40, 0.5, 1.0, 1.0]


def test_order_of_three_seeds():
    found = trained.order()
    assert list(found["runs"]) == list(train_order.POSITIONS_OF)
    without, with_them = found["runs"].values()
    assert len(without) == len(with_them) == len(trained.SEEDS)
    assert min(run["again"] for run in [*without, *with_them]) > 0.95
    assert max(abs(run["back"] - found["best without order"]) for run in without) < 0.03
    assert min(run["back"] for run in with_them) > 0.98


def test_letter_readers_of_one_step():
    assert set(train_order.trained("with positions", 0, steps=1)) == {"again", "back"}


def test_positions_of_three_seeds_and_what_mends_them():
    found = trained.positions()
    back, mirrored = (found["runs"][question] for question in QUESTIONS)
    for code in train_positions.ADDED:
        assert min(run["inside"] for run in back[code]) > 0.99
        assert max(run["outside"] for run in back[code]) < 0.7
        assert min(run["outside"] for run in found["anywhere"][code]) > 0.75
    clocks = found["clocks"]
    assert clocks["full speed"] == [
        {**run, "eight": clock["eight"]} for run, clock in zip(back["rotary"], clocks["full speed"], strict=True)
    ]
    assert (
        min(run["eight"] for run in clocks["full speed"])
        > 0.95
        > 0.1
        > max(run["eight"] for run in clocks["half speed"])
    )
    assert min(run["outside"] for run in clocks["half speed"]) > 0.98
    assert max(run["outside"] for run in back["relative"]) < 0.92 < min(run["outside"] for run in found["mended"]["8"])
    assert min(run["outside"] for run in found["mended"]["4"]) > 0.99
    assert max(run["inside"] for run in found["quiet"]) < 0.4 < min(run["inside"] for run in mirrored["learned"])


def test_positions_after_one_step():
    for measure, inputs in [
        (train_positions.equal, ("back", "none")),
        (train_positions.anywhere, ("learned",)),
        (train_positions.quiet, ()),
        (train_positions.longer, ("rotary", 6e-3)),
        (train_positions.mended, (8,)),
    ]:
        assert set(measure(*inputs, 0, steps=1)) == {"inside", "outside", "by place"}


def test_slower_clocks_turn_half_as_far():
    made = train_positions.with_clocks(0.5, seed=0).positions.waves.table
    torch.testing.assert_close(
        made[::2], train_positions.with_clocks(1.0, seed=0).positions.waves.table[: len(made[::2])]
    )


def test_far_distances_are_given_the_number_of_a_near_one():
    model = taggers(0)["back"]["relative"]
    model.positions.table.data = torch.arange(4 * 32.0).view(4, 32)
    bias, before = train_positions.with_far_as_near(model, 5).positions.bias(17, 17), model.positions.bias(17, 17)
    distance = torch.arange(17) - torch.arange(17).unsqueeze(1)
    assert torch.equal(bias[:, distance.abs() < 5], before[:, distance.abs() < 5])
    for side in (distance >= 5, distance <= -5):
        sign = 1 if distance[side][0] > 0 else -1
        assert torch.equal(bias[:, side], before[:, distance == 3 * sign][:, :1].expand(-1, int(side.sum())))


def test_a_leak_in_three_seeds():
    found = trained.leak()
    leaky, honest = found["runs"].values()
    assert len(leaky) == len(honest) == len(trained.SEEDS)
    assert max(run["everything"] for run in leaky) < 0.1 < 1.5 < min(run["everything"] for run in honest)
    assert min(run["past"] for run in leaky) > found["guessing evenly"] > max(run["past"] for run in honest)
    assert max(run["words"] for run in leaky) < min(run["words"] for run in honest) / 3
    assert all(run["past"] == run["everything"] for run in honest), "the future cannot change the past"


def test_a_leak_after_one_step():
    text = "The cat sat on the mat. " * 40
    task = Text(text, text)
    for model in train_leak.trained(task, 0, steps=1).values():
        written = train_leak.samples(model, task)
        assert {len(text) for text in written} == {train_leak.LETTERS}
    assert train_leak.share_in_words(["the cat xxx a"], task) == 6 / 13


def test_heads_of_three_seeds():
    found = trained.heads()
    right = found["right"]
    assert list(right) == [str(heads) for heads in train_heads.HEADS]
    assert all(len(shares) == len(trained.SEEDS) for shares in [*right.values(), *found["one head with"].values()])
    assert max(right["1"]) < min(right["2"]) < max(right["2"]) < min(right["4"])
    assert min(right["4"] + right["8"] + right["16"]) > 0.95
    assert list(found["one head with"]) == list(train_heads.HELP)
    for heads in found["owners"][:2]:
        assert sorted(head["name"] for head in heads) == ["1 before", "2 before", "3 before", "4 before"]
        assert all(head["lost"] == [head["name"]] for head in heads)
    names = [head["name"] for head in found["owners"][2]]
    assert len(set(names)) == 3, "two heads of one name"


def test_heads_of_one_step():
    test = train_heads.held_out()
    model = train_heads.trained(4, 0, steps=1)
    assert 0 < train_heads.right(model, test) < 0.3
    assert len(train_heads.owners(model, test)) == len(train_heads.shares_of(model, test)) == 4


def test_heads_of_a_text_in_three_seeds():
    found = trained.text_heads()
    assert list(found["losses"]) == [str(heads) for heads in train_text_heads.HEADS]
    for runs in [*found["losses"].values(), found["eight heads"]]:
        assert len(runs) == len(trained.SEEDS)
    for run in found["eight heads"]:
        assert sorted(run["names"]) == sorted(run["order"])
        assert run["taken"] == sorted(run["taken"]), "each head that is taken away costs something"
        assert run["layers"][0] > sum(run["rises"][:4]), "costs do not add up"


def test_a_text_model_of_one_step():
    text = Text.from_string("The cat sat on the mat, and the dog (a big one) sat on the cat. " * 40)
    windows = text.test(40, 2)
    model = train_text_heads.letter_gpt(len(text.vocabulary))
    assert train_text_heads.learn(model, text, windows, 0, steps=1) == []
    found = train_text_heads.without_heads(model, text, windows)
    assert [len(found[name]) for name in ("names", "rises", "layers", "taken", "order")] == [8, 8, 2, 8, 8]


def test_translators_of_three_seeds():
    found = trained.translators()
    assert list(found["runs"]) == list(train_translators.MODELS)
    for runs in found["runs"].values():
        assert len(runs) == len(trained.SEEDS)
        assert all(len(run["exact"]) == len(run["seconds"]) == len(found["steps"]) for run in runs)
        assert min(run["exact"][-1] for run in runs) > 0.9
    ours, theirs = found["parameters"].values()
    assert abs(ours / theirs - 1) < 0.01
    for run in found["runs"]["Transformer"]:
        assert max(run["without"], key=run["without"].get) == "encoder self-attention"
        assert run["without"]["cross-attention"] < 0.02
    assert len(found["depths"]) == len(trained.SEEDS)
    assert all(len(shares) == len(train_translators.DEPTHS) for shares in found["depths"])


def test_translators_of_two_steps(monkeypatch):
    monkeypatch.setattr(train_translators, "EVERY", 2)
    monkeypatch.setattr(train_translators, "HELD_OUT", 3)
    task = train_translators.Phrasebook(pairs=70)
    found = train_translators.race(task, "Transformer", 0.01, 0, steps=2)
    assert found["exact"] == [0.0]
    assert set(found["without"]) == set(train_translators.PARTS)
    assert set(train_translators.race(task, "recurrent", 0.01, 0, steps=2)) == {"exact", "seconds"}
    assert train_translators.depths(task, 0, steps=1) == [0.0] * 8
    assert train_translators.step_time("recurrent", 2, 3) > 0


def test_recipes_of_three_seeds():
    found = trained.recipe()
    for schedules in found["warm_up"].values():
        assert list(schedules) == list(train_recipe.SCHEDULES)
        assert all(len(runs) == len(trained.SEEDS) for rates in schedules.values() for runs in rates.values())
    runs = trained.recipe_runs()
    assert list(runs) == ["300", "20,000"]
    assert all(len(some) == len(trained.SEEDS) for recipes in runs.values() for some in recipes.values())
    few = {recipe: [run.exact[-1] for run in some] for recipe, some in runs["300"].items()}
    assert min(few[True, True]) > max(few[False, False]), "against learning by heart"


def test_recipes_of_one_step():
    task = train_recipe.Phrasebook(pairs=70)
    assert train_recipe.after(task, 1, "warm-up", 0.01, 0, steps=1)["exact"] == 0
    assert train_recipe.train(task, True, True, 0, steps=1)["steps"] == [1]


def test_the_vit_that_comes_trained_is_the_first_without_a_register():
    model, header = trained.digits_vit()
    assert header["settings"] == f"{train_registers.SETTINGS}seed {trained.SEEDS[0]}"
    [measured, *_] = trained.registers()["runs"]["without a register"]
    assert train_registers.rests(model)["right"] == pytest.approx(measured["right"], abs=0.02)


def test_the_captioners_that_come_trained_are_those_of_the_first_seed():
    captioners, answerer, header = trained.captioners()
    assert list(captioners) == header["looks"]
    assert header["settings"] == f"{train_captions.SETTINGS}seed {trained.SEEDS[0]}"
    runs, task = trained.captions()["runs"], train_captions.Scenes()
    batch = task.collate(task.test[:100])
    for looks, model in captioners.items():
        measured = runs[looks][0]["exact"]
        assert train_captions.share_exact(model, batch) == pytest.approx(measured, abs=0.1), looks
    assert train_captions.right_answers(answerer, task) == {"there": 1, "not there": 1}


def test_captions_hold_three_seeds_of_each():
    runs = trained.captions()["runs"]
    assert list(runs) == [*train_captions.CAPTIONERS, "hard", "answerer"]
    assert all(len(found) == len(trained.SEEDS) for found in runs.values())
    by_kind = {kind: [run.get("exact", 0) for run in found] for kind, found in runs.items()}
    assert min(by_kind["soft"]) > 0.95 > 0.1 > max(by_kind["fixed vector"])
    assert max(run["apart"] for run in runs["one map"]) < 1e-4, "one map for all words"
    assert all(hard["drawn"] > soft["drawn"] for hard, soft in zip(runs["hard"], runs["soft"], strict=True))
    assert min(run["inside"] for run in runs["soft"]) > 0.8, "of the weight on the thing, an eighth of the picture"
    assert min(run["dragged"] for run in runs["soft"]) > 0.9, "of both words follow the hand"


def test_captioners_of_one_step():
    task = train_captions.Scenes(size=70, tests=10)
    for name in train_captions.CAPTIONERS:
        model, _ = train_captions.caption(task, name, 0, steps=1)
        assert train_captions.measure(model, task, 0)["exact"] == 0
    soft, _ = train_captions.caption(task, "soft", 0, steps=1)
    hard, _ = train_captions.harden(task, soft, 0, steps=1)
    table = "decoder.embedding.weight"
    moved = (hard.state_dict()[table] - soft.state_dict()[table]).abs().max()
    assert 0 < moved < 1, "one step from where the soft one stands"
    answerer, _ = train_captions.question(task, soft, 0, steps=1)
    assert set(train_captions.right_answers(answerer, task)) == {"there", "not there"}


def test_the_chemistry_model_is_the_one_of_its_wheel():
    model, vocabulary, header = trained.rxnmapper()
    assert len(vocabulary) == 591
    assert vocabulary[11:15] == ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert header["wheel"] == make_rxnmapper.WHEEL
    assert "2020 RXN4Chemistry team" in header["source"]
    assert (trained.HERE / "rxnmapper.safetensors").stat().st_size < 1_700_000
    assert sum(p.numel() for p in model.parameters()) == 735_567
    assert {p.dtype for p in model.parameters()} == {torch.float32}


def test_a_head_that_nobody_trained_for_it_maps_atoms():
    """All heads of two kinds of reaction, as in the table; and the table's best."""
    model, vocabulary, _ = trained.rxnmapper()
    found = trained.atom_mapping()
    for kind in ("Diels-Alder", "amide"):
        some = make_rxnmapper.by_kind(reactions())[kind]
        right = mapping_accuracy(model, vocabulary, some).right.sum(0)
        assert (right - torch.tensor(found["right"]["canonical"][kind])).abs().max() <= 3, kind
    assert sum(found["atoms"].values()) == 1361
    shares = {
        writing: sum(torch.tensor(right) for right in kinds.values()) / 1361
        for writing, kinds in found["right"].items()
    }
    assert list(shares) == list(WRITINGS)
    best = shares["canonical"]
    assert best.shape == (12, 8)
    assert divmod(int(best.argmax()), 8) == (8, 5)
    assert best.max() >= 0.93
    others = best[:, [head for head in range(8) if head != 5]]
    assert others.max() < 0.52
    assert found["without model"] == pytest.approx({"any_atom": 0.083, "same_element": 0.215, "first": 0.176}, abs=1e-3)
    assert len(found["untrained"]) == 3
    assert max(found["untrained"]) < 0.25
    assert 0.7 < shares["all reordered"][8, 5] < shares["product reordered"][8, 5] < best[8, 5]


def test_only_head_5_is_missed_when_it_is_off():
    off = {name: one["right"] for name, one in trained.atom_mapping()["heads off"].items()}
    assert list(off) == ["none", *map(str, range(8))]
    assert off["5"] < min(share for name, share in off.items() if name != "5") - 0.1


def test_the_rest_of_the_table_in_small():
    model, vocabulary, _ = trained.rxnmapper()
    some = reactions()[::10]
    named = make_rxnmapper.name_hidden_atoms(model, vocabulary, some, torch.Generator().manual_seed(0))
    with without(model, [("encoder.blocks.0.attention", 5)]):
        less = make_rxnmapper.name_hidden_atoms(model, vocabulary, some, torch.Generator().manual_seed(0))
    assert named.right > less.right + 0.05
    assert named.loss < less.loss


def test_another_wheel_is_refused(tmp_path):
    (tmp_path / "another.whl").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"sha256 begins with 27876a428688, got another.whl with "):
        make_rxnmapper.take(str(tmp_path / "another.whl"))


def test_where_a_head_rests_that_has_nothing_to_copy():
    runs = trained.rest_runs()["runs"]
    assert list(runs) == list(train_rest.KINDS)
    assert all(len(seeds) == len(trained.SEEDS) for seeds in runs.values())
    first, without, nowhere = ([run["losses"][0] for run in seeds] for seeds in runs.values())
    assert max(first) < min(nowhere)
    assert max(nowhere) < min(without)
    for run in runs["with a first token"]:
        assert run["on the first"][0] > 0.6 > 0.03 > run["on the first"][1]
        assert run["forbidden"][0] > run["losses"][0] + 3
        assert max(run["forbidden"][1:]) < run["losses"][0] + 0.1
    for run in runs["without, but it may look nowhere"]:
        assert run["closed"] > run["losses"][0] + 1.5, "a place without content is missed, too"


def test_a_place_that_holds_nothing_gives_most_of_what_the_first_token_gave_when_there_is_time():
    longer = trained.rest_runs()["longer"]
    first, without, nowhere = ([run["losses"][0] for run in seeds] for seeds in longer.values())
    back = [(never - it) / (never - with_it) for with_it, never, it in zip(first, without, nowhere, strict=True)]
    assert min(back) > 0.6
    assert sorted(back)[1] > 0.9


def test_the_patches_of_dinov2_rest_on_its_class_token():
    photographs = trained.dinov2_rests()["photographs"]
    assert list(photographs) == [name.partition(".")[0] for name in record_dinov2.PHOTOGRAPHS]
    for one in photographs.values():
        shares = [sum(layer) / len(layer) for layer in one["first"]]
        assert shares[0] > 36 / (one["patches"] + 1)  # 36 times even weights, in the first layer
        assert sum(shares) / len(shares) > 0.05
        moved = one["moved"]
        assert moved["class token"] > 20 * max(moved["patch with the most"], *moved["drawn"])
        assert max(one["longest"]) < 2


def test_what_is_recorded_of_a_photograph():
    torch.manual_seed(0)
    model = vit(8, size=2, dim=12, heads=3, layers=2, channels=3).eval()
    found = record_dinov2.recorded(model, {"red": torch.rand(8, 8, 3)}, lambda image: image.permute(2, 0, 1)[None])
    red = found["photographs"]["red"]
    assert red["patches"] == 16
    assert [len(layer) for layer in red["first"]] == [3, 3]
    assert len(red["moved"]["drawn"]) == record_dinov2.DRAWN
    assert red["moved"]["patch with the most"] in red["moved"]["drawn"]  # here all patches are drawn


def test_a_run_of_rest_is_measured_in_words():
    model = train_rest.new(train_rest.MayRest)
    found = train_rest.measured(model, train_rest.test(first=False), first=False)
    assert found["losses"][0] > 3
    assert all(0 < share < 0.3 for share in found["nowhere"])
    assert found["closed"] > 3
    with torch.no_grad():
        sums = train_rest.second_layer(train_rest.closed(model), train_rest.test(first=False)).sum(-1)
    torch.testing.assert_close(sums, torch.ones_like(sums))
    with torch.no_grad():
        weights = train_rest.second_layer(model, train_rest.test(first=True))
    assert (weights.sum(-1) < 1).all()
    assert (weights.triu(1) == 0).all()


def test_even_weights_suffice_for_one_question_and_not_for_three():
    tasks = trained.review_runs()["tasks"]
    assert list(tasks) == list(train_reviews.TASKS)
    film, anything = (tasks[name]["right"] for name in tasks)
    assert film["own weights"] == film["even weights"] == anything["own weights"] == [1.0] * 3
    assert max(anything["even weights"]) < 0.8
    for found in tasks.values():
        assert max(found["right"]["words alone"]) < 0.8
        assert min(found["right"]["words alone, these weights"]) == 1.0
        assert min(found["elsewhere"]["differ"]) > 0.99
        assert min(found["elsewhere"]["right"]) > 0.95
        assert min(found["swapped"]) > 0.9
    film, anything = (tasks[name]["elsewhere"]["words alone, these weights"] for name in tasks)
    assert film == [1.0] * 3
    assert max(anything) < 0.6


@torch.no_grad()
def test_a_reader_with_the_weights_of_another():
    batch = train_reviews.TASKS["any of three"](20, torch.Generator().manual_seed(0))
    reader = train_reviews.fresh()
    own, given = train_reviews.loss(reader, batch), train_reviews.loss(reader, batch, train_reviews.weights_of(reader))
    assert float(own) == pytest.approx(float(given), abs=1e-6)
    assert float(own) != pytest.approx(float(train_reviews.loss(reader, batch, train_reviews.even)), abs=1e-6)


def test_the_readers_of_reviews_are_right_about_all_that_is_held_out():
    readers, header = trained.reviewers()
    assert list(readers) == list(train_reviews.TASKS)
    for name, reader in readers.items():
        assert train_reviews.right(reader, train_reviews.of_nobody(train_reviews.TASKS[name])) == 1
    assert header["settings"] == trained.review_runs()["settings"]


def test_a_reader_is_told_to_look_elsewhere(monkeypatch):
    monkeypatch.setattr(train_reviews, "STEPS", 30)
    task, first = train_reviews.TASKS["always the film"], train_reviews.fresh()
    told = train_reviews.looks_elsewhere(task, first, seed=1)
    batch = task(50, torch.Generator().manual_seed(0))
    with torch.no_grad():
        rows = [reader.read(batch.tokens, batch.asked).weights for reader in (first, told)]
    assert train_reviews.row_difference(*rows).mean() > 0.4  # not told to, 0.25


def test_the_model_that_goes_on_as_before_is_as_good_as_logged():
    model, header = trained.induction()
    held_out = trained.REPEATED.batch(1000, torch.Generator().manual_seed(1000 + train_induction.SEED))
    found = train_induction.measure(model, held_out)
    for name, shares in header["found"].items():
        torch.testing.assert_close(torch.tensor(found[name]), torch.tensor(shares), atol=0.01, rtol=0)
    assert found["right"][0] > 0.95
    log = (trained.HERE / "induction.log").read_text(encoding="utf-8")
    assert f"in 16 bits: {train_induction.in_words(header['found'])}" in log
    assert header["settings"] in log


def test_an_untrained_one_does_not():
    torch.manual_seed(0)
    found = train_induction.measure(trained.new_induction(), trained.REPEATED.batch(50, torch.Generator()))
    assert found["right"][0] < 0.2


def test_a_real_gpt_rests_on_its_first_token_and_the_next_one_takes_over():
    sinks = trained.smollm2().sinks
    assert list(sinks) == list(record_smollm2.TEXTS)
    means = []
    for runs in sinks.values():
        assert runs.pieces[0] == "<|im_start|>"
        assert runs.whole.weights.shape == (30, len(runs.pieces) - 2)
        assert len(runs.all_after) == len(runs.but_next) == len(runs.pieces) - 2
        whole, after = runs.whole.weights.mean(0), runs.all_after[0].weights.mean(0)
        assert whole.argmax() == 0
        assert whole[0] > 0.5 > 0.2 > whole[1]
        assert after[1] > 0.5
        assert all((found.weights[:, key] == 0).all() for key, found in enumerate(runs.all_after))
        runs = [runs.whole, runs.all_after[0], runs.but_next[0], *runs.but_next[1:]]
        means.append([float(found.losses[1:].mean()) for found in runs])
    whole, after, but_next = (sum(row[i] for row in means) / len(means) for i in range(3))
    assert after < whole + 0.5
    assert but_next > 2 * whole
    assert max(loss - row[0] for row in means for loss in row[3:]) < 0.5  # any other token, hidden in the same way


def test_heads_that_copy_in_a_real_gpt():
    study = trained.smollm2().copying
    assert study.scores.shape == (30, 9)
    assert study.heads[0] == (18, 6)
    assert len(study.off) == record_smollm2.MOST + 1
    assert len(study.others) == record_smollm2.DRAWS
    assert study.off[0].right > 0.75
    assert study.off[5].right < 0.1
    assert min(run[5].right for run in study.others) > 0.5
    words = len(study.pieces) // 2
    assert study.weights[3 : words + 1, 0].mean() > 0.9
    assert study.weights[words + 1 :, 0].mean() < 0.1


def test_a_record_of_a_small_gpt_is_read_back(tmp_path, monkeypatch):
    torch.manual_seed(0)
    model = gpt(40, dim=16, heads=4, layers=4, longest=256).eval()
    for module in (trained, record_smollm2):
        monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(record_smollm2, "TEXTS", {"one": "abcde", "two": "fgh"})
    encode = lambda text: [ord(letter) % 40 for letter in text]  # noqa: E731
    record_smollm2.write(model, encode, str)
    found = trained.smollm2()
    assert list(found.sinks) == ["one", "two"]
    assert found.sinks["one"].pieces == [str(token) for token in [record_smollm2.BEGIN, *encode("abcde")]]
    tokens = torch.tensor([[record_smollm2.BEGIN, *encode("abcde")]])
    with forbidden(model, 1, 3):
        expected = resting(model, tokens)
    torch.testing.assert_close(found.sinks["one"].but_next[1].weights, expected.weights, atol=0.003, rtol=0)
    torch.testing.assert_close(found.sinks["one"].but_next[1].losses, expected.losses, atol=0.01, rtol=0)
    assert len(found.copying.off) == record_smollm2.MOST + 1


def test_what_has_read_guesses_as_well_as_logged():
    models = trained.pretrained()
    guesses = trained.pretraining_runs()["guesses"]
    assert models.header["guesses"] == guesses
    found = train_pretraining.share_named(models.left_to_right, train_pretraining.from_the_left)
    assert found == pytest.approx(guesses["left to right"][0], abs=0.01)
    look = train_pretraining.from_both_sides
    assert train_pretraining.share_named(models.masked, look, every=8)[0] > 0.25
    assert train_pretraining.share_named(trained.new_reader().eval(), look, every=8)[0] < 0.1
    first = {name: [one[0] for one in guesses[name]] for name in ("masked", "left to right")}
    assert [len(seeds) for seeds in first.values()] == [len(trained.SEEDS)] * 2
    assert min(first["masked"]) > max(first["left to right"])
    assert min(first["left to right"]) > 3 * guesses["always the most frequent word"]


def test_reading_first_beats_scratch_by_more_than_the_seeds_and_the_bag_wins_in_the_end():
    table = trained.pretraining_runs()["few_labels"]
    for each in table["masked"]:
        assert min(table["masked"][each]) > max(table["from scratch"][each])
    for way in ("masked", "left to right", "bag of words"):
        assert all(sum(table[way][each]) > sum(table["from scratch"][each]) for each in table[way])
    assert min(table["bag of words"]["32"]) > max(table["from scratch"]["32"])
    assert all(sum(table["bag of words"]["32"]) > sum(table[way]["32"]) for way in ("masked", "left to right"))
    assert all(sum(table["bag of words"]["2"]) < sum(table[way]["2"]) for way in ("masked", "left to right"))
    for seed in trained.SEEDS:
        assert train_pretraining.bag_of_words(8, seed) == pytest.approx(table["bag of words"]["8"][seed], abs=0.011)


def test_a_reader_learns_topics(monkeypatch):
    monkeypatch.setattr(train_pretraining, "TUNE_STEPS", 25)
    masked = trained.pretrained().masked
    assert train_pretraining.tuned(masked, train_pretraining.everything, 2, 0, 0.003) > 0.25


def test_mixtures_differ_in_what_they_make_of_words_in_sight():
    table = trained.mixture_runs()["mixtures"]
    assert list(table) == list(train_mixtures.MIXTURES)
    assert all(len(runs) == len(trained.SEEDS) for row in table.values() for runs in row.values())
    assert min(table["80 / 10 / 10"]["kept"]) > max(table["100 / 0 / 0"]["kept"])


def test_one_word_is_replaced_at_a_time():
    seen, sentence, model = [], torch.tensor([7, 8, 9, 10]), trained.new_reader().eval()
    model.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    found = train_mixtures.replaced_one_by_one(model, sentence)
    changed = seen[0] != sentence
    assert torch.equal(changed, torch.eye(4, dtype=torch.bool))
    with torch.no_grad():
        torch.testing.assert_close(found, torch.stack([model(seen[0][i : i + 1])[0, i] for i in range(4)]))


def test_a_gru_keeps_the_light_and_reads_a_page_better_than_a_gpt():
    found = trained.when_not()
    assert len(found["light"]) == len(train_when_not.STREAMS)
    assert len(found["text"]) == len(train_when_not.TEXTS)
    for models in found["light"].values():
        shares = {
            name: [run["64"] for run in max(runs.values(), key=lambda r: sum(one["64"] for one in r))]
            for name, runs in models.items()
        }
        assert min(shares["GRU"]) > 0.99
        assert max(shares["GPT"]) < 0.7
    page = next(iter(found["text"].values()))
    ends = {name: min(runs.values(), key=sum) for name, runs in page.items()}
    assert max(ends["GRU"]) < min(ends["GPT"])


def test_a_light_and_a_page_are_measured_as_in_the_table():
    found = trained.when_not()
    new = train_when_not.light("GRU", 16, 120, 1.5e-2, 1)
    assert new["64"] == pytest.approx(
        found["light"]["16 time steps, 120 training steps"]["GRU"]["0.015"][1]["64"], abs=0.02
    )
    before = train_when_not.reading("GRU", 3000, 2, 6e-3, 0)
    assert before > max(map(max, found["text"]["3000 letters, 100 training steps"]["GRU"].values()))


def test_two_layers_foresee_a_second_round_and_one_does_not():
    found = trained.copiers()["models"]
    two, one, longer = found.values()
    assert list(found) == list(train_copiers.MODELS)
    assert min(two["right"]) > 0.8
    assert min(two["score"]) > 0.6
    for runs in (one, longer):
        assert max(runs["right"]) < 0.4
        assert max(runs["score"]) < 0.2


def test_a_model_of_one_layer_is_measured_as_in_the_table():
    table = trained.copiers()["models"]["one layer, 200 steps"]
    new = train_copiers.run(1, 200, table["rate"], 1)
    assert new["right"] == pytest.approx(table["right"][1], abs=0.04)
    assert new["score"] == pytest.approx(table["score"][1], abs=0.04)
