/* Answers with the global pointer to the phone book of this process. */
#include <tc/entry.h>

void book_place_main(void *payload, size_t payload_size, void *target_args)
{
    size_t size;
    const void *place = tc_self_data("phone book", &size);
    (void)payload, (void)payload_size, (void)target_args;
    if (place == NULL)
        tc_reply_error(TC_E_NOT_FOUND, "this process has published no phone book");
    else
        tc_reply(place, size);
}
