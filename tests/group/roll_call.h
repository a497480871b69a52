/* What a member does once it has a group: meets the others, and asks each who it is. */
#ifndef ROLL_CALL_H
#define ROLL_CALL_H

#include <tc/group.h>

/* The exit status: 0 when all answered as they should; says "rank R of N id ID" then, and of
 * each other member "R meets RANK as 'IDENTITY' by DELIVERY"; else what went wrong. Destroys
 * the group. */
int roll_call(tc_group *group);

#endif
