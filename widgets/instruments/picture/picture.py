"""Picture: an image with a grid of weights over it, to look at, to select in and to change by hand."""

from typing import Any, NamedTuple

import numpy as np
from traitlets import Dict, Enum, Float, Int, List, TraitError, Unicode, observe, validate

from widgets.base.instrument import Array, Fitting, numpy_of
from widgets.base.misfits import edited, miscounted, misordered, shares_out
from widgets.base.words import number, row_and_column, shortened
from widgets.instruments.matrix.matrix import Padded

NOT_A_NUMBER = 255  # the byte of such a pixel; 0 to 254 are black to white


def _layered(array: np.ndarray, own: int) -> np.ndarray:
    """The last `own` axes with [frames, panels] before them; a single one more is frames."""
    lead = array.shape[: array.ndim - own]
    return array.reshape(*{0: (1, 1), 1: (*lead, 1), 2: lead}[len(lead)], *array.shape[len(lead) :])


class Images(Array):
    """Grey or coloured images, stored as [frames, panels, height, width, 1 or 3]. A last axis of 3 is colour.

    To the page travels a byte a number.
    """

    def __init__(self, **kwargs) -> None:
        super().__init__(**kwargs)
        self.tag(to_json=_bytes)

    def validate(self, obj, value) -> np.ndarray:
        given = super().validate(obj, value)
        colour = (given.ndim > 2 and given.shape[-1] == 3) or (given.ndim == 5 and given.shape[-1] == 1)  # as stored
        own = 3 if colour else 2
        if not own <= given.ndim <= own + 2 or given.size == 0:
            raise TraitError(
                f"{self.name}: expected [height, width] or [height, width, 3], before them at most [frames] or "
                f"[frames, panels], got shape {given.shape}"
            )
        if (wrong := given[np.isinf(given) | (given < -1e-3) | (given > 1.001)]).size:
            hint = "; divide bytes by 255" if 1 < wrong.max() <= 255 else ""
            raise TraitError(f"{self.name}: expected numbers from 0 (black) to 1, got {wrong[0]:g}{hint}")
        return _layered(given if colour else given[..., None], 3)


def _bytes(images, owner=None) -> dict | None:
    if images is None:
        return None
    scaled = np.where(np.isnan(images), NOT_A_NUMBER, np.round(254 * np.clip(images, 0, 1)))
    return {"shape": list(images.shape), "data": scaled.astype(np.uint8).reshape(-1).data}


class Grids(Array):
    """A grid of numbers, stored as [frames, panels, rows, columns]."""

    def validate(self, obj, value) -> np.ndarray:
        array = super().validate(obj, value)
        if not 2 <= array.ndim <= 4 or array.size == 0:
            raise TraitError(
                f"{self.name}: expected [rows, columns], before them at most [frames] or [frames, panels], "
                f"got shape {array.shape}"
            )
        return _layered(array, 2)


def side_by_side(*arrays) -> np.ndarray:
    """Images, or grids, of one shape as the panels of one picture: [frames 1, panels, ...]."""
    parts = [np.asarray(numpy_of(array), dtype=np.float32) for array in arrays]
    if len({part.shape for part in parts}) != 1:
        raise ValueError(f"expected arrays of one shape, got {[part.shape for part in parts]}")
    return np.stack(parts)[None]


class Scene(NamedTuple):
    """What everything else must fit."""

    frames: int
    panels: int
    height: int  # in pixels of the image
    width: int
    rows: int  # of the grid; 0: there is none
    columns: int

    @property
    def cells(self) -> int:
        return self.rows * self.columns


def _scene(image, weights, mask, grid) -> Scene:
    """The scene of traits that fit each other. Raises TraitError where they do not."""
    frames, panels, height, width, _ = image.shape
    rows, columns = 0, 0
    if len(grid) not in (0, 2) or any(size < 1 for size in grid):
        raise TraitError(f"grid: expected [rows, columns], or none, got {grid}")
    shapes = {"grid": (1, 1, *grid) if grid else None, "weights": np.shape(weights) if weights is not None else None}
    shapes["mask"] = (1, *mask.shape) if mask is not None else None
    for name, shape in shapes.items():
        if shape is None:
            continue
        if rows and shape[2:] != (rows, columns):
            raise TraitError(f"{name}: expected {rows} rows x {columns} columns as the grid, got {shape[2:]}")
        rows, columns = shape[2:]
        if rows > height or columns > width:
            raise TraitError(f"{name}: expected at most one cell a pixel, {height} x {width}, got {rows} x {columns}")
        for what, own, others in (("frames", shape[0], frames), ("panels", shape[1], panels)):
            if own != others and 1 not in (own, others):
                raise TraitError(f"{name}: expected 1 or {others} {what} as the image has, got {own}")
        frames, panels = max(frames, shape[0]), max(panels, shape[1])
    return Scene(frames, panels, height, width, rows, columns)


def _cell(cell, scene) -> str | None:
    sizes = (scene.panels, scene.rows, scene.columns)
    if not cell or (len(cell) == 3 and all(0 <= i < size for i, size in zip(cell, sizes, strict=True))):
        return None
    return f"[panel, row, column] within {scene.panels}, {scene.rows} and {scene.columns}, or [], got {cell}"


def _order(order, scene) -> str | None:
    if reason := misordered(order, scene.cells):
        return reason
    if order and (scene.height % scene.rows or scene.width % scene.columns):
        return f"a grid that divides {scene.height} x {scene.width} pixels, got {scene.rows} x {scene.columns}"
    return None


def _glimpses(glimpses, scene) -> str | None:
    for place in glimpses:
        form = len(place) in (2, 3) and all(abs(x) <= 1 for x in place[:2])  # not-a-number is none
        if not form or not 0 <= (place[2] if len(place) == 3 else 0) < scene.panels:
            return f"[x, y] from -1 (left, top) to 1, then perhaps the panel of {scene.panels}, got {place}"
    return None


def _name(names, index) -> str:
    """One of some names, at most 40 letters of it; "" where there are none."""
    return shortened(names[index], 40) if names else ""


def _edits(edits, weights) -> str | None:
    if edits and weights is None:
        return f"none without weights, got {len(edits)}"
    for name, row in edits.items():
        try:
            panel, frame = edited(name)
            own = weights[frame, panel] if min(panel, frame) >= 0 else None
        except (ValueError, IndexError, TypeError):
            own = None
        if own is None:
            return f"names such as '3', or '1:3' for frame 3 of panel 1, of frames that are there, got {name!r}"
        row = np.asarray(row, dtype=float)
        if not shares_out(row, own.size, own.sum()):
            return f"{own.size} weights that sum to {own.sum():.3g} in {name!r}, got {row.size} with {row.sum():.3g}"
    return None


# What must follow the image and the grid: from the trait and the scene to what is expected.
FOLLOW = {
    "titles": lambda titles, scene: miscounted(titles, scene.panels, "names, one a panel"),
    "frame_names": lambda names, scene: miscounted(names, scene.frames, "names, one a frame"),
}
# What points into them, and is dropped where they take another shape.
POINT = {
    "frame": lambda frame, scene: None if 0 <= frame < scene.frames else f"0 to {scene.frames - 1}, got {frame}",
    "selected": _cell,
    "hovered": _cell,
    "order": _order,
    "glimpses": _glimpses,
}
SHAPES = ("image", "weights", "mask", "grid")


class Picture(Fitting):
    """An image, over it weights; what may be changed by hand is named in `editing`, in the words that `Matrix` uses.

        from widgets.instruments.picture.picture import Picture, side_by_side

        picture = Picture(image, weights)                       # [height, width] or [height, width, 3]; [rows, columns]
        picture = Picture(image, maps, frame_names=words)       # [frames, rows, columns]: a film over one image
        picture = Picture(side_by_side(a, b, c), side_by_side(...), titles=["a", "b", "c"])
        picture = Picture(digit, glimpses=[[0.0, 0.0], [0.5, -0.2]], glimpse_size=8)
        picture = Picture(digit, grid=[4, 4], editing="order")  # patches; picture.order follows the hand

    Everything is given cell by cell in the image's own order, whatever `order` is: at place i of the grid, counted row
    by row, the patch `order[i]` is seen, and its weight, mask and selection go with it.
    A glimpse is [x, y], -1 the left or upper edge of the image, 1 the right or lower one, as for
    `torch.nn.functional.grid_sample(align_corners=False)`; in a picture of several panels [x, y, panel].

    Shapes are checked against each other; a misfit raises `TraitError` with what was expected and what came. Weights
    and pixels that are not a number are drawn as such and named.
    """

    bundle = "picture"

    image = Images(help="[height, width] or [height, width, 3], 0..1; [frames], or [frames, panels or 1] before them")
    weights = Grids(help="[rows, columns]; [frames], or [frames, panels or 1] before them")
    mask = Padded(3, help="[panels or 1, rows, columns], nonzero = may attend; the rest is hatched")
    grid = List(Int(), help="[rows, columns] where neither weights nor mask say it; [] none").tag(sync=True)
    order = List(Int(), help="which patch stands at each place of the grid, row by row; [] = as given").tag(sync=True)
    glimpses = List(List(Float()), help="[x, y] or [x, y, panel] in [-1, 1], in their order").tag(sync=True)
    glimpse_size = Float(8.0, min=1.0, help="side of a glimpse's finest patch, in pixels of the image").tag(sync=True)
    glimpse_scales = Int(1, min=1, max=8, help="patches a glimpse, each twice as wide as the one before").tag(sync=True)
    most_glimpses = Int(0, min=0, help="so many a panel may be placed by hand; 0 any number").tag(sync=True)
    scale = Enum(["weights", "scores"], "weights", help="weights from 0, or scores around zero").tag(sync=True)
    measure = Unicode("", help='what the numbers are, where they are no weights: "effect"').tag(sync=True)
    limit = Float(0.0, min=0.0, help="the number of the fullest colour; 0 = found, over all frames").tag(sync=True)
    titles = List(Unicode(), help="one a panel, or none").tag(sync=True)
    frame = Int(0, min=0, help="the frame that is shown").tag(sync=True)
    frame_names = List(Unicode(), help="one word a frame, or none").tag(sync=True)
    side = Int(0, min=0, help="longest side of an image in CSS pixels; 0: 320 alone, 200 beside others").tag(sync=True)
    selected = List(Int(), help="[panel, row, column]; [] nothing").tag(sync=True)
    hovered = List(Int(), help="the cell under the pointer, [panel, row, column]; [] none").tag(sync=True)
    editing = Enum(["", "weights", "mask", "glimpses", "order"], "", help="what the hand may change").tag(sync=True)
    reach = Int(0, min=0, help="with a cell's weight, that of so many cells around it is moved").tag(sync=True)
    edits = Dict(help="{frame: [weights]} by hand, row by row; in panel p > 0 the name is 'p:frame'").tag(sync=True)

    def __init__(self, image=None, weights=None, **traits) -> None:
        super().__init__(image=image, weights=weights, **traits)

    # --- what is seen ---

    @property
    def scene(self) -> Scene:
        """How many frames, panels, pixels and cells there are."""
        return Scene(0, 0, 0, 0, 0, 0) if self.image is None else _scene(*(getattr(self, name) for name in SHAPES))

    @property
    def shown(self) -> Any:
        """[panels, rows, columns]: the weights of the frame that is shown, with what the hand edited; None without."""
        if self.weights is None:
            return None
        frame = min(self.frame, len(self.weights) - 1)
        shown = self.weights[frame].copy()
        for name, row in self.edits.items():
            panel, at = edited(name)
            if at == frame:
                shown[panel] = np.reshape(row, shown[panel].shape)
        return shown

    @property
    def places(self) -> list[int]:
        """The patch at each place of the grid."""
        return self.order or list(range(self.scene.cells))

    # --- checks ---

    @validate(*SHAPES, "edits", *FOLLOW, *POINT)
    def _fits(self, proposal) -> object:
        """Whatever follows the shapes is checked with them, whatever points into them when it changes itself."""
        name, value = proposal.trait.name, proposal.value
        image, weights, mask, grid = (value if name == shape else getattr(self, shape) for shape in SHAPES)
        if (
            name == "edits"
            and value
            and (reason := "none without weights" if weights is None else _edits(value, weights))
        ):
            raise TraitError(f"edits: expected {reason}")
        if image is None:
            return value
        scene = _scene(image, weights, mask, grid)
        for trait in FOLLOW if name in SHAPES else [name] if name in FOLLOW | POINT else []:
            checked = value if trait == name else getattr(self, trait)
            if reason := (FOLLOW | POINT)[trait](checked, scene):
                raise TraitError(f"{trait}: expected {reason}")
        return value

    @observe(*SHAPES)
    def _forget(self, change) -> None:
        """What pointed into a picture of another shape is dropped."""
        if self.image is None:
            return
        scene = self.scene
        for name, misfit in POINT.items():
            if misfit(getattr(self, name), scene):
                setattr(self, name, self.traits()[name].default())
        if _edits(self.edits, self.weights):
            self.edits = {}

    # --- in words ---

    def __repr__(self) -> str:
        if self.image is None:
            return "Picture(empty)"
        scene = self.scene
        parts = [f"{f'{scene.panels} images' if scene.panels > 1 else 'image'} {scene.height} x {scene.width}"]
        parts += [words for words in (self._frame_words(scene), self._grid_words(scene), self._most_words()) if words]
        if self.mask is not None and (hidden := int((self.mask == 0).sum())):
            parts.append(f"{hidden} cells hidden")
        if strangers := sum(patch != place for place, patch in enumerate(self.order)):
            parts.append(f"{strangers} of {scene.cells} patches not at their place")
        if self.glimpses:
            places = ", ".join(f"({number(x)}, {number(y)})" for x, y, *_ in self.glimpses)
            parts.append(f"glimpses {places}")
        if bad := int(np.isnan(self.image[min(self.frame, len(self.image) - 1)]).any(-1).sum()):
            parts.append(f"{bad} pixels are not a number")
        if self.selected:
            parts.append(f"selected {self._cell_words(*self.selected)}")
        return f"Picture({'; '.join(parts)})"

    def _frame_words(self, scene) -> str:
        name = f'"{_name(self.frame_names, self.frame)}"' if self.frame_names else str(self.frame + 1)
        return f"frame {name} of {scene.frames}" if scene.frames > 1 else ""

    def _grid_words(self, scene) -> str:
        if not scene.cells:
            return ""
        what = (self.measure or self.scale) if self.weights is not None else "grid"
        return f"{what} {scene.rows} x {scene.columns}"

    def _most_words(self) -> str:
        """Where the largest number of each panel stands."""
        if self.weights is None:
            return ""
        words = []
        for panel, shown in enumerate(self.shown):
            bad = int(np.isnan(shown).sum())
            if bad < shown.size:
                row, column = np.unravel_index(np.nanargmax(shown), shown.shape)
                words.append(f"most at {self._cell_words(panel, int(row), int(column))}")
            if bad:
                words.append(f"{bad} cells are not a number")
        return ", ".join(words)

    def _cell_words(self, panel, row, column) -> str:
        where = f"{_name(self.titles, panel) or f'image {panel + 1}'}, " if self.scene.panels > 1 else ""
        words = f"{where}{row_and_column(row, column)}"
        if self.mask is not None and not self.mask[panel % len(self.mask), row, column]:
            return f"{words}: hidden"
        return words if self.weights is None else f"{words}: {number(self.shown[panel % len(self.shown), row, column])}"
