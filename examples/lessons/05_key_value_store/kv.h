/* The server's data, and the arguments and answers of functions that run there. */
#include <tc/tc.h>

typedef struct kv_entry {
    char key[24], value[24];
} kv_entry;
typedef struct kv_store {
    kv_entry *entries;
    uint64_t count;
} kv_store;
typedef struct kv_page { /* results of a filter, which has checked entries before `next` */
    uint64_t next, count;
    kv_entry entries[4];
} kv_page;
