# Sends text files to a target's database, a batch of lines for each message, as examples/record_insert's
# record_source in C does: with the functions record_insert and record_close, whichever language they are in.
#   record_source.jl HOST:PORT [--damage] FILE...
using ThreeChains

struct Batch # record_batch
    bytes::Ptr{UInt8}
    size::UInt64
    packed::Ptr{UInt8}
    packed_size::UInt64
end

struct Counts # record_counts
    run::UInt64
    batches::UInt64
    rows::UInt64
    damaged::UInt64
    failed::UInt64
    error::NTuple{128,UInt8}
end

const BATCH_BYTES = 16384

# Calls f with whole lines of a file, some KiB at a time, and the number of the first.
function each_batch(f, path)
    lines, first_line, size = Vector{UInt8}[], 1, 0
    for (number, line) in enumerate(split_lines(read(path)))
        if size > 0 && size + length(line) > BATCH_BYTES
            f(lines, first_line)
            lines, first_line, size = Vector{UInt8}[], number, 0
        end
        push!(lines, line)
        size += length(line)
    end
    isempty(lines) || f(lines, first_line)
end

function split_lines(bytes)
    ends = findall(isequal(UInt8('\n')), bytes)
    isempty(bytes) || last(bytes) == UInt8('\n') || push!(ends, length(bytes))
    return [bytes[start:stop] for (start, stop) in zip([1; ends .+ 1], ends)]
end

# Head, name and text of a batch without gaps.
function packed_batch(run, path, lines, first_line)
    text = reduce(vcat, lines)
    head = IOBuffer()
    write(head, run, UInt64(first_line), UInt32(sizeof(path)), UInt32(length(text)), path, text)
    return take!(head)
end

# The function itself packs the data that this points to, when it is sent.
send_bytes(node, insert, bytes) =
    GC.@preserve bytes send(node, insert, Batch(pointer(bytes), length(bytes), C_NULL, 0); timeout=30)

# A sound frame around a head that promises more than there is.
function send_damaged(node, insert, bytes)
    wrong = copy(bytes)
    wrong[17:20] .= 0xff
    send_bytes(node, insert, wrong)
end

function send_files(node, insert, run, files, damage)
    batches, rows, damaged = 0, 0, 0
    for file in files
        each_batch(file) do lines, first_line
            bytes = packed_batch(run, file, lines, first_line)
            send_bytes(node, insert, bytes)
            batches += 1
            rows += length(lines)
            if damage && damaged == 0
                send_damaged(node, insert, bytes)
                damaged += 1
            end
        end
    end
    flush(node)
    return (batches, rows, damaged, 0)
end

function main(address, options...)
    damage = "--damage" in options
    files = filter(option -> !startswith(option, "--"), options)
    run = rand(UInt64)
    Context() do context
        counts = target_args!(context, Ref(Counts(~run, 0, 0, 0, 0, Tuple(zeros(UInt8, 128)))))
        node = Endpoint(context, address; timeout=20)
        sent = send_files(node, Ifunc(context, "record_insert"), run, files, damage)
        send(node, Ifunc(context, "record_close"), run) # comes back with the counts
        serve(context; until=() -> counts[].run == run, timeout=30) || error("the target's counts have not come")
        found = (counts[].batches, counts[].rows, counts[].damaged, counts[].failed)
        sent == found || error("sent (batches, rows, damaged, failed) $sent, but the target counts $found: ",
                               String(collect(Iterators.takewhile(!iszero, counts[].error))))
        println("rows           $(sent[2]) in $(sent[1]) batches, $(sent[3]) damaged ones refused")
    end
end

main(ARGS...)
