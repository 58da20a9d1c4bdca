"""Which records have a published point of their person nearby, in place and in time."""

from shoal.kernels.common.jit import kernel
from shoal.kernels.compared.ranges import first_at


@kernel
def near(  # type: ignore[no-untyped-def]
    offsets, lo, hi, t, lat, lng, east, north, shown_offsets, shown_t, shown_lat, shown_lng, metres, micros, found
):
    """Mark the records of the people ``lo..hi - 1`` that have such a point; the nearest in time is tried first.

    Parameters
    ----------
    offsets, t, lat, lng, east, north
        Records of each person, and metres per degree of longitude and latitude where they are.
    shown_offsets, shown_t, shown_lat, shown_lng
        Published points of each person, sorted by time.
    metres, micros
        How far is near, in place and in time.
    """
    most = metres * metres
    for person in range(lo, hi):
        begin, end = shown_offsets[person], shown_offsets[person + 1]
        if begin == end:
            continue
        for i in range(offsets[person], offsets[person + 1]):
            right = first_at(shown_t, begin, end, t[i])
            left = right - 1
            while not found[i]:
                back = t[i] - shown_t[left] if left >= begin else micros + 1
                ahead = shown_t[right] - t[i] if right < end else micros + 1
                if min(back, ahead) > micros:
                    break
                if back <= ahead:
                    j = left
                    left -= 1
                else:
                    j = right
                    right += 1
                x, y = (shown_lng[j] - lng[i]) * east[i], (shown_lat[j] - lat[i]) * north[i]
                found[i] = x * x + y * y <= most
