// A colour for each card, by its rank: the first dozen far apart, the others by turning the hue.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';

const first = ['#2f7ed8', '#f28e2b', '#2ca25f', '#d9465f', '#8e63ce', '#e0b400', '#14a3a8', '#d96bb1', '#7a9a1d', '#a0673d', '#5f7fa8', '#e3716a'];

function turned(rank) {
  const hue = (rank * 0.618034 + 0.12) % 1, level = [0.5, 0.62, 0.42][rank % 3];
  return `#${new THREE.Color().setHSL(hue, 0.55, level, THREE.SRGBColorSpace).getHexString()}`;
}

const none = { '-1': '#8a929b', '-2': '#5b6570', '-3': '#b9c0c8' }; // unresolved, failed, left the surface

export class Colours {
  constructor(data) {
    this.rank = new Map(data.order.map((card, rank) => [card.index, rank]));
  }

  /** Of a card by its number; of a drop that ended in no pose, a grey. */
  of(index) {
    const rank = this.rank.get(index);
    return rank === undefined ? none[index] ?? none[-1] : first[rank] ?? turned(rank);
  }

  /** Paints an element that has the number of a pose on it, which stays readable. */
  fill(element, index) {
    const { r, g, b } = new THREE.Color(this.of(index));
    element.style.background = this.of(index);
    element.style.color = 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.34 ? '#10161d' : '#ffffff';
  }
}
