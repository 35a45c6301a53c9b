"""What a layer costs, and what a GPT weighs, costs and keeps, counted one by one. All arguments and results are whole
numbers."""


def crossing(dim: int, gates: int) -> int:
    """The longest text for which self-attention needs no more multiply-adds than a recurrent layer; 0 for none."""
    tokens = 0
    while attention_operations(tokens + 1, dim) <= recurrent_operations(tokens + 1, dim, gates):
        tokens += 1
    return tokens


def attention_operations(tokens: int, dim: int) -> int:
    """Token by token and pair by pair."""
    return attention_mapping(tokens, dim) + attention_mixing(tokens, dim, radius=tokens)


def attention_mapping(tokens: int, dim: int) -> int:
    """Multiply-adds of the four maps, token by token."""
    total = 0
    for _ in range(tokens):
        for _ in ("query", "key", "value", "output"):
            total += dim * dim
    return total


def attention_mixing(tokens: int, dim: int, radius: int) -> int:
    """Multiply-adds where tokens meet, pair by pair; none of pairs that are more than `radius` apart."""
    total = 0
    for query in range(tokens):
        for key in range(tokens):
            if abs(query - key) <= radius:
                total += dim  # query · key
                total += dim  # weight · value
    return total


def recurrent_operations(tokens: int, dim: int, gates: int) -> int:
    """Token by token."""
    total = 0
    for _ in range(tokens):
        for _ in range(gates):
            total += dim * dim  # of the token
            total += dim * dim  # of the state before it
    return total


def maps_of_a_block(dim: int) -> list[tuple[int, int]]:
    """(inputs, outputs) of its linear maps: query, key, value, output, and the feed-forward network's two."""
    return [(dim, dim), (dim, dim), (dim, dim), (dim, dim), (dim, 4 * dim), (4 * dim, dim)]


def parameters(layers: int, dim: int, vocabulary: int, longest: int) -> int:
    """With biases, a learned table of places, and the token table once more as the output map."""
    total = 0
    for _ in range(vocabulary + longest):
        total += dim
    for _ in range(layers):
        for inputs, outputs in maps_of_a_block(dim):
            for _ in range(outputs):
                total += inputs + 1  # a row of weights, a bias
        total += 2 * (dim + dim)  # two norms, each with gain and shift
    return total + dim + dim


def training_flops(layers: int, dim: int, vocabulary: int, context: int, tokens: int) -> int:
    """Map by map for one token; forward, and twice as much for the way back."""
    forward = 2 * dim * vocabulary
    for _ in range(layers):
        for inputs, outputs in maps_of_a_block(dim):
            forward += 2 * inputs * outputs
        for _ in range(context):
            forward += 2 * dim  # query · key
            forward += 2 * dim  # weight · value
    return 3 * forward * tokens


def cache_bytes(layers: int, dim: int, tokens: int, batch: int, bytes_each: int) -> int:
    """Key by key, value by value."""
    total = 0
    for _ in range(layers):
        for _ in range(batch * tokens):
            total += dim * bytes_each  # its key
            total += dim * bytes_each  # its value
    return total
