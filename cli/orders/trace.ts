// Shows an order's trace: what the collector of the local stack has kept of it, once the order has ended.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { hasEnded } from "@scheduler-agent-supervisor/core/domain";
import { openTraces, type Trace } from "@scheduler-agent-supervisor/local/traces";
import { openRecords } from "../common/records.ts";
import { stackPid } from "../every-app/stack-file.ts";
import { currentSettings } from "../settings.ts";
import { time, traceLines } from "./trace-tree.ts";

const POLL_MS = 250;
/** What the app has not sent yet when the order has ended: see OTEL_BSP_SCHEDULE_DELAY in settings.ts. */
const LAST_SPANS_MS = 1200;

/** Waits for the order's end where a stack runs on `data`, then prints. The answer is an exit code. */
export async function showTrace(orderId: string, data: string, withinMs: number): Promise<number> {
  if (stackPid(data) !== undefined) await untilEnded(orderId, data, withinMs);
  const lines = orderTrace(orderId, data, process.stdout);
  if (lines) console.log(lines.join("\n"));
  else console.error(`No trace of an order ${orderId} is kept in ${data}.`);
  return lines ? 0 : 1;
}

/** Its traces as lines; undefined where none is kept. */
export function orderTrace(orderId: string, data: string, output: NodeJS.WriteStream): string[] | undefined {
  const look = output.isTTY ? { colours: output.hasColors(), columns: output.columns } : { colours: false };
  const reader = openTraces(join(data, "traces"));
  try {
    const traces = reader?.tracesWith("jobId", orderId) ?? [];
    if (traces.length === 0) return undefined;
    return traces.flatMap((trace) => [headline(orderId, trace, look.colours), ...traceLines(trace, look)]);
  } finally {
    reader?.close();
  }
}

function headline(orderId: string, { traceId, spans }: Trace, colours: boolean): string {
  const first = Math.min(...spans.map(({ startUs }) => startUs));
  const last = Math.max(...spans.map(({ endUs }) => endUs));
  const attempts = new Set(
    spans.flatMap(({ attributes: { attempt } }) => (typeof attempt === "number" ? [attempt] : [])),
  );
  const failed = spans.filter(({ isError }) => isError).length;
  const parts = [
    `${spans.length} spans`,
    time(last - first),
    `${attempts.size} ${attempts.size === 1 ? "attempt" : "attempts"}`,
  ];
  if (failed > 0) parts.push(`${failed} failed`);
  const title = `${orderId}  trace ${traceId}`;
  return `${colours ? styleText("bold", title, { validateStream: false }) : title}  ${parts.join(", ")}`;
}

async function untilEnded(orderId: string, data: string, withinMs: number): Promise<void> {
  const records = openRecords(currentSettings(data));
  const begun = Date.now();
  try {
    for (let waits = 0; ; waits += 1) {
      const [record] = await records.of([orderId]);
      const ended = record !== undefined && hasEnded(record.processState);
      if (ended && waits === 0 && Date.now() - Date.parse(record.updatedAt) > LAST_SPANS_MS) return;
      if (ended) return void (await sleep(LAST_SPANS_MS));
      if (Date.now() - begun > withinMs) return;
      if (waits === 0) console.error(`Waiting for the end of ${orderId}`);
      await sleep(POLL_MS);
    }
  } finally {
    await records.close();
  }
}
