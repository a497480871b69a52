/* The molecules of Water: forces are the slopes of energies, sum up to zero, and keep the
 * energy of the whole. */
#include "../../../benchmarks/papers/mrpc/water_model.h"
#include "../../support/test.h"

#include <math.h>
#include <string.h>

#define MOLECULES 27u
#define NUDGE 1e-5 /* nm */

static water_positions positions[MOLECULES];
static water_motion motions[MOLECULES];
static water_forces forces[MOLECULES];

static int64_t add_forces(const water_model *model)
{
    int64_t energy = 0;
    memset(forces, 0, sizeof forces);
    for (uint32_t i = 0; i < MOLECULES; i++) {
        energy += water_model_inside(&positions[i], &forces[i]);
        for (uint32_t k = 0; k < water_model_partners(model, i); k++) {
            const uint32_t j = water_model_partner(model, i, k);
            energy += water_model_between(model, &positions[i], &positions[j], &forces[i],
                                          &forces[j]);
        }
    }
    return energy;
}

static void place(const water_model *model)
{
    for (uint32_t i = 0; i < MOLECULES; i++) {
        water_model_initial(model, i, &motions[i]);
        memcpy(positions[i].at, motions[i].of[0], sizeof positions[i].at);
    }
}

TEST(each_pair_is_found_once)
{
    for (uint32_t molecules = 2; molecules <= MOLECULES; molecules++) {
        const water_model model = water_model_of(molecules, 1);
        uint32_t found[MOLECULES][MOLECULES] = {{0}};
        for (uint32_t i = 0; i < molecules; i++) {
            for (uint32_t k = 0; k < water_model_partners(&model, i); k++) {
                const uint32_t j = water_model_partner(&model, i, k);
                found[i < j ? i : j][i < j ? j : i]++;
            }
        }
        for (uint32_t i = 0; i < molecules; i++) {
            for (uint32_t j = i; j < molecules; j++)
                assert_int_equal(found[i][j], i != j);
        }
    }
}

TEST(forces_sum_up_to_zero)
{
    const water_model model = water_model_of(MOLECULES, 3);
    int64_t sums[3] = {0, 0, 0};
    place(&model);
    assert_true(add_forces(&model) != 0);
    for (uint32_t i = 0; i < MOLECULES * WATER_NUMBERS; i++)
        sums[i % 3] += forces[i / WATER_NUMBERS].on[i % WATER_NUMBERS];
    assert_int_equal(sums[0], 0);
    assert_int_equal(sums[1], 0);
    assert_int_equal(sums[2], 0);
}

/* Two molecules stay within the cutoff. Springs make the forces large. */
TEST(forces_are_slopes_of_energies)
{
    water_model model = water_model_of(MOLECULES, 4);
    place(&model);
    for (uint32_t k = 0; k < WATER_NUMBERS; k++) {
        water_forces on[2] = {{{0}}}, unused[2] = {{{0}}};
        double energies[2];
        const double at = positions[0].at[k];
        for (uint32_t side = 0; side < 2; side++) {
            positions[0].at[k] = at + (side == 0 ? NUDGE : -NUDGE);
            energies[side] = (double)(water_model_inside(&positions[0], &unused[0]) +
                                      water_model_between(&model, &positions[0], &positions[1],
                                                          &unused[0], &unused[1]));
        }
        positions[0].at[k] = at;
        (void)water_model_inside(&positions[0], &on[0]);
        (void)water_model_between(&model, &positions[0], &positions[1], &on[0], &on[1]);
        const double slope = (energies[1] - energies[0]) / (2 * NUDGE) / WATER_FIXED;
        assert_true(fabs((double)on[0].on[k] / WATER_FIXED - slope) < 1);
    }
}

/* A step is 0.2 fs. Molecules on a grid begin far from rest, and the energies of the springs
 * alone become hundreds of kJ/mol; the sum with the motion's changes by a few. */
TEST(energy_is_kept)
{
    static const double masses[3] = {15.9994, 1.008, 1.008};
    const double step_ps = 0.0002;
    const water_model model = water_model_of(MOLECULES, 5);
    double first = 0, total = 0, moving = 0;
    water_model wide = model;
    wide.cutoff = 10; /* pairs that pass it would gain or lose energy */
    place(&wide);
    for (uint32_t step = 0; step < 100; step++) {
        double kinetic = 0;
        for (uint32_t i = 0; i < MOLECULES; i++)
            water_model_predict(&motions[i], &positions[i]);
        const double energy = (double)add_forces(&wide) / WATER_FIXED;
        for (uint32_t i = 0; i < MOLECULES; i++) {
            for (uint32_t k = 0; k < WATER_NUMBERS; k++) {
                const double speed = motions[i].of[1][k] / step_ps;
                kinetic += masses[k / 3] * speed * speed / 2;
            }
            water_model_correct(&motions[i], &forces[i]);
        }
        total = energy + kinetic;
        if (step == 0)
            first = total;
        if (kinetic > moving)
            moving = kinetic;
    }
    assert_true(moving > 50);
    assert_true(fabs(total - first) < moving / 20);
}

int main(void)
{
    return test_run(NULL, NULL);
}
