static char one;
static char *volatile all[65537] = {[0 ... 65536] = &one};
void bad_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    *(char **)target = all[size];
}
