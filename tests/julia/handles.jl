# Handles, buffers and tasks: mistakes of a program, and the garbage collector meanwhile.
using Test, ThreeChains, Functions, Nodes

function status_of(f)
    try
        f()
        return :none
    catch error
        error isa TcError || rethrow()
        return error.status
    end
end

@testset "options and addresses" begin
    @test status_of(() -> Context(no_such_option=1)) == :TC_E_NOT_FOUND
    @test status_of(() -> Context(wait="never")) == :TC_E_INVALID
    Context(wait="block") do context
        @test status_of(() -> Endpoint(context, "127.0.0.1:1"; timeout=1)) == :TC_E_UNREACHABLE
        @test status_of(() -> Ifunc(context, "no_such_function")) == :TC_E_NOT_FOUND
        @test_throws ArgumentError Endpoint(context, "127.0.0.1:1"; timeout=0)
        @test !wait(context; timeout=0.1)
        @test port(Listener(context, "127.0.0.1:0")) > 0
    end
end

with_node() do address
    @testset "closed handles" begin
        context = Context()
        endpoint, fn = Endpoint(context, address), Ifunc(context, total)
        @test call(Float64, endpoint, fn, [1.0]) == 1.0
        close(fn)
        close(fn)
        @test status_of(() -> send(endpoint, fn, [1.0])) == :TC_E_CLOSED
        close(endpoint)
        @test !isopen(endpoint)
        again = Endpoint(context, address)
        close(context)
        @test !isopen(again)
        close(again)
        @test status_of(() -> flush(again)) == :TC_E_CLOSED
        @test status_of(() -> Ifunc(context, total)) == :TC_E_CLOSED
        close(context)
    end

    @testset "finishing" begin
        context = Context()
        endpoint, fn = Endpoint(context, address), Ifunc(context, total)
        again = Endpoint(context, address)
        foreach(i -> send(endpoint, fn, [1.0]), 1:10)
        finish(endpoint; timeout=30)
        @test !isopen(endpoint) && stats(context)["messages_lost"] == 0
        @test status_of(() -> finish(endpoint)) == :TC_E_CLOSED
        send(again, fn, [1.0])
        finish(context; timeout=30)
        @test !isopen(again) && !isopen(context)
        @test status_of(() -> finish(context)) == :TC_E_CLOSED
    end

    @testset "payloads" begin
        Context() do context
            endpoint, fn = Endpoint(context, address), Ifunc(context, total)
            @test_throws ArgumentError send(endpoint, fn, Dict(1 => 2))
            @test_throws ArgumentError send(endpoint, fn, Any[1.0])
            @test_throws ArgumentError call(Vector{Any}, endpoint, fn, [1.0])
            @test call(Float64, endpoint, fn, (1.0, 2.0)) == 3.0
            @test call(Float64, endpoint, fn, view([1.0, 2.0, 3.0, 4.0], 1:2:4)) == 4.0
            @test call(Vector{Float64}, endpoint, fn, 7.0) == [7.0]
            # The library has a copy: later contents of the buffer do not matter.
            for i in 1:200
                send(endpoint, fn, fill(Float64(i), 2000))
                i % 50 == 0 && GC.gc()
            end
            flush(endpoint)
        end
    end

    @testset "replies that do not fit" begin
        Context() do context
            endpoint, fn = Endpoint(context, address), Ifunc(context, total)
            @test status_of(() -> call(endpoint, fn, [1.0]; capacity=4)) == :TC_E_TOO_LARGE
            @test_throws ArgumentError call(Int32, endpoint, fn, [1.0]; capacity=8)
        end
    end

    @testset "handles that nobody has any more" begin
        for round in 1:3
            for _ in 1:5
                context = Context()
                endpoint = Endpoint(context, address)
                @test call(Float64, endpoint, Ifunc(context, total), [1.0, 2.0]) == 3.0
            end
            GC.gc()
        end
        context = Context()
        kept = Endpoint(context, address)
        fn = Ifunc(context, total)
        for _ in 1:20
            Endpoint(context, address)
            Ifunc(context, total)
        end
        GC.gc()
        @test call(Float64, kept, fn, [4.0]) == 4.0
        close(context)
    end

    @testset "tasks share a context" begin
        Context() do context
            endpoint, fn = Endpoint(context, address), Ifunc(context, total)
            ticks = Ref(0)
            ticker = Timer(_ -> ticks[] += 1, 0.001; interval=0.001)
            answers = Vector{Float64}(undef, 20)
            @sync for i in 1:20
                @async for _ in 1:20
                    answers[i] = call(Float64, endpoint, fn, fill(Float64(i), 10))
                    rand() < 0.1 && GC.gc(false)
                end
            end
            @test answers == 10.0 .* (1:20)
            # Others run while one waits.
            @test !wait(context; timeout=0.3)
            close(ticker)
            @test ticks[] > 10
        end
    end

    @testset "a context that is closed while tasks wait" begin
        context = Context()
        endpoint, fn = Endpoint(context, address), Ifunc(context, silent)
        waiting = [@async(status_of(() -> call(endpoint, fn, [1.0]))), @async(status_of(() -> wait(context)))]
        sleep(0.2)
        close(context)
        @test fetch.(waiting) == [:TC_E_CLOSED, :TC_E_CLOSED]
        Context() do other # which may have the same descriptor
            @test call(Float64, Endpoint(other, address), Ifunc(other, total), [1.0]) == 1.0
            @test !wait(other; timeout=0.1)
        end
    end

    @testset "a call that is interrupted" begin
        Context() do context
            endpoint, fn = Endpoint(context, address), Ifunc(context, silent)
            waiting = @async call(endpoint, fn, [1.0])
            sleep(0.3)
            schedule(waiting, InterruptException(); error=true)
            @test_throws Exception fetch(waiting)
            GC.gc()
            @test status_of(() -> call(endpoint, fn, [1.0]; timeout=0.3)) == :TC_E_TIMEOUT
            @test call(Float64, endpoint, Ifunc(context, total), [1.0]) == 1.0
        end
    end
end

with_node() do address
    @testset "a function that ends its node" begin
        Context() do context
            endpoint, fn = Endpoint(context, address), Ifunc(context, beyond)
            @test status_of(() -> call(Float64, endpoint, fn, [1.0]; timeout=20)) == :TC_E_PEER_LOST
        end
    end
end
