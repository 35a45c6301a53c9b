"""The instruments: what attnlab computes, made visible."""

from importlib import import_module

# Where each name lives: a module is imported when one of its names is first asked for.
HOMES = {
    "BeamExplorer": "beam",
    "Caption": "caption",
    "Chart": "chart",
    "Controls": "controls",
    "DateExplorer": "reading",
    "Explorer": "explorer",
    "GlanceExplorer": "glance",
    "Instrument": "instrument",
    "Matrix": "matrix",
    "Predict": "predict",
    "PredictCell": "predict",
    "PredictNumber": "predict",
    "ReadingExplorer": "reading",
    "TemperatureExplorer": "temperature",
    "Training": "training",
    "Tree": "tree",
    "bars": "chart",
    "curve": "chart",
    "figure": "chart",
    "points": "chart",
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
