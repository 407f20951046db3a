// A result that is not as its agent declares it is not recorded, and other steps' results reach an agent as it declares them.
import { expect, test } from "vitest";
import { z } from "zod";
import { bounds } from "../../tests/bounds.ts";
import { encoderAgent } from "../../tests/videos.ts";
import { isNestedTooDeep } from "../domain/exact-json.ts";
import { RESULT_BYTES, RESULT_LEVELS } from "../domain/record-limits.ts";
import type { StepResult } from "../domain/state-record.ts";
import type { Agent, AgentReply } from "./agent.ts";
import { checkResult } from "./declared-results.ts";
import { routeAgent } from "./route-agent.ts";

const ENDPOINTS = [{ url: "http://127.0.0.1:1/", capacity: 1 }];
const REQUEST = { job: { jobId: "v-1" }, idempotencyKey: "key", compensates: null };

function encode(results: object, agent: Agent<never> = encoderAgent, more: object = {}) {
  const routed = routeAgent(agent, ENDPOINTS, { now: Date.now, firstPauseMs: 1, longestPauseMs: 5 });
  const within = new Date(Date.now() + 300).toISOString();
  return routed.call("encode", { ...REQUEST, results, ...more } as never, bounds(within));
}

test("what a step before recorded reaches the agent that declares it reads it, without what it does not declare", async () => {
  const reply = await encode({ keepFile: { blobId: "b-1", more: 1 }, other: { secret: "x" } });
  expect(reply).toMatchObject({ kind: "done", result: { encodedId: "encoded-v-1", from: "b-1" } });
});

test.each([{ keepFile: { blobId: 7 } }, { keepFile: {} }, {}])(
  "a result that is not as it was declared is left out: %j",
  async (results) => expect(await encode(results)).toMatchObject({ kind: "rejected", message: "there is no file" }),
);

const encoder: Agent<never> = {
  name: "encoder",
  items: { encode: z.object({ part: z.string() }) },
  operations: { encode: async (call) => ({ kind: "done", result: { got: JSON.stringify(call.item ?? null) } }) },
};

test.each([
  { item: { part: "1", more: 1 }, got: { part: "1" } },
  { item: undefined, got: null },
])("P23 the item reaches the operation as its agent declares it: $item", async ({ item, got }) => {
  expect(await encode({}, encoder, { item })).toMatchObject({ kind: "done", result: { got: JSON.stringify(got) } });
});

test("P23 an item that its agent does not declare is no step for the whole job: it is a fault of the code", async () => {
  await expect(encode({}, encoder, { item: { part: 1 } })).rejects.toThrow(
    "the item is not as agent encoder declares it for encode: item.part: ",
  );
});

test.each([{ encodedId: 7, from: "b-1" }, { from: "b-1" }, {}])(
  "P9 a result that is not as it is declared is not recorded: a person has to look at what answers there: %j",
  async (result) => {
    const answer: AgentReply = { kind: "done", result };
    const operations = { ...encoderAgent.operations, encode: async () => answer };
    const reply = await encode({}, { ...encoderAgent, operations });
    expect(reply).toMatchObject({
      kind: "expired",
      outcomeUnknown: true,
      lastError: {
        misconfigured: true,
        message: expect.stringMatching(/is not as the agent declares it: result\.encodedId/),
      },
    });
  },
);

test("P6 P9 what a service answers that is asked later is checked alike", async () => {
  const poll = (result: object) => {
    const policies = { encode: { poll: async () => ({ kind: "done", result }) as AgentReply } };
    return encode({}, { ...encoderAgent, policies } as unknown as Agent<never>, { awaited: { reference: "job-1" } });
  };
  expect(await poll({ encodedId: "e-1", from: "b-1", more: true })).toMatchObject({
    kind: "done",
    result: { encodedId: "e-1", from: "b-1" },
  });
  expect(await poll({ encodedId: 7, from: "b-1" })).toMatchObject({
    kind: "expired",
    tries: 1,
    lastError: { misconfigured: true, message: expect.stringContaining("result.encodedId") },
  });
});

test("P33 a result that is larger than a record takes is not recorded, declared or not", () => {
  const ofBytes = (bytes: number) => ({ note: "é".repeat((bytes - '{"note":""}'.length) / 2) });
  const [fits, tooLarge] = [ofBytes(RESULT_BYTES - 1), ofBytes(RESULT_BYTES + 1)];
  for (const schema of [undefined, z.object({ note: z.string() })]) {
    expect(checkResult(schema, fits)).toEqual({ kind: "fits", result: fits });
    expect(checkResult(schema, tooLarge)).toEqual({
      kind: "misfit",
      faults: [`result: has ${RESULT_BYTES + 1} bytes as JSON, and a step's result may have ${RESULT_BYTES}`],
    });
  }
});

test("P33 a result may have lists and objects in it, five levels deep", () => {
  const nestedBy = (end: unknown) => ({ parts: [{ parts: [end] }], isWhole: true }) as unknown as StepResult;
  const [fits, tooDeep] = [nestedBy({ name: "end" }), nestedBy({ names: ["end"] })];
  expect([isNestedTooDeep(fits, RESULT_LEVELS - 1), isNestedTooDeep(fits, RESULT_LEVELS)]).toEqual([true, false]);
  expect([isNestedTooDeep(tooDeep, RESULT_LEVELS), isNestedTooDeep(tooDeep, RESULT_LEVELS + 1)]).toEqual([true, false]);
  expect(checkResult(undefined, fits)).toEqual({ kind: "fits", result: fits });
  expect(checkResult(undefined, tooDeep)).toEqual({
    kind: "misfit",
    faults: [`result: is nested deeper than the ${RESULT_LEVELS} levels that it may have`],
  });
});

test("members that are not declared are not recorded", async () => {
  const answer: AgentReply = { kind: "done", result: { encodedId: "e-1", from: "b-1", more: true } };
  const operations = { ...encoderAgent.operations, encode: async () => answer };
  const reply = await encode({}, { ...encoderAgent, operations });
  expect(reply).toMatchObject({ kind: "done", result: { encodedId: "e-1", from: "b-1" } });
  expect(reply).not.toHaveProperty("result.more");
});
