// The tree of a trace: what a person gets to see of spans and events.

import type { LogEvent, Span } from "@scheduler-agent-supervisor/local/traces";
import { expect, test } from "vitest";
import { time, traceLines } from "../../cli/orders/trace-tree.ts";

const START = 1_800_000_000_000_000;

function span(
  spanId: string,
  parentId: string | null,
  fromMs: number,
  toMs: number,
  changes: Partial<Span> = {},
): Span {
  const [startUs, endUs] = [START + fromMs * 1000, START + toMs * 1000];
  return {
    traceId: "t",
    spanId,
    parentId,
    name: spanId,
    kind: "internal",
    startUs,
    endUs,
    attributes: {},
    isError: false,
    message: null,
    service: "",
    ...changes,
  };
}

function event(spanId: string, name: string, atMs: number, attributes: LogEvent["attributes"] = {}): LogEvent {
  return { traceId: "t", spanId, atUs: START + atMs * 1000, name, severity: "info", attributes };
}

const tree = (spans: Span[], events: LogEvent[] = []) =>
  traceLines({ spans, events }, { colours: false }).map((line) => line.replaceAll(/ {2,}(?=\S+=|to |failed)/g, "  "));

test("children stand below their parent in the order of time, events among them", () => {
  const spans = [
    span("claim", "submission", 30, 50, { attributes: { attempt: 1, outcome: "claimed" } }),
    span("submission", "shop", 0, 20, { attributes: { jobId: "o" } }),
    span("publish", "submission", 5, 9.5, { attributes: { "messaging.destination.name": "replies", attempt: 1 } }),
    span("step", "claim", 12_000, 12_400, { attributes: { attempt: 1, agent: "payment" } }),
  ];
  const events = [
    event("submission", "JobSubmitted", 4, { jobId: "o", processState: "Pending" }),
    event("claim", "JobClaimed", 45),
    event("step", "StepCompleted", 12_300, { "microsoft.custom_event.name": "StepCompleted", agent: "payment", ms: 7 }),
  ];
  expect(tree(spans, events)).toEqual([
    "   0.0 ms    20 ms  submission",
    "   4.0 ms           │ · JobSubmitted  processState=Pending",
    "   5.0 ms   4.5 ms  ├─ publish  attempt=1 to replies",
    "    30 ms    20 ms  └─ claim  outcome=claimed attempt=1",
    "    45 ms              │ · JobClaimed",
    "   12.0 s   400 ms     └─ step  agent=payment",
    "   12.3 s                   · StepCompleted  ms=7",
  ]);
});

test("what a name or a span above has said, and what is usual, is not said again; a failure is", () => {
  const spans = [
    span("step takePayment", null, 0, 10, {
      attributes: { step: "takePayment", attempt: 2, direction: "forward", try: 1 },
    }),
    span("call", "step takePayment", 1, 2, {
      attributes: { attempt: 2, try: 3, outcome: "unavailable" },
      isError: true,
      message: "is down",
    }),
    span("cancel", "step takePayment", 3, 4, { attributes: { direction: "compensate", attempt: 3 }, isError: true }),
  ];
  expect(tree(spans)).toEqual([
    "   0.0 ms    10 ms  step takePayment  attempt=2",
    "   1.0 ms   1.0 ms  ├─ call  outcome=unavailable failed: is down try=3",
    "   3.0 ms   1.0 ms  └─ cancel  failed attempt=3 direction=compensate",
  ]);
});

test("what somebody else has written begins no line and moves no cursor", () => {
  const message = "no\n   0.0 ms  forged\u001b[2K\r";
  const lines = tree(
    [span("call", null, 0, 1, { isError: true, message })],
    [event("call", "Said", 0, { why: message })],
  );
  expect(lines).toHaveLength(2);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f]/);
});

test("a span whose parent is not kept is a root of its own", () => {
  const lines = tree([span("one", "gone", 5, 6), span("two", null, 0, 1)]);
  expect(lines.map((line) => line.trim().split(/ +/).at(-1))).toEqual(["two", "one"]);
});

test("colours on a terminal, cut to its width", () => {
  const spans = [span("call", null, 0, 1, { isError: true, message: "x".repeat(200) })];
  const [line = ""] = traceLines({ spans, events: [] }, { colours: true, columns: 80 });
  expect(line).toContain("\x1b[31mcall");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
  expect(line.replaceAll(/\x1b\[\d+m/g, "").length).toBeLessThanOrEqual(80);
});

test.each([
  [40, "0.0 ms"],
  [9_940, "9.9 ms"],
  [10_400, "10 ms"],
  [9_999_000, "9999 ms"],
  [12_340_000, "12.3 s"],
])("%d µs is %s", (us, text) => expect(time(us)).toBe(text));
