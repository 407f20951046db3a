// What is held up, and by what: for the terminal; and the agents with their endpoints and pauses.

import type { AgentHealth, HeldUp, HeldUpPage, Pause, Pauses } from "@scheduler-agent-supervisor/operator/contract";
import { words } from "../../shared/words.ts";
import { type App, queryOf } from "./app.ts";
import { previewBulk } from "./bulk.ts";
import type { PauseOf } from "./given.ts";
import { printTable } from "./table.ts";
import { ago, say, sayBeside, sayEach, timeText, waitText, withTimes } from "./text.ts";

const PAGE = 100;

export async function showHeldUp(app: App, group: string | undefined, asJson: boolean): Promise<void> {
  if (group === undefined) {
    const heldUp = await app.get<HeldUp>("held-up");
    sayCut(heldUp, asJson);
    if (asJson) return sayEach(heldUp.groups);
    if (heldUp.count === 0 && heldUp.isAll) say("Nothing is held up.");
    return printHeldUp(heldUp);
  }
  const { jobs, ...counted } = await heldBy(app, group);
  sayCut(counted, asJson);
  if (asJson) return sayEach(jobs);
  if (jobs.length === 0) say(`Nothing is held up by ${group} now.`);
  printTable(
    [words.one, "why"],
    jobs.map(({ jobId, wait }) => [jobId, waitText(wait)]),
  );
}

export function printHeldUp({ groups, isAll }: HeldUp): void {
  printTable(
    ["held up", words.many, "why"],
    groups.map(({ id, count, wait, causes }) => [
      ...[id, `${count}${isAll ? "" : "+"}`],
      [waitText(wait), ...causes.slice(1).map((cause) => `also ${withTimes(cause)}`)].join("; "),
    ]),
  );
  if (groups[0]) say("To continue when the cause is fixed: npm run orders -- continue ID");
}

/** Of more orders than the app reads at once, more may be held up. */
function sayCut({ count, isAll }: { readonly count: number; readonly isAll: boolean }, asJson: boolean): void {
  if (isAll) return;
  sayBeside(
    `There are more: ${count} were read. All that wait for an agent: npm run orders -- find --waits-for agent:NAME`,
    asJson,
  );
}

async function heldBy(app: App, group: string) {
  const jobs: HeldUpPage["jobs"] = [];
  let isAll = true;
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: HeldUpPage = await app.get(`held-up/jobs${queryOf({ group, from, limit: PAGE })}`);
    jobs.push(...page.jobs);
    isAll &&= page.isAll;
    from = page.next;
  }
  return { jobs, count: jobs.length, isAll };
}

/** Previews the resubmission of all orders of a group: they do not wait for their next try. */
export async function continueHeldUp(app: App, group: string): Promise<void> {
  const { jobs, ...counted } = await heldBy(app, group);
  sayCut(counted, false);
  const jobIds = [...new Set(jobs.map(({ jobId }) => jobId))];
  if (jobIds.length === 0) say(`Nothing is held up by ${group} now: see npm run orders -- held`);
  else await previewBulk(app, "resubmit", { jobIds });
}

export async function showAgents(app: App, asJson: boolean): Promise<void> {
  const { agents, workflows, pauses } = await app.get<AgentHealth>("agents");
  if (asJson) return sayEach(agents);
  const stateOf = (kind: Pause["kind"], name: string) => {
    const pause = pauses.find((one) => one.kind === kind && one.name === name);
    return pause ? `paused by ${pause.by} ${ago(pause.at)}: ${pause.reason}` : "";
  };
  printTable(
    ["agent", "endpoint", "instance", "health", "since", "calls", "last error", "paused"],
    agents.flatMap(({ name, instances }) => {
      const endpoints = instances.flatMap((each) => each.endpoints.map((one) => ({ ...one, instance: each.instance })));
      if (endpoints.length === 0) return [[name, "", "", "healthy", "", "0", "", stateOf("agent", name)]];
      // On a terminal a healthy agent is one line; a pipe has every endpoint.
      if (process.stdout.isTTY && endpoints.every(({ health, isSlow }) => health === "healthy" && !isSlow)) {
        const sum = (count: "inFlight" | "capacity") => endpoints.reduce((all, one) => all + one[count], 0);
        return [[name, "", "", "healthy", "", `${sum("inFlight")} of ${sum("capacity")}`, "", stateOf("agent", name)]];
      }
      return endpoints.map(({ endpoint, instance, health, isSlow, since, inFlight, capacity, lastError }) => [
        ...[name, endpoint, instance, isSlow ? `${health}, slow` : health, since ? timeText(since) : ""],
        ...[`${inFlight} of ${capacity}`, withTimes(lastError ?? ""), stateOf("agent", name)],
      ]);
    }),
  );
  printTable(
    ["workflow", "paused"],
    workflows.map((name) => [name, stateOf("workflow", name)]),
  );
}

export async function changePause(app: App, change: "pause" | "resume", { kind, name }: PauseOf, reason: string) {
  const { pauses } = await app.post<Pauses>("pauses", { kind, name, change, reason });
  say(`${kind} ${name}: ${change === "pause" ? "paused" : "resumed"}.`);
  for (const pause of pauses)
    say(`paused: ${pause.kind} ${pause.name} by ${pause.by} ${ago(pause.at)}: ${pause.reason}`);
}
