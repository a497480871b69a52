/* Registers and deregisters functions. */
#include "compat_log.h"
#include "function_name.h"
#include "ifunc_folder.h"
#include "ifunc_handles.h"

#include <stdlib.h>
#include <string.h>

static ucs_status_t check_request(ucp_context_h context, const ucp_ifunc_reg_param_t *param,
                                  const ucp_ifunc_h *ifunc_p)
{
    if (context == NULL || ifunc_p == NULL || param->name == NULL)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "a function is registered without context, name or handle");
    if (!tci_function_name_is_good(param->name))
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                 "'%.80s': expected a C identifier of at most %d bytes",
                                 param->name, TCI_FUNCTION_NAME_MAX - 1);
    return UCS_OK;
}

ucs_status_t ucp_register_ifunc(ucp_context_h context, ucp_ifunc_reg_param_t param,
                                ucp_ifunc_h *ifunc_p)
{
    const tci_known_code *code;
    ucs_status_t status = check_request(context, &param, ifunc_p);
    if (status == UCS_OK)
        status = tci_ifunc_folder_load(param.name, param.llvm_bc == 0, &code);
    return status == UCS_OK ? tci_ifunc_handle_create(context, code, ifunc_p) : status;
}

/* Joins the names into the text of a .deps file. */
static ucs_status_t join_deps(char **deps, int n_deps, char **text_out)
{
    size_t size = 1;
    for (int i = 0; i < n_deps; i++) {
        if (deps == NULL || deps[i] == NULL)
            return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "library %d has no name", i);
        size += strlen(deps[i]) + 1;
    }
    char *text = malloc(size);
    if (text == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "list of libraries");
    char *end = text;
    for (int i = 0; i < n_deps; i++) {
        end = stpcpy(end, deps[i]);
        *end++ = '\n';
    }
    *end = '\0';
    *text_out = text;
    return UCS_OK;
}

static ucs_status_t collect_slices(const ucp_llvm_bc_t *bcs, int n_bcs, tc_bitcode **slices_out)
{
    if (bcs == NULL || n_bcs <= 0)
        return tci_compat_refuse(UCS_ERR_INVALID_PARAM, "no bitcode");
    tc_bitcode *slices = calloc((size_t)n_bcs, sizeof *slices);
    if (slices == NULL)
        return tci_compat_refuse(UCS_ERR_NO_MEMORY, "bitcode");
    for (int i = 0; i < n_bcs; i++) {
        if (bcs[i].triple == NULL || bcs[i].bc == NULL || bcs[i].size == 0) {
            free(slices);
            return tci_compat_refuse(UCS_ERR_INVALID_PARAM,
                                     "bitcode %d has no triple or no bytes", i);
        }
        slices[i] = (tc_bitcode){bcs[i].triple, bcs[i].bc, bcs[i].size};
    }
    *slices_out = slices;
    return UCS_OK;
}

ucs_status_t ucp_register_ifunc_im(ucp_context_h context, ucp_ifunc_reg_param_t param,
                                   ucp_llvm_bc_t *bcs, int n_bcs, char **deps, int n_deps,
                                   ucp_ifunc_h *ifunc_p)
{
    const tci_known_code *code;
    tc_bitcode *slices = NULL;
    char *text = NULL;
    ucs_status_t status = check_request(context, &param, ifunc_p);
    if (status == UCS_OK)
        status = collect_slices(bcs, n_bcs, &slices);
    if (status == UCS_OK)
        status = join_deps(deps, n_deps, &text);
    if (status == UCS_OK)
        status = tci_known_code_add_bitcode(param.name, slices, (size_t)n_bcs, text,
                                            strlen(text), &code);
    free(text);
    free(slices);
    return status == UCS_OK ? tci_ifunc_handle_create(context, code, ifunc_p) : status;
}

ucs_status_t ucp_deregister_ifunc(ucp_context_h context, ucp_ifunc_h ifunc_h)
{
    ucs_status_t status = tci_ifunc_handle_destroy(context, ifunc_h);
    if (status == UCS_ERR_NO_ELEM)
        return tci_compat_refuse(status, "a function is deregistered that is not registered");
    if (status != UCS_OK)
        return tci_compat_refuse(status, "a function is deregistered by another context");
    return UCS_OK;
}
