// Keeps what the process says of itself for operators: the events that no job shows, and the functions that fail.

import { createHash, randomUUID } from "node:crypto";
import {
  counted,
  instant,
  inWords,
  isThrown,
  Outage,
  startTimer,
  type Timer,
} from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { Attributes, EventName } from "@scheduler-agent-supervisor/core/telemetry";
import type { Reports } from "../contract.ts";
import { createCriticalTimes, createNotDone } from "../domain/ended-shares.ts";
import { createFunctionRuns } from "../domain/function-failures.ts";
import {
  type Change,
  jobOf,
  type Report,
  type Reported,
  type ReportedTrouble,
  type ReportName,
  reportedAfter,
  reportedTroubles,
} from "../domain/reported.ts";
import type { ReportStore } from "../supervision/report-blob.ts";

export interface KeepReports {
  /** Never throws. */
  event(name: EventName, attributes: Attributes): void;
  invocation(functionName: string, error: unknown): void;
  /** The process is there. */
  alive(): void;
  /** What stands now. Throws if the storage does not answer. */
  current(): Promise<Reports>;
  /** @returns what stands no longer; undefined if it did not, or has happened again since. Throws if the storage does not answer. */
  dismiss(id: string): Promise<Report | undefined>;
}

export interface KeepReportsPorts {
  readonly store: ReportStore;
  /** The workflow whose time is an objective. */
  readonly usualWorkflow: string;
  /** The functions that a setting has switched off, for as long as this process lives. */
  readonly switchedOff: readonly string[];
  readonly now: () => number;
}

/** What happens together is written together. */
const WRITTEN_AFTER_MS = 1000;
const AGAIN_AFTER_MS = 10_000;
/** Of a storage that does not answer: the last ones. */
const MOST_PENDING = 1000;
const WORDS_LIMIT = 300;
const LOST_IN_RUNS = 3;

export function createKeepReports({ store, usualWorkflow, switchedOff, now }: KeepReportsPorts): KeepReports {
  const isTooSlow = createCriticalTimes();
  const areTooMany = createNotDone();
  const saysOf = createFunctionRuns();
  const processId = randomUUID();
  const off = switchedOff.map((name) => ({
    ...{ name: "FunctionSwitchedOff", since: instant(now()) },
    words: `The function ${name} is switched off by a setting`,
  }));
  const seen = remembered(now, () => store.read());
  let pending: Change[] = [];
  let timer: Timer | undefined;

  function keep(change: Change): void {
    pending = [...pending.slice(1 - MOST_PENDING), change];
    if (timer === undefined) timer = startTimer(WRITTEN_AFTER_MS, () => void write(), { isIdle: true });
  }

  async function write(): Promise<void> {
    const changes = pending;
    pending = [];
    const isWritten = await store
      .change((before: Reported) => changes.reduce((sofar, one) => reportedAfter(sofar, one, now()), before))
      .then(
        () => true,
        () => false,
      );
    if (!isWritten) pending = [...changes, ...pending].slice(-MOST_PENDING);
    const nextMs = isWritten ? WRITTEN_AFTER_MS : AGAIN_AFTER_MS;
    timer = pending.length === 0 ? undefined : startTimer(nextMs, () => void write(), { isIdle: true });
  }

  const say = (name: ReportName, subject: unknown, cause: unknown = "") =>
    keep({ kind: "said", name, subject: shortened(subject), cause: shortened(cause), at: instant(now()) });

  let runsThatLost = 0;
  /** Lost to another writer once is nothing; in each run it is a document that is missing. */
  function noteClosing(lost: number, broken: number, finished: boolean): void {
    runsThatLost = lost > 0 ? runsThatLost + 1 : 0;
    if (runsThatLost >= LOST_IN_RUNS) say("JobNotClosed", "", `${counted(lost, "job")}: a document of it is missing`);
    else if (broken + lost === 0 && finished) keep({ kind: "over", name: "JobNotClosed" });
  }

  /** By a service: what an operator compensates is no sign of anything, and what is in Error stands among the causes. */
  function noteEnd(isCompensated: boolean, step: unknown, message: unknown): void {
    if (areTooMany(isCompensated, now()) && isCompensated) say("ManyNotDone", step, message);
  }

  return {
    event(name, { jobId = "", queue, step, message, cause, ...others }) {
      switch (name) {
        case "JobNotClosed":
          return say(name, jobId, cause);
        case "StatusUndeliverable":
          return say(name, queue);
        case "AuditLogUnwritten":
          // A store that does not answer is named by itself.
          return (others["outage"] ?? null) === null ? say(name, "", cause) : undefined;
        case "CompensationIncomplete":
          return say(name, jobId, `${step}: ${message}`);
        case "CodeFailed": {
          const { workflow, version, place } = others;
          return say(name, `${place} (${workflow} v${version})`, message);
        }
        case "JobErrored":
          // It is in a list of its own then.
          if (others["kind"] === "compensationIncomplete")
            keep({ kind: "over", name: "CompensationIncomplete", subject: shortened(jobId) });
          return noteEnd(false, step, message);
        case "JobCompensated":
          return noteEnd(others["kind"] !== "compensationRequested", step, message);
        case "JobCancelled":
          return noteEnd(false, step, message);
        case "JobProcessed":
          noteEnd(false, step, message);
          if (others["workflow"] === usualWorkflow && isTooSlow(Number(others["criticalMs"]), now()))
            say("TooSlow", usualWorkflow);
          return;
        case "SupervisorSweep":
          if (Number(others["throttled"]) > 0) say("StoreThrottled", "");
          return;
        case "JobsClosed":
          noteClosing(Number(others["lost"]), Number(others["broken"]), others["finished"] === true);
          return keep({ kind: "ran", task: name, finished: others["finished"] === true, at: instant(now()) });
        case "OrchestrationsRemoved":
          return keep({ kind: "ran", task: name, finished: others["finished"] === true, at: instant(now()) });
        default:
          return;
      }
    },
    invocation(functionName, error) {
      // Bus, store or engine do not answer: that is named, and it is over when they answer.
      if (isThrown(Outage, error)) return;
      const said = saysOf(functionName, error !== undefined && error !== null);
      const run = { name: functionName, process: processId };
      if (said === "failed") keep({ kind: "failed", ...run, cause: shortened(inWords(error)), at: instant(now()) });
      if (said === "well") keep({ kind: "well", ...run });
    },
    alive: () => keep({ kind: "alive", at: instant(now()) }),
    async current() {
      const at = now();
      return { asOf: instant(at), reports: [...reportedTroubles(await seen.read(), at).map(answerOf), ...off] };
    },
    async dismiss(id) {
      let found: Report | undefined;
      await store.change((before) => {
        found = before.reports.find((one) => idOf(one) === id);
        return found ? reportedAfter(before, { kind: "dismissed", report: found }, now()) : before;
      });
      seen.forget();
      return found;
    },
  };
}

const shortened = (text: unknown): string =>
  String(text ?? "")
    .slice(0, WORDS_LIMIT)
    .toWellFormed();

function answerOf({ report, ...said }: ReportedTrouble): Reports["reports"][number] {
  if (!report) return said;
  const jobId = jobOf(report);
  return { ...said, id: idOf(report), ...(jobId !== undefined && { jobId }) };
}

/** Of what was seen: if it has happened again since, it is another one. */
function idOf({ name, subject, lastAt }: Report): string {
  const parts = [name, subject, lastAt];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
