// A library that travels with a constructor that throws; and one with an export that throws.
#include <stdexcept>

extern "C" int sour_init()
{
    if (SOUR)
        throw std::runtime_error("sour");
    return 0;
}

extern "C" int sour_taste(int value)
{
    if (value > 9)
        throw std::out_of_range("too sour");
    return value;
}
