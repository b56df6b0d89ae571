"""The slow, dense, obvious twins that the library is compared with."""

import numpy as np


def dense(matrix, n_columns):
    out = np.zeros((len(matrix.indptr) - 1, n_columns))
    for row in range(len(out)):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        out[row, matrix.indices[span]] = matrix.data[span]
    return out


def present(matrix, n_columns):
    return dense(matrix._replace(data=np.ones(len(matrix.data))), n_columns)


def overlaps(matrix, n_columns):
    """Cosines of the binary rows, 0 with an empty row."""
    rows = present(matrix, n_columns)
    size = rows.sum(axis=1)
    both = rows @ rows.T
    return np.divide(both, np.sqrt(np.outer(size, size)), out=np.zeros_like(both), where=both > 0)


def nearest(matrix, n_columns, k):
    """The k nearest others of each row that share anything, ties by ascending row, with overlaps."""
    found = []
    for row, near in enumerate(overlaps(matrix, n_columns)):
        others = [(-value, other) for other, value in enumerate(near) if other != row and value > 0]
        found.append([(other, -value) for value, other in sorted(others)[:k]])
    return found


def corated_cosine(a, b, has_a, has_b):
    both = (has_a > 0) & (has_b > 0)
    norm = np.linalg.norm(a[both]) * np.linalg.norm(b[both])
    return (a[both] @ b[both] / norm if norm > 0 else 0.0), int(both.sum())


def weights(matrix, n_columns, *, damping, overlapping):
    """The weight of every pair of rows, 0 on the diagonal and where it would be negative."""
    full, has = dense(matrix, n_columns), present(matrix, n_columns)
    near = overlaps(matrix, n_columns)
    out = np.zeros(near.shape)
    for a in range(len(out)):
        for b in range(len(out)):
            both = (has[a] > 0) & (has[b] > 0)
            scale = np.linalg.norm(full[a, both]) * np.linalg.norm(full[b, both]) + damping
            if a != b and scale > 0:
                out[a, b] = max(full[a, both] @ full[b, both] / scale, 0.0) * (
                    near[a, b] if overlapping else 1.0
                )
    return out


def reaches_a_label(W, labelled):
    """Nodes with a path of one or more edges to a labelled node."""
    reach = (W[:, labelled] > 0).any(axis=1)
    while True:
        wider = reach | (W[:, reach] > 0).any(axis=1)
        if (wider == reach).all():
            return reach
        reach = wider


def extend(W, labels, mu=1.0, steps=1, grounding=0.0, misfit=0.0):
    """Algorithm 1 for one item, as the paper writes it, on a full matrix: {node: label} -> f.

    Where no label can be reached the prior, 0, stands.
    """
    labelled = np.array(sorted(labels), dtype=int)
    g = np.array([labels[node] for node in labelled], dtype=float)
    D = np.diag(W.sum(axis=1))
    A = D - W + grounding * D
    A[:, labelled] += mu * W[:, labelled]
    reach = reaches_a_label(W, labelled)
    d = np.zeros(len(g))
    f = np.zeros(len(W))
    for _ in range(steps):
        right = mu * W[:, labelled] @ (g - d)
        f = np.zeros(len(W))
        f[reach] = np.linalg.solve(A[np.ix_(reach, reach)], right[reach])
        if np.abs(g - f[labelled]).max(initial=0.0) <= misfit * np.abs(g).max(initial=0.0):
            break
        d = d + f[labelled] - g
    return f


def offsets(users, items, values, n_users, n_items, user_damping, item_damping):
    """The damped least squares solution, by one dense system."""
    mean = values.mean()
    X = np.zeros((len(values), n_users + n_items))
    X[np.arange(len(values)), users] = 1.0
    X[np.arange(len(values)), n_users + items] = 1.0
    damping = np.diag([user_damping] * n_users + [item_damping] * n_items)
    b = np.linalg.solve(X.T @ X + damping, X.T @ (values - mean))
    return mean, b[:n_users], b[n_users:]
