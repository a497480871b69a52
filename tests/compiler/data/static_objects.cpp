struct counter {
    explicit counter(int from);
    int value;
};
counter::counter(int from) : value(from)
{
}
int start();
static counter hidden(start());
namespace inside
{
counter named(start() + 1);
}
constexpr int fine = 3;
int shared = fine;
extern "C" void bad_main(void *, unsigned long, void *target_args)
{
    *(int *)target_args = hidden.value + inside::named.value + shared;
}
