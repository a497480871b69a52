#include "slice_choice.h"

#include "archive.h"
#include "base/error_text.h"

#include <string.h>

static bool is_word(const char *wanted, const char *word, size_t size)
{
    return wanted != NULL && strlen(wanted) == size && memcmp(wanted, word, size) == 0;
}

tci_slice_choice tci_slice_choice_default(void)
{
    return (tci_slice_choice){.bitcode = true, .images = true};
}

tc_status tci_slice_choice_forms(tci_slice_choice *choice, const char *text, tc_error *err)
{
    choice->bitcode = false;
    choice->images = false;
    for (;; text++) {
        size_t size = strcspn(text, ",");
        if (is_word(tci_slice_form_text(TCI_FORM_BITCODE), text, size))
            choice->bitcode = true;
        else if (is_word(tci_slice_form_text(TCI_FORM_IMAGE), text, size))
            choice->images = true;
        else
            return tci_error_set(err, TC_E_INVALID,
                                 "unknown form '%.*s', expected bitcode or image", (int)size,
                                 text);
        text += size;
        if (*text == '\0')
            return TC_OK;
    }
}

static bool is_level_of(const char *triple, const char *word, size_t size)
{
    for (unsigned level = TCI_CPU_ANY + 1; level <= TCI_CPU_LEVEL_MAX; level++) {
        if (is_word(tci_cpu_level_text(triple, level), word, size))
            return true;
    }
    return false;
}

tc_status tci_slice_choice_levels(tci_slice_choice *choice, const char *text, tc_error *err)
{
    for (;; text++) {
        size_t size = strcspn(text, ",");
        if (!is_level_of("x86_64-linux", text, size) &&
            !is_level_of("aarch64-linux", text, size))
            return tci_error_set(err, TC_E_INVALID,
                                 "unknown CPU level '%.*s'; see tc-clang --help", (int)size,
                                 text);
        tci_text_list_add_bytes(&choice->levels, text, size);
        text += size;
        if (*text == '\0')
            return TC_OK;
    }
}

tc_status tci_slice_choice_check(const tci_slice_choice *choice,
                                 const tci_target *const *targets, size_t count, tc_error *err)
{
    if (choice->levels.count > 0 && !choice->images)
        return tci_error_set(err, TC_E_INVALID,
                             "--cpu-levels is about images, and --forms asks for none");
    for (size_t i = 0; i < choice->levels.count; i++) {
        const char *level = choice->levels.items[i];
        bool is_for_target = false;
        for (size_t t = 0; t < count; t++)
            is_for_target =
                is_for_target || is_level_of(targets[t]->triple, level, strlen(level));
        if (!is_for_target)
            return tci_error_set(err, TC_E_INVALID, "CPU level '%s' is for none of the targets",
                                 level);
    }
    return TC_OK;
}

bool tci_slice_choice_has_level(const tci_slice_choice *choice, const char *triple,
                                unsigned level)
{
    const char *text = tci_cpu_level_text(triple, level);
    return choice->images && text != NULL &&
           (level == TCI_CPU_ANY || tci_text_list_has(&choice->levels, text));
}
