#include "sim_injector.h"

#include "sim_function.h"

#include "base/error_text.h"
#include "image.h"

#include <string.h>

#define NAME_BYTES 64u

static const char of_all[1];

tc_status sim_injector_create(tci_engine_handle *handle, const tci_symbol_scope *scope,
                              tci_injector **injector_out, tc_error *err)
{
    (void)handle, (void)scope, (void)err;
    *injector_out = (tci_injector *)(uintptr_t)of_all;
    return TC_OK;
}

void sim_injector_ignore(tci_injector *injector)
{
    (void)injector;
}

/* Returns the function of the name at the image's entry, or NULL. */
static sim_function *function_of(const tci_image *image)
{
    char name[NAME_BYTES];
    const tci_image_segment *code = tci_image_segment_at(image, image->main_place, 1);
    if (code == NULL || image->main_place - code->offset >= code->file_bytes)
        return NULL;
    const uint32_t at = image->main_place - code->offset, left = code->file_bytes - at;
    const size_t length = strnlen((const char *)code->bytes + at, left);
    if (length >= NAME_BYTES || at + length >= code->memory_bytes)
        return NULL;
    memcpy(name, code->bytes + at, length);
    name[length] = '\0';
    return sim_function_find(name);
}

tc_status sim_injector_place(tci_injector *injector, const uint8_t *bytes, size_t image_size,
                             size_t rest_size, void (**main_out)(void *, size_t, void *),
                             tc_error *err)
{
    tci_image image;
    (void)injector, (void)rest_size;
    TC_TRY(tci_image_open(bytes, image_size, &image, err));
    *main_out = function_of(&image);
    if (*main_out != NULL)
        return TC_OK;
    return tci_error_set(err, TC_E_UNRESOLVED,
                         "injected code: its image does not name a function of this world");
}
