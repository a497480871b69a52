static thread_local int calls;
extern "C" void bad_main(void *, unsigned long, void *target_args)
{
    *(int *)target_args = ++calls;
}
