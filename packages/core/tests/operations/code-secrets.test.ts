// What the app's own code throws may repeat the job that it was given: neither record, reply, status nor log has a secret of it.
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Job } from "../../src/domain/content/job.ts";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { Situation } from "../../src/domain/workflows/workflow-rules.ts";
import { contracts, goodsContract } from "../goods.ts";
import { CHAIN, type Goods, NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const TOKEN = sampleJob().paymentToken;

/** How code that gives away what it works with says it. */
const WORDS: readonly (readonly [string, (token: string) => unknown])[] = [
  ["as it is", (token) => new Error(`cannot read ${token}`)],
  ["in a cause", (token) => new Error("no", { cause: new Error(token) })],
  ["in an address", (token) => new TypeError(`GET https://pay.example/tokens/${encodeURIComponent(token)}`)],
  ["in escaped JSON", (token) => new Error(JSON.stringify(JSON.stringify({ token })))],
  ["as a text", (token) => token],
  ["as an object", (token) => ({ toString: () => `{${token}}` })],
];

const [first, ...rest] = CHAIN.steps;
if (!first) throw new Error("a workflow has a step");
const withStep = (changes: object): Workflow => ({ ...CHAIN, steps: [{ ...first, ...changes }, ...rest] });

function worldWith(workflow: Workflow, throwing: (job: unknown) => never): World {
  return createWorld(NOON_MS, createMemoryJobStore(), {
    workflows: [workflow],
    rules: {
      conditions: { pays: ({ job }: Situation) => throwing(job) },
      lists: { lines: (job) => throwing(job) },
    },
  });
}

async function attempt(world: World): Promise<void> {
  await world.runAttempt({ ...(await world.submitted()), direction: "forward" });
}

/** Where the app's code runs with a job. */
const PLACES: readonly (readonly [string, (throwing: (job: unknown) => never) => Promise<World>])[] = [
  [
    "the members that an agent sees",
    async (throwing) => {
      const world = Object.assign(worldWith(CHAIN, throwing), { jobFor: (_: string, job: unknown) => throwing(job) });
      await attempt(world);
      return world;
    },
  ],
  [
    "the members that an agent with a queue sees",
    async (throwing) => {
      const made = worldWith(withStep({ transport: "queue" }), throwing);
      const world = Object.assign(made, { jobFor: (_: string, job: unknown) => throwing(job) });
      await attempt(world).catch((cause: unknown) => thrown.push(cause));
      return world;
    },
  ],
  [
    "a condition",
    async (throwing) => {
      const world = worldWith(withStep({ when: "pays" }), throwing);
      await attempt(world);
      return world;
    },
  ],
  [
    "an agent",
    async (throwing) => {
      const world = worldWith(CHAIN, throwing);
      world.answers.set("reserve", ({ job }) => throwing(job));
      await attempt(world);
      return world;
    },
  ],
  [
    "an agent with a queue",
    async (throwing) => {
      const world = worldWith(withStep({ transport: "queue" }), throwing);
      world.answers.set("reserve", ({ job }) => throwing(job));
      await attempt(world);
      return world;
    },
  ],
  [
    "the check of a reply",
    async (throwing) => {
      const world = worldWith(withStep({ transport: "queue" }), throwing);
      Object.assign(world, { checkResult: () => throwing(sampleJob()) });
      await attempt(world);
      return world;
    },
  ],
  [
    "a list",
    async (throwing) => {
      const world = worldWith(withStep({ forEach: "lines" }), throwing);
      await world.submit().catch((cause: unknown) => thrown.push(cause));
      return world;
    },
  ],
  [
    "the keys of a contract",
    async (throwing) => {
      const usual = { ...goodsContract, keysOf: throwing };
      const world = worldWith(CHAIN, throwing);
      Object.assign(world.rules, { contracts: { ...contracts, usual } });
      await world.submit().catch((cause: unknown) => thrown.push(cause));
      return world;
    },
  ],
  [
    "the faults of a contract",
    async (throwing) => {
      const usual = { ...goodsContract, faults: throwing };
      const world = worldWith(CHAIN, throwing);
      Object.assign(world.rules, { contracts: { ...contracts, usual } });
      await world.submit().catch((cause: unknown) => thrown.push(cause));
      return world;
    },
  ],
];

const thrown: unknown[] = [];

const shownOf = (cause: unknown): string =>
  cause instanceof Error ? `${cause.message} ${cause.stack} ${shownOf(cause.cause)}` : String(cause);

test.each(PLACES.flatMap(([place, run]) => WORDS.map(([words, write]) => [place, words, run, write] as const)))(
  "%s, which throws a secret %s, gives it to nobody",
  async (_, words, run, write) => {
    thrown.length = 0;
    let hasThrown = false;
    const world = await run((job) => {
      hasThrown = true;
      throw write((job as Goods).paymentToken);
    });
    expect(hasThrown).toBe(true);
    const { statuses, replies, events } = world;
    // The sender of a job that is rejected is the one whose secret it is.
    const said = JSON.stringify([await world.stateOf(), statuses, replies, events]) + thrown.map(shownOf).join("\n");
    expect(said.toLowerCase()).not.toContain(TOKEN);
    if (words !== "in a cause") expect(said).toContain("(hidden)");
  },
);

test("a message that is quarantined is logged without its secrets, also where its id is one", async () => {
  const world = createWorld(NOON_MS);
  const messageId = `m ${TOKEN.toUpperCase()}`;
  await world.submit(
    { ...sampleJob(), currency: "euro" },
    { messageId, correlationId: TOKEN, replyTo: "replies-shop" },
  );
  expect(world.eventNames()).toEqual(["JobQuarantined"]);
  expect(JSON.stringify(world.events).toLowerCase()).not.toContain(TOKEN);
});

test("nor does code of a contract give away a secret that its sender has spelt otherwise", async () => {
  const world = createWorld(NOON_MS);
  const schema = z.custom<Job>(() => {
    throw new Error("cannot read tok_4711_canary");
  });
  const usual = { ...goodsContract, schema };
  Object.assign(world.rules, { contracts: { ...contracts, usual } });
  await expect(world.submit({ ...sampleJob(), PaymentToken: "tok_4711_canary" })).rejects.toThrow("(hidden)");
  expect(JSON.stringify(world.events)).not.toContain("canary");
  expect(world.eventNames()).toContain("CodeFailed");
});
