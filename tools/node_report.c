#include "node_report.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

void node_report_say(node_report_kind kind, const char *text)
{
    char message[1 + NODE_REPORT_TEXT_MAX];
    size_t size = strnlen(text, NODE_REPORT_TEXT_MAX);
    message[0] = (char)kind;
    memcpy(message + 1, text, size);
    ssize_t sent = send(NODE_REPORT_CHANNEL, message, 1 + size, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent; /* the node notices the end of this process in any case */
}

void node_report_crash(void *none, const char *text)
{
    (void)none;
    node_report_say(NODE_CRASHED, text);
}

node_counters *node_report_map(void)
{
    void *counters = mmap(NULL, sizeof(node_counters), PROT_READ | PROT_WRITE, MAP_SHARED,
                          NODE_REPORT_COUNTERS, 0);
    return counters != MAP_FAILED ? counters : NULL;
}
