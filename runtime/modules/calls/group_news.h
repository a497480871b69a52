/* News of the process that started a job: which members have ended. One that was never
 * connected leaves no other trace. Rank 0 of a group has it, where the starter gives it. */
#ifndef TCI_GROUP_NEWS_H
#define TCI_GROUP_NEWS_H

#include "modules/calls/groups.h"

/* Takes over a rendezvous that is watched, and its descriptor, until tci_group_news_end. */
void tci_group_news_begin(tc_group *group, const tci_rendezvous_ops *ops,
                          tci_rendezvous *rendezvous, int fd);

/* Returns the next member that has ended, and why in *why_out. False: no other has, as far as
 * is known. */
bool tci_group_news_next(tc_group *group, uint32_t *rank_out, tc_error *why_out);

void tci_group_news_end(tc_group *group);

#endif
