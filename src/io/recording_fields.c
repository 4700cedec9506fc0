// recording_fields.c -- frames, contacts and turns as rows of 64-bit words, listed once for both
// ways.
//
// docs/reference/recording.md has the same lists.
//
// SPDX-License-Identifier: MIT
#include "io/recording.h"

static void numbers_count(Numbers *n, int64_t *value) {
    uint64_t bits = (uint64_t)*value;
    numbers_word(n, &bits);
    *value = (int64_t)bits;
}

static void numbers_pair(Numbers *n, int32_t *low, int32_t *high) {
    uint64_t bits = (uint64_t)(uint32_t)*low | (uint64_t)(uint32_t)*high << 32;
    numbers_word(n, &bits);
    *low = (int32_t)(uint32_t)(bits & 0xffffffffu);
    *high = (int32_t)(uint32_t)(bits >> 32);
}

void numbers_frame(Numbers *n, impFrame *f) {
    numbers_count(n, &f->step);
    numbers_word(n, &f->hash);
    numbers_real(n, &f->energy.kinetic);
    numbers_real(n, &f->energy.potential);
    numbers_vec(n, &f->momentum.linear);
    numbers_vec(n, &f->momentum.angular);
    numbers_real(n, &f->causes.restitution);
    numbers_real(n, &f->causes.friction);
    numbers_real(n, &f->causes.microcollision);
    numbers_real(n, &f->causes.driven);
    numbers_real(n, &f->causes.sleep_energy);
    numbers_real(n, &f->causes.scheme_energy);
    numbers_real(n, &f->worst.energy);
    numbers_real(n, &f->worst.momentum);
    numbers_real(n, &f->worst.spin);
    numbers_real(n, &f->worst.quaternion);
    numbers_real(n, &f->worst.overlap);
    numbers_real(n, &f->worst.level_violation);
    numbers_real(n, &f->worst.approach);
    numbers_real(n, &f->worst.pull);
    numbers_real(n, &f->worst.cone);
    numbers_real(n, &f->worst.slip);
    numbers_real(n, &f->worst.order);
    numbers_real(n, &f->worst.residual);
    numbers_real(n, &f->worst.complementarity);
    numbers_count(n, &f->events);
    numbers_count(n, &f->contacts);
}

void numbers_contact(Numbers *n, impContact *c) {
    int32_t mode = (int32_t)c->mode;
    int32_t micro = c->micro;
    numbers_real(n, &c->time);
    numbers_pair(n, &c->a.i, &c->b.i);
    numbers_vec(n, &c->point);
    numbers_vec(n, &c->normal);
    numbers_vec(n, &c->impulse);
    numbers_vec(n, &c->before);
    numbers_vec(n, &c->after);
    numbers_real(n, &c->gap);
    numbers_real(n, &c->friction);
    numbers_real(n, &c->restitution);
    numbers_word(n, &c->feature);
    numbers_real(n, &c->energy);
    numbers_real(n, &c->driven);
    numbers_pair(n, &mode, &micro);
    c->mode = (impContactMode)mode;
    c->micro = micro != 0;
}

void numbers_turn(Numbers *n, impVelocityChange *t) {
    int32_t nothing = 0;
    numbers_pair(n, &t->body.i, &nothing);
    numbers_real(n, &t->time);
    numbers_vec(n, &t->pose.at);
    numbers_real(n, &t->pose.rotation.w);
    numbers_real(n, &t->pose.rotation.x);
    numbers_real(n, &t->pose.rotation.y);
    numbers_real(n, &t->pose.rotation.z);
    numbers_vec(n, &t->twist.linear);
    numbers_vec(n, &t->twist.angular);
}
