// The stored orchestration histories of a local host's durable engine, as files that a test can replay.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTINUATION_HEADER } from "../host/durable/route.ts";
import { makeFolder } from "../make-folder.ts";

/** The host, the selected orchestrations, and the folder of their files. */
export interface ExportOptions {
  /** The URL of the host, which must be running. */
  readonly host: string;
  /** Created if absent; a file of the same instance is replaced. */
  readonly folder: string;
  /** The orchestrator's name; all orchestrators if absent. */
  readonly orchestrator?: string;
  /** The prefix of the instances' ids; all instances if absent. */
  readonly idPrefix?: string;
}

/**
 * Writes `<instance>.json` for each orchestration that has begun, running or ended: `{ instanceId, name, runtimeStatus, events }`.
 * @returns the files, in the order in which the orchestrations were created
 * @throws if the host does not answer
 */
export async function exportHistories({ host, folder, orchestrator, idPrefix }: ExportOptions): Promise<string[]> {
  makeFolder(folder);
  const files: string[] = [];
  for await (const { instanceId, name } of instancesOf(host, idPrefix)) {
    if (orchestrator !== undefined && name !== orchestrator) continue;
    const response = await ask(host, `instances/${encodeURIComponent(instanceId)}/$history`);
    // Purged in the meantime, or an entity.
    if (response.status === 404) continue;
    const history = (await answered(response)) as { readonly events: readonly object[] };
    if (history.events.length === 0) continue;
    const file = join(folder, `${encodeURIComponent(instanceId)}.json`);
    writeFileSync(file, `${JSON.stringify(history, null, 1)}\n`);
    files.push(file);
  }
  return files;
}

interface Listed {
  readonly instanceId: string;
  readonly name: string;
}

async function* instancesOf(host: string, idPrefix: string | undefined): AsyncGenerator<Listed> {
  const query = new URLSearchParams({
    showInput: "false",
    ...(idPrefix !== undefined && { instanceIdPrefix: idPrefix }),
  });
  for (let token: string | null = ""; token !== null; ) {
    const response = await ask(host, `instances?${query}`, token === "" ? {} : { [CONTINUATION_HEADER]: token });
    yield* (await answered(response)) as readonly Listed[];
    token = response.headers.get(CONTINUATION_HEADER);
  }
}

async function ask(host: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  try {
    const url = `${host}/runtime/webhooks/durabletask/${path}`;
    return await fetch(url, { headers: { "x-functions-key": "local", ...headers } });
  } catch (cause) {
    throw new Error(`No host answers at ${host}: start the local stack first`, { cause });
  }
}

async function answered(response: Response): Promise<unknown> {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
