"""A source of chance that gives the same each time."""

from torch import Generator


def seeded(seed: int = 0, device: str = "cpu") -> Generator:
    """A generator that starts at `seed`."""
    return Generator(device).manual_seed(seed)
