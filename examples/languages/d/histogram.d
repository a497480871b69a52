/* Counts a text's bytes by their kind, without D's runtime. The answer is three numbers of 8 bytes:
 * letters, digits, others. */
module histogram;

extern (C) nothrow @nogc int tc_reply(const(void)* data, size_t size);
extern (C) nothrow @nogc int tc_reply_error(int status, const(char)* text);

enum TC_E_INVALID = -3; // of tc/status.h

private ulong[3] count(Bytes)(Bytes bytes) nothrow @nogc
{
    ulong[3] kinds;
    foreach (b; bytes)
    {
        immutable letter = (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
        kinds[letter ? 0 : b >= '0' && b <= '9' ? 1 : 2]++;
    }
    return kinds;
}

extern (C) void histogram_main(void* payload, size_t payload_size, void* target_args) nothrow @nogc
{
    if (payload_size == 0)
    {
        tc_reply_error(TC_E_INVALID, "expected a text");
        return;
    }
    immutable kinds = count((cast(const(ubyte)*) payload)[0 .. payload_size]);
    tc_reply(kinds.ptr, kinds.sizeof);
}
