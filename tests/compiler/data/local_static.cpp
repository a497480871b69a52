struct kept {
    int value = 1;
    ~kept();
};
kept::~kept()
{
    value = 0;
}
extern "C" void bad_main(void *, unsigned long, void *target_args)
{
    static kept one;
    *(int *)target_args = one.value;
}
