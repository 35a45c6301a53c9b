"""Exercise 12.crossing: up to which length is attention cheaper?"""

from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l12_cost.tables import WHOLE, of_each_model, off_by, table_of
from attnlab.specs import costs


def crossing(dim: Tensor, gates: Tensor) -> Tensor:
    """The solution."""
    # 4 n dim² + 2 n² dim <= 2 gates n dim²  is  n <= (gates - 2) dim
    return ((gates - 2) * dim).clamp(min=0)


CROSSING = Exercise(
    name="12.crossing",
    title="Up to which length is attention cheaper?",
    statement=f"""Return the longest text, in tokens, for which self-attention needs no more multiply-adds than a
recurrent layer; 0 where there is none.

Now everything counts. For each token the recurrent layer multiplies its vector by `gates` matrices [dim, dim], and the
state before it by as many: 1 in a plain layer, 3 in a GRU, 4 in an LSTM. Self-attention has four maps [dim, dim] of
each token (query, key, value, output), and meets each pair of tokens twice: query · key and weight · value.

dim, gates. {WHOLE}""",
    axes="[models]",
    stub="""def crossing(dim, gates):
    ...
""",
    hints=(
        "Write both costs of n tokens down: one has n alone, the other n and n². Set them equal.",
        "The maps of attention cost 4 dim² for each token, its pairs 2 n² dim for the text. The recurrent layer costs "
        "2 gates dim² for each token. Divide both sides by n dim.",
        "What is left is a line in n: solve it. For few gates the answer is below 0, and no text is so short.",
    ),
    solution=crossing,
    spec=of_each_model(costs.crossing),
    inputs=lambda: [table_of((8, 6, 10, 4), (3, 4, 1, 6)), table_of((12, 5), (5, 3))],
    edges=lambda: [table_of((7, 9, 3), (2, 1, 4))],
    diagnoses=(lambda result, *columns: off_by(result, *columns, right=crossing),),
    mistakes=(
        Mistake(
            "attention's four maps are missing: they cost 4 dim² for each token before any two tokens meet",
            lambda dim, gates: gates * dim,
        ),
        Mistake(
            "this compares only what the paper's table counts, where tokens meet: here the maps count, too, on both "
            "sides",
            lambda dim, gates: gates * dim // 2,
        ),
        Mistake(
            "half the width is where the plain layer's curve crosses in the picture, which leaves all maps out",
            lambda dim, gates: dim // 2,
        ),
        Mistake("the formulas without their factors meet at n = dim: factors decide here", lambda dim, gates: dim),
        Mistake(
            "the recurrent layer multiplies the token's vector, too, not only the state before it: 2 gates dim²",
            lambda dim, gates: ((gates - 4) * dim // 2).clamp(min=0),
        ),
        Mistake(
            "each pair meets twice: query · key, and weight · value",
            lambda dim, gates: (2 * (gates - 2) * dim).clamp(min=0),
        ),
        Mistake(
            "attention has three maps in your count: the output map is the fourth",
            lambda dim, gates: ((2 * gates - 3) * dim // 2).clamp(min=0),
        ),
        Mistake(
            "a text has no fewer than 0 tokens: where attention always costs more, the answer is 0",
            lambda dim, gates: (gates - 2) * dim,
        ),
        Mistake(
            "one token too few: where both cost the same, attention needs no more",
            lambda dim, gates: ((gates - 2) * dim - 1).clamp(min=0),
        ),
        Mistake(
            "one token too many: the longest text for which attention needs no more is asked for",
            lambda dim, gates: ((gates - 2) * dim).clamp(min=-1) + 1,
        ),
        Mistake(
            "each gate has two matrices, one for the token and one for the state; attention's four maps were counted "
            "as eight",
            lambda dim, gates: ((gates - 4) * dim).clamp(min=0),
        ),
        Mistake("the width is missing: the crossing moves with it", lambda dim, gates: (gates - 2).clamp(min=0)),
        Mistake(
            "the two costs were exchanged: attention is cheaper in short texts, and the more gates, the longer",
            lambda dim, gates: ((2 - gates) * dim).clamp(min=0),
        ),
    ),
)
