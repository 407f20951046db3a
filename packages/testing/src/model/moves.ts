// Every move that a state allows: a call that is answered, a message that arrives, a timer, a sweep, a death, a tick.
import {
  type Attempt,
  type ClaimOutcome,
  outcomeReadBy,
  PROGRESS,
  type StepEnd,
  type StepOutcome,
} from "@scheduler-agent-supervisor/core/domain";
import { NOW_MS, TICK_MS } from "./abstract-time.ts";
import { Attempts } from "./attempts.ts";
import { queuedOf } from "./call-words.ts";
import type { Accepted, Replied } from "./calls.ts";
import { Clock } from "./clock.ts";
import { endsLater, isPolled } from "./done-later.ts";
import { type Effect, Effects } from "./effects.ts";
import { Engine } from "./engine.ts";
import { FinalAnswers } from "./final-answers.ts";
import { isEndOfStep } from "./handed-on.ts";
import { Independence } from "./independence.ts";
import { Judge } from "./judge.ts";
import { isActivity, isHandler, NOT_YET, type Stand } from "./operation-run.ts";
import type { Message, Operation, Orchestration } from "./piece.ts";
import type { Pieces } from "./pieces.ts";
import { act, type OperationCall, type Said, type ServiceState } from "./service.ts";
import type { Host, Setting } from "./setting.ts";
import {
  change,
  FIRST_PIECE,
  findPiece,
  isStalled,
  PREVIOUS,
  pieceOf,
  RECORD,
  SERVICE_STATE,
  type State,
  stalled,
} from "./state.ts";
import { faultOfCall } from "./watch.ts";

export interface Move {
  readonly to: State;
  readonly what: string;
  /** How a fair run without faults chooses: the lowest goes first; 0 is no part of it. */
  readonly rank: number;
  readonly fault?: string | undefined;
}

const HANDLERS = {
  jobs: "submitJob",
  scheduler: "takeStartAttempt",
  requests: "answerRequest",
  replies: "takeReply",
} as const;
const RANK = { never: 0, call: 1, arrival: 2, sweep: 3, tick: 4 } as const;

/** When what can't be taken yet is reported again. */
const IN_A_TICK = new Date(NOW_MS + TICK_MS).toISOString();

export class Moves {
  readonly #setting: Setting;
  readonly #hasNoKeys: boolean;
  readonly #pieces: Pieces;
  readonly #effects: Effects;
  readonly #engine: Engine;
  readonly #requests: readonly number[];
  readonly #judge: Judge;
  readonly #clock: Clock;
  readonly #finalAnswers: FinalAnswers;
  readonly #independence: Independence;
  readonly #attempts: Attempts | undefined;
  readonly #sweeps = new Map<Host, number>();
  #found: Move[] = [];

  constructor(pieces: Pieces, setting: Setting) {
    this.#setting = setting;
    this.#hasNoKeys = setting.withoutKeys !== undefined;
    this.#pieces = pieces;
    this.#effects = new Effects(pieces, setting);
    this.#engine = new Engine(pieces, setting);
    this.#requests = setting.requests.map((request) => pieces.values.idOf(request));
    this.#judge = new Judge(pieces, setting);
    this.#clock = new Clock(pieces, this.#engine, setting);
    this.#finalAnswers = new FinalAnswers(pieces, setting);
    this.#independence = new Independence(pieces, setting);
    // A key that holds an attempt's number would stay as it is. A poll that is never made is owed in one attempt after the other.
    const isNumbered = setting.isExact || (setting.isUnreduced && !setting.polled) || setting.mutant?.keyOf;
    this.#attempts = isNumbered ? undefined : new Attempts(pieces, !setting.isUnreduced);
  }

  /** Those of one piece where it may go first, or all: see independence.ts. To be asked again as `from` is. */
  fewFrom(state: State): readonly Move[] {
    const first = this.#independence.firstOf(state);
    if (first === 0) return this.from(state);
    this.#found = [];
    this.#of(state, first);
    return this.#found;
  }

  isIndependent(state: State, placed: number): boolean {
    return this.#independence.isSo(state, placed);
  }

  /** The moves of one piece, as it is placed. */
  of(state: State, placed: number): readonly Move[] {
    this.#found = [];
    this.#of(state, placed);
    return this.#found;
  }

  /** To be asked again where the pieces are lacking something afterwards. */
  from(state: State): readonly Move[] {
    this.#found = [];
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      // Equal pieces have equal moves.
      if (at === FIRST_PIECE || state[at] !== state[at - 1]) this.#of(state, state[at] as number);
    }
    for (const host of this.#setting.hosts) this.#sweep(state, host);
    this.#operator(state);
    const ticked = this.#clock.tick(state);
    if (ticked) this.#add(ticked, "the clock ticks", RANK.tick);
    return this.#found;
  }

  #of(state: State, placed: number): void {
    const piece = this.#pieces.get(pieceOf(placed));
    switch (piece.kind) {
      case "message":
        if (piece.queue === "accepted") this.#report(state, placed, this.#pieces.values.get<Accepted>(piece.body));
        else this.#deliver(state, placed, piece);
        break;
      case "orchestration":
        this.#timers(state, placed, piece);
        break;
      case "operation":
        this.#operation(state, placed, piece);
        break;
      case "lateCall":
        this.#lateCall(state, placed, this.#pieces.values.get<OperationCall>(piece.call));
        break;
      default:
        piece satisfies never;
    }
  }

  #deliver(state: State, placed: number, message: Message): void {
    if (message.at !== null && Date.parse(message.at) > NOW_MS) return;
    for (const host of this.#hostsFor(message)) {
      const begun = this.#received(state, host, message);
      if (!begun) continue;
      const what = `${host}: ${queuedOf(message)} arrives`;
      this.#add(change(begun, placed, []), what, RANK.arrival);
      const again = this.#clock.spend(begun, "repeats");
      if (again) this.#add(change(again, placed, [pieceOf(placed)]), `${what}, and will again`, RANK.never);
    }
  }

  /** The service does what it accepted, or does not, and says so; or only that it is at it. */
  #report(state: State, placed: number, { call, address, replyTo }: Accepted): void {
    const { values } = this.#pieces;
    const before = values.get<ServiceState>(state[SERVICE_STATE] as number);
    const stored = this.#pieces.recordOf(state);
    const says = (said: Said) => [this.#pieces.unsent("replies", { report: { address, ...said }, replyTo })];
    const fault = stored && faultOfCall(call, before, stored, Number.POSITIVE_INFINITY, this.#hasNoKeys);
    const of = `the service: ${call.operation}, accepted before`;
    for (const end of endsLater(before, call, this.#setting)) {
      const from = end.isRejection ? this.#clock.spend(state, "rejections") : state;
      const serviceState = values.idOf(end.serviceState);
      const to = from && change(from, placed, end.says ? says(end.says) : [], { serviceState });
      const [rank, wrong] = end.isRejection ? [RANK.never, undefined] : [RANK.arrival, fault];
      if (to) this.#add(to, `${of}: ${end.what}`, rank, wrong);
    }
    const going = isPolled(this.#setting, call) ? undefined : this.#clock.spend(state, "progress");
    const progress = says({ kind: "progress", within: "PT60S" });
    if (going) this.#add(change(going, placed, [pieceOf(placed), ...progress]), `${of}: is at it`, RANK.never);
  }

  /** A reply goes to the hub that its request names. */
  #hostsFor(message: Message): readonly Host[] {
    if (message.queue !== "replies") return this.#setting.hosts;
    const { replyTo } = this.#pieces.values.get<Replied>(message.body);
    return this.#setting.hosts.filter((host) => host === replyTo);
  }

  #received(state: State, host: Host, { queue, body }: Message): State | undefined {
    if (queue === "accepted") return undefined;
    const begun = this.#pieces.begin(host, HANDLERS[queue], body, null);
    return begun === undefined ? undefined : change(state, 0, [begun]);
  }

  #timers(state: State, placed: number, { host }: Orchestration): void {
    const attempt = this.#pieces.attemptOf(pieceOf(placed));
    const polling = this.#engine.polledBy(state, placed);
    if (polling) this.#add(polling, `${host}: a timer of attempt ${attempt} fires, and it polls`, RANK.arrival);
    const found = this.#engine.foundBy(state, placed);
    if (found === undefined || attempt === undefined) return;
    const raised = this.#engine.raise(state, host, attempt, PROGRESS, found);
    if (!raised) return;
    const isHeld = this.#pieces.values.get<StepOutcome>(found).kind === "completed";
    const { fault, ...fields } = isHeld ? this.#judge.afterLook(state) : {};
    const what = `${host}: a timer of attempt ${attempt} fires, and it looks at the record`;
    this.#add(change(raised, 0, [], fields), what, RANK.arrival, fault);
  }

  #lateCall(state: State, placed: number, call: OperationCall): void {
    const { values } = this.#pieces;
    const before = values.get<ServiceState>(state[SERVICE_STATE] as number);
    const serviceState = values.idOf(act(before, call).serviceState);
    const stored = this.#pieces.recordOf(state);
    const fault = stored && faultOfCall(call, before, stored, Number.POSITIVE_INFINITY, this.#hasNoKeys);
    const what = `the service: ${call.operation}, after its agent gave up`;
    this.#add(change(state, placed, [], { serviceState }), what, RANK.arrival, fault);
  }

  #operation(state: State, placed: number, operation: Operation): void {
    const stand = this.#pieces.stand(pieceOf(placed));
    if (!stand) return;
    const who = this.#pieces.nameOf(pieceOf(placed));
    this.#end(state, placed, operation, stand, who);
    const effects = this.#effects.of(pieceOf(placed), state);
    for (const effect of effects ?? []) this.#apply(state, placed, effect, `${who}: ${effect.what}`);
    this.#die(state, placed, operation, who);
    if (operation.owner) this.#runTwice(state, placed, who);
  }

  /** It has returned: the engine records an activity's result, and a handler does what is left to do. */
  #end(state: State, placed: number, operation: Operation, stand: Stand, who: string): void {
    if (stand.kind !== "returned" && stand.kind !== "threw") return;
    const { host, name, owner } = operation;
    const what = `${who} has ${stand.kind === "threw" ? "failed" : "returned"}`;
    if (isHandler(name)) this.#endHandler(state, placed, operation, stand, what);
    if (isHandler(name) || (!owner && stand.kind === "threw")) return;
    if (!owner) {
      const reported = this.#reported(change(state, placed, []), placed, host, stand);
      if (reported) this.#add(reported, what, RANK.call);
      return;
    }
    if (name === "publishEnd" && stand.kind === "threw") {
      const again = this.#pieces.beginAgain(pieceOf(placed));
      if (again !== undefined) this.#add(change(state, placed, [again]), `${what}, and is tried again`, RANK.call);
      return;
    }
    const value = this.#pieces.outputOf(pieceOf(placed));
    const event = { task: owner.task, kind: stand.kind === "threw" ? "failed" : "result", value } as const;
    const reported = this.#reported(change(state, placed, []), placed, host, stand);
    if (!reported) return;
    // What it reports may have ended the attempt that began it.
    const orchestration = this.#pieces.orchestrationOf(reported, host, owner.attempt);
    const hasReceiver = orchestration !== 0 && this.#engine.waitsFor(orchestration, owner.task);
    const next = hasReceiver ? this.#engine.progress(reported, orchestration, event) : reported;
    if (next) this.#add(next, what, RANK.call, this.#finalAnswers.faultOfEnd(state, pieceOf(placed)));
  }

  /** The state once whoever has to hear what came of a step has heard it. */
  #reported(state: State, placed: number, host: Host, stand: Stand): State | undefined {
    const { name } = this.#pieces.get(pieceOf(placed)) as Operation;
    if (!isEndOfStep(name) || stand.kind !== "returned" || !stand.value) return state;
    const { receiver } = stand.value as StepEnd;
    if (receiver === null) return state;
    return this.#engine.raise(state, host, receiver, PROGRESS, this.#pieces.resultOf(pieceOf(placed)));
  }

  /** A submission or a start message starts the attempt that it claimed, a reply raises its event. What throws leaves its message to come again. */
  #endHandler(state: State, placed: number, operation: Operation, stand: Stand, what: string): void {
    if (stand.kind === "threw")
      this.#add(change(state, placed, [this.#pieces.messageOf(pieceOf(placed))]), what, RANK.call);
    if (stand.kind !== "returned") return;
    const { host, name } = operation;
    const rest = change(state, placed, []);
    if (this.#pieces.isOver(pieceOf(placed))) {
      // It had nothing to do.
      this.#add(rest, what, RANK.call);
      return;
    }
    if (name === "submitJob" || name === "takeStartAttempt") {
      const { attempt, isBehind } = stand.value as Extract<ClaimOutcome, { kind: "claimed" }>;
      const next = this.#started(state, rest, host, attempt, isBehind);
      const number = attempt.attempt;
      if (next)
        this.#add(next, `${what}: attempt ${number} starts`, RANK.call, this.#faultOfStart(state, host, number));
      return;
    }
    if (stand.value === NOT_YET) {
      const again = this.#pieces.unsent("replies", this.#pieces.values.get(operation.input), IN_A_TICK);
      this.#add(change(state, placed, [again]), `${what}: not yet`, RANK.call);
      return;
    }
    const next = this.#reported(rest, placed, host, stand);
    if (next) this.#add(next, `${what}: the attempt is notified of it`, RANK.call);
  }

  /** As `startClaimed` of packages/core/src/scheduler/scheduler-client.ts; its look at the record comes with the start. */
  #started(state: State, rest: State, host: Host, claimed: Attempt, isBehind: boolean): State | undefined {
    const { values } = this.#pieces;
    const { attempt } = claimed;
    const raised = (to: State | undefined, receiver: number, outcome: StepOutcome) =>
      to && this.#engine.raise(to, host, receiver, PROGRESS, values.idOf(outcome));
    let next = this.#engine.start(rest, host, values.idOf(claimed));
    if (attempt > 1) next = raised(next, attempt - 1, { kind: "superseded", by: attempt });
    if (!isBehind) return next;
    const found = outcomeReadBy(claimed, this.#pieces.recordOf(state));
    next = raised(next, attempt, found);
    return next && found.kind === "completed" ? change(next, 0, [], this.#judge.afterLook(state)) : next;
  }

  #faultOfStart(state: State, host: Host, attempt: number): string | undefined {
    const other = this.#setting.hosts.find(
      (one) => one !== host && this.#pieces.orchestrationOf(state, one, attempt) !== 0,
    );
    return other && `${host} and ${other} both believe that they hold attempt ${attempt}`;
  }

  #apply(state: State, placed: number, effect: Effect, what: string): void {
    const next = effect.spends ? this.#clock.spend(state, effect.spends) : state;
    if (!next) return;
    const outcome = this.#judge.outcomeOf(state, effect);
    const { record, serviceState, promises } = outcome;
    const fault = outcome.fault ?? this.#finalAnswers.faultOf(pieceOf(placed), effect);
    const others = effect.written ? this.#stale(next, placed) : next;
    const isKept = effect.written && this.#clock.mayStill(next, "staleReads");
    const previous = isKept ? state[RECORD] || this.#pieces.nothing : (next[PREVIOUS] as number);
    const fields = { record, serviceState, promises, previous };
    // Of two messages that say the same, one is enough: each may be delivered twice.
    const adds = effect.adds.filter((added) => findPiece(state, (id) => id === added) === 0);
    if (effect.piece !== 0) adds.push(effect.piece);
    this.#add(change(others, placed, adds, fields), what, effect.spends ? RANK.never : RANK.call, fault);
  }

  /** What the others have read of the record is not what stands there any more. */
  #stale(state: State, writer: number): State {
    const next = [...state];
    for (let at = FIRST_PIECE; at < state.length; at += 1) {
      const placed = state[at] as number;
      if (placed === writer) continue;
      const staled = this.#pieces.staled(pieceOf(placed));
      next[at] = isStalled(placed) ? stalled(staled) : staled;
    }
    return next;
  }

  /** What is durable is taken up again: an activity by the engine, a message by the bus, a sweep by the next one. */
  #die(state: State, placed: number, operation: Operation, who: string): void {
    const next = this.#clock.spend(state, "deaths");
    if (!next) return;
    const { name } = operation;
    const again = isActivity(name)
      ? this.#pieces.beginAgain(pieceOf(placed))
      : isHandler(name)
        ? this.#pieces.messageOf(pieceOf(placed))
        : 0;
    if (again === undefined || again === pieceOf(placed)) return;
    this.#add(change(next, placed, again === 0 ? [] : [again]), `${who} dies`, RANK.never);
  }

  #runTwice(state: State, placed: number, who: string): void {
    const next = this.#clock.spend(state, "repeats");
    const again = next && this.#pieces.beginAgain(pieceOf(placed));
    if (next && again !== undefined) this.#add(change(next, 0, [again]), `${who} runs a second time`, RANK.never);
  }

  /** Both supervisors believe that they lead. */
  #sweep(state: State, host: Host): void {
    if (state[RECORD] === 0 || this.#operationOf(state, "sweep", host) !== 0) return;
    const begun = this.#sweeps.get(host) ?? this.#pieces.begin(host, "sweep", this.#pieces.nothing, null);
    if (begun !== undefined) this.#sweeps.set(host, begun);
    this.#look(state, begun, `${host}: sweep`, RANK.sweep);
  }

  #operator(state: State): void {
    if (state[RECORD] === 0 || this.#operationOf(state, "operateJob") !== 0) return;
    const next = this.#clock.spend(state, "actions");
    if (!next) return;
    for (const [index, request] of this.#setting.requests.entries()) {
      const begun = this.#pieces.begin("east", "operateJob", this.#requests[index] as number, null);
      this.#look(next, begun, `the operator asks for ${request.kind}`, RANK.never);
    }
  }

  /** An operation that begins with a look at the record; where that is all it does, nothing moves. */
  #look(state: State, begun: number | undefined, what: string, rank: number): void {
    if (begun === undefined) return;
    for (const { piece, what: how, spends, record, fault } of this.#effects.of(begun, state) ?? []) {
      if (spends === "outages" || (piece === 0 && fault === undefined)) continue;
      const next = spends ? this.#clock.spend(state, spends) : state;
      const to = next && change(next, 0, piece === 0 ? [] : [piece], { record });
      if (to) this.#add(to, `${what}: ${how}`, spends ? RANK.never : rank, fault);
    }
  }

  #operationOf(state: State, name: Operation["name"], host?: Host): number {
    return findPiece(state, (id) => {
      const piece = this.#pieces.get(id);
      return piece.kind === "operation" && piece.name === name && (host === undefined || piece.host === host);
    });
  }

  #add(to: State, what: string, rank: number, fault?: string | undefined): void {
    this.#found.push({ to: this.#attempts?.closedUp(to) ?? to, what, rank, fault });
  }
}
