static _Alignas(8192) char buffer[8192];
void bad_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    buffer[size]++;
    *(char *volatile *)target = buffer;
}
