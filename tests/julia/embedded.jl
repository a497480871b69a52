# Functions that allocate, dispatch and throw, at nodes that have Julia and at one that has not.
using Test, ThreeChains, Failures, Nodes

@ifunc runtime=true function words(payload::View{UInt8}, target::Ptr{Cvoid})
    text = unsafe_string(pointer(payload), length(payload))
    counts = Dict{String,Int}()
    for word in split(text)
        counts[word] = get(counts, word, 0) + 1
    end
    found = sort(collect(counts); by=pair -> (-pair[2], pair[1]))
    answer = join(["$word $count" for (word, count) in found], ", ")
    GC.gc()
    GC.@preserve answer reply(Ptr{Cvoid}(pointer(answer)), sizeof(answer))
end

@ifunc runtime=true throwing(payload::View{Int64}, target::Ptr{Cvoid}) = reply(sqrt(payload[1]))

@ifunc runtime=true lost(payload::View{Int64}, target::Ptr{Cvoid}) = reply(nowhere_defined(payload[1]))

# Nodes: a process of its own in Julia, and one in C that embeds it.
@testset "at a node with Julia" for node in (with_julia_node, with_embedding_node)
    node() do address
        Context() do context
            endpoint = Endpoint(context, address; timeout=20)
            fn = Ifunc(context, words)
            for round in 1:50
                @test call(String, endpoint, fn, "to be or not to be"; timeout=60) == "be 2, to 2, not 1, or 1"
            end
            roots = Ifunc(context, throwing)
            @test call(Float64, endpoint, roots, 16) == 4.0
            status, text = failure(() -> call(Float64, endpoint, roots, -1))
            @test status == :TC_E_PAYLOAD && startswith(text, "DomainError with -1")
            @test call(Float64, endpoint, roots, 25) == 5.0
            status, text = failure(() -> call(Float64, endpoint, Ifunc(context, lost), 1))
            @test status == :TC_E_PAYLOAD && occursin("nowhere_defined not defined", text)
        end
    end
end

@testset "at a node without Julia" begin
    with_node() do address
        Context() do context
            endpoint = Endpoint(context, address; timeout=20)
            status, text = failure(() -> call(String, endpoint, Ifunc(context, words), "to be"))
            @test status == :TC_E_UNRESOLVED && occursin("jl_eval_string", text)
        end
    end
end

@ifunc plain_code(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1] + 1)

# Julia's runtime is in the process, and functions that find it there are refused.
function julias_runtime_may_be_denied(address)
    Context() do context
        endpoint = Endpoint(context, address; timeout=20)
        status, text = failure(() -> call(String, endpoint, Ifunc(context, words), "to be"; timeout=60))
        @test status == :TC_E_UNRESOLVED
        @test occursin(r"symbol jl_\w+ of libjulia\.so\.\d+ is denied: .* line 1: deny \* jl_\*", text)
        @test call(Int64, endpoint, Ifunc(context, plain_code), 41; timeout=60) == 42
    end
end

@testset "rules of a node with Julia" begin
    mktempdir() do folder
        rules = joinpath(folder, "rules")
        write(rules, "deny * jl_* ijl_*\ndefault allow\n")
        chmod(rules, 0o600)
        withenv(() -> with_julia_node(julias_runtime_may_be_denied), "TC_SYMBOLS" => "@" * rules)
    end
end

# For a node in Julia with the context in the constant `context`.
@testset "a function that waits" begin
    @eval @ifunc runtime=true sleeping(payload::View{Int64}, target::Ptr{Cvoid}) = (sleep(0.05); reply(payload[1]))
    @eval @ifunc runtime=true waiting(payload::View{Int64}, target::Ptr{Cvoid}) = wait(Main.context; timeout=20)
    with_julia_node() do address
        Context() do context
            endpoint = Endpoint(context, address; timeout=20)
            @test call(Int64, endpoint, Ifunc(context, sleeping), 7; timeout=60) == 7
            status, text = failure(() -> call(endpoint, Ifunc(context, waiting), 1; timeout=60))
            @test status == :TC_E_PAYLOAD && startswith(text, "TC_E_BUSY: a function that runs here cannot wait")
            @test call(Int64, endpoint, Ifunc(context, sleeping), 8; timeout=60) == 8
        end
    end
end

# The thread of the library's serves from the first call on, and has nothing of Julia's.
@testset "in a thread that is none of Julia's" begin
    @eval @ifunc runtime=true echo(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1])
    with_julia_node("thread") do address
        Context() do context
            endpoint = Endpoint(context, address; timeout=20)
            for _ in 1:2
                status, text = failure(() -> call(Int64, endpoint, Ifunc(context, echo), 1; timeout=60))
                @test status == :TC_E_UNSUPPORTED && occursin("a thread that is none of Julia's", text)
            end
        end
    end
end

@testset "what cannot be sent so either" begin
    @test_throws Exception @eval @ifunc runtime=true f(payload, target) = 1
    @test_throws Exception @eval @ifunc 1 + 1
    @test_throws Exception @eval @ifunc no_such_option=1 g(payload::View{UInt8}, target::Ptr{Cvoid}) = 1
end

@testset "the newest definition counts" begin
    @eval @ifunc runtime=true changing(payload::View{Int64}, target::Ptr{Cvoid}) = reply(string(payload[1]))
    with_text = bitcode(changing)
    @eval @ifunc changing(payload::View{Int64}, target::Ptr{Cvoid}) = reply(payload[1])
    @test bitcode(changing) != with_text
end
