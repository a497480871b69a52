/* The struct that sender.c writes and greet.c reads. The test puts a member in front. */
#ifndef GREETING_H
#define GREETING_H

struct greeting {
    int number;
};

#endif
