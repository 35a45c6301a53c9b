"""The instruments: what attnlab computes, made visible. Nothing is computed here.

A lesson imports explorers (a picture with its sliders, one file each), questions, live training, and charts. Explorers
are built from views: the Matrix, the Chart, the Tree. `words` writes the sentences under the pictures.
"""

from importlib import import_module

# Where each name lives: a module is imported when one of its names is first asked for.
HOMES = {
    # explorers, in the order of the lessons
    "TemperatureExplorer": "temperature",
    "PackExplorer": "pack",
    "EchoExplorer": "echo",
    "CliffExplorer": "cliff",
    "MemoryExplorer": "memory",
    "GradientExplorer": "fading",
    "GlanceExplorer": "glance",
    "DateExplorer": "reading",
    "ReadingExplorer": "reading",
    "BeamExplorer": "beam",
    "CompassExplorer": "compass",
    "ScoreExplorer": "score",
    "LookExplorer": "look",
    "DrawExplorer": "draws",
    "DictionaryExplorer": "dictionary",
    "QueryKeyValueExplorer": "query_key_value",
    "FiveStepsExplorer": "five_steps",
    "WidthExplorer": "width",
    "RegressionExplorer": "regression",
    "OrderExplorer": "order",
    "SquareExplorer": "square",
    "LettersExplorer": "letters",
    "MaskExplorer": "masking",
    "BeforeAfterExplorer": "before_after",
    "RevealExplorer": "reveal",
    "WritingExplorer": "writing",
    "HerdExplorer": "herd",
    "WaveExplorer": "waves",
    "ClockExplorer": "clocks",
    "ReachExplorer": "reach",
    "BlendExplorer": "blend",
    "CutExplorer": "cut",
    "LetterHeadsExplorer": "heads",
    "TextHeadsExplorer": "heads",
    "BertvizView": "bertviz_view",
    "CollapseExplorer": "collapse",
    "NormExplorer": "norming",
    "JacobianExplorer": "jacobian",
    "FirstGradientExplorer": "first_gradient",
    "RaceExplorer": "race",
    "NextTokenExplorer": "next_token",
    "GptHeadsExplorer": "gpt_heads",
    "ThreeAttentionsExplorer": "three_attentions",
    "ScheduleExplorer": "schedule",
    "RecipeExplorer": "recipe",
    "DepthExplorer": "depth",
    "LayerExplorer": "layers",
    "FieldExplorer": "field",
    "SlopeExplorer": "slopes",
    "CalculatorExplorer": "calculator",
    "TranslationExplorer": "translations",
    # questions before the picture
    "Predict": "predict",
    "PredictCell": "predict",
    "PredictNumber": "predict",
    # live training, and figures in our look
    "Training": "training",
    "Chart": "chart",
    "figure": "chart",
    "curve": "chart",
    "points": "chart",
    "bars": "chart",
    "Table": "table",
    # what explorers are made of
    "Explorer": "explorer",
    "Controls": "controls",
    "Caption": "caption",
    "Matrix": "matrix",
    "Tree": "tree",
    "Lines": "lines",
    "Product": "product",
    "Plane": "plane",
    "Texts": "texts",
    "Flow": "flow",
    "Switchboard": "switchboard",
    "Instrument": "instrument",
}

__all__ = list(HOMES)


def __getattr__(name):
    if name not in HOMES:
        raise AttributeError(f"widgets has no {name!r}; it has {', '.join(HOMES)}")
    found = getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__():
    return [*globals(), *HOMES]
