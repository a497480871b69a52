/* Requests of one rank's runtime to another's: the payload of the library's own function. */
#ifndef TCO_OBJECT_REQUEST_H
#define TCO_OBJECT_REQUEST_H

#include <tc/object.h>

#define TCO_REQUEST_VERSION 1u
#define TCO_PIECE_BYTES (128u << 10) /* of a state, in one request at most */

typedef enum tco_request_kind {
    TCO_PIECE = 1,   /* a call: bytes of the state of an object that is about to arrive */
    TCO_COMMIT = 2,  /* the object is the receiver's */
    TCO_ABORT = 3,   /* it is not, and the pieces are void */
    TCO_FACT = 4,    /* after `moves` moves the object was at `rank` */
    TCO_GONE = 5,    /* to the home: the object was destroyed */
    TCO_MOVE = 6,    /* a call or not: the object should go to `rank` */
    TCO_DESTROY = 7, /* a call or not: the object should be destroyed */
    TCO_PROBE = 8,   /* a call: answered with TC_OK while the receiver moves it to the sender */
    TCO_REQUEST_LAST = TCO_PROBE
} tco_request_kind;

/* 88 bytes, the same on both architectures. Fields that a kind does not have are 0. */
typedef struct tco_request {
    tc_gptr object; /* in front, as in every message to an object */
    uint32_t version;
    uint32_t kind;
    uint32_t rank; /* TCO_FACT, TCO_MOVE */
    uint32_t unused;
    uint64_t moves;                       /* after which it is, or will be there */
    uint64_t total;                       /* TCO_PIECE: bytes of the whole state */
    uint64_t offset;                      /* TCO_PIECE: of its bytes, which follow the struct */
    char class_name[TC_OBJECT_CLASS_MAX]; /* TCO_PIECE: terminated, the rest is 0 */
} tco_request;

/* Limits that a request is checked against. */
typedef struct tco_request_limits {
    uint32_t ranks;
    uint64_t state_max;
} tco_request_limits;

/* Checks the bytes by themselves, without the table.
 *
 *   request_out   a copy
 *   bytes_out     those behind it: size - sizeof *request_out, 0 unless it is TCO_PIECE
 *
 *   TC_OK           each field has a value that its kind may have
 *   TC_E_VERSION    the request is of another version of this library
 *   TC_E_TOO_LARGE  the state is larger than limits->state_max
 *   TC_E_INVALID    too short, too long, or a field is outside its range; the text says
 *                   which */
TC_MUST_CHECK tc_status tco_request_check(const void *payload, size_t size,
                                          const tco_request_limits *limits,
                                          tco_request *request_out, size_t *bytes_out,
                                          tc_error *err);

#endif
