/* A program that was built without release 0.1.0. */
#include "old/old_peer.h"

bool old_peers_are_there(void)
{
    return false;
}

void old_peers_prepare(void)
{
}

void old_peer_run(void)
{
}
