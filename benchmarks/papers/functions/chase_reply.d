// ifuncs/chase_reply.c in D.
struct Shard
{
    const(ulong)* entries;
    ulong rank;
    ulong placeBits;
}

struct Step
{
    ulong address;
    ulong depth;
}

extern (C) nothrow @nogc:

int tc_reply(const(void)* data, size_t size);
int tc_forward(uint rank, const(void)* payload, size_t size);

void chase_reply_d_main(Step* step, size_t size, const(Shard)* shard)
{
    immutable places = 1UL << shard.placeBits;
    immutable first = shard.rank * places;
    auto address = step.address, depth = step.depth;
    while (depth > 0 && address - first < places)
    {
        address = shard.entries[address - first];
        depth--;
    }
    step.address = address;
    step.depth = depth;
    if (depth == 0)
        tc_reply(&step.address, step.address.sizeof);
    else
        tc_forward(cast(uint)(address >> shard.placeBits), step, size);
}
