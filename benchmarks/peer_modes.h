/* The modes of tc-perf call and tsi that a build may lack, with the reason: those that measure
 * other systems, and typed calls, which need libclang. */
#ifndef TC_PERF_PEER_MODES_H
#define TC_PERF_PEER_MODES_H

#include "perf_mode.h"

#include <jansson.h>

extern const perf_mode perf_mode_mpi;     /* MPI's send and receive, over shared memory */
extern const perf_mode perf_mode_mpi_tcp; /* the same over tcp */
extern const perf_mode perf_mode_mpich;   /* both by MPICH, beside the MPI that was found */
extern const perf_mode perf_mode_mpich_tcp;
extern const perf_mode perf_mode_rpc;      /* ONC RPC over tcp */
extern const perf_mode perf_mode_rpc_null; /* its procedure without argument and result */
extern const perf_mode perf_mode_rpc_unix; /* over a unix socket */
extern const perf_mode perf_mode_zmq;      /* ZeroMQ's request and reply, over a unix socket */

/* The same for tsi: messages that are sent back, or only received. */
extern const perf_mode perf_mode_mpi_messages;
extern const perf_mode perf_mode_mpi_tcp_messages;
extern const perf_mode perf_mode_mpich_messages;
extern const perf_mode perf_mode_mpich_tcp_messages;

/* By the stubs of ifuncs/typed.h: the calls of perf_mode_hand and so on. */
extern const perf_mode perf_mode_typed;
extern const perf_mode perf_mode_typed_word;
extern const perf_mode perf_mode_typed_two;
extern const perf_mode perf_mode_typed_doubles;

/* The names of all of them, built or not, as comma lists. */
#define PEER_MODES "mpi,mpi-tcp,mpich,mpich-tcp,rpc,rpc-null,rpc-unix,zmq"
#define TYPED_MODES "typed,typed-word,typed-two,typed-doubles"

typedef struct peer_mode {
    const char *name;
    const perf_mode *mode; /* NULL: not in this build */
    const char *missing;   /* what the build lacked */
} peer_mode;

extern const peer_mode peer_modes[];
extern const size_t peer_mode_count;
extern const peer_mode message_peers[]; /* of tsi */
extern const size_t message_peer_count;
extern const peer_mode typed_modes[];
extern const size_t typed_mode_count;

/* Source: the version of a system that was measured. The text is copied. */
void peer_modes_note_version(const char *system, const char *version);
/* Adds those to the versions of a report's environment. */
void peer_modes_report_versions(json_t *report);

#endif
