#include "rank_machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

bool rank_machine_pin(uint32_t rank, uint32_t least)
{
    cpu_set_t all, one;
    uint32_t nth = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || (uint32_t)CPU_COUNT(&all) < least)
        return false;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || nth++ != rank)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        return sched_setaffinity(0, sizeof one, &one) == 0;
    }
    return false;
}

void rank_machine_load(char *text, size_t size)
{
    double load[3];
    if (getloadavg(load, 3) == 3)
        (void)snprintf(text, size, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    else
        (void)snprintf(text, size, "unknown");
}
