# Functions in Julia that tests send.
module Functions

using ThreeChains

export total, count_up, moments, text_of, silent, beyond, bound, table_sum, scaled_sum

@ifunc function total(payload::View{Float64}, target::Ptr{Cvoid})
    sum = 0.0
    @inbounds @simd for i in eachindex(payload)
        sum += payload[i]
    end
    reply(sum)
end

# Counts in the memory that the node keeps for the function.
@ifunc function count_up(payload::View{UInt8}, target::Ptr{Cvoid})
    seen = state(UInt64)
    unsafe_store!(seen, unsafe_load(seen) + length(payload))
    reply(unsafe_load(seen))
end

struct Moments
    count::Int64
    mean::Float64
    second::Float64
end

add(m::Moments, x::Float64) = begin
    count = m.count + 1
    delta = x - m.mean
    mean = m.mean + delta / count
    Moments(count, mean, m.second + delta * (x - mean))
end

@ifunc function moments(payload::View{Float64}, target::Ptr{Cvoid})
    m = Moments(0, 0.0, 0.0)
    for x in payload
        m = add(m, x)
    end
    reply(m)
end

# Calls a function of the C library by its name.
@ifunc function text_of(payload::View{UInt8}, target::Ptr{Cvoid})
    reply(ccall(:strlen, UInt64, (Ptr{UInt8},), pointer(payload)))
end

# Takes a call along and never answers it.
@ifunc function silent(payload::View{Float64}, target::Ptr{Cvoid})
    ticket = Ref((UInt64(0), UInt64(0)))
    ccall("extern tc_detach", llvmcall, Cint, (Ref{Tuple{UInt64,UInt64}},), ticket)
end

@ifunc function beyond(payload::View{Float64}, target::Ptr{Cvoid})
    reply(payload[length(payload) + 1])
end

# On data that the node has published.
@ifunc function table_sum(payload::View{Float64}, target::Ptr{Cvoid})
    table = published(Float64, c"table")
    if length(table) == 0
        reply_error(-20, c"no table here")
        return
    end
    sum = payload[1]
    for x in table
        sum += x
    end
    reply(sum)
end

# With a library that a node loads for it.
@ifunc function bound(payload::View{UInt64}, target::Ptr{Cvoid})
    reply(ccall("extern compressBound", llvmcall, UInt64, (UInt64,), payload[1]))
end

# With a library that travels.
@ifunc function scaled_sum(payload::View{Float64}, target::Ptr{Cvoid})
    sum = 0.0
    for x in payload
        sum += ccall("extern scaled", llvmcall, Float64, (Float64,), x)
    end
    reply(sum)
end

end
