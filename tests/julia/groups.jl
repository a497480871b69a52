# A member of a group of three; tc-run starts it thrice. Rank 0 tests, the others serve it.
using Test, ThreeChains, Failures

@ifunc place(payload::View{Int32}, target::Ptr{Cvoid}) = reply((self_rank(), self_size(), (@inbounds payload[1])))

# Goes through all members, adding each one's rank plus one, and answers where it began.
@ifunc function around(payload::View{Int64}, target::Ptr{Cvoid})
    @inbounds payload[1] += self_rank() + 1
    if self_hops() < self_size()
        next = self_rank() + 1
        forward(next == self_size() ? 0 : next, payload)
    else
        reply(@inbounds payload[1])
    end
    nothing
end

@ifunc beyond_all(payload::View{Int64}, target::Ptr{Cvoid}) = forward(99, payload)

# Callers that tc-clang --stubs has made, where there are some, call all ranks.
const STUBS = joinpath(dirname(ENV["TC_IFUNC_PATH"]), "stubs")
const HAS_STUBS = isfile(joinpath(STUBS, "blend.tca"))
HAS_STUBS && include(joinpath(STUBS, "deeds_calls.jl"))

function test_stubs(context, group)
    squares = Ifunc(context; path=joinpath(STUBS, "squares.tca"))
    @test deeds_calls.squares(group, squares, 3; timeout=60) == fill([0, 1, 4], 3)
    @test deeds_calls.squares(group[2], squares, 2) == [0, 1]
    @test failure(() -> deeds_calls.squares(group, squares, 3; capacity=8))[1] == :TC_E_TOO_LARGE
    # Answers that differ in size.
    squares = Ifunc(context; path=joinpath(STUBS, "rank_squares.tca"))
    @test deeds_calls.squares(group, squares, 2) == [[], [0], [0, 1]]
    @test_throws ArgumentError deeds_calls.squares(group, squares, 1; capacity=64)
end

function test_calls(context, group)
    where = Ifunc(context, place)
    for rank in 0:2
        @test call(NTuple{3,UInt32}, group[rank], where, Int32(7)) == (rank, 3, 7)
    end
    @test call_all(NTuple{3,UInt32}, group, where, Int32(5)) == [(0, 3, 5), (1, 3, 5), (2, 3, 5)]
    @test call(Int64, group[1], Ifunc(context, around), 0) == 1 + 2 + 3 + 2
    status, text = failure(() -> call_all(group, where, Int32(5); capacity=4))
    @test status == :TC_E_TOO_LARGE && startswith(text, "rank 0: ")
    @test failure(() -> call(group[2], Ifunc(context, beyond_all), 1; timeout=20))[1] == :TC_E_NOT_FOUND
    @test failure(() -> group[3]) == (:TC_E_NOT_FOUND, "rank 3 of a group whose ranks are 0 to 2")
    @test failure(() -> group[-1])[1] == :TC_E_NOT_FOUND
    answers = Vector{Any}(undef, 30)
    @sync for i in 1:30
        @async answers[i] = call_all(NTuple{3,UInt32}, group, where, Int32(i))
    end
    @test all(i -> last.(answers[i]) == [i, i, i], 1:30)
    prepare(group[1], where)
    send(group[1], where, Int32(1))
    flush(group[1])
end

Context() do context
    group = Group(context; timeout=60)
    @test map(rank -> program(group, rank), 0:2) == [(number=0, name="first"), fill((number=1, name="others"), 2)...]
    if self_rank(group) == 0
        @testset "a group" begin
            test_calls(context, group)
            HAS_STUBS && test_stubs(context, group)
        end
    end
    barrier(group; timeout=90)
    close(group)
    @test !isopen(group)
    @test failure(() -> self_rank(group)) == (:TC_E_CLOSED, "this group is closed")
end

# By a list, of a member alone.
Context() do context
    group = Group(context, "127.0.0.1:0", 0)
    @test program(group, 0) == (number=0, name="")
    @test failure(() -> program(group, 1))[1] == :TC_E_NOT_FOUND
    @test (self_rank(group), length(group)) == (0, 1)
    @test call_all(NTuple{3,UInt32}, group, Ifunc(context, place), Int32(9)) == [(0, 1, 9)]
    @test failure(() -> Group(context, "127.0.0.1:0", 4))[1] == :TC_E_INVALID
end
