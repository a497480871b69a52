#include "log_summary.h"

void log_summary_add(log_summary *sum, const log_summary *other)
{
    log_summary slower = other->slowest_ms > sum->slowest_ms ? *other : *sum;
    slower.lines = sum->lines + other->lines;
    slower.failed = sum->failed + other->failed;
    *sum = slower;
}
