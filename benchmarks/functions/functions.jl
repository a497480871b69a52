# ifuncs/tsi.c, chase_reply.c and chase_return.c in Julia, line by line.
using ThreeChains

function tsi_julia(payload::View{UInt8}, count::Ptr{UInt64})
    unsafe_store!(count, unsafe_load(count) + 1)
end

struct Shard
    entries::Ptr{UInt64}
    rank::UInt64
    place_bits::UInt64
end

struct Step
    address::UInt64
    depth::UInt64
end

owner(shard, address) = address >> (shard.place_bits & 63) # as in C, which leaves more than 63 undefined

# As far as it goes on this server.
function walk(shard::Shard, step::Step)
    places = one(UInt64) << (shard.place_bits & 63)
    address, depth, first = step.address, step.depth, shard.rank * places
    while depth > 0 && address - first < places
        address = unsafe_load(shard.entries + sizeof(UInt64) * (address - first))
        depth -= 1
    end
    return Step(address, depth)
end

function chase_reply_julia(payload::View{Step}, target::Ptr{Shard})
    shard = unsafe_load(target)
    step = @inbounds payload[1] = walk(shard, @inbounds payload[1])
    if step.depth == 0
        reply(step.address)
    else
        forward(owner(shard, step.address), payload)
    end
end

struct Request
    step::Step
    destination::UInt64
    slot::UInt64
end

const RETURN_RESULT = Tuple(codeunits("return_result\0"))

function return_result(payload)
    group = ccall("extern tc_self_group", llvmcall, Ptr{Cvoid}, ())
    home = state(Ptr{Cvoid})
    home == C_NULL && return
    if unsafe_load(home) == C_NULL
        context = ccall("extern tc_group_context", llvmcall, Ptr{Cvoid}, (Ptr{Cvoid},), group)
        name = Ref(RETURN_RESULT)
        opened = ccall("extern tc_ifunc_open", llvmcall, Cint,
                       (Ptr{Cvoid}, Ref{NTuple{14,UInt8}}, Ptr{Ptr{Cvoid}}, Ptr{Cvoid}), context, name, home, C_NULL)
        opened == 0 || return
    end
    ccall("extern tc_group_send", llvmcall, Cint, (Ptr{Cvoid}, UInt32, Ptr{Cvoid}, Ptr{Request}, UInt64), group,
          (@inbounds payload[1]).destination % UInt32, unsafe_load(home), pointer(payload), sizeof(Request) % UInt64)
    return
end

function chase_return_julia(payload::View{Request}, target::Ptr{Shard})
    shard, job = unsafe_load(target), @inbounds payload[1]
    step = walk(shard, job.step)
    @inbounds payload[1] = Request(step, job.destination, job.slot)
    if step.depth == 0
        return_result(payload)
    else
        forward(owner(shard, step.address), payload)
    end
end
