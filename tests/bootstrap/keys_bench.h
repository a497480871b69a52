/* Two sides with keys or certificates of their own, a listener on loopback, and a man in the
 * middle who can read every byte, keep it, change it, or cut the line. */
#ifndef KEYS_BENCH_H
#define KEYS_BENCH_H

#include "../support/certificates.h"
#include "base/clock.h"
#include "bootstrap/stream.h"

#define KEYS_PATIENCE_NS (60 * TCI_NS_PER_S)
#define KEYS_KEPT_MAX 65536

/* A change of one byte, once. */
typedef enum keys_deed { KEYS_NOTHING, KEYS_CUT, KEYS_FLIP } keys_deed;

typedef struct keys_tap {
    int listening;
    int near; /* to the listener */
    int far;  /* from the stream that connects */
    char address[64];
    uint8_t kept[KEYS_KEPT_MAX]; /* the bytes that the connecting side sent */
    size_t kept_size;
    bool flip;    /* the next bytes towards the listener have a bit that is wrong */
    bool reflect; /* the connecting side's bytes come back to it */
    keys_deed deed;
    bool to_far;      /* the deed is done to the listener's bytes */
    size_t at;        /* and to this byte of it */
    size_t passed[2]; /* towards the listener, towards the connecting side */
} keys_tap;

typedef struct keys_bench {
    char folder[64];
    tci_credentials here;  /* of the listener */
    tci_credentials there; /* of the connecting side */
    tci_stream_listener *listener;
    char address[64];
    tci_stream *near;
    tci_stream *far;
    keys_tap *tap;       /* NULL: no key */
    tc_error near_error; /* why somebody was turned away at the listener */
    tc_error far_error;
    unsigned turned_away;
} keys_bench;

int keys_bench_set_up(void **state);
int keys_bench_tear_down(void **state);

/* Prints the text, when it lacks the part. */
#define assert_text_has(text, part)                                                            \
    do {                                                                                       \
        if (strstr((text), (part)) == NULL)                                                    \
            assert_string_equal((text), (part));                                               \
    } while (0)

#define KEYS_TEST(name) TEST_WITH(name, keys_bench_set_up, keys_bench_tear_down)

/* Loads credentials: a key file of the bench's folder; a certificate NAME and an authority;
 * neither. The load's bytes come back. */
tc_status keys_bench_load_key(keys_bench *b, tci_credentials *which, const char *file,
                              tc_error *err);
tc_status keys_bench_load_certificate(keys_bench *b, tci_credentials *which, const char *ca,
                                      const char *name, tc_error *err);
void keys_bench_load_nothing(tci_credentials *which, const char *local_users);

/* Opens the listener, after its credentials were loaded. */
void keys_bench_listen(keys_bench *b);
/* Somebody stands between the two from now on. */
void keys_bench_tap(keys_bench *b);

/* Connects, and goes on until both sides are done or one has failed. Returns the connecting
 * side's status. */
tc_status keys_bench_connect(keys_bench *b, const char *host);
/* One turn of the listener and of the man in the middle. */
void keys_bench_turn(keys_bench *b);
/* Forgets both ends, so that another connection can be made through the tap. */
void keys_bench_reset(keys_bench *b);
/* The stream's next message, or the error that ended it. */
tc_status keys_bench_receive(keys_bench *b, tci_stream *stream, tc_error *err);
/* A message goes from one to the other, whole. */
void keys_bench_exchange(keys_bench *b);
/* A plain socket, connected to the listener. */
int keys_bench_raw(keys_bench *b);

#endif
