/* Without any header. A noexcept function does not throw: the compiler calls terminate then. */
extern "C" void thrown_main(void *, unsigned long payload_size,
                            void *target_args) noexcept(QUIET)
{
    if (payload_size == 7)
        throw 7;
    *static_cast<unsigned long *>(target_args) = payload_size;
}
