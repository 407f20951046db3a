// `npm run orders`: shows state records, the latest or one with its steps and its history; and does by a word what the console does.
import { styleText } from "node:util";
import { type StateRecord, USUAL_TIMING } from "@scheduler-agent-supervisor/core/domain";
import { shownRecord } from "@scheduler-agent-supervisor/core/store";
import { SWEEP_GRACE_MS, waitingJobOf, waitsOf } from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../shared/words.ts";
import { numberOf, readArguments, runCommand, UsageError } from "./every-app/arguments.ts";
import { printFor, withAddress } from "./every-app/printed-commands.ts";
import { appUrl, DEFAULT_DATA, requireStack, stackPid } from "./every-app/stack-file.ts";
import { VERB_OPTIONS } from "./orders/options.ts";
import { printTable } from "./orders/table.ts";
import { plainText, say, sayEach, timeText, waitText, withTimes } from "./orders/text.ts";
import { isVerb, runVerb, VERBS_USAGE } from "./orders/verbs.ts";
import { colourOfState, describeRecord } from "./start/board.ts";

const USAGE = `npm run orders                 the latest 20 ${words.many}
npm run orders -- ID           one ${words.one}, with its steps and its history
  --trace      also its trace, as a tree
  --limit N    the number of ${words.many}
  --json       the stored records, one on each line
  --data DIR   the state folder of the stack (.local)

${VERBS_USAGE}`;
const USUAL_LIMIT = 20;

await runCommand(async () => {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = readArguments(
    { limit: text, data: text, json: flag, trace: flag, ...VERB_OPTIONS },
    USAGE,
    "words",
  );
  const data = String(values["data"] ?? DEFAULT_DATA);
  const app = values["app"] === undefined ? undefined : String(values["app"]);
  printFor({ data, app });
  const [verb, ...given] = positionals;
  if (isVerb(verb)) {
    return runVerb(verb, given, values, () => {
      if (values["data"] !== undefined) requireStack(data);
      return appUrl(data);
    });
  }
  if (values["data"] !== undefined) requireStack(data);
  if (values["trace"] && positionals.length === 0) throw new UsageError(`--trace needs an ID.\n\n${USAGE}`);
  const limit = numberOf(values, "limit", 1, 1000) ?? USUAL_LIMIT;
  // Loaded where they are used: a word asks the app alone, and needs no SDK.
  const [{ openRecords }, { currentSettings }] = await Promise.all([
    import("./common/records.ts"),
    import("./settings.ts"),
  ]);
  const records = openRecords(currentSettings(data));
  try {
    const found = positionals.length > 0 ? await records.of(positionals) : await records.latest(limit);
    const missing = positionals.filter((id) => !found.some(({ jobId: orderId }) => orderId === id));
    for (const id of missing)
      console.error(
        withAddress(
          plainText(`There is no order or command ${id}: see npm run orders -- find, and npm run orders -- --help`),
        ),
      );
    if (values["json"]) sayEach(found.map(shownRecord));
    else if (positionals.length > 0)
      for (const record of found) {
        printOne(record);
        if (values["trace"]) await printTrace(record.jobId, data);
      }
    else {
      printList(found);
      if (found.length === limit)
        console.error(withAddress(`These are the latest ${limit}. More: --limit N, or npm run orders -- find`));
    }
    return missing.length > 0 ? 1 : 0;
  } catch (cause) {
    if (stackPid(data) !== undefined) throw cause;
    throw new Error(`No stack runs in ${data}, and no store answers at the usual ports: npm start`, { cause });
  } finally {
    await records.close();
  }
});

function printList(found: readonly StateRecord[]): void {
  if (found.length === 0) {
    console.log(withAddress(`No ${words.many} yet. Send some: npm run send -- --count 5`));
    return;
  }
  printTable(
    [words.one, "state", "where", "failures", "updated"],
    found.map((record) => {
      const { state, detail } = describeRecord(record);
      return [
        record.jobId,
        { text: state, colour: colourOfState(state) },
        detail,
        String(record.failureCount),
        timeText(record.updatedAt),
      ];
    }),
  );
}

/** As the app and the console say it; whether an agent is paused is known to the app alone. */
function waitLines(record: StateRecord): string[] {
  const now = new Date().toISOString();
  const { claimWithinMs } = USUAL_TIMING;
  const context = { now, claimWithinMs, graceMs: SWEEP_GRACE_MS, isPaused: () => false };
  return waitsOf(waitingJobOf(record), context).map(waitText);
}

function printOne(record: StateRecord): void {
  const {
    jobId: orderId,
    workflow,
    processState,
    lockedBy,
    completeBy,
    failureCount,
    attempt,
    error,
    deadlineAt,
  } = record;
  console.log(
    `${orderId}: ${styleText(colourOfState(processState), processState)}, ${workflow.name} v${workflow.version}`,
  );
  console.log(
    `attempt ${attempt}, ${failureCount} failures, held by ${lockedBy ?? "nobody"}, complete by ${completeBy ? timeText(completeBy) : "-"}${deadlineAt ? `, deadline ${timeText(deadlineAt)}` : ""}`,
  );
  if (error)
    console.log(
      styleText(
        "red",
        plainText(`${error.kind} in ${error.step ?? "-"} (${error.agent ?? "-"}): ${withTimes(error.message)}`),
      ),
    );
  for (const line of waitLines(record)) say(line);
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.agent,
    step.compensation ? `${step.state}, compensation ${step.compensation.state}` : step.state,
    String(step.retryCount + (step.compensation?.retryCount ?? 0)),
    step.startedAt && step.endedAt ? `${Date.parse(step.endedAt) - Date.parse(step.startedAt)} ms` : "",
    withTimes(step.error ?? "") || (step.result ? JSON.stringify(step.result) : ""),
  ]);
  printTable(["step", "agent", "state", "retries", "took", "result"], steps);
  printTable(
    ["at", "what", "by"],
    record.history.map(({ at, what, by }) => [timeText(at), withTimes(what), by]),
  );
}

async function printTrace(orderId: string, data: string): Promise<void> {
  const { orderTrace } = await import("./orders/trace.ts");
  const trace = orderTrace(orderId, data, process.stdout);
  console.log(trace?.join("\n") ?? `No trace of ${orderId} is kept in ${data}.`);
}
