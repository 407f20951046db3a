// Replays the histories of a folder: one file for each orchestration, as `npm run histories` or Azure Storage gave it.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SCHEDULER, scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import { EVENT } from "./orchestration-history.ts";
import { type ReplayOutcome, replay, type StoredEvent } from "./replay.ts";
import type { Orchestrator } from "./replayed.ts";

/** The result of the replay of one file. */
export interface ReplayedFile {
  /** Its name in the folder. */
  readonly file: string;
  readonly outcome: ReplayOutcome;
}

/**
 * Each `*.json` is an array of events, an object whose `events` are that, or `items`: what `az storage entity query` prints.
 * @param orchestrators by the name with which the history began; the core's own scheduler if absent
 * @throws where the folder has no history, or a file is none
 */
export function replayFiles(
  folder: string,
  orchestrators: { readonly [name: string]: Orchestrator } = { [SCHEDULER]: scheduler },
): ReplayedFile[] {
  const files = globSync("**/*.json", { cwd: folder }).sort();
  if (files.length === 0) throw new Error(`${folder} has no histories to replay`);
  return files.map((file) => {
    try {
      const events = eventsIn(JSON.parse(readFileSync(join(folder, file), "utf8")));
      return { file, outcome: replay(events, orchestratorOf(events, orchestrators)) };
    } catch (cause) {
      throw new Error(`${file} can't be replayed: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  });
}

function eventsIn(content: unknown): StoredEvent[] {
  const { events, items } = Object(content) as { readonly events?: unknown; readonly items?: unknown };
  const found = [content, events, items].find(Array.isArray);
  if (!found) throw new Error("it is neither a list of events nor an object with events");
  return found as StoredEvent[];
}

function orchestratorOf(
  events: readonly StoredEvent[],
  orchestrators: { readonly [name: string]: Orchestrator },
): Orchestrator | undefined {
  const begun = events.find(({ EventType: type }) => type === EVENT.executionStarted || type === "ExecutionStarted");
  const name = begun?.Name ?? "";
  const orchestrator = orchestrators[name];
  if (begun && !orchestrator) throw new Error(`no orchestrator ${name} was given`);
  return orchestrator;
}
