void bad_main(void *payload, unsigned long size, void *target_args)
{
    (void)payload, (void)size;
#if defined(__x86_64__)
    *(int *)target_args = __builtin_cpu_supports("avx2") != 0;
#else
    extern struct {
        unsigned long long features;
    } __aarch64_cpu_features;
    *(int *)target_args = (int)__aarch64_cpu_features.features;
#endif
}
