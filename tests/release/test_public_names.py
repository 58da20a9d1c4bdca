"""What the room exports is there."""

import shoal.release


def test_public_names():
    for name in shoal.release.__all__:
        assert hasattr(shoal.release, name)
