# Interrupts while a call waits, and garbage collections of other threads. They interrupt a process of its own:
# interruptions.jl CHAPTER ADDRESS.
using Sockets, Test, ThreeChains, Functions, Nodes

function wait_interrupted(address)
    ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)
    Context() do context
        endpoint, never, fn = Endpoint(context, address), Ifunc(context, silent), Ifunc(context, total)
        for _ in 1:10
            println("waiting")
            try
                call(endpoint, never, [1.0]; timeout=20)
            catch error
                println(error isa InterruptException ? "interrupted" : sprint(showerror, error))
            end
            call(Float64, endpoint, fn, [2.0]) == 2.0 || println("a wrong answer")
        end
    end
    println("ended")
end

# No process answers at the address.
function connect_interrupted(address)
    ccall(:jl_exit_on_sigint, Cvoid, (Cint,), 0)
    Context() do context
        println("waiting")
        try
            Endpoint(context, address; timeout=90)
        catch error
            println(error isa InterruptException ? "interrupted" : sprint(showerror, error))
        end
        println(wait(context; timeout=0.1))
    end
end

# The other thread collects this one's garbage, between its calls.
function leave_handles(address)
    Threads.nthreads() == 2 || println("threads: ", Threads.nthreads())
    running = Threads.Atomic{Bool}(true)
    collector = Threads.@spawn while running[]
        Any[zeros(100) for _ in 1:1000]
        GC.gc(false)
        sleep(0.002)
    end
    Context() do context
        endpoint = Endpoint(context, address)
        for i in 1:30
            Endpoint(context, address)
            call(Float64, endpoint, Ifunc(context, total), [1.0, i]) == 1.0 + i || println("a wrong answer")
        end
    end
    running[] = false
    wait(collector)
    println("ended")
end

const PROGRAM = @__FILE__

function with_child(f, chapter, address; threads)
    command = Nodes.addenv(`$(ENV["JULIA"]) --startup-file=no $PROGRAM $chapter $address`, "JULIA_NUM_THREADS" => string(threads))
    child = open(command)
    guard = Timer(_ -> kill(child, Base.SIGKILL), 100)
    try
        return f(child)
    finally
        close(guard)
        wait(child)
    end
end

function interrupt(child, times)
    for _ in 1:times
        readline(child) == "waiting" || return "not waiting"
        sleep(0.1 * rand())
        kill(child, Base.SIGINT)
        said = readline(child)
        said == "interrupted" || return said
    end
    return readline(child)
end

if isempty(ARGS)
    with_node() do address
        @test with_child(child -> interrupt(child, 10), "wait_interrupted", address; threads=1) == "ended"
        port, silence = listenany(ip"127.0.0.1", 20000)
        @test with_child(child -> interrupt(child, 1), "connect_interrupted", "127.0.0.1:$port"; threads=1) == "false"
        close(silence)
        @test with_child(child -> read(child, String), "leave_handles", address; threads=2) == "ended\n"
    end
else
    getfield(Main, Symbol(ARGS[1]))(ARGS[2])
end
