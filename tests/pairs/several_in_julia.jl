# The functions of several.h in Julia, and calls of those of every language.

struct Limits
    low::Float64
    high::Float64
end

struct Tally
    sum::Float64
    count::Int32
end

struct Point
    x::Int16
    y::Int16
end

@ifunc answer=Tuple{Float64,View{Float32},Tally,View{Int32}} function blend(limits::Limits, name::View{UInt8}, a::View{Float64}, values::View{Float32},
        codes::UInt64, twice::Bool, target::Ptr{Cvoid})
    answer = begin_reply(Tuple{Float64,View{Float32},Tally,View{Int32}}, length(values), codes)
    answer === nothing && return
    doubled, found = answer.views
    sum, before = 0.0, 0.0
    for x in a
        sum += ifelse(limits.low <= x <= limits.high, x, 0.0)
    end
    for i in 1:length(values)
        @inbounds before += values[i]
        @inbounds doubled[i] = values[i] * ifelse(twice, 2f0, 1f0)
    end
    for i in 1:length(found)
        @inbounds found[i] = i <= length(name) ? name[i] % Int32 : Int32(-1)
    end
    commit_reply(answer, sum, Tally(before, length(name) % Int32))
end

@ifunc answer=View{Point} function gather(which::View{UInt16}, factor::UInt8, points::View{Point}, count::UInt64,
        target::Ptr{Cvoid})
    answer = begin_reply(Tuple{View{Point}}, count)
    answer === nothing && return
    found, = answer.views
    for i in 1:min(length(which), length(found))
        @inbounds at = which[i] % Int + 1
        if at <= length(points)
            @inbounds found[i] = Point((points[at].x * (factor % Int16)) % Int16, (points[at].y * (factor % Int16)) % Int16)
        end
    end
    commit_reply(answer)
end

@ifunc answer=View{UInt8} function join_texts(first::View{UInt8}, second::View{UInt8}, count::UInt64, swapped::Bool,
        target::Ptr{Cvoid})
    answer = begin_reply(Tuple{View{UInt8}}, count)
    answer === nothing && return
    both, = answer.views
    front, back = swapped ? (second, first) : (first, second)
    for i in 1:length(both)
        @inbounds both[i] = i <= length(front) ? front[i] : i <= length(front) + length(back) ? back[i-length(front)] : 0x00
    end
    commit_reply(answer)
end

const SEVERAL_FUNCTIONS = ["blend" => blend, "gather" => gather, "join" => join_texts]
const BLENDED = Tuple{Float64,Vector{Float32},Tally,Vector{Int32}}
const NAME = "héé"
const POINTS = [Point(1, -2), Point(3, 4), Point(-5, 6)]
const BLEND = (Limits(1.5, 4), NAME, [1.0, 2, 3, 4, 5], Float32[1.5, 2.25, -1], UInt64(6), true)
const SEVERAL_MESSAGES = [
    "blend" => BLEND,
    "blend_none" => (Limits(0, 0), "", Float64[], Float32[], UInt64(0), false),
    "gather" => (UInt16[2, 0, 7], 0x03, POINTS, UInt64(4)),
    "gather_none" => (UInt16[], 0x01, Point[], UInt64(0)),
    "join" => ("añb", "cd", UInt64(8), true),
    "join_none" => ("", "", UInt64(0), false),
]

function refused(f, status)
    try
        f()
    catch error
        error isa TcError && error.status == status || rethrow()
        return
    end
    error("not refused: $status")
end

function check_several(context, node, folder, language)
    blend_of, gather_of, join_of = (Ifunc(context; path=joinpath(folder, "$(name)_$language.tca")) for name in ("blend", "gather", "join"))
    messages = Dict(SEVERAL_MESSAGES)
    found = call(BLENDED, node, blend_of, BLEND)
    found == (9.0, Float32[3, 4.5, -2], Tally(2.75, 5), Int32[104, 0xc3, 0xa9, 0xc3, 0xa9, -1]) ||
        error("Julia to $language, blend: $found")
    found = call(BLENDED, node, blend_of, messages["blend_none"])
    found == (0.0, Float32[], Tally(0, 0), Int32[]) || error("Julia to $language, blend of none: $found")
    found = call(Vector{Point}, node, gather_of, messages["gather"])
    found == [Point(-15, 18), Point(3, -6), Point(0, 0), Point(0, 0)] || error("Julia to $language, gather: $found")
    found = call(String, node, join_of, messages["join"])
    found == "cdañb\0\0" || error("Julia to $language, join: $found")
    # A text of other bytes: Rust's functions take none, others as it is.
    broken() = call(Vector{UInt8}, node, join_of, ("a\xff", "cd", UInt64(4), false))
    language == "rust" ? refused(broken, :TC_E_INVALID) : broken() == UInt8['a', 0xff, 'c', 'd'] ||
        error("Julia to $language, join of other bytes: $(broken())")
    refused(() -> call(Vector{Point}, node, gather_of, (Int16[2], 0x03, POINTS, UInt64(4))), :TC_E_VERSION)
    refused(() -> call(Vector{Point}, node, gather_of, (UInt16[2], Int8(3), POINTS, UInt64(4))), :TC_E_VERSION)
    refused(() -> call(BLENDED, node, blend_of, (BLEND[1:3]..., [1.0], BLEND[5:end]...)), :TC_E_VERSION)
    refused(() -> call(String, node, join_of, ("a", UInt16[1], UInt64(8), true)), :TC_E_VERSION)
end

# Callers that tc-clang --stubs has made of several.h; they are compiled later than this function.
function check_callers(made, context, node, folder, language)
    of = Dict(name => Ifunc(context; path=joinpath(folder, "$(name)_$language.tca")) for name in ("blend", "gather", "join"))
    found = made.blend(node, of["blend"], (BLEND[1].low, BLEND[1].high), BLEND[2:end]...)
    found == (9.0, [3, 4.5, -2], made.tally(2.75, 5), [104, 0xc3, 0xa9, 0xc3, 0xa9, -1]) || error("made caller to $language, blend: $found")
    found = made.blend(node, of["blend"], (0, 0), "", [], [], 0, false)
    found == (0.0, [], made.tally(0, 0), []) || error("made caller to $language, blend of none: $found")
    found = made.gather(node, of["gather"], [2, 0, 7], 3, [(p.x, p.y) for p in POINTS], 4)
    found == [made.point(-15, 18), made.point(3, -6), made.point(0, 0), made.point(0, 0)] || error("made caller to $language, gather: $found")
    found = made.join(node, of["join"], "añb", "cd", 8, true)
    found == codeunits("cdañb\0\0") || error("made caller to $language, join: $found")
    refused(() -> made.join(node, of["blend"], "añb", "cd", 8, true), :TC_E_VERSION)
end

function check_liar(context, node, liar)
    for lie in 1:4
        try
            call(BLENDED, node, liar, (Limits(0, 0), "", Float64[], Float32[1, 2, 3], UInt64(lie), false))
        catch error
            error isa ArgumentError || rethrow()
            continue
        end
        error("answer $lie, which lies, was taken")
    end
end

function check_several(context, node, folder, path, languages)
    check_liar(context, node, Ifunc(context; path=joinpath(folder, "blend_liar.tca")))
    for (name, values) in SEVERAL_MESSAGES
        bytes_of(values) == golden(path)[name] || error("$name: found $(bytes2hex(bytes_of(values)))")
    end
    callers = joinpath(folder, "several_calls.jl")
    made = isfile(callers) ? include(callers) : nothing
    for language in languages
        check_several(context, node, folder, language)
        made === nothing || Base.invokelatest(check_callers, made, context, node, folder, language)
    end
end
