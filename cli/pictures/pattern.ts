// Draws the pattern as it runs here, light and dark, from one layout: texts stay texts, no font is embedded.

interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly app: { readonly fill: string; readonly stroke: string };
  readonly outside: { readonly fill: string; readonly stroke: string };
  readonly store: { readonly fill: string; readonly stroke: string };
}

const PALETTES = {
  light: {
    text: "#1f2328",
    muted: "#454d56",
    line: "#59636e",
    app: { fill: "#ddf4ff", stroke: "#0969da" },
    outside: { fill: "#f6f8fa", stroke: "#818b98" },
    store: { fill: "#dafbe1", stroke: "#1a7f37" },
  },
  dark: {
    text: "#f0f6fc",
    muted: "#c0c8d0",
    line: "#9198a1",
    app: { fill: "#0c2d57", stroke: "#4493f8" },
    outside: { fill: "#212830", stroke: "#7d8590" },
    store: { fill: "#0f3a1f", stroke: "#3fb950" },
  },
} as const satisfies Record<string, Palette>;

export const SCHEMES = ["light", "dark"] as const;

const WIDTH = 850;
const HEIGHT = 680;

interface Box {
  readonly kind: "app" | "outside" | "store";
  readonly at: readonly [x: number, y: number, width: number, height: number];
  readonly title: string;
  readonly lines: readonly string[];
}

const BOXES: readonly Box[] = [
  { kind: "outside", at: [20, 30, 200, 95], title: "Client", lines: ["over Service Bus"] },
  { kind: "app", at: [310, 30, 220, 95], title: "Submission", lines: ["checks, stores"] },
  {
    kind: "store",
    at: [620, 30, 210, 280],
    title: "State store",
    lines: ["Cosmos DB", "", "order and", "state record:", "each step,", "its complete-by"],
  },
  { kind: "app", at: [310, 215, 220, 95], title: "Scheduler", lines: ["Durable Functions"] },
  { kind: "outside", at: [20, 400, 200, 95], title: "Operator", lines: ["console, alerts"] },
  { kind: "app", at: [310, 400, 220, 95], title: "Agents", lines: ["one per service"] },
  { kind: "app", at: [620, 400, 210, 95], title: "Supervisor", lines: ["on a timer"] },
  {
    kind: "outside",
    at: [20, 575, 810, 85],
    title: "Remote services",
    lines: ["inventory · payment · fraud check · shipping"],
  },
];

interface Arrow {
  readonly path: string;
  readonly both?: boolean;
  readonly labels: readonly Label[];
}

interface Label {
  readonly at: readonly [x: number, y: number];
  readonly text: string;
  readonly anchor?: "start" | "middle" | "end";
}

const ARROWS: readonly Arrow[] = [
  { path: "M220 78H306", labels: [{ at: [262, 66], text: "order" }] },
  { path: "M530 78H616", labels: [{ at: [572, 66], text: "1 batch" }] },
  { path: "M420 125V211", labels: [{ at: [432, 176], text: "starts", anchor: "start" }] },
  { path: "M534 242H616", both: true, labels: [{ at: [575, 230], text: "records" }] },
  { path: "M310 242H120V129", labels: [{ at: [214, 230], text: "status messages" }] },
  { path: "M420 310V396", labels: [{ at: [408, 376], text: "runs steps", anchor: "end" }] },
  {
    path: "M420 495V571",
    labels: [{ at: [432, 541], text: "HTTP, with an idempotency key", anchor: "start" }],
  },
  { path: "M725 396V314", both: true, labels: [{ at: [737, 362], text: "overdue?", anchor: "start" }] },
  {
    path: "M620 447H592V284H534",
    labels: [
      { at: [584, 352], text: "starts the", anchor: "end" },
      { at: [584, 376], text: "next attempt", anchor: "end" },
    ],
  },
  {
    path: "M120 400V284H306",
    labels: [
      { at: [132, 314], text: "resubmits,", anchor: "start" },
      { at: [132, 338], text: "compensates", anchor: "start" },
    ],
  },
];

const DESCRIPTION =
  "A client sends an order over Service Bus. Submission checks it and stores order and state record in one batch, and starts the " +
  "scheduler. The scheduler claims the order, runs its steps through agents, and records each in the state store; status messages go " +
  "to the client. Each agent calls one remote service over HTTP with an idempotency key. The supervisor looks on a timer for what is " +
  "overdue and has the next attempt started. An operator resubmits or compensates what is in Error.";

/** The whole file. */
export function drawPattern(scheme: (typeof SCHEMES)[number]): string {
  const palette = PALETTES[scheme];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title description">`,
    `<title id="title">The Scheduler Agent Supervisor pattern as it runs here</title>`,
    `<desc id="description">${DESCRIPTION}</desc>`,
    `<style>text{font-family:system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:20px;fill:${palette.muted}}` +
      `.title{font-size:25px;font-weight:600;fill:${palette.text}}` +
      `.arrow{fill:none;stroke:${palette.line};stroke-width:2.5}</style>`,
    `<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="14" markerHeight="14" markerUnits="userSpaceOnUse" ` +
      `orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="${palette.line}"/></marker></defs>`,
    ...ARROWS.map(drawArrow),
    ...BOXES.map((box) => drawBox(box, palette)),
  ];
  return `${parts.join("\n")}\n</svg>\n`;
}

function drawArrow({ path, both, labels }: Arrow): string {
  const line = `<path class="arrow" d="${path}" marker-end="url(#head)"${both ? ' marker-start="url(#head)"' : ""}/>`;
  return [line, ...labels.map(({ at: [x, y], text, anchor = "middle" }) => drawText("", x, y, text, anchor))].join(
    "\n",
  );
}

const TITLE_BASELINE = 40;
const LINE_HEIGHT = 27;

function drawBox({ kind, at: [x, y, width, height], title, lines }: Box, palette: Palette): string {
  const { fill, stroke } = palette[kind];
  const middle = x + width / 2;
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="${fill}" stroke="${stroke}" stroke-width="2"/>`,
    drawText("title", middle, y + TITLE_BASELINE, title, "middle"),
    ...lines.flatMap((line, index) =>
      line === "" ? [] : [drawText("", middle, y + TITLE_BASELINE + 3 + LINE_HEIGHT * (index + 1), line, "middle")],
    ),
  ].join("\n");
}

function drawText(style: string, x: number, y: number, text: string, anchor: string): string {
  return `<text${style && ` class="${style}"`} x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}
