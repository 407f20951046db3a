// What may come of an operation's next call: what it does to the record and the service, and where the operation then stands.

import type { BoundedReply } from "@scheduler-agent-supervisor/core/agents";
import { applyChanges, type Guard, holds, runOf, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Address, StatusMessage } from "@scheduler-agent-supervisor/core/messaging";
import { DEADLINE_AHEAD, fromLongAgoOn, LONG_AGO, NOW_MS } from "./abstract-time.ts";
import { aimOf, publishingOf, sendingOf } from "./call-words.ts";
import type { Accepted, Answers, Call, Sent } from "./calls.ts";
import { isPolled } from "./done-later.ts";
import { normalForm, publishedAs, withOver, withPassedDeadline } from "./normal-form.ts";
import type { Entry } from "./operation-run.ts";
import type { Operation } from "./piece.ts";
import { CURRENT, type Pieces } from "./pieces.ts";
import { type Doing, isFoundBy, Reads, UNKEPT } from "./reads.ts";
import {
  ACCEPTED,
  act,
  find,
  mayReject,
  type OperationCall,
  PENDING,
  polled,
  REJECTED,
  reject,
  type ServiceState,
} from "./service.ts";
import { AHEAD_MS, type Bounds, CONTENT, LATER_MS, type Setting } from "./setting.ts";
import { PREVIOUS, RECORD, SERVICE_STATE, type State } from "./state.ts";
import { faultOfCall, faultOfWrite } from "./watch.ts";
import { isHitByDeadline, writerOf } from "./writer-of.ts";

export interface Effect {
  /** In words, for a trace. */
  readonly what: string;
  /** Where the operation then stands; 0 where it is over. */
  readonly piece: number;
  readonly record: number;
  /** The service's audit log, where the call changes it. */
  readonly serviceState?: number;
  /** Pieces that come into being. */
  readonly adds: readonly number[];
  /** In one send. */
  readonly published?: readonly StatusMessage[];
  /** The record as it was written, before it was brought to its normal form. */
  readonly written?: StateRecord;
  readonly spends?: keyof Bounds;
  readonly fault?: string | undefined;
}

/** What a call leaves as it is. */
type Unchanged = Pick<Effect, "record" | "adds">;
type Change = Omit<Effect, "piece" | "what"> & {
  readonly entry: Entry | null;
  readonly what: string;
  /** Whoever ends after this without a write leaves undone what it is there for. */
  readonly hasToWrite?: boolean;
};

/** What may come of one call; the effects are absent while an operation has still to run to know them. */
interface Outcomes {
  readonly changes: readonly Change[];
  effects?: readonly Effect[];
}

export class Effects {
  readonly #pieces: Pieces;
  readonly #setting: Setting;
  readonly #reads: Reads;
  readonly #isReduced: boolean;
  /** By the operation, then by what its call meets. */
  readonly #known: (Map<number, Outcomes> | undefined)[] = [];
  readonly #plain: StateRecord[] = [];

  constructor(pieces: Pieces, setting: Setting) {
    this.#pieces = pieces;
    this.#isReduced = !setting.isExact && !setting.isUnreduced;
    this.#setting = setting;
    this.#reads = new Reads(pieces, setting);
  }

  /** Undefined where it is still lacking. An operation that has returned makes no call any more. */
  of(id: number, state: State): readonly Effect[] | undefined {
    const call = this.#pieces.stand(id);
    if (!call) return undefined;
    if (call.kind === "returned" || call.kind === "threw") return [];
    const outcomes = this.#outcomesOf(id, call, state);
    if (!outcomes.effects) {
      const effects = outcomes.changes.map((change) => this.#answered(id, change));
      if (effects.some((effect) => effect === undefined)) return undefined;
      outcomes.effects = effects as Effect[];
    }
    return outcomes.effects;
  }

  #outcomesOf(id: number, call: Call, state: State): Outcomes {
    const [record, serviceState, previous] = [RECORD, SERVICE_STATE, PREVIOUS].map((at) => state[at] as number) as [
      number,
      number,
      number,
    ];
    let known = this.#known[id];
    if (!known) {
      known = new Map();
      this.#known[id] = known;
    }
    const beside = call.kind === "service" ? serviceState : isRead(call) ? previous : 0;
    const key = record * 2 ** 26 + beside;
    let outcomes = known.get(key);
    if (!outcomes) {
      const { bounds } = this.#setting;
      const changes = [
        ...this.#changes(id, call, record, serviceState),
        ...this.#staleReads(id, call, record, previous),
      ];
      outcomes = { changes: changes.filter(({ spends }) => !spends || (bounds[spends] ?? 0) > 0) };
      known.set(key, outcomes);
    }
    return outcomes;
  }

  #answered(id: number, { entry, hasToWrite, ...change }: Change): Effect | undefined {
    if (entry === null) return { ...change, piece: id };
    const piece = this.#pieces.answer(id, entry);
    if (piece === undefined) return undefined;
    const isOver = this.#pieces.isOver(piece);
    if (isOver === undefined) return undefined;
    const fault =
      isOver && hasToWrite ? "the deadline has passed, and the sweep leaves the job as it is" : change.fault;
    return { ...change, piece: isOver ? 0 : piece, fault };
  }

  #changes(id: number, call: Call, record: number, serviceState: number): Change[] {
    const operation: Doing = { ...(this.#pieces.get(id) as Operation), id, at: this.#pieces.taskOf(id) };
    const stored = record === 0 ? undefined : this.#pieces.values.get<StateRecord>(record);
    const same = { record, adds: [] };
    const written = (form: StateRecord) => this.#written(operation, form);
    const away: Change = { ...same, what: "the bus is away", entry: { fails: "bus" }, spends: "outages" };
    switch (call.kind) {
      case "create": {
        if (stored) return [{ ...same, what: "duplicate", entry: { answer: duplicate(stored) } }];
        const created = (): Answers["create"] => ({ kind: "created" });
        return this.#writes(operation, undefined, call.record, same, created, "creates job and record");
      }
      case "state":
        return [
          { ...same, what: "reads the record", entry: { answer: this.#reads.of(operation, stored) } },
          this.#storeAway(same),
        ];
      case "due": {
        const isFound = stored !== undefined && isFoundBy(stored, call.before);
        const answer = isFound ? this.#reads.of(operation, stored) : null;
        const isHit = stored !== undefined && isFound && isHitByDeadline(stored);
        const what = isHit ? "finds it past its deadline" : isFound ? "finds it overdue" : "finds nothing";
        const found: Change = { ...same, what, entry: { answer }, ...(isHit && { hasToWrite: true as const }) };
        return stored?.deadlineAt === DEADLINE_AHEAD ? [found, this.#passes(operation, stored)] : [found];
      }
      case "change": {
        const { guard, changes } = call.write;
        if (!stored || !holds(this.#remembered(guard, stored), stored))
          return this.#rejected(same, `${aimOf(call)}: rejected`);
        const after = withOver(stored, applyChanges(stored, changes));
        return this.#writes(operation, stored, after, same, written, aimOf(call));
      }
      case "replace": {
        if (call.etag === UNKEPT)
          throw new Error(`${operation.name} makes use of a version that the model does not keep`);
        const ignores = this.#setting.mutant?.ignoresVersion;
        const isRead = call.etag === CURRENT || ignores === "all" || ignores === operation.name;
        if (!stored || !isRead) return this.#rejected(same, `${aimOf(call)}: rejected`);
        const after = withPassedDeadline(stored, withOver(stored, call.record));
        return this.#writes(operation, stored, after, same, written, aimOf(call));
      }
      case "publish": {
        const what = call.messages.map(publishingOf).join(", and ");
        const published: Change = { ...same, what, entry: { answer: "sent" }, published: call.messages };
        const lost: Change = {
          ...published,
          what: `${what}, the answer lost`,
          entry: { fails: "bus" },
          spends: "outages",
        };
        return [published, away, lost];
      }
      case "send": {
        const what = sendingOf(call.message);
        const sent: Change = { ...same, what, entry: { answer: null }, adds: [this.#messageOf(call.message)] };
        const lost: Change = { ...sent, what: `${what}, the answer lost`, entry: { fails: "bus" }, spends: "outages" };
        return [sent, away, lost];
      }
      case "service":
        return this.#serves(operation, call, stored, serviceState, same);
      default:
        return call satisfies never;
    }
  }

  /** Nobody but a sweep reads the deadline: so it passes when the first one finds it. */
  #passes(operation: Doing, stored: StateRecord): Change {
    const passed = { ...stored, deadlineAt: LONG_AGO };
    const entry = { answer: this.#reads.of(operation, passed) };
    const found = { record: this.#pieces.values.idOf(passed), adds: [], entry, spends: "deadlines" } as const;
    return { ...found, what: "its deadline passes, and that is found", hasToWrite: isHitByDeadline(passed) };
  }

  #staleReads(id: number, call: Call, record: number, previous: number): Change[] {
    if (!isRead(call)) return [];
    const operation: Doing = { ...(this.#pieces.get(id) as Operation), id, at: this.#pieces.taskOf(id) };
    const entry = this.#reads.stale(operation, call, previous);
    const what = "reads the record as it was before its last write";
    return entry ? [{ what, record, adds: [], entry, spends: "staleReads" }] : [];
  }

  /** A write that is made: told so, or the answer lost and the second try rejected, or the store away before or after. */
  #writes(
    operation: Doing,
    before: StateRecord | undefined,
    after: StateRecord,
    same: Unchanged,
    answerTo: (form: StateRecord) => unknown,
    what: string,
  ): Change[] {
    const form = this.#formOf(after);
    const record = this.#stored(form);
    const fault =
      before &&
      faultOfWrite(
        this.#plainOf(same.record),
        publishedAs(before, this.#plainOf(record)),
        writerOf(operation, this.#pieces, this.#reads, this.#setting),
      );
    const made = { ...same, record, written: after, fault };
    return [
      { ...made, what, entry: { answer: answerTo(form) } },
      {
        ...made,
        what: `${what}; its second try is rejected`,
        entry: { answer: this.#reads.rejection() },
        spends: "outages",
      },
      { ...made, what: `${what}; no answer`, entry: { fails: "store" }, spends: "outages" },
      this.#storeAway(same),
    ];
  }

  #rejected(same: Unchanged, what: string): Change[] {
    return [{ ...same, what, entry: { answer: this.#reads.rejection() } }, this.#storeAway(same)];
  }

  #storeAway(same: Unchanged): Change {
    return { ...same, what: "the store is away", entry: { fails: "store" }, spends: "outages" };
  }

  #written(operation: Doing, form: StateRecord): unknown {
    return { kind: "written", ...this.#reads.of(operation, form) };
  }

  #stored(form: StateRecord): number {
    const { values } = this.#pieces;
    const record = values.idOf(form);
    return this.#setting.isExact ? record : values.changed(record, fromLongAgoOn);
  }

  /** In normal form, and not reduced: as the checks read it. */
  #plainOf(record: number): StateRecord {
    this.#plain[record] ??= normalForm(this.#pieces.values.get(record));
    return this.#plain[record];
  }

  #formOf(record: StateRecord): StateRecord {
    return this.#setting.isExact ? record : normalForm(record, this.#isReduced);
  }

  #messageOf(message: Sent): number {
    const { queue, body } = message;
    const at = queue === "scheduler" ? message.at : null;
    const until = queue === "requests" ? new Date(NOW_MS + message.leftMs).toISOString() : null;
    return this.#pieces.unsent(queue, body, at, until);
  }

  #remembered(guard: Guard, stored: StateRecord): Guard {
    const forgets = this.#setting.mutant?.forgets ?? [];
    const { step, siblings, dueBy, processStates, lockedBy, attempt } = guard;
    const run = step && runOf(stored.steps[step.name], step.direction);
    const known = step && { ...step, attempt: forgets.includes("run") ? (run?.attempt ?? 0) : step.attempt };
    return {
      processStates: forgets.includes("processStates") ? [stored.processState] : processStates,
      ...(lockedBy !== undefined && !forgets.includes("lockedBy") && { lockedBy }),
      ...(attempt !== undefined && !forgets.includes("attempt") && { attempt }),
      ...(known && !forgets.includes("step") && { step: known }),
      ...(siblings && !forgets.includes("siblings") && { siblings }),
      ...(dueBy !== undefined && !forgets.includes("dueBy") && { dueBy }),
    };
  }

  #serves(
    operation: Doing,
    call: OperationCall,
    stored: StateRecord | undefined,
    before: number,
    same: Unchanged,
  ): Change[] {
    const { values } = this.#pieces;
    const serviceState = values.get<ServiceState>(before);
    const attempt = this.#pieces.attemptOf(operation.id) ?? 0;
    const acted = act(serviceState, call);
    const after = values.idOf(acted.serviceState);
    const { withoutKeys } = this.#setting;
    const fault = stored && faultOfCall(call, serviceState, stored, attempt, withoutKeys !== undefined);
    const of = `${call.operation}, attempt ${attempt}`;
    const takesLong: Change = { ...same, what: `${of}: takes long`, entry: { answer: { kind: "takes long" } } };
    const isLate = NOW_MS + AHEAD_MS[operation.host] >= Date.parse(call.completeBy);
    if (isLate && !this.#setting.mutant?.ignoresCompleteBy) {
      if (!call.isSaid && !call.isQuery && !call.isPoll) return [takesLong];
      const expired: Change = { ...same, what: `${of}: out of time`, entry: { answer: { kind: "expired", tries: 1 } } };
      if (call.isQuery || call.isPoll) return [expired];
      if (after === before || call.reportTo) return [expired];
      const late = this.#isReduced ? { ...call, completeBy: LONG_AGO, isSaid: true } : { ...call, attempt };
      const request = this.#pieces.idOf({ kind: "lateCall", call: values.idOf(late) });
      return [
        expired,
        { ...expired, what: `${expired.what}, its request on the way`, adds: [request], spends: "lateness" },
      ];
    }
    if (call.isPoll) {
      const answer = polled(serviceState, call);
      const known: Change = { ...same, what: `${of}: polled: ${answer.kind}`, entry: { answer } };
      const unanswered = { answer: { kind: "expired", tries: 1 } };
      return [known, { ...known, what: `${of}: polled, and not answered`, entry: unanswered, spends: "lateness" }];
    }
    if (call.isQuery) {
      const answer = find(serviceState, call);
      return [{ ...same, what: `${of}: asked whether it was done: ${answer.kind}`, entry: { answer } }];
    }
    const changes: Change[] = call.reportTo
      ? this.#accepts(operation, call, call.reportTo, acted.answer, of, same)
      : [{ ...same, what: `${of}: done`, entry: { answer: acted.answer }, serviceState: after, fault }];
    if (after !== before && !call.reportTo) {
      changes.push({
        ...same,
        what: `${of}: done, the answer lost`,
        entry: withoutKeys ? { answer: { kind: "lost" } } : null,
        serviceState: after,
        fault,
        spends: "lateness",
      });
    }
    if (mayReject(serviceState, call)) {
      const rejection = this.#setting.isFickle ? before : values.idOf(reject(serviceState, call));
      changes.push({
        ...same,
        what: `${of}: rejected for good`,
        entry: { answer: REJECTED },
        serviceState: rejection,
        spends: "rejections",
      });
    }
    return call.isSaid ? changes : [...changes, { ...takesLong, spends: "lateness" }];
  }

  /** It answers at once only that it does it, or does not; and somebody else may say that it is done. */
  #accepts(
    { host: replyTo }: Operation,
    { reportTo: _, ...call }: OperationCall,
    address: Address,
    answer: BoundedReply,
    of: string,
    same: Unchanged,
  ): Change[] {
    if (answer.kind === "rejected") return [{ ...same, what: `${of}: rejected as before`, entry: { answer } }];
    const completeBy = new Date(NOW_MS + LATER_MS).toISOString();
    const later: Accepted = { call: { ...call, completeBy, isSaid: true }, address, replyTo };
    const accepted: Change = {
      ...same,
      what: `${of}: accepted`,
      entry: { answer: isPolled(this.#setting, call) ? PENDING : ACCEPTED },
      adds: [this.#pieces.unsent("accepted", later)],
    };
    const { nonce: _secret, ...guessed } = address;
    const report = { address: guessed, kind: "done", result: { id: "forged" } } as const;
    const forged = this.#messageOf({ queue: "replies", body: { report, replyTo } });
    const what = `${of}: accepted, and somebody else says that it is done`;
    return [accepted, { ...accepted, what, adds: [...accepted.adds, forged], spends: "forgeries" }];
  }
}

const isRead = (call: Call) => call.kind === "state" || call.kind === "due";

function duplicate(record: StateRecord): Answers["create"] {
  return { kind: "duplicate", job: CONTENT, record };
}
