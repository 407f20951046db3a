// A trace as a tree of lines: each span with its offset, its duration and what it says, and the events inside it.
import { styleText } from "node:util";
import type { AnyValue, Attributes, LogEvent, Span } from "@scheduler-agent-supervisor/local/traces";
import { plainText } from "./text.ts";

export interface TracePicture {
  readonly spans: readonly Span[];
  readonly events: readonly LogEvent[];
}

export interface Look {
  /** For a terminal. */
  readonly colours: boolean;
  /** Lines are cut to it. */
  readonly columns?: number | undefined;
}

type Colour = Parameters<typeof styleText>[0];

/** What of a span's attributes a person wants to see, in this order. */
const SHOWN = ["attempt", "step", "agent", "operation", "direction", "try", "endpoint"] as const;
/** True of almost all: only the other value is worth a word. */
const USUAL: Attributes = { direction: "forward", try: 1 };
const HIDDEN_IN_EVENTS: ReadonlySet<string> = new Set(["microsoft.custom_event.name"]);
const COLOURS: { readonly [severity: string]: Colour } = { warn: "yellow", error: "red" };
const TIME_WIDTH = 9;
const NAME_WIDTH = 46;

interface Node {
  readonly span: Span;
  readonly children: Node[];
  readonly events: LogEvent[];
}

export function traceLines({ spans, events }: TracePicture, look: Look): string[] {
  const begun = Math.min(...spans.map(({ startUs }) => startUs));
  const lines: string[] = [];

  function line(
    atUs: number,
    durationUs: number | undefined,
    branch: string,
    name: string,
    about: string,
    colour?: Colour,
  ) {
    const times = [atUs - begun, durationUs]
      .map((us) => (us === undefined ? "" : time(us)).padStart(TIME_WIDTH))
      .join("");
    const padded = plainText(name).padEnd(NAME_WIDTH - branch.length);
    const room = Math.max(
      0,
      (look.columns ?? Number.POSITIVE_INFINITY) - times.length - branch.length - padded.length - 3,
    );
    const parts: [string, Colour | undefined][] = [
      [`${times}  `, undefined],
      [branch, "gray"],
      [padded, colour],
      [` ${cut(plainText(about), room)}`, "dim"],
    ];
    lines.push(paint(parts, look.colours));
  }

  function walk({ span, children, events: own }: Node, branch: string, below: string, known: Attributes) {
    const { startUs, endUs, name, attributes, isError } = span;
    line(startUs, endUs - startUs, branch, name, aboutSpan(span, known), isError ? "red" : undefined);
    const published = { ...known, ...attributes };
    const inside = [...own, ...children].sort((one, other) => startOf(one) - startOf(other));
    const last = children.at(-1);
    let open = last !== undefined;
    for (const item of inside) {
      if (!("span" in item)) {
        const { atUs, severity, attributes: said } = item;
        line(
          atUs,
          undefined,
          `${below}${open ? "│" : " "} · `,
          item.name,
          aboutEvent(said, published),
          COLOURS[severity] ?? "cyan",
        );
        continue;
      }
      open = item !== last;
      walk(item, `${below}${open ? "├─ " : "└─ "}`, `${below}${open ? "│  " : "   "}`, published);
    }
  }

  for (const root of treeOf(spans, events)) walk(root, "", "", {});
  return lines;
}

/** A span whose parent is not here (it is the client's, or the host's, or has gone) is a root. */
function treeOf(spans: readonly Span[], events: readonly LogEvent[]): Node[] {
  const sorted = [...spans].sort((one, other) => one.startUs - other.startUs);
  const nodes = new Map(sorted.map((span): [string, Node] => [span.spanId, { span, children: [], events: [] }]));
  const roots: Node[] = [];
  for (const node of nodes.values()) (nodes.get(node.span.parentId ?? "")?.children ?? roots).push(node);
  for (const event of events) nodes.get(event.spanId ?? "")?.events.push(event);
  return roots;
}

function startOf(item: Node | LogEvent): number {
  return "span" in item ? item.span.startUs : item.atUs;
}

/** What neither its name nor a span above it has said. */
function aboutSpan({ name, attributes, isError, message }: Span, known: Attributes): string {
  const { outcome } = attributes;
  const said = outcome === undefined ? [] : [`outcome=${shown(outcome)}`];
  if (isError) said.push(message ? `failed: ${message}` : "failed");
  for (const key of SHOWN) {
    const value = attributes[key];
    const isNews = value !== undefined && value !== known[key] && value !== USUAL[key] && !name.includes(String(value));
    if (isNews) said.push(`${key}=${shown(value)}`);
  }
  const queue = attributes["messaging.destination.name"];
  if (queue !== undefined) said.push(`to ${shown(queue)}`);
  return said.join(" ");
}

function aboutEvent(attributes: Attributes, known: Attributes): string {
  const published = Object.entries(attributes).filter(
    ([name, value]) => !HIDDEN_IN_EVENTS.has(name) && known[name] !== value,
  );
  return published.map(([name, value]) => `${name}=${shown(value)}`).join(" ");
}

/** What is cut ends in an ellipsis. */
const cut = (text: string, room: number) =>
  text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…`.slice(0, room) : text;

function shown(value: AnyValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function paint(parts: readonly [string, Colour | undefined][], colours: boolean): string {
  if (!colours)
    return parts
      .map(([text]) => text)
      .join("")
      .trimEnd();
  return parts.map(([text, colour]) => (colour ? styleText(colour, text, { validateStream: false }) : text)).join("");
}

/** Microseconds, in a unit that fits. */
export function time(us: number): string {
  const ms = us / 1000;
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
