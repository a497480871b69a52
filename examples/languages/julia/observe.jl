# Statistics of a stream, kept where it arrives: moments after Welford, quantiles from a histogram with
# buckets of 1/64 of a power of two. observe.c is the same in C.
using ThreeChains

struct Moments
    count::Int64
    mean::Float64
    squares::Float64 # of distances from the mean
    smallest::Float64
    largest::Float64
end

# The request of a batch without values.
struct Summary
    moments::Moments
    quantiles::NTuple{3,Float64} # of 0.5, 0.9 and 0.99
end

# Values from 2^-32 to 2^32; smaller and larger ones count in the first and the last bucket.
const BUCKETS = 4096
const FIRST_BUCKET = (1023 - 32) * 64

bucket_of(x::Float64) = clamp((reinterpret(UInt64, x) >> 46) % Int - FIRST_BUCKET, 0, BUCKETS - 1) + 1

# The middle of a bucket.
value_of(bucket::Int) = reinterpret(Float64, ((bucket - 1 + FIRST_BUCKET) % UInt64) << 46 | UInt64(1) << 45)

function add(m::Moments, x::Float64)
    count = m.count + 1
    from_old = x - m.mean
    mean = m.mean + from_old / count
    Moments(count, mean, m.squares + from_old * (x - mean), ifelse(x < m.smallest, x, m.smallest),
            ifelse(x > m.largest, x, m.largest))
end

function quantile(counts::View{Int64}, count::Int64, share::Float64)
    left = unsafe_trunc(Int64, share * (count - 1)) + 1
    for bucket in 1:BUCKETS
        left -= @inbounds counts[bucket]
        left <= 0 && return value_of(bucket)
    end
    return value_of(BUCKETS)
end

function observe_julia(batch::View{Float64}, target::Ptr{Cvoid})
    kept = state(Tuple{Moments,NTuple{BUCKETS,Int64}})
    kept == C_NULL && return
    place = Ptr{Moments}(kept)
    counts = View{Int64}(Ptr{Int64}(kept) + sizeof(Moments), BUCKETS)
    m = unsafe_load(place)
    if length(batch) == 0
        reply(Summary(m, (quantile(counts, m.count, 0.5), quantile(counts, m.count, 0.9),
                          quantile(counts, m.count, 0.99))))
        return
    end
    m.count == 0 && (m = Moments(0, 0.0, 0.0, Inf, -Inf))
    for x in batch
        m = add(m, x)
        @inbounds counts[bucket_of(x)] += 1
    end
    unsafe_store!(place, m)
end
