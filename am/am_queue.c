#include "am_queue.h"

static bool may_overtake(const tca_message *m, const tca_message *earlier)
{
    if (earlier->overtaken >= TCA_OVERTAKES_MAX)
        return false;
    if (m->window != earlier->window)
        return true;
    return (m->window->unordered &
            (m->op == earlier->op ? TC_AM_UNORDERED_SAME_OP : TC_AM_UNORDERED_OTHER_OP)) != 0;
}

bool tca_queue_may_go(const tca_peer *peer, const tca_message *m)
{
    for (const tca_message *earlier = peer->first; earlier != m; earlier = earlier->next) {
        if (!may_overtake(m, earlier))
            return false;
    }
    return true;
}

void tca_queue_take_out(tca_peer *peer, tca_message *m)
{
    tca_message **at = &peer->first;
    while (*at != m) {
        (*at)->overtaken++;
        at = &(*at)->next;
    }
    m->window->ams->waiting--;
    if (at != &peer->first)
        m->window->ams->counts.overtakes++;
    *at = m->next;
    if (peer->last == &m->next)
        peer->last = at;
    m->next = NULL;
    m->is_queued = false;
}

void tca_queue_join(tca_peer *peer, tca_message *m)
{
    if (peer->first == NULL)
        peer->last = &peer->first;
    m->window->ams->waiting++;
    *peer->last = m;
    peer->last = &m->next;
}

bool tca_queue_has(const tc_am_window *window, uint32_t rank)
{
    const tca_message *m = window->ams->peers[rank].first;
    while (m != NULL && m->window != window)
        m = m->next;
    return m != NULL;
}
