// One random run of a job: a random workflow, moves at random times, and at the end everything comes back and the clock runs until nothing is due.
import { runOf, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { type JobStore, recordOf } from "@scheduler-agent-supervisor/core/store";
import type { MemoryJobStore } from "../../src/memory/memory-job-store.ts";
import { createSteppedWorld, type SteppedWorld } from "../../src/world/create-world.ts";
import { Dice } from "./dice.ts";
import { Hindrances } from "./hindrances.ts";
import { Moves } from "./moves.ts";
import { Oracle } from "./oracle.ts";
import { randomBusiness } from "./random-business.ts";
import { RandomServices } from "./random-services.ts";

export interface RandomRun {
  readonly seed: number;
  /** What is wrong; empty if nothing is. */
  readonly faults: readonly string[];
  /** The moves, and what the record says. */
  readonly trace: readonly string[];
  readonly record: StateRecord | undefined;
  readonly moves: readonly string[];
}

/** The seeds that find something, each with what it finds and with the command that shows all that happens in it. */
export async function runsFrom(first: number, count: number, options: RunOptions): Promise<string[]> {
  const found: string[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const { faults } = await randomRun(seed, options);
    const lists = options.hasLists ? " --lists" : "";
    const command = `npm run node -- packages/testing/tests/moves/main.ts --seed ${seed}${lists}`;
    if (faults.length > 0) found.push(`${faults[0]}: ${command}`);
  }
  return found;
}

const CLOCK_SKEW_MS = 2000;
const MOST_STEPS = 4000;

export interface RunOptions {
  readonly hasLists: boolean;
}

export async function randomRun(seed: number, { hasLists }: RunOptions): Promise<RandomRun> {
  const dice = new Dice(seed);
  const random = randomBusiness(dice, hasLists);
  const { business, workflow, content } = random;
  const services = new RandomServices(workflow, dice);
  const hindrances = new Hindrances();
  const trace: string[] = [JSON.stringify(workflow)];
  const moves: string[] = [];
  let world: SteppedWorld;
  const around = {
    ...{ workflow, services, hindrances, clockSkewMs: CLOCK_SKEW_MS },
    now: () => world.time.now,
    process: () => world.time.process,
  };
  const oracle = new Oracle(around);
  world = createSteppedWorld(
    {
      ...{ business, seed, countsBugs: true, timing: { clockSkewMs: CLOCK_SKEW_MS } },
      simulated: (surroundings) => services.handlers(surroundings, (...call) => oracle.called(...call)),
    },
    {
      store: (store) =>
        watched(store, (before, after) => {
          say(`  ${world.time.process ?? "operator or service"}: ${changesIn(before, after)}`);
          oracle.written(before, after);
        }),
      messenger: (messenger) => ({
        ...messenger,
        async publish(reply, messages) {
          const published = await messenger.publish(reply, messages);
          oracle.published(messages);
          return published;
        },
      }),
    },
  );
  const { jobId } = content;
  const record = () => {
    try {
      return world.record(jobId);
    } catch {
      return undefined;
    }
  };
  const made = new Moves({ ...random, world, dice, hindrances, clockSkewMs: CLOCK_SKEW_MS });
  const say = (what: string) => {
    trace.push(`${world.now}  ${what}`);
  };
  const run = async () => {
    world.send(content);
    let left = 2 + dice.upTo(8);
    for (let steps = 0; steps < MOST_STEPS && oracle.faults.length === 0; steps += 1) {
      const begun = await world.step();
      await made.endWhatIsOver();
      if (!begun && (left === 0 || dice.isBelow(0.3))) break;
      if (left === 0 || (begun && !dice.isBelow(0.15))) continue;
      left -= 1;
      const now = record();
      if (now) oracle.looked(now);
      const said = await made.make(now);
      if (said === undefined) continue;
      say(said);
      moves.push(said);
    }
    say("everything comes back");
    services.isHealed = true;
    await made.endAll();
    await world.run();
    const end = record();
    if (end) oracle.ended(end);
    else oracle.faults.push("there is no record");
  };
  try {
    await run();
  } catch (cause) {
    oracle.faults.push(
      cause instanceof Error ? `${cause.message}${cause.cause ? `: ${cause.cause}` : ""}` : String(cause),
    );
  }
  const end = record();
  const history = (end?.history ?? []).map(({ at, what, by }) => `${at}    ${what} (${by})`);
  return { seed, faults: oracle.faults, trace: merged(trace, history), record: end, moves };
}

/** In the order of time; the first line is the workflow. */
function merged([first = "", ...trace]: readonly string[], history: readonly string[]): string[] {
  return [first, ...[...trace, ...history].sort((one, other) => (one.slice(0, 24) < other.slice(0, 24) ? -1 : 1))];
}

/** The runs that changed, and how the record stands, in words. */
function changesIn(before: StateRecord | undefined, after: StateRecord): string {
  const runs = Object.entries(after.steps).flatMap(([name, step]) =>
    (["forward", "compensate"] as const).map(
      (way) => [name, way, runOf(before?.steps[name], way), runOf(step, way)] as const,
    ),
  );
  const changed = runs.flatMap(([name, way, was, is]) => {
    if (is === null || JSON.stringify(was) === JSON.stringify(is)) return [];
    const { state, attempt, startBy, completeBy, waitCount, failureCount = 0, accepted, again } = is;
    const counts = `${waitCount} waits, ${failureCount} failures`;
    const times = [startBy, completeBy, accepted?.pollAt, again?.at].map((at) => at?.slice(11, 23) ?? "-").join(" ");
    return [`${name}${way === "forward" ? "" : " back"} ${state} of ${attempt ?? "-"}, ${times}, ${counts}`];
  });
  return [`${after.processState} ${after.attempt}, due ${after.dueAt?.slice(11, 23) ?? "-"}`, ...changed].join("; ");
}

/** @param written sees each write that was made */
function watched(
  store: MemoryJobStore,
  written: (before: StateRecord | undefined, after: StateRecord) => void,
): MemoryJobStore {
  const recordIn = (jobId: string) => {
    const stored = store.stored(jobId);
    return stored && recordOf(stored);
  };
  const watching = async <Answer>(jobId: string, write: () => Promise<Answer>): Promise<Answer> => {
    const before = recordIn(jobId);
    const answer = await write();
    const after = recordIn(jobId);
    if (after && JSON.stringify(after) !== JSON.stringify(before)) written(before, after);
    return answer;
  };
  return {
    ...store,
    create: (job, record) => watching(record.jobId, () => store.create(job, record)),
    change: (jobId, write) => watching(jobId, () => store.change(jobId, write)),
    replace: (read, record) => watching(record.jobId, () => store.replace(read, record)),
    revise: (read, record, job) => watching(record.jobId, () => store.revise(read, record, job)),
    close: (read, record, lifetime) => watching(record.jobId, () => store.close(read, record, lifetime)),
  } satisfies JobStore & MemoryJobStore;
}
