/* A context's work for a group, beside the group's endpoints. */
#ifndef TCI_GROUP_LIFE_H
#define TCI_GROUP_LIFE_H

#include "modules/calls/groups.h"

/* Gives the listener to the group: tc_group_destroy closes it. */
void tci_group_life_keep_listener(tc_group *group, tc_listener *listener);

#endif
