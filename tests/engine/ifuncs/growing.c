/* Little code as it comes; two to the power of 30 times as much once it was optimised. */
#include <stddef.h>
#include <stdint.h>

static inline __attribute__((always_inline)) uint64_t f0(uint64_t x)
{
    return (x ^ x >> 7) * 31;
}

#define TWICE(this, last)                                                                      \
    static inline __attribute__((always_inline)) uint64_t f##this(uint64_t x)                  \
    {                                                                                          \
        return f##last(f##last(x) + this);                                                     \
    }
TWICE(1, 0)
TWICE(2, 1)
TWICE(3, 2)
TWICE(4, 3)
TWICE(5, 4)
TWICE(6, 5)
TWICE(7, 6)
TWICE(8, 7)
TWICE(9, 8)
TWICE(10, 9)
TWICE(11, 10)
TWICE(12, 11)
TWICE(13, 12)
TWICE(14, 13)
TWICE(15, 14)
TWICE(16, 15)
TWICE(17, 16)
TWICE(18, 17)
TWICE(19, 18)
TWICE(20, 19)
TWICE(21, 20)
TWICE(22, 21)
TWICE(23, 22)
TWICE(24, 23)
TWICE(25, 24)
TWICE(26, 25)
TWICE(27, 26)
TWICE(28, 27)
TWICE(29, 28)
TWICE(30, 29)

void growing_main(void *payload, size_t size, void *args)
{
    (void)payload;
    *(uint64_t *)args = size > 1000 ? f30(size) : f3(size);
}
