/* Any text as a library that is a linker's script. Its names are not empty, and complete and
 * real: each name is found in the text. */
#include "../../compiler/library_file.h"
#include "fuzzer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_text_list inputs = {0};
    char *text = malloc(size > 0 ? size : 1);
    MUST(text != NULL);
    memcpy(text, data, size);
    if (tci_library_script_read(text, size, &inputs)) {
        for (size_t i = 0; i < inputs.count; i++)
            MUST(inputs.items[i][0] != '\0' &&
                 memmem(text, size, inputs.items[i], strlen(inputs.items[i])) != NULL);
    }
    tci_text_list_fini(&inputs);
    free(text);
    return 0;
}
