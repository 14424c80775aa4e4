import type { MemoryLinkJson } from "#protos/memory_pb";

import { to } from "../../../route";
import { wordOf } from "../../../view/word";
import type { LinkGraph, LinkedMemory } from "./links";
import { otherEnd } from "./links";

const RADIUS = 14;
/** Distances from the middle, in the units of the picture. */
const NEAR = 75;
const FAR = 140;
const MARGIN = RADIUS + 4;
const TITLE_MAX = 200;

interface Point {
  x: number;
  y: number;
}

/** A memory and those around it: as a picture with numbers, and as a list of them. Each leads to its own memory. */
export function MemoryGraph({ agentId, graph }: { agentId: string; graph: LinkGraph }) {
  const points = pointsOf(graph.nodes);
  const numbers = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return (
    <>
      <svg class="graph" viewBox={frameOf([...points.values()])} role="group" aria-label="Graph of links">
        {graph.links.map((link) => (
          <Edge key={`${link.fromMemoryId} ${link.toMemoryId} ${link.type}`} link={link} points={points} />
        ))}
        {graph.nodes.map((node, index) => (
          <Circle key={node.id} agentId={agentId} node={node} number={index} point={points.get(node.id)} />
        ))}
      </svg>
      <ol class="plain linked" aria-label="Linked memories">
        {graph.nodes.slice(1).map((node, index) => (
          <li key={node.id}>
            <span class="count">{index + 1}</span>
            <a href={to("agents", agentId, "memories", node.id)}>
              <bdi class="inert">{textOf(node).slice(0, TITLE_MAX)}</bdi>
            </a>
            <span class="dim">{relationsOf(node.id, graph.links, numbers).join("; ")}</span>
          </li>
        ))}
      </ol>
      {graph.leftOut > 0 && <p class="dim">{graph.leftOut} more links are not shown.</p>}
    </>
  );
}

function Edge({ link, points }: { link: MemoryLinkJson; points: ReadonlyMap<string, Point> }) {
  const from = points.get(link.fromMemoryId ?? "");
  const end = points.get(link.toMemoryId ?? "");
  if (!from || !end) return null;
  const type = wordOf(link.type, "MEMORY_LINK_TYPE_").replaceAll(" ", "-");
  return <line class={`edge ${type}`} x1={from.x} y1={from.y} x2={end.x} y2={end.y} />;
}

interface CircleProps {
  agentId: string;
  node: LinkedMemory;
  number: number;
  point: Point | undefined;
}

function Circle({ agentId, node, number, point }: CircleProps) {
  if (!point) return null;
  const text = textOf(node).slice(0, TITLE_MAX);
  const circle = (
    <>
      <title>{text}</title>
      <circle cx={point.x} cy={point.y} r={RADIUS} />
      <text x={point.x} y={point.y} aria-hidden="true">
        {number || "•"}
      </text>
    </>
  );
  if (!number) return <g class="node middle">{circle}</g>;
  return (
    <a class="node" href={to("agents", agentId, "memories", node.id)} aria-label={`${number}: ${text}`}>
      {circle}
    </a>
  );
}

function textOf({ memory }: LinkedMemory): string {
  return memory ? (memory.content ?? "") : "a forgotten memory";
}

/** Return how a memory is linked with others, in words: `contradicts this memory`, `3 supersedes it`. */
function relationsOf(id: string, links: readonly MemoryLinkJson[], numbers: ReadonlyMap<string, number>): string[] {
  const own = links.filter((link) => link.fromMemoryId === id || link.toMemoryId === id);
  return own.map((link) => {
    const verb = verbOf(link);
    const number = numbers.get(otherEnd(link, id));
    const other = number ? String(number) : "this memory";
    return link.fromMemoryId === id ? `${verb} ${other}` : `${other} ${verb} it`;
  });
}

function verbOf({ type }: MemoryLinkJson): string {
  const word = wordOf(type, "MEMORY_LINK_TYPE_");
  if (word === "related") return "is related to";
  return word === "derived from" ? "is derived from" : word;
}

/** Return the places: one in the middle, those linked with it around it, and the others behind those that lead there. */
function pointsOf(nodes: readonly LinkedMemory[]): ReadonlyMap<string, Point> {
  const [middle, ...others] = nodes;
  const near = others.filter(({ by }) => by === middle?.id);
  const points = new Map([[middle?.id ?? "", { x: 0, y: 0 }]]);
  const sector = (2 * Math.PI) / Math.max(1, near.length);
  for (const [index, { id }] of near.entries()) {
    const angle = index * sector - Math.PI / 2;
    points.set(id, at(angle, NEAR));
    const behind = others.filter(({ by }) => by === id);
    for (const [place, each] of behind.entries()) {
      const part = (place + 1) / (behind.length + 1) - 0.5;
      points.set(each.id, at(angle + part * Math.min(sector, Math.PI), FAR));
    }
  }
  return points;
}

/** Return the part of the plane that has all circles. */
function frameOf(points: readonly Point[]): string {
  const [left, top] = [Math.min(...points.map(({ x }) => x)), Math.min(...points.map(({ y }) => y))];
  const [right, bottom] = [Math.max(...points.map(({ x }) => x)), Math.max(...points.map(({ y }) => y))];
  return [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN].join(" ");
}

function at(angle: number, distance: number): Point {
  return { x: Math.round(distance * Math.cos(angle)), y: Math.round(distance * Math.sin(angle)) };
}
