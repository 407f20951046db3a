// The workflow as a graph with each step's state. The list of steps says the same in words.
import dagre from "@dagrejs/dagre";
import { useSyncExternalStore } from "react";
import type { JobRecord, WorkflowStep } from "../api/contract.ts";
import { signOf, toneOf } from "../parts/badges.tsx";
import { JOB, STEP_STATES } from "../words/job.ts";

const NODE = { width: 168, height: 52 } as const;
const MARGIN = 8;
/** On a narrow screen the graph goes down and not across. */
const wide = matchMedia("(min-width: 900px)");

interface GraphProps {
  readonly steps: readonly WorkflowStep[];
  readonly records: JobRecord["steps"];
}

export function Graph({ steps, records }: GraphProps) {
  const isWide = useSyncExternalStore(
    (changed) => {
      wide.addEventListener("change", changed);
      return () => wide.removeEventListener("change", changed);
    },
    () => wide.matches,
  );
  const { nodes, edges, left, top, width, height } = placed(steps, isWide ? "LR" : "TB");
  return (
    <figure className="graph">
      <svg
        width={width}
        height={height}
        viewBox={`${left} ${top} ${width} ${height}`}
        role="img"
        aria-label={JOB.graph}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 8 4 0 8z" className="arrow" />
          </marker>
        </defs>
        {edges.map(({ key, path }) => (
          <path key={key} d={path} className="edge" markerEnd="url(#arrow)" />
        ))}
        {nodes.map(({ name, x, y }) => {
          const record = records[name];
          const state = record?.compensation?.state === "Completed" ? "Compensated" : (record?.state ?? "NotStarted");
          return (
            <g
              key={name}
              transform={`translate(${x - NODE.width / 2} ${y - NODE.height / 2})`}
              className={toneOf(state)}
            >
              <rect width={NODE.width} height={NODE.height} rx={6} />
              <text x={12} y={21} className="name">
                {name}
              </text>
              <text x={12} y={40} className="state">
                {signOf(state)} {STEP_STATES[state]}
              </text>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

function placed(steps: readonly WorkflowStep[], direction: "LR" | "TB") {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 16, ranksep: 36, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { name } of steps) graph.setNode(name, { ...NODE });
  for (const { name, after } of steps) for (const before of after) graph.setEdge(before, name);
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const bends = graph.edges().flatMap((edge) => (graph.edge(edge) as { points: { x: number; y: number }[] }).points);
  // An edge that goes around a step may leave the area of the steps.
  const [left, top] = [
    Math.min(0, ...bends.map(({ x }) => x - MARGIN)),
    Math.min(0, ...bends.map(({ y }) => y - MARGIN)),
  ];
  const right = Math.max(width, ...bends.map(({ x }) => x + MARGIN));
  const bottom = Math.max(height, ...bends.map(({ y }) => y + MARGIN));
  return {
    nodes: steps.map(({ name }) => ({ name, ...(graph.node(name) as { x: number; y: number }) })),
    edges: graph.edges().map((edge) => {
      const { points } = graph.edge(edge) as { points: { x: number; y: number }[] };
      return { key: `${edge.v} ${edge.w}`, path: `M${points.map(({ x, y }) => `${x} ${y}`).join("L")}` };
    }),
    left,
    top,
    width: right - left,
    height: bottom - top,
  };
}
