"""What the optimisers compute, as loops over single numbers. Matrices are nested lists."""

from math import sqrt


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(len(b[0]))] for i in range(len(a))]


def transposed(a):
    return [[a[i][j] for i in range(len(a))] for j in range(len(a[0]))]


def combined(*weighted):
    """The sum of factor times matrix."""
    first = weighted[0][1]
    return [[sum(f * m[i][j] for f, m in weighted) for j in range(len(first[0]))] for i in range(len(first))]


def orthogonal(matrix, coefficients):
    """Newton-Schulz as Jordan writes it: X <- aX + b(XX^T)X + c(XX^T)^2 X, whatever the shape."""
    norm = sqrt(sum(number * number for row in matrix for number in row))
    x = combined((1 / norm, matrix))
    for a, b, c in coefficients:
        gram = product(x, transposed(x))
        x = combined((a, x), (b, product(gram, x)), (c, product(gram, product(gram, x))))
    return x


def muon(matrix, gradients, rate, momentum, decay, coefficients):
    """The matrix after one step for each gradient."""
    rows, columns = len(matrix), len(matrix[0])
    velocity = combined((0.0, matrix))
    for gradient in gradients:
        velocity = combined((momentum, velocity), (1 - momentum, gradient))
        ahead = combined((momentum, velocity), (1 - momentum, gradient))
        length = rate * sqrt(max(1, rows / columns))
        matrix = combined((1 - rate * decay, matrix), (-length, orthogonal(ahead, coefficients)))
    return matrix
