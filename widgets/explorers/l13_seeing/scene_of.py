"""The base of explorers that show one of some held-out scenes."""

from collections.abc import Sequence

from attnlab.tasks.scenes import Scene, Scenes
from widgets.base.controls import stepper
from widgets.base.explorer import Explorer


class SceneExplorer(Explorer):
    """A scene to choose. task: `Scenes`. scenes: what can be chosen. ValueError for none."""

    scene = stepper(1, 1, None, label="picture", help="which of the held-out pictures")
    unstable = True

    def __init__(self, task: Scenes, scenes: Sequence[Scene], lock=None, **state) -> None:
        self.task, self.scenes = task, list(scenes)
        if not self.scenes:
            raise ValueError("expected at least one scene, got none")
        super().__init__(lock=lock, **state)

    def place(self, state) -> int:
        """Where the scene stands among `scenes`, from 0: the last one for a number that is too large."""
        return min(state.scene, len(self.scenes)) - 1

    def chosen(self, state) -> Scene:
        """The scene."""
        return self.scenes[self.place(state)]

    @property
    def most(self) -> dict:
        """For `picture`: how many scenes there are."""
        return {"scene": {"max": len(self.scenes)}}
