/* The versions of EM3D: how values of other ranks are moved. */
#ifndef TC_EM3D_VERSION_H
#define TC_EM3D_VERSION_H

#include "em3d_rank.h"
#include "mrpc_report.h"

/* Updates the nodes of one kind from those of the other. At its end all ranks may go on. False
 * after a line on stderr. */
typedef bool (*em3d_version_phase)(em3d_rank *r, uint32_t kind);

#define EM3D_VERSIONS 13u
#define EM3D_VERSION_NAMES                                                                     \
    "window-base,view-base,function-base,rpc-base,window-ghost,view-ghost,function-ghost,rpc-" \
    "ghost,window-bulk,"                                                                       \
    "view-bulk,function-bulk,window-signal,view-signal"

extern const mrpc_version em3d_versions[EM3D_VERSIONS];
extern const em3d_version_phase em3d_version_phases[EM3D_VERSIONS];

/* In em3d_pull.c. */
bool em3d_pull_window_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_view_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_function_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_window_ghost(em3d_rank *r, uint32_t kind);
bool em3d_pull_view_ghost(em3d_rank *r, uint32_t kind);
bool em3d_pull_function_ghost(em3d_rank *r, uint32_t kind);
bool em3d_pull_rpc_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_rpc_ghost(em3d_rank *r, uint32_t kind);

/* Serves ONC RPC: the value of a node, of which the head is an em3d_question. */
size_t em3d_pull_serve(void *state, const void *head, size_t head_size, const void *body,
                       size_t body_size, void *result_out);

/* In em3d_push.c. */
bool em3d_push_window_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_view_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_function_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_window_signal(em3d_rank *r, uint32_t kind);
bool em3d_push_view_signal(em3d_rank *r, uint32_t kind);

#endif
