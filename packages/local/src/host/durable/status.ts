// Instances as the HTTP API shows them.
import type { InstanceRow } from "./instance-store.ts";

export function statusText(row: InstanceRow, showInput: boolean, history?: readonly object[]): string {
  return JSON.stringify({
    name: row.name,
    instanceId: row.id,
    runtimeStatus: row.status,
    input: showInput ? parsed(row.input) : null,
    customStatus: parsed(row.customStatus),
    output: parsed(row.output),
    createdTime: wholeSeconds(row.createdAt),
    lastUpdatedTime: wholeSeconds(row.updatedAt),
    ...(history && { historyEvents: history }),
  });
}

function wholeSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}
