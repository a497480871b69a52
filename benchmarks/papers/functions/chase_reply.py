"""ifuncs/chase_reply.c in Python."""
import numpy as np
import tchains
from tchains import here


@tchains.ifunc
def chase_reply_python(step: tchains.Payload(np.uint64, writable=True), shard: tchains.TargetArgs(np.uint64, 3)):
    places = np.uint64(1) << shard[2]
    first = shard[1] * places
    entries = here.array(shard[0], places, np.uint64)
    address, depth = step[0], step[1]
    while depth > 0 and address - first < places:
        address = entries[address - first]
        depth -= np.uint64(1)
    step[0], step[1] = address, depth
    if depth == 0:
        here.reply(step[:1])
    else:
        here.forward(address >> shard[2], step)
