#include "skim.h"

void skim_main(void *payload, size_t size, void *target_args)
{
    skim_payload(target_args, payload, size);
}
