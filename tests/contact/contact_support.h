// contact_support.h -- two boxes, placed by hand, for the tests of contact/ (linked into all
// programs of this room).
//
// SPDX-License-Identifier: MIT
#pragma once
#include "test.h"

#include "contact/contact.h"

impModel *two_boxes(double x, double y, double z);  // of one size, bodies 1 and 2, under gravity
Actor put_body(const impModel *m, int body, impVec3 at, impQuat rotation, impVec3 v, impVec3 w);
