// An app's code that throws, wherever it is asked and whatever it throws (P10): the run is counted, the record has the text, and the job ends.

import { callService, defineAgent, lookUp } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { idIn, notYet } from "@scheduler-agent-supervisor/core/composition";
import { defineContract, jobId, jobMembers } from "@scheduler-agent-supervisor/core/contracts";
import type { Job } from "@scheduler-agent-supervisor/core/domain";
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

function createParcels(where: Place, make: () => unknown) {
  let thrown = 0;
  const at = (place: Place): void => {
    if (place !== where) return;
    thrown += 1;
    if (thrown > 500) throw new Error("it never ends");
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
        ...{ name: "packBox", agent: "packer", operation: "pack", after: [] },
        ...{ completeWithin: "PT10S", awaitWithin: "PT1H" },
        compensation: { operation: "unpack", completeWithin: "PT10S" },
      },
      {
        ...{ name: "labelBox", agent: "packer", operation: "label", after: ["packBox"], when: "isHeavy" },
        ...{ completeWithin: "PT10S", compensation: "nothing" },
      },
    ],
  } as never);
  const business = defineApp({ contracts, agents: [packer], workflows: [workflow], rules } as never);
  const world = createWorld({ business, countsBugs: true });
  if (where.includes("poll") || where === "the reference")
    world.service("packer").isDoneLater("pack", { after: "PT1M", askAgainAfter: "PT10S" });
  return { world, thrown: () => thrown };
}

describe.each(PLACES)("P10 what throws in %s", (where) => {
  test.each(THROWN)("%s: counted, with its text, and the job ends", async (_, make, text) => {
    const { world, thrown } = createParcels(where, make);
    await world.submit(content);
    await world.run({ for: "P2D" });
    const record = world.record(content.jobId);
    expect(thrown(), "it was asked").toBeGreaterThan(0);
    expect(thrown(), "and not for ever").toBeLessThan(100);
    expect(["Error", "Compensated"], record.processState).toContain(record.processState);
    const said = JSON.stringify([record.error, record.steps]);
    expect(said).toContain(text);
    // A condition is asked once: the same content would have the same answer.
    if (where === "the condition") expect(record.error?.kind).toBe("rejected");
    else expect(record.failureCount).toBeGreaterThanOrEqual(2);
  });
});

test.each(THROWN)("P10 a list that throws %s rejects the submission, with its text", async (_, make, text) => {
  const packer = defineAgent({
    name: "packer",
    service: { setting: "PackerEndpoints", local: "http://127.0.0.1:7190" },
    seen: ({ jobId: id }: Parcel) => ({ jobId: id }),
    results: { pack: z.object({}) },
    operations: { pack: async () => ({ kind: "done", result: {} }) },
  });
  const fails = (): never => {
    throw make();
  };
  const rules = { conditions: {}, lists: { boxes: fails } };
  const step = { name: "packBox", agent: "packer", operation: "pack", after: [], forEach: "boxes" };
  const policy = { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
  const workflow = {
    ...{ name: "parcel", version: 1, policy },
    steps: [{ ...step, completeWithin: "PT10S", compensation: "nothing" as const }],
  };
  const business = defineApp({ contracts, agents: [packer], workflows: [workflow], rules });
  const submitted = await createWorld({ business }).submit(content);
  expect(submitted.kind).toBe("rejected");
  expect(JSON.stringify(submitted)).toContain(text);
});
