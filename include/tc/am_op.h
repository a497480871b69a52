/* Operations of active messages (<tc/am.h>): functions with an input, an output, and a range of
 * a window. They are registered at all ranks, or travel (<tc/am_entry.h>). */
#ifndef TC_AM_OP_H
#define TC_AM_OP_H

#include <stdint.h>
#include <string.h>
#include <tc/ifunc.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_ams tc_ams;
typedef struct tc_am_op tc_am_op;

#define TC_AM_OPS_MAX 4096u         /* registered in one tc_ams */
#define TC_AM_DESCRIPTION_MAX 1024u /* bytes */
#define TC_AM_NAME_MAX 64u          /* bytes of an operation's name, with terminator */
#define TC_AM_SIGNATURE_MAX 256u    /* bytes of its signature, with terminator */
#define TC_AM_TEXT_MAX 160u         /* bytes of a failure's text, with terminator */

/* A run of an operation. Pointers are valid while it runs. Later versions may append members.
 *
 * The input has segments * input_bytes bytes, the output segments * output_bytes; both begin at
 * a multiple of 8. The output's bytes have any values at first. */
typedef struct tc_am_unit {
    const void *input;
    void *output;
    void *persistent;          /* the range of this rank's window, or NULL if it is empty */
    uint64_t persistent_bytes; /* of that range */
    uint32_t input_bytes;      /* of one segment, with the gaps of its layout here */
    uint32_t output_bytes;
    uint32_t segments;          /* of this unit, at least 1 */
    uint32_t first;             /* the number of its first segment, from 0 on */
    const void *description;    /* as tc_am_params has it; NULL: none */
    uint32_t description_bytes; /* at most TC_AM_DESCRIPTION_MAX */
    uint32_t origin;            /* the rank that asks */
    tc_status status;           /* of tc_am_fail */
    char text[TC_AM_TEXT_MAX];
} tc_am_unit;

typedef void (*tc_am_function)(tc_am_unit *unit);

/* Makes a unit fail. Its output is dropped; its stores to the window stay.
 *
 *   status  below 0; another one counts as TC_E_INVALID
 *   text    the first bytes are copied */
static inline void tc_am_fail(tc_am_unit *unit, tc_status status, const char *text)
{
    size_t size = strlen(text);
    unit->status = status < 0 ? status : TC_E_INVALID;
    size = size < sizeof unit->text ? size : sizeof unit->text - 1;
    memcpy(unit->text, text, size);
    unit->text[size] = '\0';
}

/* Registers an operation of this program. The ranks register the same operations in the same
 * order; each may have code of its own, which has to do the same. A target compares name and
 * signature with those of the origin. Does not block.
 *
 *   name              of 1 to TC_AM_NAME_MAX - 1 bytes; copied
 *   signature         a text about input, output and range, below
 *                     TC_AM_SIGNATURE_MAX bytes, such as a prototype; copied. May be ""
 *   function          runs for each unit. It must neither wait nor block
 *   op_out            owned by ams; see tc_am_op_close
 *
 *   TC_OK             this rank runs the operation from now on
 *   TC_E_INVALID      function is NULL, or name or signature is too long, empty, or not
 *                     printable ASCII
 *   TC_E_TOO_LARGE    TC_AM_OPS_MAX operations were registered
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_am_op_register(tc_ams *ams, const char *name,
                                                 const char *signature, tc_am_function function,
                                                 tc_am_op **op_out, tc_error *err);

/* Makes an operation of a function that travels (TC_AM_FUNCTION), so the other ranks need not
 * know it. The ranks compare its content.
 *
 *   fn                a handle of the context; it must stay until tc_am_op_close
 *   equivalent        code of this program that does the same: it runs where this rank computes
 *                     itself. NULL: the target always computes
 *   op_out            owned by ams
 *
 *   TC_OK             *op_out can be used
 *   TC_E_NO_MEMORY    an allocation failed */
TC_MUST_CHECK TC_API tc_status tc_am_op_open(tc_ams *ams, tc_ifunc *fn,
                                             tc_am_function equivalent, tc_am_op **op_out,
                                             tc_error *err);

/* Frees an operation. Messages of others for one that was registered end with TC_E_NOT_FOUND;
 * its number is not used again. NULL is allowed.
 *
 *   TC_E_BUSY  active messages of this rank with it are under way; nothing was done */
TC_MUST_CHECK TC_API tc_status tc_am_op_close(tc_am_op *op);

#ifdef __cplusplus
}
#endif
#endif
