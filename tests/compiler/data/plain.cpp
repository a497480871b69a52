/* C++ that needs nothing of C++'s own library. */
template <typename T> static T twice(T value)
{
    return value + value;
}

extern "C" void plain_main(void *, unsigned long payload_size, void *target_args)
{
    *static_cast<unsigned long *>(target_args) = twice(payload_size);
}
