# As ../shipped/am_sum.c; with a description it answers with the unit as it sees it.
using ThreeChains

function see(unit::Unit, output::View{Int64})
    for s in 0:unit.segments-1
        seen = (unit.first + s, unit.segments, Int64(unit.origin), unit.input_bytes, unit.output_bytes,
                unit.persistent_bytes, length(unit.description), Int64(unit.description[1]), sizeof(ThreeChains.AmUnit),
                Int64(unsafe_load(unit.at).status))
        unsafe_store!(Ptr{typeof(seen)}(pointer(output) + s * sizeof(seen)), seen)
    end
end

@ifunc function am_sum_julia(unit::Unit, input::View{Int64}, output::View{Int64}, sums::View{Int64})
    if length(unit.description) > 0
        see(unit, output)
        return
    end
    if unit.persistent_bytes != unit.input_bytes
        fail!(unit, TC_E_INVALID, c"the range has another size than a segment")
        return
    end
    at = 0
    for i in 1:length(input)
        at = at == length(sums) ? 1 : at + 1
        if input[i] < 0
            fail!(unit, TC_E_INVALID, c"a number below 0")
            return
        end
        sums[at] += input[i]
        i <= length(output) && (output[i] = sums[at])
    end
end
