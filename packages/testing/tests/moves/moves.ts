// What may happen in a random run, each move with its words.
import { hasEnded, Outage, runsInHand, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { SteppedWorld } from "../../src/world/create-world.ts";
import { PARTS } from "../../src/world/outages.ts";
import { SCHEDULER, SUBMISSION, SUPERVISOR } from "../../src/world/processes.ts";
import type { Dice } from "./dice.ts";
import type { Hindrances } from "./hindrances.ts";
import { isAwayLeftOut, isStopLeftOut } from "./left-out.ts";
import { AGENTS, PLACES, type RandomBusiness, randomContent } from "./random-business.ts";

/** How often each is made, in proportion. */
const WEIGHTS = {
  ...{ pause: 4, away: 4, loseAnswer: 2, moveOn: 5, skew: 1 },
  ...{ cancel: 1, operatorCancel: 1, compensate: 1, resubmit: 3, extend: 1 },
  ...{ serviceFault: 4, bug: 1, kill: 3, delay: 2, twice: 2 },
} as const;

/** Shorter and longer than what is told from a late sweep (2 minutes) and from a poll that is missed (10 minutes). */
const LENGTHS_S = [4, 25, 50, 100, 130, 300, 540, 660, 1500, 3300] as const;
const KILLED_FOR_MS = 30_000;
/** A wait goes on for an hour at most because the app was away at its end. */
const LONGEST_AWAY_MS = 3_300_000;

interface Scene extends RandomBusiness {
  readonly world: SteppedWorld;
  readonly dice: Dice;
  readonly hindrances: Hindrances;
  readonly clockSkewMs: number;
}

export class Moves {
  readonly #in: Scene;
  readonly #paused = new Set<string>();
  /** What ends now. */
  readonly #due: (() => Promise<void>)[] = [];

  constructor(scene: Scene) {
    this.#in = scene;
  }

  /** What was begun for a while, and is over now. */
  async endWhatIsOver(): Promise<void> {
    for (let end = this.#due.shift(); end; end = this.#due.shift()) await end();
  }

  /** Everything comes back. */
  async endAll(): Promise<void> {
    const { world, bugs } = this.#in;
    world.outages.end();
    for (const agent of [...this.#paused]) await this.#resume(agent);
    bugs.clear();
    for (const agent of AGENTS) world.service(agent).works();
    for (const place of PLACES) this.#in.hindrances.end(`bug: ${place}`, world.time.now);
  }

  /** @returns in words; undefined if it can't be made now */
  async make(record: StateRecord | undefined): Promise<string | undefined> {
    const move = this.#in.dice.weighted(WEIGHTS);
    try {
      return await this.#made(move, record);
    } catch (cause) {
      if (cause instanceof Outage) return `${move}: ${cause.message}`;
      throw cause;
    }
  }

  async #made(move: keyof typeof WEIGHTS, record: StateRecord | undefined): Promise<string | undefined> {
    const { world, dice, content, hindrances } = this.#in;
    const id = content.jobId;
    const { processes, outages, time } = world;
    switch (move) {
      case "pause": {
        const agent = dice.oneOf(AGENTS);
        if (this.#paused.has(agent)) return this.#resume(agent);
        await again(() => world.operator.pause(agent));
        this.#paused.add(agent);
        hindrances.add(`paused: ${agent}`, time.now);
        return `an operator pauses ${agent}, ${this.#forAWhile(() => this.#resume(agent))}`;
      }
      case "away": {
        const part = dice.oneOf(PARTS);
        const toDue = (dice.isBelow(0.5) && this.#atDue(record)) || Number.POSITIVE_INFINITY;
        const ms = toDue - time.now <= LONGEST_AWAY_MS ? toDue - time.now : dice.oneOf(LENGTHS_S) * 1000;
        if (outages.until(part) !== undefined) return undefined;
        if (isAwayLeftOut({ part, ms }, record)) return undefined;
        outages.begin(part, ms);
        hindrances.add(part, time.now, time.now + ms);
        processes.hold();
        return `the ${part} is away for ${ms / 1000} s`;
      }
      case "loseAnswer": {
        const part = dice.oneOf(["store", "bus"] as const);
        outages.loseAnswer(part);
        hindrances.add(part, time.now, time.now + 1000);
        return `the next answer of the ${part} is lost`;
      }
      case "moveOn":
        return this.#moveOn(record);
      case "skew": {
        const most = this.#in.clockSkewMs / 2;
        for (const process of [SUBMISSION, SCHEDULER, SUPERVISOR, ...AGENTS])
          time.ahead.set(process, Math.round(dice.between(-most, most)));
        return `the clocks differ: ${JSON.stringify([...time.ahead])}`;
      }
      case "cancel":
        if (!record) return undefined;
        await world.cancel(content);
        return "its requester cancels it";
      case "operatorCancel":
        return record && `an operator cancels it: ${(await world.operator.cancel(id)).kind}`;
      case "compensate":
        return record && `an operator compensates it: ${(await world.operator.compensate(id)).kind}`;
      case "extend": {
        const by = dice.oneOf(["PT1M", "PT15M", "PT3H"]);
        return record && `an operator extends it by ${by}: ${(await world.operator.extend(id, { by })).kind}`;
      }
      case "resubmit": {
        if (!record || !hasEnded(record.processState)) return undefined;
        const how = dice.oneOf([{}, {}, { direction: "forward" }, { job: randomContent(dice) }] as const);
        return `an operator resubmits it, ${JSON.stringify(how)}: ${(await world.operator.resubmit(id, how)).kind}`;
      }
      case "serviceFault": {
        const agent = dice.oneOf(AGENTS);
        const forMs = dice.oneOf(LENGTHS_S.slice(0, 5)) * 1000;
        const fault = dice.oneOf([
          { kind: "down", forMs },
          { kind: "slow", delayMs: 3000, forMs },
          { kind: "slow", delayMs: 12_000, calls: 1 },
          { kind: "hang", calls: 1 },
          { kind: "loseReply", calls: 1 + dice.upTo(1) },
        ] as const);
        world.service(agent).switchOn(fault);
        return `the service of ${agent}: ${JSON.stringify(fault)}`;
      }
      case "bug": {
        const place = dice.oneOf(PLACES);
        this.#in.bugs.add(place);
        hindrances.add(`bug: ${place}`, time.now);
        const mend = async () => {
          this.#in.bugs.delete(place);
          hindrances.end(`bug: ${place}`, time.now);
        };
        return `the app's code throws in ${place}, ${this.#forAWhile(mend)}`;
      }
      case "kill": {
        const process = dice.oneOf([SUBMISSION, SCHEDULER, SUPERVISOR, ...AGENTS]);
        world.kill(process);
        hindrances.add(`down: ${process}`, time.now, time.now + KILLED_FOR_MS);
        return `${process} is killed`;
      }
      case "delay":
      case "twice": {
        const waiting = processes.inFlight.filter(({ kind }) => kind !== "turn");
        if (waiting.length === 0) return undefined;
        const { id: message, what } = dice.oneOf(waiting);
        if (move === "twice") processes.double(message);
        else {
          const ms = dice.oneOf([1000, 20_000, 70_000]);
          if (isAwayLeftOut({ part: "engine", ms }, record)) return undefined;
          processes.delay(message, ms);
          hindrances.add("engine", time.now, time.now + ms);
        }
        return `${move}: ${what}`;
      }
      default:
        return move satisfies never;
    }
  }

  async #resume(agent: string): Promise<string> {
    const { world, hindrances } = this.#in;
    if (!this.#paused.delete(agent)) return "";
    try {
      await again(() => world.operator.resume(agent));
    } catch (cause) {
      if (!(cause instanceof Outage)) throw cause;
      this.#paused.add(agent);
      this.#in.world.time.atAllEvents(world.time.now + 30_000, () =>
        this.#due.push(async () => void (await this.#resume(agent))),
      );
      return `an operator can't resume ${agent}`;
    }
    hindrances.end(`paused: ${agent}`, world.time.now);
    return `an operator resumes ${agent}`;
  }

  #forAWhile(end: () => Promise<unknown>): string {
    const { world, dice } = this.#in;
    const seconds = dice.oneOf(LENGTHS_S) * dice.oneOf([1, 1, 10]);
    world.time.atAllEvents(world.time.now + seconds * 1000, () => this.#due.push(async () => void (await end())));
    return `for ${seconds} s`;
  }

  /** Shortly before or after something is due. */
  #atDue(record: StateRecord | undefined): number | undefined {
    const { world, dice, clockSkewMs } = this.#in;
    const { now } = world.time;
    const ahead = (record ? instantsOf(record) : []).map((at) => Date.parse(at)).filter((at) => at > now);
    if (ahead.length === 0) return undefined;
    const at = dice.oneOf(ahead) + dice.oneOf([-clockSkewMs, -1, 1, clockSkewMs + 1, 45_000, 130_000, 660_000]);
    return at > now ? at : undefined;
  }

  /** All hosts stand still until shortly before or after something is due; then the supervisor may look before anything else goes on. */
  async #moveOn(record: StateRecord | undefined): Promise<string | undefined> {
    const { world, dice, hindrances } = this.#in;
    const { time } = world;
    const to = this.#atDue(record);
    const ms = (to ?? 0) - time.now;
    if (to === undefined || isStopLeftOut(ms, to, record)) return undefined;
    hindrances.add("stopped", time.now, to);
    time.skipTo(to);
    const isSweepFirst = dice.isBelow(0.5);
    if (isSweepFirst) await world.sweep();
    return `the app stands still until ${new Date(to).toISOString()}${isSweepFirst ? ", and the supervisor looks first" : ""}`;
  }
}

/** Who gets no answer asks once more: the first may have been lost. */
async function again(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch {
    await ask();
  }
}

function instantsOf({ steps, dueAt, deadlineAt }: StateRecord): string[] {
  const ofRuns = runsInHand(steps).flatMap(({ run }) => [
    run.startBy,
    run.completeBy,
    run.accepted?.pollAt,
    run.again?.at,
  ]);
  const pauses = Object.values(steps).map(({ notBefore }) => notBefore);
  return [...ofRuns, ...pauses, dueAt, deadlineAt].flatMap((at) => at ?? []);
}
