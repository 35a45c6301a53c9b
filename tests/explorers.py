"""What every explorer must hold, in one line: `drive(XExplorer())`."""

import numpy as np

from widgets.film import wire


def drive(explorer):
    """Move every control through its range; the picture, the film and the code must say the same numbers."""
    specs = explorer.parts["controls"].spec
    assert specs, "an explorer without controls"
    reads_well(explorer)
    for spec in specs:
        name = spec["name"]
        assert spec["help"], f"{name} has no help"
        start = getattr(explorer, name)
        if name in explorer._versions:
            film_is_the_picture(explorer, name)
        for value in sample(explorer, spec):
            setattr(explorer, name, value)
            reads_well(explorer)
            code_gives_the_picture(explorer)
        setattr(explorer, name, start)
    explorer.reset()
    reads_well(explorer)


def sample(explorer, spec):
    """Values of one control: both ends and some between of a slider, all of the others."""
    if spec["kind"] in ("slider", "stepper"):
        values = explorer.positions(spec["name"])
        return [values[i] for i in sorted({0, len(values) // 3, len(values) // 2, len(values) - 1})]
    return {"switch": [True, False], "select": spec.get("options"), "button": [1, 2]}.get(spec["kind"], [])


def reads_well(explorer):
    """There is a picture, a sentence and a name in words."""
    caption = explorer.parts["caption"]
    assert caption.error == ""
    assert caption.sentence, "nothing is said"
    assert repr(explorer) == repr(explorer)
    assert " at 0x" not in repr(explorer)


def shown(explorer):
    """The traits on the wire of what the present picture consists of, by part and name."""
    _, picture = explorer._compose(explorer.state)
    return {(part, name): packed(explorer.parts[part], name, getattr(explorer.parts[part], name))
            for part, traits in picture.items() for name in traits}


def packed(part, name, value):
    """A value as bytes and text that can be compared."""
    return _plain(wire(part, name, value))


def _plain(value):
    if isinstance(value, memoryview):
        return bytes(value)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def film_is_the_picture(explorer, name):
    """Each position of the film is what the slider shows when it stands there."""
    film, positions = explorer.film(name), explorer.positions(name)
    assert len(film) == len(positions)
    for frame, value in zip(film, positions, strict=True):
        setattr(explorer, name, value)
        live = shown(explorer)
        filmed = {(part, trait): packed(explorer.parts[part], trait, wanted)
                  for part, traits in frame.items() for trait, wanted in traits.items()}
        assert filmed == live, f"at {name} = {value} the film differs from the picture"


def code_gives_the_picture(explorer):
    """The code runs, and its variables hold the numbers that are seen."""
    code = explorer.parts["caption"].code
    assert code, "no code"
    names = {}
    exec(compile(code, "<the code of this picture>", "exec"), names)
    assert explorer.shows, "an explorer says in `shows` which variables of its code are seen where"
    for variable, (part, trait) in explorer.shows.items():
        assert variable in names, f"the code does not define {variable}:\n{code}"
        seen = np.squeeze(np.asarray(getattr(explorer.parts[part], trait)))
        given = names[variable]
        given = np.squeeze(given.detach().numpy() if hasattr(given, "detach") else np.asarray(given))
        np.testing.assert_allclose(given, seen, atol=1e-5, err_msg=code)
