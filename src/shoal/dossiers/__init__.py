"""What those who sign a release need on one page: from what was measured, with lines for what a person decides.

It follows what ISO/IEC 27559 asks for (context, data, identifiability, governance), the motivated-intruder test of the
ICO, and the three risks of the Article 29 Working Party's opinion 05/2014. It gives no verdict.
"""

from shoal.dossiers.recipients import RECIPIENTS
from shoal.dossiers.run import Dossier, dossier

__all__ = ["RECIPIENTS", "Dossier", "dossier"]
