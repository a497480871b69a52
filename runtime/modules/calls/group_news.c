#include "modules/calls/group_news.h"

#include <sys/epoll.h>

#define NO_CONNECTION UINT32_MAX /* in an event, where endpoints have their connection id */

/* The descriptor ends a sleep once for each news, also while nothing takes it. */
void tci_group_news_begin(tc_group *group, const tci_rendezvous_ops *ops,
                          tci_rendezvous *rendezvous, int fd)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data = {.u64 = NO_CONNECTION}};
    (void)epoll_ctl(group->core->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    group->starter = ops;
    group->news = rendezvous;
}

void tci_group_news_end(tc_group *group)
{
    if (group->news != NULL)
        group->starter->close(group->news);
    group->news = NULL;
}

bool tci_group_news_next(tc_group *group, uint32_t *rank_out, tc_error *why_out)
{
    tc_status status = TC_OK;
    while (group->news != NULL && status != TC_E_AGAIN) {
        status = group->starter->next_end(group->news, rank_out, why_out);
        if (status == TC_OK && *rank_out < group->size)
            return true;
        if (status != TC_E_AGAIN)
            tci_group_news_end(group);
    }
    return false;
}
