// A colour for each pose, by its rank: the first dozen far apart, the others by turning the hue.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';

const first = ['#2f7ed8', '#f28e2b', '#2ca25f', '#d9465f', '#8e63ce', '#e0b400', '#14a3a8', '#d96bb1', '#7a9a1d', '#a0673d', '#5f7fa8', '#e3716a'];

function turned(rank) {
  const hue = (rank * 0.618034 + 0.12) % 1, level = [0.5, 0.62, 0.42][rank % 3];
  return `#${new THREE.Color().setHSL(hue, 0.55, level, THREE.SRGBColorSpace).getHexString()}`;
}

export class Colours {
  constructor(data) {
    this.data = data;
    this.together = false; // one colour for poses that are one for a rotation
    this.rank = new Map(data.order.map((pose, rank) => [pose.index, rank]));
    this.paint();
  }

  paint() {
    const { data, together } = this, leaders = new Map();
    let next = 0;
    this.colour = new Array(data.poses.length);
    for (const pose of data.order) {
      const rank = together ? (leaders.has(pose.same) ? leaders.get(pose.same) : next++) : next++;
      leaders.set(pose.same, rank);
      this.colour[pose.index] = first[rank] ?? turned(rank);
    }
  }

  /** Of a pose by its row; of what is none, grey. */
  of(row) { return this.colour[row] ?? '#8a929b'; }

  /** Paints an element that has the number of a pose on it, which stays readable. */
  fill(element, row) {
    const { r, g, b } = new THREE.Color(this.of(row));
    element.style.background = this.of(row);
    element.style.color = 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.34 ? '#10161d' : '#ffffff';
  }
}
