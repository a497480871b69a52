# A process holds the same resources after hundreds of contexts, endpoints, functions and calls as after the first
# few.
using Test, ThreeChains, Functions, Nodes

const FIRST_ROUNDS, ROUNDS = 10, 200
# The C library, and Julia's, may take some more memory of their own at any time.
const MAY_GROW = 16

function held()
    maps = readlines("/proc/self/maps")
    files = count(line -> occursin('/', line), maps)
    segments = count(line -> split(line)[5] == string(getpid()), readlines("/proc/sysvipc/shm"))
    return Dict("descriptors" => length(readdir("/proc/self/fd")), "threads" => length(readdir("/proc/self/task")),
                "mapped files" => files, "anonymous mappings" => length(maps) - files,
                "shared memory segments" => segments)
end

# Objects that the collector found are closed by the next call, so `turn` makes one.
function more(before, turn)
    GC.gc()
    turn()
    return [what => number for (what, number) in held()
            if number > before[what] + (what == "anonymous mappings" ? MAY_GROW : 0)]
end

function rounds(one_round, turn=() -> nothing)
    foreach(_ -> one_round(), 1:FIRST_ROUNDS)
    GC.gc()
    turn()
    before = held()
    foreach(_ -> one_round(), 1:ROUNDS)
    # The target releases shared memory when it is notified of the end.
    deadline = time() + 30
    while !isempty(more(before, turn)) && time() < deadline
        sleep(0.05)
    end
    return more(before, turn)
end

function open_windows(context, group)
    Window(context, zeros(8); rights=:read, group=group)
    shared = Window(context, 64; rights=(:read, :write), group=group)
    view = map_window(group[0], pointer(shared); timeout=20)
    put!(view, 8, 5.0)
    @test get(Float64, group[0], pointer(shared) + 8; timeout=20) == 5.0
end

open_windows() = Context(context -> open_windows(context, Group(context, "127.0.0.1:0", 0)))

with_node() do address
    @testset "what is closed" begin
        @test isempty(rounds() do
            Context() do context
                @test call(Float64, Endpoint(context, address), Ifunc(context, total), [1.0, 2.0]) == 3.0
            end
        end)
    end

    @testset "windows that are closed" begin
        @test isempty(rounds(open_windows))
    end

    @testset "windows that are dropped" begin
        Context() do context
            group = Group(context, "127.0.0.1:0", 0)
            @test isempty(rounds(() -> open_windows(context, group), () -> wait(context; timeout=0.01)))
        end
    end

    @testset "what is dropped" begin
        Context() do context
            one_round() = call(Float64, Endpoint(context, address), Ifunc(context, total), [1.0])
            @test isempty(rounds(one_round, () -> wait(context; timeout=0.01)))
        end
    end
end
