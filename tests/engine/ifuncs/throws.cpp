// TEST_FUNCTIONS functions twice: half of them throw, and somebody catches; nothing passes the
// others.
using size = __SIZE_TYPE__;

template<class T, T... Numbers> struct list {
};
template<size Count> using numbers = __make_integer_seq<list, size, Count>;

template<size N> __attribute__((noinline)) void throw_at(size wanted)
{
    if (wanted == N)
        throw static_cast<int>(N);
}

template<size N> __attribute__((noinline)) size add(size value) noexcept
{
    return value + N;
}

using thrower = void (*)(size);
using adder = size (*)(size) noexcept;

template<size... N> static size sum_of_caught(size wanted, list<size, N...>)
{
    static thrower volatile throwers[] = {throw_at<N>...};
    static adder volatile adders[] = {add<N>...};
    size sum = adders[2](0);
    try {
        for (size i = 0; i < sizeof...(N); i++)
            throwers[i](wanted);
    } catch (int thrown) {
        sum += static_cast<size>(thrown);
    }
    return sum;
}

extern "C" void throws_main(void *, size wanted, void *args)
{
    *static_cast<size *>(args) = sum_of_caught(wanted, numbers<TEST_FUNCTIONS>());
}
