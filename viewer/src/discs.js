// Balls as discs that face the eye, lit as the balls they stand for: two triangles each, and round however near.
//
// A disc is bounded by the circle in which rays from the eye touch its ball. It lies inside the ball, so it hides, and is
// hidden by, whatever does not reach into the ball just as the ball would.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';

const varyings = 'varying vec3 vAcross; varying vec3 vToward; varying vec3 vPlaceAcross; varying vec3 vPlaceToward;\n';
const vertexPart = `#include <project_vertex>
  float radius = position.z, away = length(mvPosition.xyz), sine = min(radius / away, 1.0);
  vToward = -mvPosition.xyz / away;
  vec3 right = normalize(vec3(vToward.z, 0.0, -vToward.x));
  vAcross = right * position.x + cross(vToward, right) * position.y;
  mvPosition.xyz += radius * (sine * vToward + sqrt(1.0 - sine * sine) * vAcross);
  gl_Position = projectionMatrix * mvPosition;
  mat3 turned = mat3(modelViewMatrix) * mat3(instanceMatrix);
  vPlaceAcross = vAcross * turned; vPlaceToward = vToward * turned;`;
const fragmentPart = `
  float inside = 1.0 - dot(vAcross, vAcross);
  if (inside < 0.0) discard;
  float lift = sqrt(inside);
  vec3 vPlace = vPlaceAcross + lift * vPlaceToward;
#include <color_fragment>`;
const normalPart = 'float faceDirection = 1.0; vec3 normal = vAcross + lift * vToward, nonPerturbedNormal = normal;';

/** A square around the disc; z is the radius of the ball. */
export function disc(radius) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, radius, 1, -1, radius, 1, 1, radius, -1, 1, radius], 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

/** Makes the shader of a lit material, of instances, draw discs. Gives it vPlace, where on the ball it is, in the body's frame. */
export function drawDiscs(shader) {
  shader.vertexShader = varyings + shader.vertexShader.replace('#include <begin_vertex>', 'vec3 transformed = vec3(0.0);').replace('#include <project_vertex>', vertexPart);
  shader.fragmentShader = varyings + shader.fragmentShader.replace('#include <color_fragment>', fragmentPart).replace('#include <normal_fragment_begin>', normalPart);
}
