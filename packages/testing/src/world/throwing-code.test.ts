// An app's code that throws, wherever it is asked and whatever it throws (P33): the job is held, the record has place and text, and it goes on with a version that does not throw.

import { callService, defineAgent, idIn, lookUp, notYet, rule } from "@scheduler-agent-supervisor/core/agents";
import { defineApp, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./create-world.ts";

interface Parcel extends Job {
  readonly jobId: string;
  readonly boxes: readonly string[];
}

const contract = defineContract<Parcel>({
  schema: z.strictObject({ ...jobMembers("parcel"), jobId, boxes: z.array(z.string()) }),
  secrets: [],
  keys: [],
  keysOf: () => ({}),
});
const contracts = { usual: contract, usualWorkflow: "parcel", of: {} };
const content = { jobId: "parcel-1", boxes: ["a"] };

/** Where the app's code is asked. */
const PLACES = [
  "seen",
  "the operation",
  "the operation, at once",
  "the path's answer in keep",
  "the reference",
  "the poll",
  "keep of the poll",
  "find",
  "a refinement of the result's schema",
  "a transformation of the result's schema",
  "the schema of what it reads",
  "the condition",
  "the compensation",
] as const;
type Place = (typeof PLACES)[number];

const TEXT = "a bug of the app";
/** What is thrown, and the text of it that has to stand in the record. */
const THROWN: readonly (readonly [what: string, make: () => unknown, text: string])[] = [
  ["an error", () => new Error(TEXT), TEXT],
  ["nothing", () => undefined, "undefined"],
  ["null", () => null, "null"],
  ["a text", () => TEXT, TEXT],
  ["an object", () => ({ code: 7 }), "object"],
  ["a symbol", () => Symbol(TEXT), TEXT],
  [
    "an object without a text",
    () => ({
      toString() {
        throw new Error("no text");
      },
    }),
    "",
  ],
  ["an object without a prototype", () => Object.create(null), ""],
];

function createParcels(where: Place, make: () => unknown, transport: "activity" | "queue" = "activity") {
  let thrown = 0;
  let isCorrected = false;
  const at = (place: Place): void => {
    if (place !== where || isCorrected) return;
    thrown += 1;
    throw make();
  };
  const packed = z.object({
    boxId: z
      .string()
      .refine(() => {
        at("a refinement of the result's schema");
        return true;
      })
      .transform((id) => {
        at("a transformation of the result's schema");
        return id;
      }),
  });
  const packer = defineAgent({
    name: "packer",
    service: { setting: "PackerEndpoints", local: "http://127.0.0.1:7190" },
    seen: ({ jobId: id }: Parcel) => {
      at("seen");
      return { jobId: id };
    },
    results: { pack: packed, unpack: z.object({}), label: z.object({}) },
    reads: {
      packBox: z.object({ boxId: z.string() }).refine(() => {
        at("the schema of what it reads");
        return true;
      }),
    },
    operations: {
      pack: async (call) => {
        at("the operation");
        const keep = () => {
          at("the path's answer in keep");
          return { boxId: "box-1" };
        };
        const reference = (answer: never) => {
          at("the reference");
          return idIn(answer);
        };
        return callService({ path: "boxes", body: {}, keep, reference, isPolled: true, answers: [] } as never, call);
      },
      unpack: async () => {
        at("the compensation");
        return { kind: "done", result: {} };
      },
      label: ((call: { readonly mayHaveHappened?: boolean }) => {
        at("the operation, at once");
        if (where === "the compensation") return Promise.resolve({ kind: "rejected", message: "no label" });
        // Its answer is lost, and it is asked whether it was done.
        if (where === "find" && !call.mayHaveHappened) {
          return Promise.resolve({ kind: "unavailable", message: "lost", mayHaveHappened: true });
        }
        return Promise.resolve({ kind: "done", result: {} });
      }) as never,
    },
    policies: {
      pack: {
        poll: async (call, id = "") => {
          at("the poll");
          const keep = () => {
            at("keep of the poll");
            return { boxId: "box-1" };
          };
          return notYet(await lookUp({ path: `boxes/${id}`, keep, isPolled: true }, call));
        },
      },
      label: {
        find: {
          ask: async () => {
            at("find");
            return { kind: "absent" };
          },
          settlesWithinMs: 100,
        },
      },
    },
  });
  const rules = {
    conditions: {
      isHeavy: (_: { readonly job: Parcel }) => {
        at("the condition");
        return true;
      },
    },
    lists: {},
  };
  const workflow = workflowsOf(
    [packer] as const,
    rules,
  )({
    name: "parcel",
    version: 1,
    policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
    steps: [
      {
        ...{ name: "packBox", agent: "packer", operation: "pack", after: [], transport },
        ...{ completeWithin: "PT10S", awaitWithin: "PT1H" },
        compensation: { operation: "unpack", completeWithin: "PT10S" },
      },
      {
        ...{ name: "labelBox", agent: "packer", operation: "label", after: ["packBox"], when: "isHeavy", transport },
        ...{ completeWithin: "PT10S", compensation: "nothing" },
      },
    ],
  } as never);
  const business = defineApp({ contracts, agents: [packer], workflows: [workflow], rules } as never);
  const world = createWorld({ business, countsBugs: true });
  if (where.includes("poll") || where === "the reference")
    world.service("packer").isDoneLater("pack", { after: "PT1M", askAgainAfter: "PT10S" });
  const correct = () => {
    isCorrected = true;
  };
  return { world, thrown: () => thrown, correct };
}

async function expectHeld(where: Place, text: string, { world, thrown, correct }: ReturnType<typeof createParcels>) {
  await world.submit(content);
  await world.run({ for: "PT3H" });
  const record = world.record(content.jobId);
  const direction = where === "the compensation" ? "compensate" : "forward";
  expect(thrown(), "it was asked again").toBeGreaterThan(1);
  expect(["Pending", "Processing"], JSON.stringify(record.error)).toContain(record.processState);
  expect(record).toMatchObject({ direction, failureCount: 0 });
  const expiries = Object.values(record.steps).flatMap(({ expiry, compensation }) => [expiry, compensation?.expiry]);
  const ofCode = expiries.find((expiry) => expiry?.ofCode);
  expect(ofCode?.message).toContain(text);
  const failed = world.events.find(({ name }) => name === "CodeFailed");
  expect(failed?.attributes).toMatchObject({ workflow: "parcel", version: 1, place: ofCode?.endpoint });
  correct();
  await world.run({ for: "PT3H" });
  const end = where === "the compensation" ? "Compensated" : "Processed";
  const { processState, failureCount } = world.record(content.jobId);
  expect({ processState, failureCount }).toEqual({ processState: end, failureCount: 0 });
}

describe.each(PLACES)("P33 what throws in %s", (where) => {
  test.each(THROWN)("%s: its job is held, and goes on with a version that does not", (_, make, text) =>
    expectHeld(where, text, createParcels(where, make)),
  );

  test("over its agent's queue too", () =>
    expectHeld(
      where,
      TEXT,
      createParcels(where, () => new Error(TEXT), "queue"),
    ));
});

test.each(THROWN)("P33 a list that throws %s keeps the submission waiting, with its text", async (_, make, text) => {
  const packer = defineAgent({
    name: "packer",
    service: { setting: "PackerEndpoints", local: "http://127.0.0.1:7190" },
    seen: ({ jobId: id }: Parcel) => ({ jobId: id }),
    results: { pack: z.object({}) },
    operations: { pack: async () => ({ kind: "done", result: {} }) },
  });
  let isCorrected = false;
  const boxes = () => {
    if (!isCorrected) throw make();
    return [{ box: "a" }];
  };
  const rules = { conditions: {}, lists: { boxes } };
  const step = { name: "packBox", agent: "packer", operation: "pack", after: [], forEach: "boxes" };
  const policy = { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
  const workflow = {
    ...{ name: "parcel", version: 1, policy },
    steps: [{ ...step, completeWithin: "PT10S", compensation: "nothing" as const }],
  };
  const world = createWorld({
    business: defineApp({ contracts, agents: [packer], workflows: [workflow], rules }),
    countsBugs: true,
  });
  await expect(world.submit(content)).rejects.toMatchObject({
    name: "CodeThrew",
    message: expect.stringContaining(text),
  });
  expect(world.rejections).toEqual([]);
  expect(world.events.at(-1)).toMatchObject({
    name: "CodeFailed",
    attributes: { workflow: "parcel", version: 1, place: "list boxes" },
  });
  isCorrected = true;
  expect((await world.submit(content)).kind).toBe("recorded");
});

test.each(["sees", "run"] as const)("P33 a rule whose %s throws for some holds these alone", async (where) => {
  let isCorrected = false;
  const throwing = (place: string, id: string) => {
    if (place === where && id === "parcel-2" && !isCorrected) throw new TypeError("no weight");
  };
  const weigh = rule({
    name: "weigh",
    sees: ({ jobId: id }: Parcel) => {
      throwing("sees", id);
      return { id };
    },
    result: z.object({ isHeavy: z.boolean() }),
    run: ({ job: { id } }) => {
      throwing("run", id);
      return { isHeavy: false };
    },
  });
  const policy = { failureThreshold: 1, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
  const step = { name: "weigh", agent: "weigh", operation: "decide", after: [], completeWithin: "PT10S" };
  const workflow = { name: "parcel", version: 1, policy, steps: [{ ...step, compensation: "nothing" as const }] };
  const world = createWorld({
    business: defineApp({ contracts, agents: [weigh], workflows: [workflow] }),
    countsBugs: true,
  });
  for (const id of ["parcel-1", "parcel-2"]) await world.submit({ ...content, jobId: id });
  await world.run({ for: "PT1H" });
  expect(world.record("parcel-1").processState).toBe("Processed");
  expect(world.record("parcel-2")).toMatchObject({ direction: "forward", failureCount: 0, error: null });
  isCorrected = true;
  await world.run();
  expect(world.record("parcel-2")).toMatchObject({ processState: "Processed", failureCount: 0 });
});
