"""What Retinue costs, each part beside the bare thing it stands on: `python -m benchmarks` writes `results.json`.

One benchmark a module; nothing of the product imports them. `premise_quality` is a script.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does, before numpy is there
