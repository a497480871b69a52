/* A member's actions once it has a group: it meets the others, and asks each for its rank. */
#ifndef ROLL_CALL_H
#define ROLL_CALL_H

#include <tc/group.h>

/* The exit status: 0 when all answered as they should; prints "rank R of N id ID" then, and of
 * each other member "R meets RANK as 'IDENTITY' by DELIVERY"; else prints the error. Destroys
 * the group. */
int roll_call(tc_group *group);

#endif
