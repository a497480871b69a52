#include "scan.h"

void scan_main(void *payload, size_t size, void *target_args)
{
    scan_payload(target_args, payload, size);
}
