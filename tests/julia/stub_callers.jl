# Callers that tc-clang --stubs has made of tests/stubs/deeds.h, in Julia: names, types, numbers of elements, prototypes,
# and answers that do not fit.
using Test, ThreeChains, Nodes

const STUBS = joinpath(dirname(ENV["TC_IFUNC_PATH"]), "stubs")
if !isfile(joinpath(STUBS, "blend.tca"))
    println("skipped: this build has no stubs")
    exit(77)
end
include(joinpath(STUBS, "deeds_calls.jl"))
const HEADERS = joinpath(dirname(dirname(@__DIR__)), "include")
const Deeds = deeds_calls

refusal(f) = try f(); "" catch error; sprint(showerror, error) end

function check_values(node, of)
    @test Deeds.dot(node, of["dot"], [1, 2], [3.0, 4.0]; timeout=60) === 11.0
    @test Deeds.dot(node, of["dot"], 1:3, (4, 5, 6)) === 32.0
    @test Deeds.scale(node, of["scale"], [1, 2], 1.5)::Vector{Float32} == [1.5, 3]
    @test Deeds.scale(node, of["scale"], [], 1) == Float32[]
    @test Deeds.find(node, of["find"], "there", Int('e')) === Int32(2)
    @test Deeds.measure(node, of["measure"], [3, 1, 2]) === Deeds.limits(1, 3)
    @test Deeds.nothing(node, of["nothing"]) === nothing
    @test Deeds.note(node, of["note"], SubString("text", 2), codeunits("bytes")) === nothing
    @test Deeds.flip(node, of["flip"], true, 2, 5) === (false, -3)
    @test Deeds.turn(node, of["turn"], (1, 2, 3), [4, 5, 6]) == ([5, 7, 9], [6, 5, 5])
    @test Deeds.squares(node, of["squares"], 4) == [0, 1, 4, 9]
    @test Deeds.squares(node, of["squares"], 3000)[end] == 2999^2 # more than the usual capacity
    @test Deeds.lengths(node, of["lengths"], "abc", "x"^500, 2, 1.5) === UInt64(4001)
    @test Deeds.mix(node, of["mix"], -1, 2, 3, 4, 1.5) === 9
end

function check_structs(node, of)
    one = Deeds.record(1, Deeds.limits(0.5, 1.5), (1, 2, 3), true)
    changed, both, out = Deeds.change(node, of["change"], one, one, (2, (0.5, 1.5), [1, 2, 3], true))
    @test changed.limits === one.limits && !changed.set
    @test (out.first, out.bytes, both.limits.high) === (Int16(3), (0x01, 0x02, 0x03), 2.0)
    result, b, limits, found = Deeds.blend(node, of["blend"], [2, 4], 0.5, [1, 1], "abc", 5, true)
    @test (result, b, limits, found) == (8.0, [2, 3], Deeds.limits(5, 1), [97, 98, 99, -1, -1])
    first_one, bytes, gaps, last_one, untouched = Deeds.gaps(node, of["gaps"], [1, 2, 3], 2, [4, 5])
    @test (first_one, bytes, gaps, last_one, untouched) == (5, [1, 2, 3], [0, 1], [4, 5], 0)
end

function check_refusals(node, of)
    @test refusal(() -> Deeds.dot(node, of["dot"], [1, 2], [3.0])) ==
        "ArgumentError: dot: the number of elements of 'b' is 1, expected that of 'a', 2"
    @test refusal(() -> Deeds.note(node, of["note"], "", zeros(UInt8, 65536))) ==
        "ArgumentError: note: the number of elements of 'bytes' is 65536, expected at most 65535"
    @test occursin("InexactError", refusal(() -> Deeds.mix(node, of["mix"], 128, 2, 3, 4, 1.5)))
    @test occursin("InexactError", refusal(() -> Deeds.squares(node, of["squares"], -1)))
    @test refusal(() -> Deeds.turn(node, of["turn"], (1, 2), (4, 5, 6))) == "ArgumentError: 2 values, expected 3"
    @test occursin("find: ", refusal(() -> Deeds.find(node, of["find"], "a\0b", 1)))
    @test occursin("TC_E_TOO_LARGE", refusal(() -> Deeds.squares(node, of["squares"], 4; capacity=31)))
    @test occursin(r"TC_E_VERSION.*\(f64\[\],f64\[\]\)->f64.*\(text,i32\)->i32", refusal(() -> Deeds.dot(node, of["find"], [1], [2])))
end

# Answers that do not fit, by functions without a prototype, and of bytes that a peer has chosen.
@ifunc echo(payload::Ptr{UInt8}, size::UInt64, target::Ptr{Cvoid}) = reply(payload, size)

function check_liars(context, node)
    fn = Ifunc(context, echo)
    @test refusal(() -> Deeds.squares(node, fn, 0; capacity=64)) == "ArgumentError: squares: the reply has an array of 1 elements, expected at most 0"
    @test refusal(() -> Deeds.mix(node, fn, 1, 2, 3, 4, 5; capacity=64)) == "ArgumentError: mix: the reply has 24 bytes, expected 8"
    @test refusal(() -> Deeds.scale(node, fn, [1], 2; capacity=64)) == "ArgumentError: scale: the reply has an array of 2 elements, expected 1"
    take(name, text) = refusal(() -> ThreeChains.answer_of(Deeds.tc_functions[name], hex2bytes(text), (1, 2, 3)))
    @test take("nothing", "00") == "ArgumentError: nothing: the reply has 1 bytes, expected 0"
    @test occursin("a bool of 2", take("flip", "02" * "00"^15))
    @test occursin("a bool of 3", take("change", "00"^27 * "03" * "00"^68))
    @test occursin("an array of 0 elements, expected 1", take("gaps", "00"^32))
    @test all(take(name, fill^size) isa String for name in keys(Deeds.tc_functions) for size in 0:60 for fill in ("00", "01", "7f", "ff"))
    @test occursin("TC_E_TOO_LARGE", refusal(() -> Deeds.mix(node, fn, 1, 2, 3, 4, 5)))
end

with_node() do address
    Context() do context
        node = Endpoint(context, address; timeout=20)
        of = Dict(name => Ifunc(context; path=joinpath(STUBS, name * ".tca")) for name in keys(Deeds.tc_functions))
        @testset "values" begin check_values(node, of) end
        @testset "structs and several values" begin check_structs(node, of) end
        @testset "refusals" begin check_refusals(node, of) end
        @testset "answers that do not fit" begin check_liars(context, node) end
    end
end

# Names that Julia has for something else, and those that C has for a struct and for a function.
const ODD = """
    #include <stddef.h>
    #include <stdint.h>
    #include <tc/remote.h>
    struct Vector { double end; float tc_x[2]; };
    struct range { struct Vector in; };
    TC_REMOTE int32_t range(struct range *range, TC_COUNT(length) const struct Vector *where, uint8_t length, const char *ThreeChains);
    TC_REMOTE void include(TC_OUT TC_COUNT(module) int8_t *tc_of_include, uint32_t module);
    TC_REMOTE void end(void);
    """
mktempdir() do folder
    write(joinpath(folder, "odd-names.h"), ODD)
    run(ThreeChains.plain(`tc-clang --stubs=$folder $folder/odd-names.h -- -I$HEADERS`))
    include(joinpath(folder, "odd-names_calls.jl"))
end
@test fieldnames(odd_names_calls.Vector_) == (:end_, :tc_x_)
@test isbitstype(odd_names_calls.range_struct)
@test sort(collect(keys(odd_names_calls.tc_functions))) == ["end", "include", "range"]
@test all(name -> isdefined(odd_names_calls, name), (:range, :include_, :end_))

# open_function finds a function by its name.
mktempdir() do folder
    cp(joinpath(STUBS, "dot.tca"), joinpath(folder, "dot.tca"))
    with_node() do address
        withenv("TC_IFUNC_PATH" => folder) do
            Context() do context
                node = Endpoint(context, address; timeout=20)
                @test Deeds.dot(node, Deeds.open_function(context, "dot"), [1], [2]) == 2
                @test_throws KeyError Deeds.open_function(context, "other")
                @test occursin("TC_E_NOT_FOUND", refusal(() -> Deeds.open_function(context, "find")))
            end
        end
    end
end
