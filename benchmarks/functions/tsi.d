// ifuncs/tsi.c in D.
extern (C) void tsi_d_main(void* payload, size_t size, ulong* count) nothrow @nogc
{
    ++*count;
}
