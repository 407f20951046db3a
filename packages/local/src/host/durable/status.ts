// Instances and entities as the HTTP API shows them. An entity is an instance there, too, that runs for as long as it exists.
import { partsOf } from "./entities.ts";
import type { EntityRow } from "./entity-store.ts";
import type { InstanceRow } from "./store.ts";

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

export function entityAsInstance({ id, state, createdAt, updatedAt }: EntityRow): InstanceRow {
  const input = JSON.stringify({ exists: true, state, sorter: {} });
  const customStatus = JSON.stringify({ entityExists: true });
  const fixed = { int: -1, output: null, generation: 0, parent: null };
  return { ...fixed, id, name: id, status: "Running", input, customStatus, createdAt, updatedAt };
}

/** An element of the list of entities. */
export function entityStatus({ id, state, updatedAt }: EntityRow, showState: boolean): object {
  return {
    entityId: partsOf(id),
    lastOperationTime: new Date(updatedAt).toISOString(),
    state: showState && state !== undefined ? parsed(state) : null,
  };
}

function wholeSeconds(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}
