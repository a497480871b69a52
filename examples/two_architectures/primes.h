/* Types shared by the function and its source. */
#ifndef PRIMES_H
#define PRIMES_H

#include <stdint.h>

typedef struct primes_question {
    uint32_t below;
    uint32_t answer; /* whether to send one back */
    uint32_t primes; /* of an answer, as is the next */
    char code[12];   /* the architecture of the code that counted */
} primes_question;

/* target_args of the process that receives answers; targets have no target_args. */
typedef struct primes_answers {
    unsigned count;
    primes_question last;
} primes_answers;

#endif
