#ifndef SECTION_REGISTRY_H
#define SECTION_REGISTRY_H

typedef struct registered {
    int (*function)(int number);
    char letter;
} registered;

#endif
