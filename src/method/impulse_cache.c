// impulse_cache.c -- sizes and places of the narrow-phase cache of a pair: separating axes and the
// features where searches start.
//
// The cache saves work and changes no bit of a result (docs/theory/collision-detection.md,
// section 7), so its size is bounded: a pair with more pieces than its share searches from nothing.
//
// SPDX-License-Identifier: MIT
#include "method/impulse.h"

enum {
    PAIR_FEATURES = 64,      // start features of a pair, at most
    ALL_FEATURES = 1 << 18,  // of all pairs
    ALL_AXES = 1 << 16       // separating axes of all pairs
};

// Only polytopes are searched by a walk over features.
static bool has_edges(const impModel *m) {
    for (int i = 0; i < m->shape_count; i++) {
        if (m->shape[i].edge_count > 0) return true;
    }
    return false;
}

int impulse_start_feature_count(const impModel *m, int pairs) {
    int64_t most = 0;
    int64_t most_free = 0;
    if (!has_edges(m)) return 0;

    // the largest number of pieces that a pair can have: one of its bodies is free
    for (int i = 0; i < m->body_count; i++) {
        int64_t count = m->body[i].shape_count;
        if (count > most) {
            most = count;
        }
        if (m->body[i].free >= 0 && count > most_free) {
            most_free = count;
        }
    }

    // a pair's share of all features
    int64_t room = ALL_FEATURES / pairs;
    if (room > PAIR_FEATURES) {
        room = PAIR_FEATURES;
    }
    if (room < 1) {
        room = 1;
    }
    return (int)(most * most_free < room ? most * most_free : room);
}

int impulse_axis_count(const impModel *m, int pairs) {
    int pieces = impulse_start_feature_count(m, pairs);
    int room = ALL_AXES / pairs;
    if (room > MAX_AXES) {
        room = MAX_AXES;
    }
    return pieces < room ? pieces : room;
}

// Start features that a pair uses; 0: it has too many pieces.
static int features_of(const PairCache *cache, const impModel *m, const Pair *pair) {
    if (cache->start_feature_count == 0) return 0;
    int64_t count = (int64_t)m->body[pair->i].shape_count * m->body[pair->j].shape_count;
    return count <= cache->start_feature_count ? (int)count : 0;
}

static StartFeature *share_of(const PairCache *cache, const PairQueue *queue, const Pair *pair) {
    return cache->start_feature + (pair - queue->pair) * cache->start_feature_count;
}

StartFeature *impulse_start_features(const PairCache *cache, const impModel *m,
                                     const PairQueue *queue, const Pair *pair) {
    return features_of(cache, m, pair) > 0 ? share_of(cache, queue, pair) : NULL;
}

void impulse_clear_start_features(const PairCache *cache, const impModel *m, const PairQueue *queue,
                                  const Pair *pair) {
    StartFeature *feature = share_of(cache, queue, pair);
    for (int i = 0, count = features_of(cache, m, pair); i < count; i++) {
        feature[i] = (StartFeature){ 0 };
    }
}
