// What is wrong with a message's end: it is answered for good, and the record that stands there still waits for it.

import {
  isInHand,
  runOf,
  type StartAttempt,
  type StateRecord,
  type StepEnd,
  type StepRun,
  type StepTask,
} from "@scheduler-agent-supervisor/core/domain";
import { NOW_MS } from "./abstract-time.ts";
import type { Asked, Replied, Reported } from "./calls.ts";
import type { Effect } from "./effects.ts";
import { isHandler } from "./operation-run.ts";
import type { Operation } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import { AHEAD_MS, type Host, type Setting } from "./setting.ts";
import type { State } from "./state.ts";

export class FinalAnswers {
  readonly #pieces: Pieces;
  /** Only such a service has the start of its step recorded: who has not begun it can be told. */
  readonly #isStartRecorded: boolean;

  constructor(pieces: Pieces, { withoutKeys, idle }: Setting) {
    this.#pieces = pieces;
    this.#isStartRecorded = withoutKeys !== undefined && idle === undefined;
  }

  /** Of a handler that has returned after this and has nothing left to do. */
  faultOf(id: number, { piece, record }: Pick<Effect, "piece" | "record">): string | undefined {
    const operation = this.#pieces.get(id) as Operation;
    if (piece !== 0 || record === 0 || !isHandler(operation.name)) return undefined;
    const { values } = this.#pieces;
    return this.#faultOf(operation, values.get(operation.input), values.get(record));
  }

  /** Of an activity that ends. */
  faultOfEnd(state: State, id: number): string | undefined {
    const task = this.#pieces.taskOf(id);
    const stand = this.#pieces.stand(id);
    const record = this.#pieces.recordOf(state);
    if (!this.#isStartRecorded || stand?.kind !== "returned" || !task || !record) return undefined;
    const { outcome } = stand.value as StepEnd;
    const { host } = this.#pieces.get(id) as Operation;
    return outcome.kind !== "completed" && isUntaken(record, task, host)
      ? `the activity of ${task.step} ends, and nobody has begun it`
      : undefined;
  }

  #faultOf({ name, host }: Operation, input: unknown, record: StateRecord): string | undefined {
    switch (name) {
      case "takeStartAttempt": {
        const { attempt } = input as StartAttempt;
        const isWaitedFor = record.processState === "Pending" && record.attempt === attempt;
        return isWaitedFor ? `the start of attempt ${attempt} is dropped, and the job waits for it` : undefined;
      }
      case "takeReply": {
        const said = saidIn(input as Replied | Reported);
        const run = runOf(record.steps[said.step], said.direction);
        const isAsked =
          said.attempt === undefined ? record.processState === "Processing" : run?.attempt === said.attempt;
        const isDropped = said.isEnd && isAsked && run?.nonce === said.nonce && isOpen(run, host);
        return isDropped ? `what came of ${said.step} is dropped, and it is waited for` : undefined;
      }
      case "answerRequest": {
        const { step, direction, attempt } = (input as Asked).request.ticket;
        const isDropped = this.#isStartRecorded && isUntaken(record, { step, direction, attempt }, host);
        return isDropped ? `the request for ${step} is dropped, and nobody has begun it` : undefined;
      }
      default:
        return undefined;
    }
  }
}

function saidIn(said: Replied | Reported) {
  const { kind } = "report" in said ? said.report : said.reply;
  const isEnd = kind === "done" || kind === "rejected" || kind === "accepted";
  if ("report" in said) return { ...said.report.address, attempt: undefined, isEnd };
  return { ...said.reply.ticket, isEnd };
}

/** Of a step that is recorded before its first try: so it has not had one. */
function isUntaken(
  { steps, processState }: StateRecord,
  { step, direction, attempt }: Pick<StepTask, "step" | "direction" | "attempt">,
  host: Host,
): boolean {
  const run = runOf(steps[step], direction);
  if (processState !== "Processing" || run?.state !== "Scheduled" || run.attempt !== attempt) return false;
  return isOpen(run, host) && (run.startBy ?? "") > nowAt(host);
}

function isOpen(run: StepRun | null, host: Host): boolean {
  return isInHand(run) && (run.completeBy ?? "") > nowAt(host);
}

const nowAt = (host: Host) => new Date(NOW_MS + AHEAD_MS[host]).toISOString();
