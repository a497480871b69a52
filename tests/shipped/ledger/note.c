/* Makes its payload: the text in capital letters, with its length in front. */
#include "ledger.h"

#include <string.h>
#include <tc/entry.h>

size_t note_payload_get_max_size(void *source_args, size_t source_args_size)
{
    (void)source_args;
    return source_args_size + 1;
}

int note_payload_init(void *payload, size_t payload_size, void *source_args,
                      size_t source_args_size)
{
    const char *text = source_args;
    char *out = payload;
    if (source_args_size > 62 || payload_size < source_args_size + 1)
        return 1;
    out[0] = (char)source_args_size;
    for (size_t i = 0; i < source_args_size; i++)
        out[i + 1] = (char)(text[i] >= 'a' && text[i] <= 'z' ? text[i] - 'a' + 'A' : text[i]);
    return 0;
}

void note_main(void *payload, size_t payload_size, void *target_args)
{
    const char *text = payload;
    ledger_book *book = target_args;
    size_t size = (size_t)text[0] < payload_size ? (size_t)text[0] : payload_size - 1;
    memcpy(book->last_note, text + 1, size);
    book->last_note[size] = '\0';
    book->notes++;
#ifdef TC_PACKAGE_LOCAL
    book->local++;
#endif
}
