"""Which tokens layers reach, followed one by one."""


def reach(tokens, layers):
    """Which inputs the last token depends on after these layers; a layer maps a place to the places that it sees."""
    seen = {tokens - 1}
    for sees in reversed(layers):
        seen = {other for place in seen for other in sees(place) if 0 <= other < tokens}
    return seen


def layers_until_all_seen(tokens, layer):
    """Layers until the last token depends on the first one; layer(number) -> what each place sees in it."""
    return next(
        count for count in range(1, tokens + 1) if 0 in reach(tokens, [layer(number) for number in range(count)])
    )
