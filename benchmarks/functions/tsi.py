"""ifuncs/tsi.c in Python."""
import numpy as np
import tchains


@tchains.ifunc
def tsi_python(_payload: tchains.Payload(np.uint8), counter: tchains.TargetArgs(np.uint64)):
    counter[0] += np.uint64(1)
