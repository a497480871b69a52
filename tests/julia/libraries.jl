# Libraries that travel: pushed to a node, used by a function in Julia, withdrawn, pushed again.
using Test, ThreeChains, Failures, Functions, Nodes

# State the prototype of the library's function, and another one.
scaled_with_types(x::Float64, target::Ptr{Cvoid}) = reply(ccall("extern scaled(f64)->f64", llvmcall, Float64, (Float64,), x))
scaled_with_others(x::Float32, target::Ptr{Cvoid}) = reply(ccall("extern scaled(f32)->f64", llvmcall, Float64, (Float32,), x))

@testset "at a peer" begin
    with_node() do address
        Context() do context
            peer = Endpoint(context, address; timeout=20)
            scale = Library(context, "scale")
            @test ThreeChains.name(scale) == "scale"
            fn = Ifunc(context, scaled_sum; deps=["tc:scale"])
            status, text = failure(() -> call(Float64, peer, fn, [1.0]; timeout=20))
            @test status == :TC_E_ABSENT && occursin("scale", text)
            @test failure(() -> withdraw(peer, scale; timeout=20))[1] == :TC_E_NOT_FOUND
            push(peer, scale; timeout=20)
            push(peer, scale; timeout=20) # is in force already
            @test call(Float64, peer, Ifunc(context, scaled_with_types; deps=["tc:scale"]), 1.5) == 3
            status, text = failure(() -> call(Float64, peer, Ifunc(context, scaled_with_others; deps=["tc:scale"]), 1.5f0))
            @test status == :TC_E_VERSION && occursin("symbol scaled is used as '(f32)->f64', and tc:scale has it as '(f64)->f64'", text)
            @test call(Float64, peer, fn, [1.0, 2.5]; timeout=20) == 7.0
            withdraw(peer, scale; timeout=20)
            @test failure(() -> call(Float64, peer, fn, [1.0]; timeout=20))[1] == :TC_E_ABSENT
            push(peer, scale; timeout=20)
            @test call(Float64, peer, fn, [4.0]; timeout=20) == 8.0
            close(scale)
            @test failure(() -> push(peer, scale))[1] == :TC_E_CLOSED
        end
    end
end

@testset "in this process" begin
    Context() do context
        @test isempty(libraries(context))
        path = joinpath(ENV["TC_IFUNC_PATH"], "scale.tca")
        install(context, Library(context; path=path))
        found = libraries(context)
        @test length(found) == 1 && found[1].name == "scale" && found[1].symbols == 2 && found[1].functions == 0
        remove(context, "scale")
        @test isempty(libraries(context))
        @test failure(() -> remove(context, "scale"))[1] == :TC_E_NOT_FOUND
        @test failure(() -> Library(context, "total_in_c"))[1] == :TC_E_INVALID
    end
end
