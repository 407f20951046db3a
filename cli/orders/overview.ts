// Is it well, how the orders flow, what supervisors did and which versions are needed: as the console shows it, for the terminal.
import type {
  AgentHealth,
  Attention,
  BulkList,
  DeadLetterCounts,
  HeldUp,
  LastHour,
  Overview,
  Reports,
  Supervisor,
  Traffic,
  WaitingMessages,
} from "@scheduler-agent-supervisor/operator/contract";
import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../../shared/words.ts";
import { type App, pathOf } from "./app.ts";
import { runTroubles } from "./bulk.ts";
import { printLastHour } from "./last-hour.ts";
import { agentTroubles, messageTroubles, reportTroubles, supervisorTroubles } from "./system.ts";
import { printTable } from "./table.ts";
import { countedOrders, say, sayEach, sayJson } from "./text.ts";
import { verdictLines } from "./verdict.ts";

export async function showOverview(app: App, asJson: boolean): Promise<void> {
  const [attention, heldUp, deadLetters, runs, reports, overview, traffic, agents, supervisor, waiting, lastHour] =
    await Promise.all([
      app.get<Attention>("attention"),
      app.get<HeldUp>("held-up"),
      app.get<DeadLetterCounts>("dead-letters"),
      app.get<BulkList>("bulk?open=true"),
      app.get<Reports>("reports"),
      app.get<Overview>("overview"),
      app.get<Traffic>("traffic"),
      app.get<AgentHealth>("agents"),
      app.get<Supervisor>("supervisor"),
      app.get<WaitingMessages>("waiting-messages"),
      app.get<LastHour>("last-hour"),
      app.answersNow(),
    ]);
  if (asJson) return sayJson({ overview, traffic, supervisor, lastHour, agents, waitingMessages: waiting, reports });
  const system = [
    ...runTroubles(runs),
    ...supervisorTroubles(supervisor),
    ...messageTroubles(waiting),
    ...reportTroubles(reports),
    ...agentTroubles(agents),
  ];
  for (const line of verdictLines({ attention, heldUp, deadLetters, system, overdue: overview.overdue })) say(line);
  const overdue = { state: "overdue", kind: null, count: overview.overdue };
  printTable(
    [words.many, "number"],
    [...overview.counts, overdue].map(({ state, kind, count }) => [kind ? `${state}: ${kind}` : state, String(count)]),
  );
  printLastHour(lastHour);
  const { received, processed, times, queues, inFlight } = traffic;
  const rate = ({ count, overMs }: Traffic["received"]) => `${count} in ${roundedDuration(overMs)}`;
  say(`Received: ${rate(received)}. Processed: ${rate(processed)}.`);
  if (times) {
    const [half, most, all] = [times.p50Ms, times.p95Ms, times.p99Ms].map(roundedDuration);
    say(`From sent to processed: half within ${half}, 95% within ${most}, 99% within ${all}.`);
  }
  printTable(
    ["queue", "oldest message"],
    queues.map(({ queue, oldestMs }) => [
      queue,
      oldestMs === null ? "could not be read" : oldestMs === 0 ? "none" : roundedDuration(oldestMs),
    ]),
  );
  printTable(
    ["workflow in flight", words.many],
    inFlight.versions.map(({ name, version, count }) => [
      `${name} v${version}`,
      `${count}${inFlight.isAll ? "" : "+"}`,
    ]),
  );
  say("What needs a person: npm run orders -- needs");
}

/** @returns the exit code: 0 if all that was due is handled */
export async function runSweep(app: App): Promise<number> {
  const { found, finished } = await app.post<{ found: number; finished: boolean }>("supervisor/sweep", {});
  say(
    `${countedOrders(found)} ${found === 1 ? "was" : "were"} due. ${finished ? "The sweep is done." : "The sweep could not handle all: run it again."}`,
  );
  return finished ? 0 : 1;
}

interface VersionsInUse {
  readonly workflows: readonly {
    readonly name: string;
    readonly version: number;
    readonly jobs: { readonly pending: number; readonly processing: number; readonly inError: number };
    readonly state: string;
  }[];
}

const VERSION_STATES: { readonly [state: string]: string } = {
  newest: "the newest",
  needed: "needed",
  mayBeRetired: "may be retired",
  missing: "missing in this app",
  retired: "retired",
};

export async function showVersions(app: App, asJson: boolean): Promise<void> {
  const { workflows } = await app.get<VersionsInUse>("workflows");
  if (asJson) return sayEach(workflows);
  printTable(
    ["workflow", "version", "state", "pending", "processing", "in Error"],
    workflows.map(({ name, version, state, jobs }) => [
      ...[name, `v${version}`, VERSION_STATES[state] ?? state],
      ...[jobs.pending, jobs.processing, jobs.inError].map(String),
    ]),
  );
}

export async function eraseOrder(app: App, orderId: string, reason: string): Promise<void> {
  await app.post(pathOf("jobs", orderId, "erase"), { reason });
  say(`${orderId}: all its documents are removed.`);
}
