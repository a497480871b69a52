__asm__(".globl bare\n"
        "bare: ret\n");
void bare(void);

void bad_main(void *payload, unsigned long size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    bare();
}
