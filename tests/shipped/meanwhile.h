#ifndef MEANWHILE_H
#define MEANWHILE_H

/* Arguments of the function `meanwhile`. */
typedef struct meanwhile_args {
    void (*does)(void *user);
    void *user;
} meanwhile_args;

#endif
