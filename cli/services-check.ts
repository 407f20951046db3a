// `npm run services:check`: asks an agent's service what a crash would have it asked, says what was seen, and records it beside the agents.
import type { Endpoint } from "@scheduler-agent-supervisor/core/agents";
import { parseEndpoints, withAuthentication } from "@scheduler-agent-supervisor/core/app";
import { credentialOf } from "@scheduler-agent-supervisor/core/create-app";
import { checkService } from "@scheduler-agent-supervisor/testing";
import { business } from "../shared/business.ts";
import { numberOf, readArguments, runCommand, UsageError, type Values } from "./every-app/arguments.ts";
import { REPLY_QUEUE } from "./every-app/reply-queues.ts";
import { DEFAULT_DATA, readStackFile } from "./every-app/stack-file.ts";
import { type Cell, printTable } from "./orders/table.ts";
import { contentsIn, resultsIn } from "./services-check/given.ts";
import { openQueue } from "./services-check/queue.ts";
import { checkedFile, isRecorded, writeChecked } from "./services-check/record.ts";
import { currentSettings } from "./settings.ts";

const USAGE = `npm run services:check -- --agent NAME [OPTIONS]
asks the service of an agent, or the worker of an agent elsewhere, for each operation: twice under one key, at once, late, after its compensation,
compensated before, and by its find. A rule is asked twice for the same, and late.
It has real effects there: use a sandbox, or the simulated services (npm start, npm run services).
  --agent NAME      the agent
  --operation LIST  only these operations, with commas between them
  --endpoint TEXT   the service's address, as in the agent's setting: URL[;header:NAME=SETTING|;token:SCOPE]; default: the setting
  --content FILE    content for jobs as JSON, one or a list; default: the samples
  --results FILE    results of the steps that the agent reads, as JSON by the step's name; default: samples/results.json, and their own agents
  --effects PATH    a path below the address that lists the effects of {key} or {id}; default: the list of the simulated services
  --reply-queue Q   where the worker of an agent elsewhere replies (${REPLY_QUEUE}); nobody else may read it meanwhile
  --report-to URL   where the service is to report what it does later
  --late SECONDS    the time until a late request (1)
  --write           records the verdicts in shared/checked-services.ts
  --data DIR        the state folder of the stack (.local)
Exit code 1: an operation failed a check and is not declared so (atMostOnce, find), or could not be checked.`;

const COLOURS = { holds: "green", fails: "red", notSeen: "yellow" } as const;
const WORDS = { holds: "holds", fails: "fails", notSeen: "not seen" } as const;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const names = [
    "agent",
    "operation",
    "endpoint",
    "content",
    "results",
    "effects",
    "report-to",
    "reply-queue",
    "late",
    "data",
  ] as const;
  const options = Object.fromEntries(names.map((name) => [name, text]));
  const { values } = readArguments({ ...options, write: { type: "boolean" } }, USAGE);
  const { agent } = values;
  const known = business.agents.map(({ name }) => name);
  if (agent === undefined) throw new UsageError(`Name the agent: --agent ${known.join("|")}\n\n${USAGE}`);
  const data = String(values["data"] ?? DEFAULT_DATA);
  const settings = currentSettings(data);
  const settingOf = (name: string) => process.env[name] ?? settings[name];
  const late = numberOf(values, "late", 0, 86_400);
  const { operation, effects, "report-to": reportTo, "reply-queue": replyQueue = REPLY_QUEUE } = values;
  const isElsewhere = business.agents.some(({ name, kind }) => kind === "remote" && name === agent);
  const queue = isElsewhere || hasReads(String(agent)) ? openQueue(settings, String(replyQueue)) : undefined;
  const checking = checkService({
    business,
    agent: String(agent),
    endpoints: { ...listsIn(data), ...endpointsIn(settingOf, String(agent), values["endpoint"]) },
    ...(queue && { askByQueue: queue.ask }),
    authenticators: { settingOf, identity: credentialOf({ credential: undefined, clientId: undefined }) },
    contents: contentsIn(values["content"]),
    results: resultsIn(values["results"]),
    ...(operation !== undefined && { operations: String(operation).split(",") }),
    ...(effects !== undefined && { effects: String(effects) }),
    ...(reportTo !== undefined && { reportTo: String(reportTo) }),
    ...(late !== undefined && { lateAfterMs: late * 1000 }),
  });
  const checked = await checking.finally(() => queue?.[Symbol.asyncDispose]());
  printTable(
    ["operation", "check", "verdict", "seen"],
    checked.flatMap(({ operation: name, cases, notChecked }): Cell[][] =>
      notChecked === undefined
        ? cases.map(({ check, verdict, seen }) => [
            name,
            check,
            { text: WORDS[verdict], colour: COLOURS[verdict] },
            seen,
          ])
        : [[name, "all", { text: "not checked", colour: "red" }, notChecked]],
    ),
  );
  const seen = checked.filter(({ notChecked }) => notChecked === undefined);
  if (values["write"] && seen.length > 0) {
    writeChecked(business, String(agent), seen);
    console.log(`Recorded in ${checkedFile}. The app passes it to defineApp as checkedServices.`);
  } else if (!isRecorded(business, String(agent), seen)) {
    console.log(`Not recorded, or recorded otherwise: npm run services:check -- --agent ${agent} --write`);
  }
  const missed = checked.filter(({ notChecked }) => notChecked !== undefined).map((one) => one.operation);
  const faults = [
    ...checked.flatMap((one) => one.faults),
    ...(missed.length > 0
      ? [`not checked: ${missed.join(", ")}; the table says why (--operation leaves some out)`]
      : []),
  ];
  if (faults.length > 0) console.error(faults.join("\n"));
  return faults.length > 0 ? 1 : 0;
});

/** Whether it reads a result of an agent elsewhere, which is then asked too. */
function hasReads(agent: string): boolean {
  const reads = business.agents.find(({ name }) => name === agent);
  const names = Object.keys((reads && "reads" in reads && reads.reads) || {});
  const elsewhere = business.agents.flatMap(({ name, kind }) => (kind === "remote" ? [name] : []));
  return business.workflows.some(({ steps }) =>
    steps.some((step) => names.includes(step.name) && elsewhere.includes(step.agent)),
  );
}

/** Where the simulated services of agents elsewhere list their effects. */
function listsIn(data: string): Record<string, Endpoint> {
  const services = Object.entries(readStackFile(data)?.services ?? {});
  return Object.fromEntries(services.map(([name, url]) => [name, { url: `${url.replace(/\/$/, "")}/`, capacity: 1 }]));
}

/** @throws UsageError where the address of the agent's own service is at fault */
function endpointsIn(
  settingOf: (name: string) => string | undefined,
  agent: string,
  given: Values[string],
): Record<string, Endpoint | undefined> {
  return Object.fromEntries(
    business.serviceAgents.map(({ name, service }) => {
      const text = name === agent && given !== undefined ? String(given) : (settingOf(service.setting) ?? "");
      const { found, faults } = text === "" ? { found: [], faults: [] } : parseEndpoints(text);
      const from = given === undefined ? service.setting : "--endpoint";
      if (name === agent && faults.length > 0) throw new UsageError(`${from}: ${faults.join("; ")}`);
      const [first] = found;
      return [name, first && withAuthentication(first, service.authentication)];
    }),
  );
}
