"""Calls with arguments drawn at random for everything public in attnlab, right ones and wrong ones.

What is public is found by walking the modules, and what an argument should be by its annotation, so that new functions
are called by themselves. A call is answered by a value, or by a ValueError or TypeError that attnlab itself raises.
"""

import dis
import importlib
import inspect
import pkgutil
import random
import tempfile
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import date
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType

import torch
from jaxtyping import AbstractArray
from torch import Tensor, nn

import attnlab
from attnlab import SCORES, scaled_dot, transformer
from attnlab.analysis.heads.head_patterns import first
from attnlab.attention import masked_softmax
from attnlab.blocks import LayerNorm, pre_norm
from attnlab.decoding import BeamStep, Hypothesis, Writer, most_probable, without_cache
from attnlab.masks import everything
from attnlab.optimisers import Together, adamw
from attnlab.positions import Positions, Rotary, both_ways
from attnlab.seq2seq import CELLS, AttentionSeq2Seq
from attnlab.tasks import Characters, Reverse, Text, first_digit, letter_order, letter_places, spelling_backwards
from attnlab.tasks.base import Example, Task
from attnlab.tasks.dates import DateExample, Dates, Form, forms
from attnlab.tasks.grammar import NOUNS, VERBS, Grammar, Noun, Verb
from attnlab.tasks.phrasebook import Phrasebook, PhraseExample
from attnlab.tasks.scenes import Scenes, Thing
from attnlab.tasks.strings import Strings
from attnlab.tasks.tagging import Tagging
from attnlab.training import Step
from attnlab.vision.glimpses import centre_gaze

ROOT = Path(attnlab.__file__).parent
NOT_CALLED = {
    "attnlab.exercises": "answers learners in its own way, with tests of its own",
    "attnlab.checks": "is what is tested here",
    "attnlab.specs": "loops that say what is meant; tests and exercises call them",
    "attnlab.tasks.grammar": "makes the phrasebook's sentences, of its own words",
    "attnlab.trained.train_": "scripts",
    "attnlab.trained.tables": "writes files for the scripts",
    "attnlab.trained.runs": "trains for the scripts",
    "attnlab.trained.make_": "a script",
    "attnlab.trained.record_": "a script",
    "attnlab.tasks.make_": "scripts",
    "attnlab.__main__": "a script",
    "attnlab.distributed.processes": "joins processes",
    "attnlab.huggingface.copying": "fills the models that its neighbours make",
    "attnlab.real": "finds packages, which its own tests make",
    "attnlab.gguf": "reads files, which its own tests write",
    "attnlab.huggingface.files": "reads files, which the tests of its neighbours write",
    "attnlab.huggingface.hub.from_folder": "reads files, which its own tests write",
    "attnlab.huggingface.hub.from_hub": "asks the network",
    "attnlab.training.weights_of": "takes what its model takes",
    "attnlab.analysis.heads.head_effects.head_effects": "gives its model what that takes",
    "attnlab.analysis.graphs.graph": "what `model_graph`, which is called, makes and is made with",
    "attnlab.analysis.graphs.machine_spec": "reads a graph that `model_graph` made",
    "attnlab.analysis.graphs.block_graph": "writes down parts for `model_graph`, which is called",
    "attnlab.analysis.graphs.recurrent_graph": "writes down parts for `model_graph`, which is called",
    "attnlab.analysis.graphs.vision_graph": "writes down parts for `model_graph`, which is called",
    "attnlab.analysis.images.covered_patches.fall_of_logit": "gives its model pictures, which not all take",
    "attnlab.analysis.learning.reinforce.reward_of_each_key": "asks a model in the words of lesson 03",
    "attnlab.analysis.learning.reinforce.draw_rewards": "asks a model in the words of lesson 03",
    "attnlab.tasks.base.Task": "only its kinds can do something",
    "attnlab.tasks.strings.Strings": "only its kinds can do something",
    "attnlab.tasks.tagging.Tagging": "only its kinds can do something",
}


def modules() -> list:
    names = sorted(found.name for found in pkgutil.walk_packages(attnlab.__path__, "attnlab."))
    return [importlib.import_module(name) for name in names if not name.startswith(tuple(NOT_CALLED))]


def public() -> dict[str, Callable]:
    """All functions, classes and methods, by their full names; a method is called with an instance as its first."""
    found = {}
    for module in modules():
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != module.__name__ or not callable(thing):
                continue
            if not inspect.isclass(thing) or "__init__" in vars(thing):  # else it is made as its parent is
                found[f"{module.__name__}.{name}"] = thing
            if inspect.isclass(thing):
                for method, member in vars(thing).items():
                    if not method.startswith("_") and inspect.isfunction(member):
                        found[f"{module.__name__}.{name}.{method}"] = member
    return {
        name: thing
        for name, thing in found.items()
        if not name.startswith(tuple(NOT_CALLED))
        and not getattr(thing, "_is_protocol", False)
        and not (inspect.isclass(thing) and hasattr(thing, "_fields"))
    }


class Draw:
    """Arguments for one call: the sizes of axes with one name agree in it, as long as nothing wrong is asked for."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.sizes = {}

    def arguments(self, function: Callable, wrong: bool) -> dict[str, object]:
        """By name; those with a default are left out half of the time."""
        call = function.__init__ if inspect.isclass(function) else function
        hints = typing.get_type_hints(inspect.unwrap(call), include_extras=True)
        drawn = {}
        for name, parameter in inspect.signature(call).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if name == "self":
                if not inspect.isclass(function):
                    drawn[name] = self.instance(owner(function))
            elif parameter.default is parameter.empty or self.chance.random() < 0.5:
                drawn[name] = self.right(hints.get(name, object), name)
        others = [name for name in drawn if name != "self"]
        if wrong and others:
            drawn[self.chance.choice(others)] = self.wrong()
        return drawn

    def wrong(self) -> object:
        """What no function or not every function can take."""
        return self.chance.choice([
            None,
            [],
            [1.0, 2.0],
            [[1, 2], [3]],
            "text",
            "",
            2.5,
            float("nan"),
            -3,
            -1,
            0,
            99,
            True,
            object(),
            {},
            (),
            torch.zeros(0),
            torch.zeros(2, 0),
            torch.zeros(2, 0, 3),
            torch.zeros(()),
            torch.tensor(-1),
            torch.randn(3, dtype=torch.float64),
            torch.randn(2, 3, dtype=torch.float64),
            torch.randn(2, 3, 4, dtype=torch.float64),
            torch.randn(2, 3, 4, dtype=torch.bfloat16),
            torch.randn(5),
            torch.randn(3, 5),
            torch.randn(2, 3, 5),
            torch.randn(2, 1, 3, 5),
            torch.tensor([[1, -2], [3, 99]]),
            torch.tensor([1, 2, 3]),
            torch.tensor([[1.5, float("nan")]]),
            torch.ones(2, 3, dtype=torch.bool),
            torch.ones(5, dtype=torch.bool),
            torch.zeros(0, 0, dtype=torch.long),
        ])

    def right(self, hint: object, name: str = "") -> object:
        """A value of the annotated kind."""
        origin, inside = typing.get_origin(hint), typing.get_args(hint)
        if isinstance(hint, typing.TypeVar):
            hint = hint.__bound__
        if hint in (str, torch.optim.Optimizer):
            return BY_KIND[hint](self.chance)
        if name == "norm" and hint is nn.Module:
            return nn.Identity()
        if name in BY_NAME and origin is Callable and len(inside[0]) == 3:
            return SCORES["additive"]  # what makes a score for three sizes
        if name in BY_NAME:
            return BY_NAME[name]()
        if isinstance(hint, type) and issubclass(hint, AbstractArray):
            return self.array(hint)
        if origin is typing.Annotated:
            held = [value for value in self.numbers(inside[0]) if hint.__metadata__[0].holds(value)]
            return self.chance.choice(held)
        if origin in (typing.Union, UnionType):
            return self.right(self.chance.choice(inside), name)
        if hint in (int, float):
            return self.chance.choice(self.numbers(hint))
        if origin is Callable or hint is Callable:
            return lambda *things: things[0] if things else torch.ones(())
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {self.right(inside[0]): self.right(inside[1]) for _ in range(self.chance.randrange(3))}
        if origin is tuple and Ellipsis not in inside:
            return tuple(map(self.right, inside))
        if origin in (list, tuple) or (isinstance(origin, type) and issubclass(origin, typing.Iterable)):
            return (origin if origin in (set, tuple) else list)(
                self.right(inside[0]) for _ in range(self.chance.randrange(1, 4))
            )
        if hint in BY_KIND:
            return BY_KIND[hint](self.chance)
        if isinstance(hint, type) and hint.__module__.startswith("attnlab"):
            return self.instance(hint)
        return None

    def numbers(self, hint: object) -> list:
        return [0, 1, 2, 3, 4, 4, 4] if hint is int else [0.0, 0.25, 0.5, 1, 2.5]

    def array(self, hint: object) -> Tensor:
        """A tensor of the annotated shape, with small whole numbers or normal ones."""
        shape = []
        for axis in hint.dim_str.split():
            if axis.isdigit():
                shape.append(int(axis))
            elif axis == "...":
                shape += self.chance.choice([(), (3,), (2, 3)])
            elif axis.startswith("*"):
                shape += self.sizes.setdefault(axis.replace("#", ""), self.chance.choice([(), (2,), (2, 3)]))
            else:
                shape.append(self.sizes.setdefault(axis.strip("#"), self.chance.choice([1, 2, 3, 4, 4, 4])))
        if "bool" in hint.dtypes:
            return torch.rand(shape) < 0.6
        return torch.randn(shape) if "float32" in hint.dtypes else torch.randint(1, 5, shape)

    def instance(self, kind: type) -> object:
        """An object of a class of ours, made with right arguments."""
        if kind in MADE:
            return MADE[kind](self.chance)
        if hasattr(kind, "_fields"):
            hints = typing.get_type_hints(kind, include_extras=True)
            return kind(**{name: self.right(hints[name], name) for name in kind._fields})
        for _ in range(50):
            try:
                return kind(**self.arguments(kind, wrong=False))
            except ValueError:  # sizes that do not fit each other
                continue
        raise AssertionError(f"say in fuzz.py how to make a {kind.__name__}")


def owner(method: Callable) -> type:
    """The class that a method belongs to."""
    return getattr(importlib.import_module(method.__module__), method.__qualname__.split(".")[0])


def gpt(chance: random.Random) -> nn.Module:
    return chance.choice([transformer.gpt, transformer.modern_gpt])(13, 4, 2, 1, longest=5).eval()


def translator(chance: random.Random) -> nn.Module:
    if chance.random() < 0.5:
        return AttentionSeq2Seq(13, 13, 4, 4).eval()
    return transformer.transformer(13, 13, 4, 2, 1).eval()


TEXT = Text.from_string("a small text, " * 80)
TASK = Reverse(pairs=20, tests_per_length=3)
DATES, PHRASES = Dates(pairs=20, tests_per_locale=1), Phrasebook(pairs=20, tests=5)
SCENES = Scenes(size=20, tests=3)
KEPT = {Reverse: TASK, Text: TEXT, Dates: DATES, Phrasebook: PHRASES, Scenes: SCENES}

MADE: dict[type, Callable] = {kind: lambda chance, kept=kept: kept for kind, kept in KEPT.items()} | {
    Task: lambda chance: TASK,
    Strings: lambda chance: TASK,
    Tagging: lambda chance: importlib.import_module("attnlab.tasks.tagging").Back(),
    Positions: lambda chance: Positions(),
    Writer: translator,
    first_digit.LastStateReader: lambda chance: first_digit.LastStateReader("RNN"),
    letter_places.Tagger: lambda chance: letter_places.Tagger("learned", 8, 2),
    letter_order.LetterReader: lambda chance: letter_order.LetterReader(2, "none", 4),
    spelling_backwards.Reverser: lambda chance: spelling_backwards.Reverser(1, pre_norm, dim=4),
    transformer.GPT: gpt,
    transformer.Transformer: lambda chance: transformer.transformer(13, 13, 4, 2, 1).eval(),
    transformer.UniversalTransformer: lambda chance: transformer.universal(13, 13, 4, 2, 2).eval(),
    transformer.MaskedEncoder: lambda chance: transformer.masked_encoder(13, 4, 2, 1, longest=5).eval(),
    transformer.Stack: lambda chance: transformer.transformer(13, 13, 4, 2, 1).encoder.eval(),
    transformer.EncoderStack: lambda chance: transformer.transformer(13, 13, 4, 2, 1).encoder.eval(),
    transformer.DecoderStack: lambda chance: transformer.transformer(13, 13, 4, 2, 1).decoder.eval(),
    transformer.ScaledEmbedding: lambda chance: transformer.ScaledEmbedding(13, 4),
    transformer.Embed: lambda chance: transformer.Embed(nn.Embedding(13, 4)),
    Rotary: lambda chance: Rotary(4),
    type(CELLS): lambda chance: CELLS,
    type(CELLS["gru"]): lambda chance: CELLS["gru"],
    type(CELLS["lstm"]): lambda chance: CELLS["lstm"],
    Example: lambda chance: TASK.test[0],
    Thing: lambda chance: chance.choice(SCENES.test)[0],
    DateExample: lambda chance: DATES.test[0],
    PhraseExample: lambda chance: PHRASES.test[0],
    Form: lambda chance: forms("de")[0],
    Noun: lambda chance: NOUNS[0],
    Verb: lambda chance: VERBS[0],
    Grammar: lambda chance: Grammar(0),
    Together: lambda chance: Together(torch.optim.SGD([nn.Parameter(torch.randn(3, 4))], 0.1)),
    BeamStep: lambda chance: BeamStep(0, [Hypothesis(1, 0, 4, -0.5, -0.5, "kept")]),
    Hypothesis: lambda chance: Hypothesis(1, 0, 4, -0.5, -0.5, "kept"),
}

BY_KIND: dict[object, Callable] = {
    str: lambda chance: chance.choice(["a", "12345", "3 may 1992", "we are eating bread", "de", ""]),
    bool: lambda chance: chance.random() < 0.5,
    NoneType: lambda chance: None,
    Tensor: lambda chance: torch.randn(2, 3, 4),
    nn.Module: lambda chance: chance.choice([gpt, translator])(chance),
    nn.Embedding: lambda chance: nn.Embedding(13, 4),
    nn.Parameter: lambda chance: nn.Parameter(torch.randn(3, 4)),
    torch.Generator: lambda chance: torch.Generator().manual_seed(0),
    torch.optim.Optimizer: lambda chance: torch.optim.SGD([nn.Parameter(torch.randn(3, 4))], 0.1),
    torch.dtype: lambda chance: torch.float32,
    torch.device: lambda chance: torch.device("cpu"),
    random.Random: lambda chance: random.Random(0),
    date: lambda chance: date(1992, 3, 3),
    Writer: translator,
    Path: lambda chance: Path(tempfile.gettempdir()) / "no such file",
}

BY_NAME: dict[str, Callable] = {
    "path": lambda: Path(tempfile.gettempdir()) / "no such file",
    "score": lambda: scaled_dot,
    "weigh": lambda: masked_softmax,
    "activation": lambda: torch.relu,
    "residual": lambda: pre_norm,
    "norm": lambda: LayerNorm,
    "bucket": lambda: both_ways,
    "choose": lambda: most_probable,
    "reader": lambda: without_cache,
    "training": lambda: [Step(1, 0.5), Step(2, 0.25, last=True)],
    "measure": lambda: lambda: {"accuracy": 0.5},
    "watch": lambda: lambda: torch.ones(2, 2),
    "optimiser": lambda: adamw,
    "coding": lambda: Characters,
    "loss": lambda: lambda generator: torch.ones((), requires_grad=True),
    "patterns": lambda: {"first": first},
    "gaze": lambda: centre_gaze,
    "may_attend": lambda: everything,
}


# The answer


def used_up(answer: object) -> object:
    """The first few of what a generator gives; what stands behind `with`."""
    if isinstance(answer, Iterator):
        return list(islice(answer, 3))
    if isinstance(answer, AbstractContextManager) and not isinstance(answer, nn.Module):
        with answer as inside:
            return inside
    return answer


def numbers(thing: object, depth: int = 0) -> Iterator[Tensor]:
    """All tensors and numbers in a nest of tuples, lists and dicts."""
    if isinstance(thing, Tensor):
        yield thing
    elif isinstance(thing, float):
        yield torch.tensor(thing)
    elif isinstance(thing, dict) and depth < 4:
        for part in thing.values():
            yield from numbers(part, depth + 1)
    elif isinstance(thing, list | tuple) and depth < 4:
        for part in thing:
            yield from numbers(part, depth + 1)


def finite(thing: object) -> bool:
    return all(bool(tensor.isfinite().all()) for tensor in numbers(thing) if tensor.is_floating_point())


def ours(error: BaseException) -> bool:
    """Whether a `raise` of attnlab made it, and not torch or Python itself inside of a line of attnlab."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    raising = code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return raising and ROOT in Path(code.co_filename).parents


HOLES = {"attnlab.inside.given_heads"}  # whose NaN says: as the model has it


def verdict(function: Callable, arguments: dict[str, object], holes: bool = False) -> str | None:
    """What is wrong with the answer to this call, None where nothing is. holes: NaN is an answer."""
    was_finite = finite(list(arguments.values()))
    try:
        named = dict(arguments)
        whose = [named.pop("self")] if "self" in named else []  # by place: torch's wrapper of `step` wants it so
        answer = used_up(function(*whose, **named))
    except (ValueError, TypeError) as error:
        return None if ours(error) and len(str(error).split()) > 3 else f"a raw {type(error).__name__}: {error}"
    except FileNotFoundError as error:
        return None if arguments.keys() & {"path", "self"} else f"a raw FileNotFoundError: {error}"  # as documented
    except Exception as error:
        return f"a raw {type(error).__name__}: {error}"
    if (
        was_finite
        and not holes
        and any(bool(tensor.isnan().any()) for tensor in numbers(answer) if tensor.is_floating_point())
    ):
        return "NaN from finite numbers"
    return None


def faults(seed: int, calls: int) -> Iterator[str]:
    """What was wrong in so many calls, each with the call; every function has its turn.

    What is drawn for a function hangs on its name and turn alone: a new function changes no other's calls.
    """
    functions = public()
    for number in range(calls):
        name = list(functions)[number % len(functions)]
        chance = random.Random(f"{seed} {name} {number // len(functions)}")
        torch.manual_seed(chance.getrandbits(32))
        arguments = Draw(chance).arguments(functions[name], wrong=chance.random() < 0.7)
        if fault := verdict(functions[name], arguments, name in HOLES):
            told = ", ".join(f"{key}={shown(value)}" for key, value in arguments.items())
            yield f"seed {seed}, call {number}: {name}({told})\n    {' '.join(fault.split())[:300]}"


def shown(value: object) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype} {list(value.shape)} {value.flatten()[:6].tolist()}"
    return " ".join(repr(value).split())[:120]
