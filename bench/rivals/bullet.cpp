// bullet.cpp -- Bullet as one of the engines that are compared.
//
// With its defaults: sequential impulses, 10 iterations, a dynamic tree of bounding boxes.
// Deactivation is off, as nothing may sleep.
//
// SPDX-License-Identifier: MIT
#include "rivals.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

static_assert(sizeof(btScalar) == sizeof(double), "Bullet in double precision");

namespace {

struct Run {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{ &configuration };
    btDbvtBroadphase tree;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{ &dispatcher, &tree, &solver, &configuration };
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;  // the ground is the last
    double h = 0;

    ~Run() {
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

// Bullet multiplies the coefficients of two bodies.
void add_body(Run *run, btCollisionShape *shape, double mass, const impPose &pose,
              const RivalsWorld *world) {
    btVector3 inertia(0, 0, 0);
    run->shapes.emplace_back(shape);
    if (mass > 0) {
        shape->calculateLocalInertia(mass, inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    const impQuat &q = pose.rotation;
    info.m_startWorldTransform = btTransform(btQuaternion(q.x, q.y, q.z, q.w),
                                             btVector3(pose.at.x, pose.at.y, pose.at.z));
    info.m_friction = std::sqrt(world->friction);
    info.m_restitution = std::sqrt(world->restitution);
    run->bodies.push_back(std::make_unique<btRigidBody>(info));
    run->bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    run->world.addRigidBody(run->bodies.back().get());
}

void *begin(const RivalsWorld *world) {
    Run *run = new Run;
    run->h = world->h;
    run->world.setGravity(btVector3(0, 0, -RIVALS_GRAVITY));
    for (int i = 0; i < world->count; i++) {
        const RivalsBody &from = world->body[i];
        btCollisionShape *shape;
        if (from.radius > 0) {
            shape = new btSphereShape(from.radius);
        } else {
            shape = new btBoxShape(btVector3(from.half.x, from.half.y, from.half.z));
        }
        add_body(run, shape, from.mass, from.pose, world);
    }
    const impPose origin = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    add_body(run, new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0, origin, world);
    return run;
}

const char *step(void *context) {
    Run *run = static_cast<Run *>(context);
    run->world.stepSimulation(run->h, 0);
    return nullptr;
}

void poses(void *context, impPose *pose) {
    Run *run = static_cast<Run *>(context);
    for (size_t i = 0; i + 1 < run->bodies.size(); i++) {
        const btTransform &placed = run->bodies[i]->getWorldTransform();
        const btVector3 &at = placed.getOrigin();
        btQuaternion q = placed.getRotation();
        pose[i].at = { at.x(), at.y(), at.z() };
        pose[i].rotation = { q.w(), q.x(), q.y(), q.z() };
    }
}

void end(void *context) { delete static_cast<Run *>(context); }

}  // namespace

extern "C" const RivalsEngine rivals_bullet = {
    "bullet", "sequential impulses, 10 iterations", begin, step, poses, nullptr, end
};
