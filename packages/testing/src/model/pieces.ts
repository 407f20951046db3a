// What is under way in a state besides the record: messages, orchestrations, and operations that wait for their next call.

import {
  type Attempt,
  type ClaimOutcome,
  outputOf,
  type StateRecord,
  type StepEnd,
  type StepTask,
} from "@scheduler-agent-supervisor/core/domain";
import type { Report } from "@scheduler-agent-supervisor/core/scheduling";
import { NOW_MS, tickOn, tickOnExactly, tickTogether } from "./abstract-time.ts";
import { attemptOf } from "./attempt-of.ts";
import { handedOn, isEndOfStep, isEndOfTask } from "./handed-on.ts";
import type { HandlerName, OperationName } from "./operation-name.ts";
import { type Entry, isHandler, NOT_YET, runTo, type Stand } from "./operation-run.ts";
import { type Progress, runOrchestration, type TaskEvent } from "./orchestration-run.ts";
import type { Message, Operation, Orchestration, Piece } from "./piece.ts";
import { Pool, Values } from "./pool.ts";
import { AHEAD_MS, type Host, type Setting } from "./setting.ts";
import { findPiece, RECORD, type State } from "./state.ts";

const QUEUES = {
  submitJob: "jobs",
  takeStartAttempt: "scheduler",
  answerRequest: "requests",
  takeReply: "replies",
} as const;

/** Whether something is left to do after a handler has returned. */
function leadsOn(name: OperationName, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (value === NOT_YET) return true;
  if (isEndOfStep(name)) return (value as StepEnd).receiver !== null;
  return (value as ClaimOutcome).kind === "claimed";
}

/** A version of the record is either the one that stands, or not. */
export const CURRENT = "current";
const staled = (json: string) => json.replaceAll(`"etag":"${CURRENT}"`, '"etag":"stale"');

export class Pieces {
  readonly values = new Values();
  /** Where there is no value. */
  readonly nothing = this.values.idOf(null);
  readonly #setting: Setting;
  readonly #tickOn: (json: string) => string;
  readonly #isReduced: boolean;
  readonly #pool = new Pool<Piece>();
  readonly #stands: (Stand | undefined)[] = [];
  readonly #tasks: (StepTask | undefined)[] = [];
  readonly #begun = new Map<string, number>();
  readonly #answered = new Map<string, number>();
  readonly #ticked: number[] = [];
  readonly #staled: number[] = [];
  readonly #results: number[] = [];
  readonly #outputs: number[] = [];
  readonly #messages: number[] = [];
  readonly #names: string[] = [];
  readonly #attempts: (number | null | undefined)[] = [];
  readonly #again: number[] = [];
  readonly #progress = new Map<number, Progress>();
  readonly #lacking = new Map<string, () => Promise<void>>();

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#isReduced = !setting.isExact && !setting.isUnreduced;
    this.#tickOn = setting.isExact ? tickOnExactly : tickOn;
  }

  get size(): number {
    return this.#pool.size;
  }

  get(id: number): Piece {
    return this.#pool.get(id);
  }

  idOf(piece: Piece): number {
    return this.#pool.idOf(JSON.stringify(piece), () => piece);
  }

  /** A message, as it comes into its queue. */
  unsent(queue: Message["queue"], body: unknown, at: string | null = null, until: string | null = null): number {
    return this.idOf({ kind: "message", queue, body: this.values.idOf(body), at, until });
  }

  /** Operations run asynchronously: what is asked of them is found out by `resolve`, and then asked again. */
  get isLacking(): boolean {
    return this.#lacking.size > 0;
  }

  async resolve(): Promise<void> {
    const works = [...this.#lacking.values()];
    this.#lacking.clear();
    for (const work of works) await work();
  }

  /** Undefined where it is still lacking, as with all that follows. */
  begin(
    host: Host,
    name: OperationName,
    input: number,
    owner: Operation["owner"],
    again: Pick<Operation, "isAgain"> = {},
  ): number | undefined {
    const key = `${host}:${name}:${input}:${owner ? `${owner.attempt}:${owner.task}` : ""}:${again.isAgain ?? ""}`;
    const begun = this.#begun.get(key);
    if (begun === undefined) {
      this.#lack(`begin ${key}`, async () => {
        this.#begun.set(key, await this.#go({ kind: "operation", host, name, input, log: [], owner, ...again }));
      });
    }
    return begun;
  }

  /** The same operation from its start: it runs a second time, or again after a death. */
  beginAgain(id: number): number | undefined {
    const known = this.#again[id];
    if (known !== undefined) return known;
    const { host, name, input, owner } = this.get(id) as Operation;
    const begun = this.begin(host, name, input, owner, this.#setting.laterRules && { isAgain: true });
    if (begun !== undefined) this.#again[id] = begun;
    return begun;
  }

  /** The operation once its call is answered. */
  answer(id: number, entry: Entry): number | undefined {
    const value = this.values.idOf(entry);
    const key = `${id}:${value}`;
    const answered = this.#answered.get(key);
    if (answered === undefined) {
      this.#lack(key, async () => {
        const operation = this.get(id) as Operation;
        this.#answered.set(key, await this.#go({ ...operation, log: [...operation.log, value] }));
      });
    }
    return answered;
  }

  stand(id: number): Stand | undefined {
    const known = this.#stands[id];
    if (known) return known;
    const { returned } = this.get(id) as Operation;
    if (returned !== undefined) {
      const stand: Stand = { kind: "returned", value: this.values.get(returned) };
      this.#stands[id] = stand;
      return stand;
    }
    this.#lack(`stand ${id}`, async () => {
      const operation = this.get(id) as Operation;
      const run = { ...operation, input: this.values.get(operation.input) };
      const { stand, task } = await runTo(run, this.#entries(operation), undefined, this.#setting);
      this.#stands[id] = stand;
      this.#tasks[id] = task;
    });
    return undefined;
  }

  /** The step that an activity is at; undefined before `stand` is known, and of whatever is none. */
  taskOf(id: number): StepTask | undefined {
    return this.#tasks[id];
  }

  /** What an activity leads its orchestration to know: as functions/agents.ts returns it. */
  outputOf(id: number): number {
    const known = this.#outputs[id];
    if (known !== undefined) return known;
    const { name, input } = this.get(id) as Operation;
    const stand = this.#stands[id];
    const isEnd = isEndOfTask(name) && stand?.kind === "returned" && Boolean(stand.value);
    const output = isEnd
      ? this.values.idOf(outputOf(this.values.get<StepTask>(input), stand.value as StepEnd) ?? null)
      : this.resultOf(id);
    this.#outputs[id] = output;
    return output;
  }

  /** What an operation has returned for whoever is told by an event. */
  resultOf(id: number): number {
    const known = this.#results[id];
    if (known !== undefined) return known;
    const stand = this.#stands[id];
    const value = stand?.kind === "returned" ? (stand.value ?? null) : null;
    const result = this.values.idOf(handedOn((this.get(id) as Operation).name, value));
    this.#results[id] = result;
    return result;
  }

  /** The message that a handler works on. */
  messageOf(id: number): number {
    const known = this.#messages[id];
    if (known !== undefined) return known;
    const { name, input } = this.get(id) as Operation;
    const queue = QUEUES[name as HandlerName];
    const message = this.idOf({ kind: "message", queue, body: input, at: null, until: null });
    this.#messages[id] = message;
    return message;
  }

  /** An operation in which nobody is interested any more is over as soon as it returns. */
  isOver(id: number): boolean | undefined {
    const stand = this.stand(id);
    if (!stand) return undefined;
    const { name, owner } = this.get(id) as Operation;
    const isEnd = stand.kind === "returned" || stand.kind === "threw";
    // What a submission, a start message or a reply leads to comes after its return.
    const goesOn = stand.kind === "returned" && leadsOn(name, stand.value);
    const isLeft = stand.kind === "threw" && isHandler(name);
    return isEnd && owner === null && !goesOn && !isLeft;
  }

  progress(id: number): Progress {
    const known = this.#progress.get(id);
    if (known) return known;
    const { input, events } = this.get(id) as Orchestration;
    const history = events.map(
      ({ task, kind, value }): TaskEvent =>
        kind === "result" ? { task, kind, value: this.values.get(value) } : { task, kind },
    );
    const attempt = this.values.get<Attempt>(input);
    const { historyBytes = attempt.historyBytes } = this.#setting;
    const progress = runOrchestration({ ...attempt, ...(historyBytes !== undefined && { historyBytes }) }, history);
    this.#progress.set(id, progress);
    return progress;
  }

  /** The piece one tick later. */
  ticked(id: number): number {
    const known = this.#ticked[id];
    if (known !== undefined) return known;
    const ticked = this.idOf(this.#tick(this.get(id)));
    this.#ticked[id] = ticked;
    return ticked;
  }

  /** The piece once the record was written by another. */
  staled(id: number): number {
    const known = this.#staled[id];
    if (known !== undefined) return known;
    const piece = this.get(id);
    const stale =
      piece.kind === "operation"
        ? this.idOf({ ...piece, log: piece.log.map((entry) => this.values.changed(entry, staled)) })
        : id;
    this.#staled[id] = stale;
    return stale;
  }

  /** The attempt that it is of; undefined of a piece that is of none. */
  attemptOf(id: number): number | undefined {
    const known = this.#attempts[id];
    if (known !== undefined) return known ?? undefined;
    const attempt = attemptOf(this.get(id), this.values);
    this.#attempts[id] = attempt ?? null;
    return attempt;
  }

  /** The orchestration of an attempt, as it is placed; 0 if there is none. */
  orchestrationOf(state: State, host: Host, attempt: number): number {
    return findPiece(state, (id) => {
      const piece = this.get(id);
      return piece.kind === "orchestration" && piece.host === host && this.attemptOf(id) === attempt;
    });
  }

  recordOf(state: State): StateRecord | undefined {
    return state[RECORD] === 0 ? undefined : this.values.get<StateRecord>(state[RECORD] as number);
  }

  /** In words, for a trace. */
  nameOf(id: number): string {
    this.#names[id] ??= this.#name(id);
    return this.#names[id];
  }

  #name(id: number): string {
    const { host, name, input } = this.get(id) as Operation;
    const task = this.values.get<{
      step?: string;
      request?: { ticket: { step: string } };
      reply?: { ticket: { step: string } };
      report?: Report;
    } | null>(input);
    // A report is of whatever attempt waits for it.
    if (task?.report) return `${host}: ${name} ${task.report.address.step}`;
    const attempt = this.attemptOf(id);
    if (attempt === undefined) return `${host}: ${name}`;
    const step = task?.step ?? (task?.request ?? task?.reply)?.ticket.step;
    return `${host}: ${name}${step ? ` ${step}` : ""} of attempt ${attempt}`;
  }

  /** A value one tick later. */
  tickedValue(value: number): number {
    return this.values.changed(value, this.#tickOn);
  }

  #tick(piece: Piece): Piece {
    const tick = (value: number) => this.tickedValue(value);
    const tickOn = this.#tickOn;
    switch (piece.kind) {
      case "message": {
        const { at, until } = piece;
        return { ...piece, body: tick(piece.body), at: at && tickOn(at), until: until && tickOn(until) };
      }
      case "orchestration":
        return {
          ...piece,
          input: tick(piece.input),
          events: piece.events.map((event) => ({ ...event, value: tick(event.value) })),
          kept: piece.kept.map(tick),
        };
      case "operation": {
        if (this.#setting.isExact) return { ...piece, input: tick(piece.input), log: piece.log.map(tick) };
        if (piece.returned !== undefined) return { ...piece, input: tick(piece.input), returned: tick(piece.returned) };
        const [input = piece.input, ...log] = this.values.changedTogether([piece.input, ...piece.log], tickTogether);
        return { ...piece, input, log };
      }
      case "lateCall":
        return { ...piece, call: tick(piece.call) };
      default:
        return piece satisfies never;
    }
  }

  async #go(operation: Operation): Promise<number> {
    const { host } = operation;
    const now = new Date(NOW_MS + AHEAD_MS[host]).toISOString();
    const run = { ...operation, input: this.values.get(operation.input) };
    const { log, stand, task } = await runTo(run, this.#entries(operation), now, this.#setting);
    const isLeft = stand.kind === "returned" && this.#isReduced;
    const id = isLeft
      ? this.idOf({ ...operation, log: [], returned: this.values.idOf(stand.value ?? null) })
      : this.idOf({ ...operation, log: log.map((entry) => this.values.idOf(entry)) });
    this.#stands[id] ??= stand;
    this.#tasks[id] ??= task;
    return id;
  }

  #entries({ log }: Operation): Entry[] {
    return log.map((entry) => this.values.get<Entry>(entry));
  }

  #lack(key: string, work: () => Promise<void>): void {
    if (!this.#lacking.has(key)) this.#lacking.set(key, work);
  }
}
