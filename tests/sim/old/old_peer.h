/* A node that release 0.1.0 runs, seen from both sides: it is made of that release's sources,
 * and every symbol of them has the prefix old_ here. */
#ifndef SIM_OLD_PEER_H
#define SIM_OLD_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* --- today's side: traffic_old.c, or traffic_no_old.c ------------------------------------ */

/* Returns whether the program was built with that release. */
bool old_peers_are_there(void);
/* Once. */
void old_peers_prepare(void);

void old_host_id(uint8_t id_out[16]);
/* As tci_live_process_find and _has_ended; `since` 0: any process of the number. */
uint64_t old_process_started(pid_t pid);
bool old_process_has_ended(pid_t pid, uint64_t since);
uid_t old_user(void);

/* The world as a node's program sees it. */
uint64_t old_draw(uint64_t limit);
bool old_is_over(void);    /* all nodes have done their actions, or the world has failed */
bool old_may_fail(void);   /* faults may end endpoints */
bool old_may_refuse(void); /* targets may refuse functions */
unsigned old_number(void);
unsigned old_nodes(void);
unsigned old_actions(void);
bool old_is_shared(void);
bool old_has_small_rings(void);
/* The address of a node's listener; no_address: that node is to be left alone. */
const char *old_address(unsigned node, char text[24]);
const char *old_own_address(char text[24]);
void old_fail(const char *what, int status, const char *text);
bool old_has_failed(void);
void old_listens(void);
void old_is_done(void); /* it has no actions left */
/* The archive of a function that nodes send. */
const void *old_archive(unsigned function, size_t *size_out);

/* --- its side: old_peer.c ---------------------------------------------------------------- */

/* The program of a node. In traffic_no_old.c it does nothing. */
void old_peer_run(void);
/* Returns the function of an archive's name, or NULL. */
void (*old_function(const char *name))(void *payload, size_t size, void *target_args);
/* Returns the variables that the library has for each thread. */
void *old_peer_state(size_t *size_out);

#endif
