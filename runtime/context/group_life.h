/* What a context does for a group beside its endpoints. */
#ifndef TCI_GROUP_LIFE_H
#define TCI_GROUP_LIFE_H

#include "group/groups.h"

/* The listener is the group's from now on: tc_group_destroy closes it. */
void tci_group_life_keep_listener(tc_group *group, tc_listener *listener);

#endif
