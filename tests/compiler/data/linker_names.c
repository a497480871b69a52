extern char __bss_start[];

void bad_main(void *payload, unsigned long size, void *target_args)
{
    (void)payload, (void)size;
    *(char **)target_args = __bss_start;
}
