"""What the generated tasks should give, written as loops over single symbols and numbers."""


def copy(source):
    target, places = "", []
    for i in range(len(source)):
        target += source[i]
        places.append({i})
    return target, places


def reversed(source):
    target, places = "", []
    i = len(source) - 1
    while i >= 0:
        target += source[i]
        places.append({i})
        i -= 1
    return target, places


def sort(source):
    """Counts each symbol, from the smallest on."""
    target, places = "", []
    for code in range(ord("0"), ord("z") + 1):
        found = set()
        for i in range(len(source)):
            if ord(source[i]) == code:
                found.add(i)
        for _ in range(len(found)):
            target += chr(code)
            places.append(found)
    return target, places


def lookup(source):
    """For a, b, c ... walks through the source until the key is found."""
    target, places = "", []
    for n in range(len(source) // 2):
        for i in range(0, len(source), 2):
            if source[i] == chr(ord("a") + n):
                target += source[i + 1]
                places.append({i // 2})
    return target, places


def serbian(text):
    """Gaj's Latin letters, written as cases."""
    written, places = "", []
    for i in range(len(text)):
        letter = text[i]
        if letter == "љ":
            letters = "lj"
        elif letter == "њ":
            letters = "nj"
        elif letter == "џ":
            letters = "dž"
        else:
            cyrillic, roman = "абвгдђежзијклмнопрстћуфхцчш", "abvgdđežzijklmnoprstćufhcčš"
            letters = roman[cyrillic.index(letter)] if letter in cyrillic else letter
        for single in letters:
            written += single
            places.append({i})
    return written, places


def repeat(segment, length):
    """A segment over and over."""
    found = []
    for i in range(length):
        found.append(segment[i - (i // len(segment)) * len(segment)])
    return found


def after_copy(period, tokens):
    """For each place the places right after earlier copies of its token."""
    rows = []
    for query in range(tokens):
        right = [False] * tokens
        copy = query - period
        while copy >= 0:
            right[copy + 1] = True
            copy -= period
        rows.append(right)
    return rows


def votes(bits):
    """All functions of a vote: weights -1, 0 or 1 for each bit, the first bit breaks a tie. As strings of 0 and 1."""
    found = set()
    for number in range(3**bits):
        weights = []
        for _ in range(bits):
            weights.append(number % 3 - 1)
            number //= 3
        answers = ""
        for code in range(2**bits):
            written = format(code, f"0{bits}b")
            total = 0
            for i in range(bits):
                total += weights[i] if written[i] == "1" else -weights[i]
            answers += "1" if total > 0 or (total == 0 and written[0] == "1") else "0"
        found.add(answers)
    return found


def belongs(shape, down, right):
    """Whether a pixel belongs to a shape, by its distances from the centre, each from -4 to 4."""
    if shape == "square":
        return True
    if shape == "circle":
        return down * down + right * right <= 18
    if shape == "triangle":
        return abs(right) <= (down + 4) / 2
    return abs(down) <= 1 or abs(right) <= 1


def scene(things, colours, background):
    """The picture as rows of pixels, each (red, green, blue), and for each thing the set of its cells."""
    picture, cells = [], [set() for _ in things]
    for row in range(32):
        picture.append([])
        for column in range(32):
            pixel = background
            for i in range(len(things)):
                colour, shape, middle_row, middle_column = things[i]
                down, right = row - middle_row, column - middle_column
                if -4 <= down <= 4 and -4 <= right <= 4 and belongs(shape, down, right):
                    pixel = colours[colour]
                    cells[i].add((row // 4, column // 4))
            picture[row].append(pixel)
    return picture, cells


def caption(things):
    """From the one that a line moving from the top left corner meets first."""
    if len(things) == 0:
        return "nothing"
    first = 0
    for i in range(len(things)):
        if things[i][2] + things[i][3] < things[first][2] + things[first][3]:
            first = i
    text = "a " + things[first][0] + " " + things[first][1]
    for i in range(len(things)):
        if i != first:
            beside = abs(things[i][3] - things[first][3]) > abs(things[i][2] - things[first][2])
            text += (" left of " if beside else " above ") + "a " + things[i][0] + " " + things[i][1]
    return text
