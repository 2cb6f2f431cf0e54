// Who talks to whom: a small picture, laid out by forces (Fruchterman and Reingold) for the few dozen nodes that a room has.
import { svg } from './parts.js';

const SIZE = 260;

function layout(nodes, links) {
  const ideal = (SIZE / Math.sqrt(nodes.length + 1)) * 0.8;
  nodes.forEach((node, i) => {
    const angle = (2 * Math.PI * i) / nodes.length;
    node.x = SIZE / 2 + Math.cos(angle) * SIZE * 0.3;
    node.y = SIZE / 2 + Math.sin(angle) * SIZE * 0.3;
  });
  const by = new Map(nodes.map((node) => [node.name, node]));
  for (let heat = SIZE / 8; heat > 0.5; heat *= 0.94) {
    for (const one of nodes) {
      one.dx = (SIZE / 2 - one.x) * 0.03;
      one.dy = (SIZE / 2 - one.y) * 0.03;
      for (const other of nodes) {
        if (one === other) continue;
        const [x, y] = [one.x - other.x, one.y - other.y];
        const square = Math.max(1, x * x + y * y);
        one.dx += (x * ideal * ideal) / square;
        one.dy += (y * ideal * ideal) / square;
      }
    }
    for (const { from, to } of links) {
      const [a, b] = [by.get(from), by.get(to)];
      const [x, y] = [b.x - a.x, b.y - a.y];
      const pull = Math.hypot(x, y) / ideal;
      a.dx += x * pull;
      a.dy += y * pull;
      b.dx -= x * pull;
      b.dy -= y * pull;
    }
    for (const node of nodes) {
      const length = Math.max(0.01, Math.hypot(node.dx, node.dy));
      node.x = Math.min(SIZE - 34, Math.max(34, node.x + (node.dx / length) * Math.min(heat, length)));
      node.y = Math.min(SIZE - 26, Math.max(20, node.y + (node.dy / length) * Math.min(heat, length)));
    }
  }
  return by;
}

// @param links [{from, to, times}]
export function graph(links, label) {
  const nodes = [...new Set(links.flatMap((one) => [one.from, one.to]))].slice(0, 40).map((name) => ({ name }));
  const kept = links.filter(
    (one) =>
      one.from !== one.to && nodes.some((node) => node.name === one.from) && nodes.some((node) => node.name === one.to),
  );
  const by = layout(nodes, kept);
  const most = Math.max(1, ...kept.map((one) => one.times));
  const lines = kept.map((one) => {
    const [a, b] = [by.get(one.from), by.get(one.to)];
    return svg(
      'line',
      { x1: a.x, y1: a.y, x2: b.x, y2: b.y, 'stroke-width': 1 + (4 * one.times) / most },
      svg('title', {}, `${one.from} → ${one.to}: ${one.times}`),
    );
  });
  const dots = nodes.map((node) =>
    svg(
      'g',
      { transform: `translate(${node.x} ${node.y})` },
      svg('circle', { r: 7 }),
      svg('text', { y: 20, 'text-anchor': 'middle' }, node.name.length > 14 ? `${node.name.slice(0, 13)}…` : node.name),
    ),
  );
  return svg(
    'svg',
    { class: 'graph', viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'img', 'aria-label': label },
    ...lines,
    ...dots,
  );
}
