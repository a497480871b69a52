# Windows of a member of a group of two; tc-run starts it twice. Rank 1 is the owner, rank 0 tests.
using Test, ThreeChains, Failures, Nodes

@ifunc pointers(payload::View{UInt8}, target::Ptr{Cvoid}) = reply(published(GlobalPointer, c"windows"))

const ALL = (:read, :write, :atomic, :allocate)

# --- the owner ---

# The array has no other name than in the windows.
function open_windows(context, group)
    numbers = zeros(Int64, 512)
    numbers[1:2] = [64, 5]
    windows = [Window(context, numbers; rights=ALL, group=group, arena_begin=1000),
               Window(context, 68; rights=(:read, :write, :atomic), group=group),
               Window(context, 64; rights=:read, group=group), Window(context, 64; rights=:write, group=group),
               Window(context, numbers; rights=ALL, identity="uid:nobody")]
    put!(windows[2], 60, "the end.")
    publish(context, "windows", pointer.(windows))
    return windows
end

# Other tasks run, and the context makes no progress.
function rest_until(condition)
    deadline = time() + 60
    while !condition() && time() < deadline
        sleep(0.01)
    end
    @test condition()
end

function own(context, group)
    windows = open_windows(context, group)
    GC.gc()
    barrier(group; timeout=90)
    barrier(group; timeout=90)
    put!(windows[2], 0, 2) # it serves nothing from here on
    rest_until(() -> get(Int64, windows[2], 0) == 1)
    foreach(_ -> [zeros(512) for _ in 1:100], 1:10)
    GC.gc()
    barrier(group; timeout=90)
    @test get(Int64, windows[1], 8) == 30
    close(windows[1])
    @test failure(() -> pointer(windows[1])) == (:TC_E_CLOSED, "this window is closed")
    barrier(group; timeout=90)
    barrier(group; timeout=90)
end

# --- the tests ---

function test_operations(peer, at)
    put!(peer, at + 19, "hello")
    @test get(String, peer, at + 18, 7) == "\0hello\0"
    put!(peer, at + 24, [1.5, 2.5])
    @test get(Vector{Float64}, peer, at + 24, 2) == [1.5, 2.5]
    @test get(Tuple{Float64,Float64}, peer, at + 24) === (1.5, 2.5)
    @test fetch_add!(peer, at + 8, 7) === 5
    @test fetch_add!(peer, at + 8, -2) === 12
    @test compare_swap!(peer, at + 8, 11, 1) === 10
    @test compare_swap!(peer, at + 8, 0x000000000000000a, 0x000000000000abcd) === 0x000000000000000a
    @test masked_compare_swap!(peer, at + 8, 0xcd, 0xff, 0x1200, 0xff00) === Int64(0xabcd)
    @test get(Int64, peer, at + 8) === Int64(0x12cd)
    put!(peer, at + 8, 24)
    block = allocate(peer, at + 99, 10)
    @test block.offset % 16 == 0 && block.offset >= 1000 && block.rank == 1
    put!(peer, block, "allocated!")
    put!(peer, at, Int64(block.offset))
    @test get_indirect(String, peer, at, 4; skip=5) == "ated"
    put!(peer, at, 64)
    put!(peer, at + 64, 3.5)
    @test get_indirect(Float64, peer, at) == 3.5
    answers = Vector{Int64}(undef, 30)
    @sync for i in 1:30
        @async answers[i] = fetch_add!(peer, at + 80, 1)
    end
    @test sort(answers) == 0:29
end

function test_chains(peer, at)
    put!(peer, at, 64)
    put!(peer, at + 64, 3.5)
    take(head) = chain(peer; timeout=20) do steps
        taken = compare_swap!(steps, at, head, 0)
        get(Float64, steps, at; base=taken, when=:succeeded)
        block = allocate(steps, at, 16; when=:failed)
        put!(steps, at + 1, "new"; base=block, when=:succeeded)
    end
    taken = take(64)
    @test taken.done == taken.succeeded == [true, true, false, false]
    @test (taken[1], taken[2], taken[3], taken[4]) == (64, 3.5, nothing, nothing) && length(taken) == 4
    made = take(64)
    @test (made.done, made.succeeded) == ([true, false, true, true], [false, false, true, true])
    @test (made[1], made[2]) == (0, nothing) && get(String, peer, made[3], 4) == "\0new"
    @test failure(() -> chain(steps -> foreach(_ -> get(Int8, steps, at), 1:17), peer))[1] == :TC_E_TOO_LARGE
    @test failure(() -> chain(steps -> nothing, peer))[1] == :TC_E_TOO_LARGE
    status, text = failure(() -> chain(peer) do steps
        compare_swap!(steps, at, 99, 0)
        get(Int64, steps, at; when=:succeeded)
        get(Int8, steps, at; base=2)
    end)
    @test status == :TC_E_INVALID && occursin("step 3", text)
    outcome = chain(peer) do steps
        get(Int8, steps, at)
        get_indirect(Int8, steps, at + 4000; when=:failed)
    end
    @test outcome.done == [true, false, false]
    @test_throws ArgumentError chain(steps -> get(Int8, steps, at; when=:perhaps), peer)
    @test_throws ArgumentError chain(steps -> get(Int8, steps, at; base=-1), peer)
end

function test_refusals(context, peer, readable, writable, another)
    refused(f) = failure(f)[1]
    @test failure(() -> put!(peer, readable, 1))[2] |> text -> occursin("rights 0x1", text)
    @test refused(() -> get(Int8, peer, writable)) == :TC_E_REFUSED
    @test refused(() -> fetch_add!(peer, writable, 1)) == :TC_E_REFUSED
    @test refused(() -> get(Int8, peer, another)) == :TC_E_REFUSED
    @test refused(() -> get(Int64, peer, readable + 57)) == :TC_E_INVALID
    @test refused(() -> get(Int64, peer, readable + -8)) == :TC_E_INVALID
    @test refused(() -> put!(peer, writable, "")) == :TC_E_INVALID
    @test refused(() -> get(Vector{Int8}, peer, readable, 1 << 62)) == :TC_E_TOO_LARGE
    @test refused(() -> get(Vector{Int64}, peer, readable, typemax(Int))) == :TC_E_TOO_LARGE
    @test refused(() -> get(Int8, peer, GlobalPointer(0, 0, 0, 0))) == :TC_E_NOT_FOUND
    @test refused(() -> map_window(peer, another)) == :TC_E_REFUSED
    @test_throws ArgumentError get(Vector{Int8}, peer, readable, -1)
    @test_throws ArgumentError get(Vector{Any}, peer, readable, 1)
    @test_throws ArgumentError put!(peer, writable, Dict(1 => 2))
    @test refused(() -> Window(context, zeros(8); rights=:read)) == :TC_E_INVALID
    @test refused(() -> Window(context, zeros(0); rights=:read, identity="uid:0")) == :TC_E_INVALID
    @test refused(() -> Window(context, zeros(8); rights=(), identity="uid:0")) == :TC_E_INVALID
    @test refused(() -> Window(context, 8; rights=:allocate, identity="uid:0", arena_begin=9)) == :TC_E_INVALID
    @test_throws ArgumentError Window(context, zeros(8); rights=:reed, identity="uid:0")
    @test_throws ArgumentError Window(context, zeros(8); rights=:read, identity="uid\0")
    @test_throws ArgumentError Window(context, Any[1]; rights=:read, identity="uid:0")
    @test_throws ArgumentError Window(context, -1; rights=:read, identity="uid:0")
end

function test_views(peer, shared, readable, writable, unshared)
    view, again = map_window(peer, shared + 8), map_window(peer, shared)
    @test sizeof(view) == 68 && get(String, view, 60, 8) == "the end."
    put!(view, 8, 5)
    @test get(Int64, peer, shared + 8) == get(Int64, again, 8) == 5
    @test fetch_add!(again, 8, 0x2) === 5
    @test fetch_add!(peer, shared + 8, 1) == 7
    @test compare_swap!(view, 8, UInt64(8), UInt64(9)) === UInt64(8)
    @test compare_swap!(view, 8, 8, 10) === 9
    close(again)
    @test get(UInt64, view, 8) === UInt64(9)
    @test failure(() -> get(Int64, again, 8)) == (:TC_E_CLOSED, "this view is closed")
    put!(view, 17, Int32[1, 2, 3])
    @test get(Vector{Int32}, view, 17, 3) == [1, 2, 3] && get(Tuple{Int32,Int32}, view, 21) == (2, 3)
    @test get(Vector{Int32}, peer, shared + 17, 3) == [1, 2, 3]
    for wrong in (() -> get(Int64, view, 61), () -> get(Int64, view, -8), () -> fetch_add!(view, 4, 1),
                  () -> put!(view, 66, Int32(1)), () -> get(String, view, 69, 0), () -> fetch_add!(view, 64, 1),
                  () -> compare_swap!(view, typemax(Int), 1, 1), () -> get(Vector{Int8}, view, 8, 61))
        @test failure(wrong)[1] == :TC_E_INVALID
    end
    text = failure(() -> put!(map_window(peer, readable), 0, 1))[2]
    @test text == "a view with the rights (:read,), expected (:write,)"
    @test failure(() -> get(Int8, map_window(peer, writable), 0))[2] ==
          "a view with the rights (:write,), expected (:read,)"
    @test failure(() -> map_window(peer, unshared))[1] == :TC_E_INVALID
end

# The owner rests: results have their memory until they come, also when their task was interrupted.
function test_interruption(context, peer, at, view)
    rest_until(() -> get(Int64, view, 0) == 2)
    waiting = @async get(Vector{Float64}, peer, at, 64)
    sleep(0.3)
    @test length(context.waiting) == 1
    schedule(waiting, InterruptException(); error=true)
    @test_throws Exception fetch(waiting)
    for _ in 1:20
        GC.gc(false)
        [zeros(64) for _ in 1:1000]
    end
    GC.gc()
    @test length(context.waiting) == 1
    put!(view, 0, 1)
    put!(peer, at + 8, 30)
    @test isempty(context.waiting)
end

# The library ends chains when it destroys their context, which was dropped.
function test_contexts_that_are_dropped(address)
    begin_chain() = ThreeChains.start_chain(Endpoint(Context(), address), chain_of_one(), nothing)
    function chain_of_one()
        steps = ThreeChains.Steps()
        get(Vector{Float64}, steps, GlobalPointer(0, 1, 0, 0), 64)
        return steps
    end
    for _ in 1:5
        begin_chain()
    end
    foreach(_ -> (GC.gc(); close(Context())), 1:5)
    @test length(ThreeChains.held_for) <= 3 # a local variable may still have one
end

Context() do context
    group = Group(context; timeout=60)
    if self_rank(group) == 1
        own(context, group)
    else
        barrier(group; timeout=90)
        owner = group[1]
        numbers, shared, readable, writable, another = call(Vector{GlobalPointer}, owner, Ifunc(context, pointers))
        @testset "windows" begin
            test_operations(owner, numbers)
            test_chains(owner, numbers)
            test_refusals(context, owner, readable, writable, another)
            test_views(owner, shared, readable, writable, numbers)
        end
        view = map_window(owner, shared)
        barrier(group; timeout=90)
        @testset "a result that comes late" begin
            test_interruption(context, owner, numbers, view)
        end
        barrier(group; timeout=90)
        barrier(group; timeout=90)
        @test failure(() -> get(Int8, owner, numbers))[1] == :TC_E_NOT_FOUND
        @test get(Int64, view, 8) == 9
        with_node(test_contexts_that_are_dropped)
        barrier(group; timeout=90)
    end
end

# A member alone.
Context() do context
    group = Group(context, "127.0.0.1:0", 0)
    window = Window(context, Float64.(1:100); rights=:read, group=group)
    GC.gc()
    foreach(_ -> zeros(100), 1:1000)
    @test get(Vector{Float64}, group[0], pointer(window), 100) == 1:100
    @test length(context.kept) == 1
    close(window)
    @test isempty(context.kept)
end
