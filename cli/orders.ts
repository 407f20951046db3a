// `npm run orders`: shows state records, the latest or one with its steps and its history; and does by a word what the console does.
import { styleText } from "node:util";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain/state-record";
import { numberOf, readArguments, runCommand, UsageError } from "./arguments.ts";
import { colourOfState, describeRecord } from "./board.ts";
import { printTable } from "./orders/table.ts";
import { isVerb, runVerb, VERB_OPTIONS, VERBS_USAGE } from "./orders/verbs.ts";
import { appUrl, currentSettings, DEFAULT_DATA } from "./settings.ts";
import { orderTrace } from "./trace.ts";

const USAGE = `npm run orders                 the latest 20 orders
npm run orders -- ID           one order, with its steps and its history
  --trace      also the order's trace, as a tree
  --limit N    the number of orders
  --json       the stored records, one on each line
  --data DIR   the state folder of the stack (.local)

${VERBS_USAGE}`;
const USUAL_LIMIT = 20;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = readArguments(
    { limit: text, data: text, json: flag, trace: flag, help: flag, ...VERB_OPTIONS },
    USAGE,
  );
  if (values["help"]) {
    console.log(USAGE);
    return 0;
  }
  const data = String(values["data"] ?? DEFAULT_DATA);
  const [verb, ...given] = positionals;
  if (isVerb(verb)) return runVerb(verb, given, values, appUrl(data));
  if (values["trace"] && positionals.length === 0) throw new UsageError(`--trace needs an order's ID.\n\n${USAGE}`);
  // Loaded where it is used: a word asks the app alone, and needs no SDK.
  const { openRecords } = await import("./records.ts");
  const records = openRecords(currentSettings(data));
  try {
    const found =
      positionals.length > 0
        ? await records.of(positionals)
        : await records.latest(numberOf(values, "limit", 1, 1000) ?? USUAL_LIMIT);
    const missing = positionals.filter((id) => !found.some(({ jobId: orderId }) => orderId === id));
    for (const id of missing) console.error(`There is no order ${id}.`);
    if (values["json"]) for (const record of found) console.log(JSON.stringify(record));
    else if (positionals.length > 0) for (const record of found) printOne(record, values["trace"] ? data : undefined);
    else printList(found);
    return missing.length > 0 ? 1 : 0;
  } finally {
    await records.close();
  }
});

function printList(found: readonly StateRecord[]): void {
  if (found.length === 0) {
    console.log("No orders yet. Send some: npm run send -- --count 5");
    return;
  }
  printTable(
    ["order", "state", "where", "failures", "updated"],
    found.map((record) => {
      const { state, detail } = describeRecord(record);
      return [
        record.jobId,
        styleText(colourOfState(state), state),
        detail,
        String(record.failureCount),
        record.updatedAt,
      ];
    }),
  );
}

/** @param data where its trace is, if that is to be shown */
function printOne(record: StateRecord, data: string | undefined): void {
  const { jobId: orderId, workflow, processState, lockedBy, completeBy, failureCount, attempt, error } = record;
  console.log(
    `${orderId}: ${styleText(colourOfState(processState), processState)}, ${workflow.name} v${workflow.version}`,
  );
  console.log(
    `attempt ${attempt}, ${failureCount} failures, held by ${lockedBy ?? "nobody"}, complete by ${completeBy ?? "-"}`,
  );
  if (error)
    console.log(styleText("red", `${error.kind} in ${error.step ?? "-"} (${error.agent ?? "-"}): ${error.message}`));
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.agent,
    step.compensation ? `${step.state}, compensation ${step.compensation.state}` : step.state,
    String(step.retryCount + (step.compensation?.retryCount ?? 0)),
    step.startedAt && step.endedAt ? `${Date.parse(step.endedAt) - Date.parse(step.startedAt)} ms` : "",
    step.error ?? (step.result ? JSON.stringify(step.result) : ""),
  ]);
  printTable(["step", "agent", "state", "retries", "took", "result"], steps);
  printTable(
    ["at", "what", "by"],
    record.history.map(({ at, what, by }) => [at, what, by]),
  );
  if (data === undefined) return;
  const trace = orderTrace(orderId, data, process.stdout);
  console.log(trace?.join("\n") ?? `No trace of ${orderId} is kept in ${data}.`);
}
