# Functions with holes, filled by values of Julia.
using Test, ThreeChains, Nodes

function error_of(f)
    try
        f()
        return "none"
    catch error
        return sprint(showerror, error)
    end
end

with_node() do address
    @testset "holes" begin
        Context() do context
            endpoint, line = Endpoint(context, address), Ifunc(context, "sloped")
            @test holes(line) == Dict(:slope => 8, :rise => 4)
            steep, flat = fill_holes(line; slope=2.5, rise=3), fill_holes(line; rise=-1, slope=0)
            for _ in 1:2
                @test call(Float64, endpoint, steep, 4.0) == 13
                @test call(Float64, endpoint, flat, 4.0) == -1
            end
            @test call(Float64, endpoint, fill_holes(line; slope=1f0, rise=typemax(UInt32)), 4.0) == 3
            @test isempty(holes(steep)) && ThreeChains.name(steep) == "sloped"
            @test occursin("tc_ifunc_fill sets them", error_of(() -> call(Float64, endpoint, line, 4.0)))
            @test occursin("has no hole 'slop'; is it slope", error_of(() -> fill_holes(line; slop=2.5, rise=3)))
            @test occursin("hole rise has no value", error_of(() -> fill_holes(line; slope=2.5)))
            @test occursin("TC_E_INVALID: sloped: hole rise is an integer of 4 bytes, its value a floating-point number",
                           error_of(() -> fill_holes(line; slope=2.5, rise=3.0)))
            @test occursin("hole rise has 4 bytes, its value 3", error_of(() -> fill_holes(line; slope=2.5, rise=(0x1, 0x2, 0x3))))
            @test_throws InexactError fill_holes(line; slope=2.5, rise=2^32)
            @test_throws ArgumentError fill_holes(line; slope=2.5, rise="3")
            @test occursin("has its values already", error_of(() -> fill_holes(steep; slope=2.5, rise=3)))
        end
    end
end
