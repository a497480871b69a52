extern char __bss_start[];
extern char __start_nobody[];

void bad_main(void *payload, unsigned long size, void *target_args)
{
    (void)payload, (void)size;
    *(char **)target_args = size > 0 ? __bss_start : __start_nobody;
}
