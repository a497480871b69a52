/* Keeps the compiler busy for minutes and is small: every product is 64 by 64 machine words, laid
 * out one after the other. */
typedef unsigned _BitInt(4096) wide;

#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x)))))))

void endless_main(void *payload, unsigned long payload_size, void *target_args);

void endless_main(void *payload, unsigned long payload_size, void *target_args)
{
    volatile wide *numbers = payload;
    wide product = payload_size;
    MANY(product *= *numbers; product += product >> 3;)
    *(volatile wide *)target_args = product;
}
