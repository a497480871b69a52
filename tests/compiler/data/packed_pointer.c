static int number = 1;
static volatile struct __attribute__((packed)) {
    char first;
    int *pointer;
} packed = {1, &number};
void bad_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    *packed.pointer += (int)size;
    *(int *)target = *packed.pointer;
}
