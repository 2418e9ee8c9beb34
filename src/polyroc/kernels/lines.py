"""Lines through a point b and a point n of the plane, and the points m under them (three-way ROC, two ratios).

Points are given by the logarithms of their coordinates, which may be huge or tiny. What differs by a share of no
more than `TIE` is equal, so that ratios which are equal but for rounding tie.
"""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["TIE", "falling_lines"]

TIE = 1e-9
AT_ONCE = 2**18  # lines that are sorted together: they fit the cache
FAR = (
    10.0  # in logarithms: seen from a point so much farther out, slopes distinguish two points to five digits only
)


def falling_lines(
    b: FloatArray, n: FloatArray, m: FloatArray, by_b: FloatArray, by_n: FloatArray, by_m: FloatArray
) -> None:
    """Add up the signs of all falling lines, and the signs times the share of m under the line.

    The sign of a pair (b, n) is +1 if n lies above b and to its left, -1 if below and to its right, half of that
    if it lies straight above, below, left or right, and 0 otherwise: (sign(r_b - r_n) + sign(s_n - s_b)) / 2. An m
    on the line is half under it. For each b the n are sorted by the slope at which b sees them:
    O(len(b) (len(n) + len(m)) log len(n)) instead of one step per triple.

    Parameters
    ----------
    b, n, m
        At [case], log r, log s and the weight, the weights of each adding up to one.
    by_b, by_n
        Zeros; at [0] the sum of signs times shares over the partners of each case is added, at [1] that of signs.
    by_m
        Zeros; the sum of the signs of the lines above each m is added.
    """
    rows = max(1, AT_ONCE // len(n))
    for first in range(0, len(b), rows):
        some = b[first : first + rows]
        lines = np.empty((2, len(some), len(n)))
        _draw(some, n, lines)
        _add_up(some, n, m, lines, np.argsort(lines[1]), by_b[:, first : first + rows], by_n, by_m)


@kernel
def _draw(b: FloatArray, n: FloatArray, lines: FloatArray) -> None:
    """At [0, i, j] the sign of the line through b[i] and n[j], at [1, i, j] its slope."""
    for i in range(len(b)):
        for j in range(len(n)):
            lines[0, i, j], lines[1, i, j] = _line(b[i], n[j])


@kernel
def _add_up(
    b: FloatArray,
    n: FloatArray,
    m: FloatArray,
    lines: FloatArray,
    order: IntArray,
    by_b: FloatArray,
    by_n: FloatArray,
    by_m: FloatArray,
) -> None:
    mass, step = np.zeros(len(n) + 1), np.empty(len(n) + 1)
    slope, under = np.empty(len(n)), np.empty(len(n))
    for i in range(len(b)):
        sign = lines[0, i]
        # The lines from b in ascending order of slope, with the cumulative signed weight of their n.
        for place in range(len(n)):
            j = order[i, place]
            slope[place], mass[place + 1] = lines[1, i, j], mass[place] + sign[j] * n[j, 2]
            under[j] = step[place] = 0.0
        # Each m is under the lines steeper than that through it (or flatter, on the other side), and half under
        # those through it: `step` holds the changes of the share under the line along the slopes, a difference
        # array.
        for k in range(len(m)):
            first, last, left = _seen(b[i], m[k], slope)
            half = 0.5 * m[k, 2] if left else -0.5 * m[k, 2]
            step[0] += 0.0 if left else m[k, 2]
            step[first] += half
            step[last] += half
            passed = 0.5 * (mass[first] + mass[last])
            by_m[k] += b[i, 2] * (mass[-1] - passed if left else passed)
            # Seen from afar, lines only seem to pass through m: compare m with the n of these lines directly.
            if max(b[i, 0] - m[k, 0], b[i, 1] - m[k, 1]) > FAR:
                for j in order[i, first:last]:
                    more = _beside(n[j], m[k]) if abs(sign[j]) == 1.0 else 0.0
                    under[j] += more * m[k, 2]
                    by_m[k] += more * sign[j] * n[j, 2] * b[i, 2]
        share = 0.0  # running sum of `step`: the share of m under the line at this place
        for place in range(len(n)):
            j = order[i, place]
            share += step[place]
            by_b[0, i] += sign[j] * (share + under[j]) * n[j, 2]
            by_n[0, j] += sign[j] * (share + under[j]) * b[i, 2]
            by_n[1, j] += sign[j] * b[i, 2]
        by_b[1, i] = mass[-1]


@kernel
def _order(x: float, z: float) -> int:
    """1 if x is larger, -1 if z is, 0 if they tie."""
    return 0 if abs(x - z) <= TIE else 1 if x > z else -1


@kernel
def _line(b: FloatArray, n: FloatArray) -> tuple[float, float]:
    """The sign of the line through b and n, and the logarithm of the absolute value of its slope."""
    left, up = _order(b[0], n[0]), _order(n[1], b[1])
    if left == 0 or up == 0:
        return 0.5 * (left + up), np.inf if left == 0 else -np.inf
    # |s_n - s_b| / |r_n - r_b| with the larger coordinates factored out, so that nothing overflows or cancels.
    ratio = np.expm1(-abs(n[1] - b[1])) / np.expm1(-abs(n[0] - b[0]))
    return 0.5 * (left + up), max(n[1], b[1]) - max(n[0], b[0]) + np.log(ratio)


@kernel
def _seen(b: FloatArray, m: FloatArray, slope: FloatArray) -> tuple[int, int, bool]:
    """Where the lines from b through m begin and end, flat ones first; and whether steeper lines pass over m.

    Lines pass over what is above b and to its left if they are steep, over what is below and to its right if flat.
    """
    left, up = _order(b[0], m[0]), _order(m[1], b[1])
    if left == 0 and up == 0:
        return 0, len(slope), True
    if left + up == 0:
        return len(slope), len(slope), up > 0
    _, own = _line(b, m)
    return _below(slope, own - TIE, False), _below(slope, own + TIE, True), left + up > 0


@kernel
def _below(ascending: FloatArray, limit: float, or_at: bool) -> int:
    """The number of entries below the limit, or not above it."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < limit or (or_at and ascending[middle] == limit):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _beside(n: FloatArray, m: FloatArray) -> float:
    """What to add to the half of m that is under a line through n which seems to pass through m, seen from afar.

    If m is level with n, or straight above or below, it is beside the line: half a point too much or too little.
    """
    right, up = _order(m[0], n[0]), _order(m[1], n[1])
    return 0.0 if (right == 0) == (up == 0) else -0.5 * (right + up)
