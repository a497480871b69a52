# Functions in Julia that make their payloads where they are sent, of the arguments of send and call.
using Test, ThreeChains, Nodes

# One byte for each number that is below 256, and three numbers are refused.
bytes_for(source::View{Float64}) = length(source)
function shrink(payload::View{UInt8}, source::View{Float64})
    length(source) == 3 && return 1
    for i in eachindex(source)
        @inbounds payload[i] = unsafe_trunc(UInt8, source[i])
    end
    return 0
end

@ifunc payload=(bytes_for, shrink) function shrunk(payload::View{UInt8}, target::Ptr{Cvoid})
    sum = 0
    for x in payload
        sum += x
    end
    reply((sum, length(payload)))
end

status_of(f) = try f(); :none catch error error isa TcError || rethrow(); error.status end

with_node() do address
    Context() do context
        peer = Endpoint(context, address; timeout=20)
        for images in (false, true)
            fn = Ifunc(context, shrunk; images=images)
            @test call(Tuple{Int,Int}, peer, fn, [1.5, 2.5]) == (3, 2)
            @test call(Tuple{Int,Int}, peer, fn, fill(2.0, 100_000)) == (200_000, 100_000)
            @test call(Tuple{Int,Int}, peer, fn) == (0, 0)
            @test status_of(() -> call(peer, fn, [1.0, 2.0, 3.0])) == :TC_E_PAYLOAD
            @test status_of(() -> send(peer, fn, [1.0, 2.0, 3.0])) == :TC_E_PAYLOAD
        end
    end
end

refusal(f) = try f(); "accepted" catch error sprint(showerror, error) end

@testset "what cannot make payloads" begin
    @eval allocating(source::View{Float64}) = length(string(source[1]))
    @eval untyped(source) = 1
    @eval numbers(payload::View{UInt8}, target::Ptr{Cvoid}) = nothing
    @eval ThreeChains.payload_functions(::typeof(numbers)) = (allocating, shrink)
    @test occursin("numbers_payload_get_max_size cannot run without Julia's runtime", refusal(() -> bitcode(numbers)))
    @eval ThreeChains.payload_functions(::typeof(numbers)) = (untyped, shrink)
    @test occursin("untyped takes (Any), expected (View{S})", refusal(() -> bitcode(numbers)))
    @eval ThreeChains.payload_functions(::typeof(numbers)) = (bytes_for, bytes_for)
    @test occursin("expected (View{T}, View{S})", refusal(() -> bitcode(numbers)))
    @test occursin("payload=(BOUND, INIT)", refusal(() -> @eval @ifunc payload=bytes_for f(p::View{UInt8}, t::Ptr{Cvoid}) = nothing))
end

@testset "a definition without them has none" begin
    @eval @ifunc payload=(bytes_for, shrink) plain(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1])
    with_makers = bitcode(plain)
    @eval @ifunc plain(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1])
    @test sizeof(bitcode(plain)[1][2]) < sizeof(with_makers[1][2])
end
