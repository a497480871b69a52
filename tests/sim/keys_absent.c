/* A program that was built without OpenSSL. */
#include "keys.h"

bool keys_are_there(void)
{
    return false;
}

unsigned keys_left(const tc_sim_node *node)
{
    (void)node;
    return 0;
}

void keys_prepare(void)
{
}

const char *keys_file(keys_kind kind)
{
    (void)kind;
    return "";
}

void keys_forget(void)
{
}
