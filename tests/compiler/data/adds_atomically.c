void adds_atomically_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    __atomic_fetch_add((unsigned long *)target, size, __ATOMIC_SEQ_CST);
}
