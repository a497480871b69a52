/* System V shared memory: segments that nodes of one host attach. */
#ifndef SIM_SEGMENT_H
#define SIM_SEGMENT_H

#include "sim_world.h"

#include <sys/shm.h>

/* As the system calls. */
int sim_segment_get(size_t bytes);
void *sim_segment_attach(int id);
int sim_segment_detach(const void *memory);
int sim_segment_control(int id, int command, struct shmid_ds *about);

void sim_segment_detach_all(tc_sim_node *node);

#endif
