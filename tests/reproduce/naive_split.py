"""Splitting at overlaps, minute by minute (GLOVE §6.2, Fig. 6b): slow, from the definition, none of our code."""


def split(boxes):
    """Cut boxes (t, dt, x, dx, y, dy) of one group wherever what covers a minute changes.

    Each stretch of minutes covered by the same boxes becomes one box over the areas of all of them.
    """
    covering = {}
    for number, (t, dt, *_) in enumerate(boxes):
        for minute in range(t, t + dt):
            covering.setdefault(minute, set()).add(number)
    result, before, last = [], None, None
    for minute in sorted(covering):
        here = covering[minute]
        if here == before and minute == last + 1:
            result[-1][1] += 1
        else:
            x, y = (min(boxes[i][axis] for i in here) for axis in (2, 4))
            x_end, y_end = (max(boxes[i][axis] + boxes[i][axis + 1] for i in here) for axis in (2, 4))
            result.append([minute, 1, x, x_end - x, y, y_end - y])
        before, last = here, minute
    return [tuple(box) for box in result]
