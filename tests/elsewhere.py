"""An engine that treats work as other machines would, in this process."""

import pickle

from shoal.engines.local import Local
from shoal.progress import silent


class Elsewhere(Local):
    """Sends work and parts, and gets results, as bytes."""

    def map(self, work, parts, **_how_far):
        sent = [pickle.dumps((work, part)) for part in parts]
        with self.workers() as crew:
            back = [pickle.dumps(work(part, crew, silent)) for work, part in map(pickle.loads, sent)]
        return [pickle.loads(result) for result in back]
