struct counter {
    explicit counter(int from) : value(from)
    {
    }
    int value;
};
extern "C" void first_call_main(void *, unsigned long size, void *target_args)
{
    static counter &kept = *new counter(static_cast<int>(size));
    *static_cast<int *>(target_args) = ++kept.value;
}
