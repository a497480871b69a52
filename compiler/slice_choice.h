/* The slices of a target that the user wants: forms, and CPU levels of images. */
#ifndef TCI_SLICE_CHOICE_H
#define TCI_SLICE_CHOICE_H

#include "target_table.h"
#include "text_list.h"

typedef struct tci_slice_choice {
    bool bitcode;
    bool images;
    tci_text_list levels; /* beyond TCI_CPU_ANY; spelled as by tci_cpu_level_text */
} tci_slice_choice;

/* Chooses both forms, no further levels. */
tci_slice_choice tci_slice_choice_default(void);

/* Read "bitcode,image", and "x86-64-v3,armv8-a+lse". TC_E_INVALID names the unknown word. */
TC_MUST_CHECK tc_status tci_slice_choice_forms(tci_slice_choice *choice, const char *text,
                                               tc_error *err);
TC_MUST_CHECK tc_status tci_slice_choice_levels(tci_slice_choice *choice, const char *text,
                                                tc_error *err);

/* TC_E_INVALID for levels without images, and for a level that none of the targets has: the
 * user made a mistake. */
TC_MUST_CHECK tc_status tci_slice_choice_check(const tci_slice_choice *choice,
                                               const tci_target *const *targets, size_t count,
                                               tc_error *err);

/* Returns whether images of this level are wanted for a normalised triple. */
bool tci_slice_choice_has_level(const tci_slice_choice *choice, const char *triple,
                                unsigned level);

#endif
