// The scheduler on the library that durable-functions 4 is built on: with the same seeds and faults it ends with the same durable state.

import { createWorld, type World, type WorldOptions } from "@scheduler-agent-supervisor/testing";
import { createWorldOn, MemoryEngine, type WorldEngine } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";
import { DurableTaskEngine } from "./durable-task-engine.ts";

/** Most of the seeds need some hundreds. */
const MOST_EVENTS = 3000;
const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);

/** A small generator of its own, so that both engines get the same faults. */
function chooser(seed: number): (most: number) => number {
  let state = seed * 2_654_435_761;
  return (most) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state % most;
  };
}

const OPERATIONS = [
  ["payment", "authorize"],
  ["payment", "capture"],
  ["inventory", "reserve"],
  ["shipping", "arrange"],
  ["flight", "book"],
  ["car", "rent"],
] as const;

async function end(seed: number, create: (options: WorldOptions) => World): Promise<object> {
  const choose = chooser(seed);
  const world = create({ business, seed });
  const workflow = choose(2) === 0 ? "trip" : "order-fulfilment";
  world.service("hotel").reportsLater("book", {
    after: "PT5M",
    ...(choose(4) > 0 ? { result: { bookingId: "b-1" } } : { rejection: "full" }),
  });
  // Asked whether it was done, it does not know the booking: it is asked for it again, under the same key.
  world.service("flight").answers("book done?", { body: { items: [] } });
  for (let fault = 0; fault < 2; fault += 1) {
    const [agent, operation] = OPERATIONS[choose(OPERATIONS.length)] ?? OPERATIONS[0];
    const times = 1 + choose(6);
    const service = world.service(agent);
    [
      () => service.rejects(operation, { times }),
      () => service.losesAnswer(operation, { times }),
      () => service.hangs(operation, { times }),
      () => service.switchOn({ kind: "down", forMs: times * 60_000 }),
      () => undefined,
    ][choose(5)]?.();
  }
  const order = sampleOrder("o-1", { workflow });
  await world.submit(order);
  if (choose(8) === 0) await world.cancel(order);
  // More of them: it goes round and round.
  await world.run({ most: MOST_EVENTS });
  return {
    record: withoutSecrets(world.record("o-1")),
    statuses: world.statuses("o-1").map(({ status, step }) => ({ status, step })),
  };
}

/** Excluded: random texts of reports' addresses, which are drawn in the sequence in which activities run. */
function withoutSecrets(record: object): object {
  return JSON.parse(JSON.stringify(record, (name, value) => (name === "nonce" ? undefined : value)));
}

const onNext = (options: WorldOptions) => createWorldOn((engine) => new DurableTaskEngine(engine), options);
const ends = new Set<unknown>();

test.each(SEEDS)("P16 both engines end with the same durable state: seed %d", async (seed) => {
  const now = await end(seed, createWorld);
  ends.add((now as { readonly record: { readonly processState?: unknown } }).record.processState);
  expect(await end(seed, onNext)).toEqual(now);
});

test("the seeds lead to several ends", () => {
  expect([...ends].sort()).toEqual(expect.arrayContaining(["Compensated", "Processed"]));
});

/** Each attempt continues as new as soon as it may. */
function impatient<Engine extends WorldEngine>(engine: Engine): Engine {
  const start = engine.startNew.bind(engine);
  engine.startNew = (name, { instanceId, input }) =>
    start(name, { instanceId, input: { ...(input as object), historyBytes: 1000 } });
  return engine;
}

test.each(SEEDS.slice(0, 20))(
  "P16 an attempt that continues as new ends as one that does not, on both: seed %d",
  async (seed) => {
    const usual = summary(await end(seed, createWorld));
    const next: DurableTaskEngine[] = [];
    const create = (options: WorldOptions) =>
      createWorldOn((engine) => {
        next.push(impatient(new DurableTaskEngine(engine)));
        return next.at(-1) as DurableTaskEngine;
      }, options);
    expect(summary(await end(seed, create))).toEqual(usual);
    continued += next.reduce((sum, engine) => sum + engine.continued, 0);
    const now = await end(seed, (options) => createWorldOn((engine) => impatient(new MemoryEngine(engine)), options));
    expect(summary(now)).toEqual(usual);
  },
);

let continued = 0;
test("they did continue as new", () => expect(continued).toBeGreaterThan(10));

/** Excluded: instants, because the next step begins later after a read of the record, and messages that the read sends again. */
function summary(found: Awaited<ReturnType<typeof end>>): object {
  const { record, statuses } = found as { record: { processState: string; steps: object }; statuses: object };
  const steps = Object.entries(record.steps).map(([name, { state, result, compensation }]) => ({
    name,
    state,
    result,
    compensation: compensation?.state,
  }));
  const said = (statuses as object[]).map((status) => JSON.stringify(status));
  return { processState: record.processState, steps, statuses: [...new Set(said)] };
}
