# Writes functions in Julia to FOLDER, and then sends the messages of MESSAGES to the functions of every language.
#   pairs_in_julia.jl MESSAGES SEVERAL FOLDER      on its input then: ADDRESS LANGUAGE..., and a line of those with several arrays
using ThreeChains

const MESSAGES, SEVERAL, FOLDER = ARGS
include("several_in_julia.jl")

function over(limit::Float64, values::View{Float64}, target::Ptr{Cvoid})
    sum = 0.0
    for value in values
        sum += ifelse(value > limit, value, 0.0)
    end
    reply(sum)
end

function weigh(scale::Float64, shift::Int32, values::View{Float32}, target::Ptr{Cvoid})
    sum = 0.0
    for value in values
        sum += value
    end
    reply((sum * scale + shift, length(values) % Int32))
end

mixed(a::Int8, b::Float64, c::Int16, target::Ptr{Cvoid}) = reply(a + b * c)

function letters(all::Bool, text::View{UInt8}, target::Ptr{Cvoid})
    count = 0
    for letter in text
        count += (all | (letter == UInt8('a')))
    end
    reply(count)
end

const CASES = [
    ("over", over, 107.0, (2.5, [100.0, 1, 2, 3, 4])),
    ("over_none", over, 0.0, (2.5, Float64[])),
    ("weigh", weigh, (8.875, Int32(2)), (0.5, Int32(7), Float32[1.5, 2.25])),
    ("weigh_none", weigh, (7.0, Int32(0)), (0.5, Int32(7), Float32[])),
    ("mixed", mixed, 9.0, (Int8(-1), 2.5, Int16(4))),
    ("letters", letters, 6, (true, "banana")),
    ("letters_a", letters, 3, (false, "banana")),
    ("letters_none", letters, 0, (true, "")),
]

golden(path) = Dict(split(line, " ")[1] => hex2bytes(join(split(line, " ")[2:end]))
                    for line in eachline(path) if !startswith(line, "#"))
bytes_of(values) = ThreeChains.with_bytes((start, size) -> copy(unsafe_wrap(Array, start, size)), values)

function check(context, node, languages, expected, name, f, answer, values)
    bytes_of(values) == expected[name] || error("$name: found $(bytes2hex(bytes_of(values)))")
    for language in languages
        path = joinpath(FOLDER, "$(f)_$language.tca")
        isfile(path) || continue
        found = call(typeof(answer), node, Ifunc(context; path=path), values)
        found == answer || error("Julia to $language, $name: found $found, expected $answer")
    end
end

for f in (over, weigh, mixed, letters)
    archive(f, joinpath(FOLDER, "$(f)_julia.tca"); name="$(f)_julia")
end
for (name, f) in SEVERAL_FUNCTIONS
    archive(f, joinpath(FOLDER, "$(name)_julia.tca"); name="$(name)_julia")
end
println("made")
flush(stdout)
const WORDS = split(readline())
const LANGUAGES = split(readline())
Context() do context
    node = Endpoint(context, String(first(WORDS)); timeout=60)
    for case in CASES
        check(context, node, WORDS[2:end], golden(MESSAGES), case...)
    end
    check_several(context, node, FOLDER, SEVERAL, LANGUAGES)
end
