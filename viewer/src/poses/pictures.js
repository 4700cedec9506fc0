// Pictures of the part on a floor, each drawn once into a canvas of its own by one renderer that nobody sees.
//
// SPDX-License-Identifier: MIT
import * as THREE from 'three';
import { downwards, quaternion } from './part.js';

const from = new THREE.Vector3(0.36, -0.8, 0.52).normalize(), fov = 26;

export class Pictures {
  /** Throws where there is no WebGL. */
  constructor(part) {
    this.part = part;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera = new THREE.PerspectiveCamera(fov, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.scene = new THREE.Scene();
    this.stand = new THREE.Group();
    this.sky = new THREE.HemisphereLight();
    this.sky.position.set(0, 0, 1);
    this.sun = new THREE.DirectionalLight();
    this.fill = new THREE.DirectionalLight();
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({ opacity: 0.24 }));
    this.floor.receiveShadow = true;
    this.scene.add(this.stand, this.sky, this.sun, this.sun.target, this.fill, this.floor);
    this.light();
  }

  light() {
    const r = this.part.reach, { sun } = this;
    sun.castShadow = true;
    sun.position.set(-1.6 * r, -1.5 * r, 4.2 * r);
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 6;
    sun.shadow.normalBias = 0.01 * r;
    sun.shadow.bias = -0.0005;
    Object.assign(sun.shadow.camera, { left: -2.2 * r, right: 2.2 * r, bottom: -2.2 * r, top: 2.2 * r, near: 0.1 * r, far: 12 * r });
    this.fill.position.set(2 * r, -1.2 * r, 1.2 * r);
    this.floor.scale.setScalar(12 * r);
  }

  setTheme(theme, dark) {
    this.sky.color.set(theme.light);
    this.sky.groundColor.set(theme.fill);
    this.sky.intensity = dark ? 1.5 : 1.9;
    this.sun.intensity = dark ? 2.1 : 1.9;
    this.fill.intensity = dark ? 0.6 : 0.5;
    this.floor.material.opacity = dark ? 0.5 : 0.22;
    this.stand.clear();
    this.body = this.part.body(theme);
    this.faces = this.part.paint();
    const inner = new THREE.Group();
    inner.position.copy(this.part.center).negate();
    inner.add(this.body, this.faces);
    this.stand.add(inner);
  }

  /** Puts the part so that it is seen well; its lowest point is so far above the floor. */
  place(turn, above) {
    const azimuth = Math.atan2(from.y, from.x) + Math.PI / 2 - 0.42;
    const full = this.part.across(turn, azimuth).multiply(turn), box = this.part.box(full);
    this.stand.quaternion.copy(full);
    this.stand.position.set(0, 0, above - box.min.z);
    return box.translate(this.stand.position);
  }

  aim(box, aspect) {
    const center = box.getCenter(new THREE.Vector3()), tall = Math.tan(fov * Math.PI / 360), wide = tall * aspect;
    this.camera.position.copy(center).add(from);
    this.camera.lookAt(center);
    this.camera.updateMatrixWorld();
    const back = this.camera.quaternion.clone().invert();
    let away = 0;
    for (const corner of this.part.corners) {
      const p = corner.clone().sub(this.part.center).applyQuaternion(this.stand.quaternion).add(this.stand.position).sub(center).applyQuaternion(back);
      away = Math.max(away, p.z + Math.max(Math.abs(p.x) / wide, Math.abs(p.y) / tall));
    }
    return { center, away };
  }

  /** Draws what aim found into a canvas. */
  draw(canvas, { center, away }, width, height, ratio) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(canvas.width, canvas.height, false);
    this.camera.aspect = width / height;
    this.camera.position.copy(center).addScaledVector(from, away);
    this.camera.near = away / 50;
    this.camera.far = 10 * away;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    const pen = canvas.getContext('2d');
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(this.renderer.domElement, 0, 0);
  }

  /** All poses to one scale: jobs are { pose, canvas }. */
  poses(jobs, width, height, ratio) {
    const aims = jobs.map(({ pose }) => this.aim(this.place(quaternion(pose.turn), 0), width / height));
    const away = 1.06 * Math.max(0, ...aims.map((aim) => aim.away));
    jobs.forEach(({ pose, canvas }, i) => {
      this.place(quaternion(pose.turn), 0);
      this.draw(canvas, { center: aims[i].center, away }, width, height, ratio);
    });
    this.away = away;
  }

  /** As a drop begins: this direction of the body down, well above the floor. */
  start(down, canvas, width, height, ratio) {
    const box = this.place(downwards(down), 0.55 * this.part.reach), aim = this.aim(box, width / height);
    aim.center.z -= 0.2 * this.part.reach;
    this.draw(canvas, { center: aim.center, away: Math.max(1.42 * aim.away, this.away ?? 0) }, width, height, ratio);
  }

  /** One pose, to the scale of the gallery. */
  end(pose, canvas, width, height, ratio) {
    const aim = this.aim(this.place(quaternion(pose.turn), 0), width / height);
    this.draw(canvas, { center: aim.center, away: Math.max(1.06 * aim.away, this.away ?? 0) }, width, height, ratio);
  }
}
