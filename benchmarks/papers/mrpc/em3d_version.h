/* The versions of EM3D: how values of other ranks are moved. */
#ifndef TC_EM3D_VERSION_H
#define TC_EM3D_VERSION_H

#include "em3d_rank.h"

typedef enum em3d_way {
    EM3D_WINDOW,   /* one-sided operations, served by the owner's progress: <tc/window.h> */
    EM3D_VIEW,     /* the same by instructions: <tc/window_view.h> */
    EM3D_FUNCTION, /* functions that are sent */
    EM3D_WAYS
} em3d_way;

typedef enum em3d_method {
    EM3D_BASE,   /* each value is read when it is used */
    EM3D_GHOST,  /* once in a step, into a ghost */
    EM3D_BULK,   /* all values that a rank needs of another at once; a barrier ends it */
    EM3D_SIGNAL, /* the same; a word behind the values ends it, as a function can by itself */
    EM3D_METHODS
} em3d_method;

/* Updates the nodes of one kind from those of the other. At its end all ranks may go on. False
 * after a line on stderr. */
typedef bool (*em3d_version_phase)(em3d_rank *r, uint32_t kind);

typedef struct em3d_version {
    const char *name;
    em3d_way way;
    em3d_method method;
    em3d_version_phase phase;
} em3d_version;

#define EM3D_VERSIONS 11u
#define EM3D_VERSION_NAMES                                                                     \
    "window-base,view-base,function-base,window-ghost,view-ghost,function-ghost,window-bulk,"  \
    "view-bulk,function-bulk,window-signal,view-signal"

extern const em3d_version em3d_versions[EM3D_VERSIONS];

/* In em3d_pull.c. */
bool em3d_pull_window_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_view_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_function_base(em3d_rank *r, uint32_t kind);
bool em3d_pull_window_ghost(em3d_rank *r, uint32_t kind);
bool em3d_pull_view_ghost(em3d_rank *r, uint32_t kind);
bool em3d_pull_function_ghost(em3d_rank *r, uint32_t kind);

/* In em3d_push.c. */
bool em3d_push_window_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_view_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_function_bulk(em3d_rank *r, uint32_t kind);
bool em3d_push_window_signal(em3d_rank *r, uint32_t kind);
bool em3d_push_view_signal(em3d_rank *r, uint32_t kind);

#endif
