"""As ../shipped/am_sum.c; with a description it answers with the unit as it sees it."""
import numpy
import tchains
from tchains.parameters import UNIT_BYTES


@tchains.ifunc
def am_sum_python(unit: tchains.Unit, input: tchains.Input(numpy.int64), output: tchains.Output(numpy.int64),
                  sums: tchains.Persistent(numpy.int64), description: tchains.Description):
    if len(description) > 0:
        for s in range(unit.segments):
            row = output[s]
            row[0] = unit.first + s
            row[1] = unit.segments
            row[2] = unit.origin
            row[3] = unit.input_bytes
            row[4] = unit.output_bytes
            row[5] = unit.persistent_bytes
            row[6] = unit.description_bytes
            row[7] = description[0]
            row[8] = UNIT_BYTES
            row[9] = 0
        return
    if unit.persistent_bytes != unit.input_bytes:
        raise ValueError("the range has another size than a segment")
    for s in range(len(input)):
        for i in range(len(sums)):
            if input[s, i] < 0:
                raise IndexError("a number below 0")
            sums[i] += input[s, i]
            if unit.output_bytes > 0:
                output[s, i] = sums[i]


am_sum_python.save()
