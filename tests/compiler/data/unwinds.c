int elsewhere(int);
void unwinds_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    *(int *)target = elsewhere((int)size) + 1;
}
