static void at_start(void) {}
__attribute__((section(".preinit_array"), used)) static void (*const by_hand)(void) = at_start;
void bad_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    (void)size;
    (void)target;
}
