/* The arguments of the function divide. */
#ifndef DIVIDE_H
#define DIVIDE_H

typedef struct division {
    int dividend;
    int divisor;
    int checked; /* 1: a divisor of 0 is answered, 0: it ends the target */
    unsigned delay_ms;
} division;

#endif
