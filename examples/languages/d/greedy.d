module greedy;

extern (C) void greedy_main(void* payload, size_t payload_size, void* target_args)
{
    auto copy = new ubyte[payload_size];
    copy[] = (cast(ubyte*) payload)[0 .. payload_size];
}
