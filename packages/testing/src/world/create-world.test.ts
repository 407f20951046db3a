// The test kit on a business of its own: letters are printed, posted by somebody else's agent, and tracked.

import { defineAgent, defineRemoteAgent, idAs, reject, rule } from "@scheduler-agent-supervisor/core/agents";
import { defineApp, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { z } from "zod";
import { videos } from "../../../core/tests/videos.ts";
import { createWorld, type World, type WorldOptions } from "./create-world.ts";

interface Letter extends Job {
  readonly jobId: string;
  readonly text: string;
}

const contract = defineContract<Letter>({
  schema: z.strictObject({ ...jobMembers("letter"), jobId, text: z.string() }),
  secrets: [],
  keys: [],
  keysOf: () => ({}),
});

const contracts = { usual: contract, usualWorkflow: "letter", of: {} };

const printer = defineAgent({
  name: "printer",
  service: { setting: "PrinterEndpoints", local: "http://127.0.0.1:7190" },
  seen: ({ jobId: id, text }: Letter) => ({ jobId: id, text }),
  answers: [{ status: 422, means: "rejected" }],
  results: { print: idAs("sheetId"), shred: idAs("sheetId") },
  operations: {
    print: ({ job: { text }, completion }) => ({ path: "sheets", body: { text }, mayBeDoneLater: !!completion }),
    shred: () => ({ path: "shreds", body: {} }),
  },
  policies: {
    print: {
      tryTimeoutMs: 2000,
      poll: (_, reference = "") => ({ path: `sheets/${reference}` }),
    },
  },
});

const post = defineRemoteAgent({
  name: "post",
  seen: ({ jobId: id }: Letter) => ({ jobId: id }),
  results: { send: z.object({ trackingId: z.string() }) },
});

const agents = [printer, post] as const;

const letter = workflowsOf(
  agents,
  NO_RULES,
)({
  name: "letter",
  version: 1,
  policy: { failureThreshold: 2, waits: ["PT1H"], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "printSheet", agent: "printer", operation: "print", after: [] },
      ...{ completeWithin: "PT10S", awaitWithin: "P30D" },
      compensation: { operation: "shred", completeWithin: "PT10S" },
    },
    {
      ...{ name: "sendLetter", agent: "post", operation: "send", transport: "queue", after: ["printSheet"] },
      completeWithin: "PT1M",
      compensation: "nothing",
    },
  ],
});

const business = defineApp({ contracts, agents, workflows: [letter] });
const content = { jobId: "letter-1", text: "Dear Ada" };

function createLetters(options: Partial<WorldOptions> = {}) {
  const send = () => ({ kind: "done", result: { trackingId: "track-1" } }) as const;
  return createWorld({ business, remoteAgents: { post: send }, ...options });
}

test("an agent that is not in the app is asked over its queue", async () => {
  const world = createLetters();
  await world.submit(content);
  await world.run();
  expect(world.record("letter-1").processState).toBe("Processed");
  expect(world.results("letter-1")).toEqual({
    printSheet: { sheetId: "printer-1" },
    sendLetter: { trackingId: "track-1" },
  });
  expect(world.service("printer").calls).toMatchObject([
    { operation: "print", method: "POST", path: "/sheets", body: { text: "Dear Ada" } },
  ]);
});

test.each([
  ["Dear Ada", "Processed", { printSheet: { sheetId: "printer-1" }, weigh: { cents: 80 } }],
  ["", "Compensated", {}],
])("P5 a rule is a step: of %j it makes %s, and asks no service", async (text, ends, results) => {
  const postage = rule({
    name: "postage",
    sees: ({ text: content }: Letter) => ({ text: content }),
    reads: { printSheet: z.object({ sheetId: z.string() }) },
    result: z.object({ cents: z.int() }),
    run: ({ job, results: { printSheet } }) =>
      printSheet && job.text ? { cents: job.text.length * 10 } : reject("there is nothing to post"),
  });
  const both = [printer, postage] as const;
  const weighed = workflowsOf(
    both,
    NO_RULES,
    contracts,
  )({
    name: "letter",
    version: 1,
    policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
    steps: [
      {
        ...{ name: "printSheet", agent: "printer", operation: "print", after: [], completeWithin: "PT10S" },
        compensation: { operation: "shred", completeWithin: "PT10S" },
      },
      {
        ...{ name: "weigh", agent: "postage", operation: "decide", after: ["printSheet"] },
        ...{ completeWithin: "PT5S", compensation: "nothing" },
      },
    ],
  });
  const world = createWorld({ business: defineApp({ contracts, agents: both, workflows: [weighed] }) });
  await world.submit({ ...content, text });
  await world.run();
  expect(world.record("letter-1").processState).toBe(ends);
  expect(world.results("letter-1")).toEqual(results);
  expect(world.record("letter-1").steps["weigh"]?.error ?? null).toBe(text ? null : "there is nothing to post");
});

test("P7 P9 an agent that is not in the app is asked again where its result is not as it was declared", async () => {
  const results = [{ trackingId: 7 }, { trackingId: "track-2", more: true }];
  const world = createLetters({ remoteAgents: { post: () => ({ kind: "done", result: results.shift() ?? {} }) } });
  await world.submit(content);
  await world.run();
  expect(world.record("letter-1")).toMatchObject({ processState: "Processed", failureCount: 0 });
  expect(world.results("letter-1")["sendLetter"]).toEqual({ trackingId: "track-2" });
  expect(results).toEqual([]);
});

test("a service that takes 29 days is asked until it is done", async () => {
  const world = createLetters();
  world.service("printer").isDoneLater("print", { after: "P29D", askAgainAfter: "PT1H" });
  await world.submit(content);
  await world.run();
  expect(world.record("letter-1").processState).toBe("Processed");
  expect(world.service("printer").callsOf("print")).toHaveLength(1);
  expect(world.service("printer").callsOf("print later?").length).toBeGreaterThan(20);
  expect(world.now > "2026-01-30T12:00:00").toBe(true);
});

test("its requester cancels what waits, though its content names no workflow", async () => {
  const world = createLetters();
  world.service("printer").isDoneLater("print", { after: "P3D", askAgainAfter: "PT1H" });
  await world.submit(content);
  await world.run({ for: "P1D" });
  await world.cancel(content, "written anew");
  await world.run();
  expect(world.record("letter-1")).toMatchObject({ processState: "Cancelled", error: { kind: "cancelled" } });
  await world.cancel({ ...content, text: "somebody else's" } as typeof content);
  expect(world.rejections.map(({ status }) => status)).toEqual(["CancelAccepted", "CancelRejected"]);
});

test("an agent that begins and is never done is given up by the supervisor, after its waits", async () => {
  const world = createLetters({ remoteAgents: { post: () => ({ kind: "started" }) } });
  await world.submit(content);
  await world.run();
  expect(world.record("letter-1").processState).toBe("Compensated");
  expect(world.service("printer").callsOf("shred")).toHaveLength(1);
  expect(world.now > "2026-01-01T13:00:00").toBe(true);
});

test("a call without an answer ends at the try's timeout, and is tried again under the same key", async () => {
  const world = createLetters();
  world.service("printer").hangs("print", { times: 2 });
  await world.submit(content);
  await world.run();
  const [first, second, third, ...more] = world.service("printer").callsOf("print");
  expect(more).toEqual([]);
  expect(new Set([first, second, third].map((call) => call?.idempotencyKey)).size).toBe(1);
  expect(Date.parse(second?.at ?? "") - Date.parse(first?.at ?? "")).toBeGreaterThanOrEqual(2000);
});

test("a service whose answer got lost answers the same again, for the same key", async () => {
  const world = createLetters();
  world.service("printer").losesAnswer("print", { times: 1 });
  await world.submit(content);
  await world.run();
  expect(
    world
      .service("printer")
      .callsOf("print")
      .map(({ outcome }) => outcome),
  ).toEqual(["lost", { body: { id: "printer-1", status: "done" } }]);
});

test("the same seed leads to the same calls at the same times", async () => {
  const times = async (seed: number) => {
    const world = createLetters({ seed });
    world.service("printer").switchOn({ kind: "down", forMs: 20_000 });
    await world.submit(content);
    await world.run();
    return world.service("printer").calls.map(({ at }) => at);
  };
  const first = await times(7);
  expect(await times(7)).toEqual(first);
  expect(await times(8)).not.toEqual(first);
});

test("two worlds at once have a clock each, and the process keeps its own", async () => {
  const [one, other] = [createLetters(), createLetters({ startAt: "2030-06-01T00:00:00.000Z" })];
  one.service("printer").isDoneLater("print", { after: "P3D", askAgainAfter: "PT1H" });
  const lasting = new Promise((resolve) => setTimeout(() => resolve("the process's own"), 1));
  const run = async (world: World) => {
    await world.submit(content);
    await world.run();
  };
  await Promise.all([run(one), run(other)]);
  expect(await lasting).toBe("the process's own");
  expect([one, other].map(({ now }) => now.slice(0, 10))).toEqual(["2026-01-04", "2030-06-01"]);
});

test("calls by fetch reach the services too, and what they answer slowly takes the world's time", async () => {
  const fetching = defineAgent({
    ...printer,
    seen: ({ jobId: id }: Letter) => ({ jobId: id }),
    operations: {
      print: async (call) => {
        const response = await fetch(`${call.endpoint}sheets`, { method: "POST", body: JSON.stringify({ a: 1 }) });
        const { id } = (await response.json()) as { id: string };
        return { kind: "done", result: { sheetId: id } };
      },
      shred: async () => ({ kind: "done", result: { sheetId: "none" } }),
    },
    policies: {},
  });
  const own = defineApp({ contracts, agents: [fetching, post], workflows: [letter] });
  const world = createLetters({ business: own });
  world.service("printer").answers("print", { body: { id: "sheet-9" }, takes: "PT3S" });
  await world.submit(content);
  await world.run();
  expect(world.service("printer").calls).toMatchObject([{ body: { a: 1 } }]);
  expect(world.results("letter-1")["printSheet"]).toEqual({ sheetId: "sheet-9" });
  expect(world.now >= "2026-01-01T12:00:03").toBe(true);
});

test("what is a bug of the app ends the run with its error", async () => {
  const broken = defineAgent({
    ...printer,
    seen: ({ jobId: id }: Letter) => ({ jobId: id }),
    operations: {
      print: () => Promise.reject(new Error("a bug in print")),
      shred: () => Promise.reject(new Error("a bug in shred")),
    },
    policies: {},
  });
  const own = defineApp({ contracts, agents: [broken, post], workflows: [letter] });
  const world = createLetters({ business: own });
  await world.submit(content);
  await expect(world.run()).rejects.toThrow("a bug in print");
});

test("what the test has not said ends the run with the way out", async () => {
  const world = createLetters({ remoteAgents: {} });
  await world.submit(content);
  await expect(world.run()).rejects.toThrow(/The agent post is not in the app: say by remoteAgents/);
  expect(() => world.service("prnter")).toThrow(/No agent with a service is called prnter: the app has printer/);
});

test("P26 what nobody takes up fails at its threshold, and its error names the agent", async () => {
  const world = createLetters({ remoteAgents: { post: () => undefined } });
  await world.submit(content);
  await world.run();
  const { processState, error } = world.record("letter-1");
  expect(["Error", "Compensated"]).toContain(processState);
  expect(error?.message).toContain("not taken up by the agent post");
});

test("the core's own fixture runs on it", async () => {
  const world = createWorld({ business: videos });
  await world.submit({ jobId: "video-1", title: "Loops", minutes: 3, languages: [], uploadToken: "t" });
  await world.run();
  expect(world.results("video-1")).toMatchObject({ encode: { from: "blob-video-1" }, listVideo: { entryId: "Loops" } });
  expect(world.statuses("video-1").at(-1)).toMatchObject({ status: "Completed", outputs: { entry: "Loops" } });
});

test("a deployment without an agent's service does not offer its workflows", async () => {
  const world = createWorld({ business: videos, without: ["catalog"] });
  const video = { jobId: "video-1", title: "Loops", minutes: 3, languages: [], uploadToken: "t" };
  expect(await world.submit(video)).toMatchObject({ kind: "rejected", faults: [expect.stringMatching(/^workflow/)] });
});
