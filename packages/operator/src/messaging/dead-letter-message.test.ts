// What a reader is shown of a message that breaks its contract.

import { type Contracts, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import { z } from "zod";
import { deadLetterOf, deadLetterSummary, shownLetter } from "./dead-letter-message.ts";
import type { ReadDeadLetter } from "./dead-letters.ts";

const schema = z.strictObject({
  videoId: jobId,
  ...jobMembers("fulfil"),
  customer: z.strictObject({ id: z.string(), email: z.email().optional() }),
  lines: z.array(z.strictObject({ sku: z.string(), quantity: z.int() })),
  currency: z.string().regex(/^[A-Z]{3}$/),
  paymentToken: z.string(),
});
type Video = Job & { readonly videoId: string };
const contract = defineContract<Video>({
  idName: "videoId",
  schema: schema as never,
  ...{ secrets: ["paymentToken"], keys: [], keysOf: () => ({}) },
});
const contracts: Contracts = {
  usual: contract,
  usualWorkflow: "fulfil",
  of: {},
};

const TOKEN = "tok_canary_4711";
const VIDEO = {
  videoId: "video-1",
  customer: { id: "ada" },
  lines: [{ sku: "TEA", quantity: 1 }],
  currency: "euro",
};

function letter(json: unknown, more: Partial<ReadDeadLetter> = {}): ReadDeadLetter {
  const none = {
    enqueuedAt: null,
    reason: null,
    description: null,
    messageId: null,
    correlationId: null,
    subject: null,
  };
  const plain = { contentType: null, replyTo: null, replyToSessionId: null, timeToLiveMs: null };
  const numbers = { sequenceNumber: "1", deliveryCount: 1, bytes: 1 };
  const body = { kind: "json", json } as const;
  return { ...none, ...plain, ...numbers, jobId: "video-1", applicationProperties: {}, body, ...more };
}

const shownOf = (json: unknown, more?: Partial<ReadDeadLetter>) => shownLetter(letter(json, more), contracts);

test.each<[string, object]>([
  ["under its own name", { paymentToken: TOKEN }],
  ["spelt PaymentToken", { PaymentToken: TOKEN }],
  ["spelt payment_token", { payment_token: TOKEN }],
  ["under a longer name", { myPaymentTokens: [{ value: TOKEN }] }],
  ["under a name of no contract", { note: TOKEN }],
  ["within a text of no contract", { note: `pays with ${TOKEN}, please` }],
  ["within a known text that names it", { customer: { id: `paymentToken=${TOKEN}` } }],
  ["and repeated in a known text", { paymentToken: TOKEN, lines: [{ sku: `TEA ${TOKEN}`, quantity: 1 }] }],
  ["in a member's name", { [TOKEN]: 1 }],
  ["in the name of a nested member", { customer: { id: "ada", [`x-${TOKEN}`]: 1 } }],
  ["as a member of another type", { customer: TOKEN }],
  ["as a list where there is none", { customer: [TOKEN] }],
  ["within JSON as a text", { lines: JSON.stringify({ paymentToken: TOKEN }) }],
])("a token %s is not shown, nor a fault that repeats it", (_, members) => {
  const faults = { fault1: `video: has no "${TOKEN}"`, fault2: `video: has no "note", "x-${TOKEN.slice(0, 9)}` };
  const shown = JSON.stringify(
    shownOf({ ...VIDEO, ...members }, { reason: faults.fault1, applicationProperties: faults }),
  );
  expect(shown).not.toContain("tok_can");
  expect(shown).toContain("euro");
});

test("where a contract allows any member, one whose name is a secret's in another spelling is hidden", () => {
  const members = { videoId: jobId, ...jobMembers("fulfil"), paymentToken: z.string() };
  const loose = defineContract<Video>({ ...contract, idName: "videoId", schema: z.looseObject(members) as never });
  const shown = shownLetter(letter({ note: "seen", PaymentToken: "t-1", payment_token: "t-2" }), {
    ...contracts,
    usual: loose,
  });
  expect(shown.body).toEqual({
    kind: "json",
    json: { note: "seen", PaymentToken: "(hidden)", payment_token: "(hidden)" },
  });
});

test("a text, a JSON text and bytes are not shown", () => {
  for (const body of [
    { kind: "text", text: `{"paymentToken":"${TOKEN}` },
    { kind: "json", json: `{"paymentToken":"${TOKEN}"}` },
    { kind: "binary", base64: Buffer.from(TOKEN).toString("base64") },
  ] as const) {
    const shown = JSON.stringify(shownLetter({ ...letter({}), body }, contracts));
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain(Buffer.from(TOKEN).toString("base64"));
  }
});

test("a sender's own properties are not shown, and those of the app are", () => {
  const { applicationProperties } = shownOf(VIDEO, { applicationProperties: { mine: TOKEN, queue: "videos" } });
  expect(applicationProperties).toEqual({ mine: "(hidden)", queue: "videos" });
});

const REQUEST = {
  schemaVersion: 1,
  ticket: {
    jobId: "video-1",
    attempt: 1,
    step: "hotel",
    direction: "forward",
    lockedBy: "x",
    nonce: "c4f1a7d2-canary",
  },
  operation: "reserve",
  job: { videoId: "video-1", paymentToken: TOKEN },
  results: { takePayment: { chargeId: "charge-7" } },
  completion: { url: "https://app.example/api/completions/eyJub25jZSI6Im5vbmNlLWNhbmFyeSJ9", within: "P1D" },
};

test("a request to an agent is shown without what opens its step", () => {
  const { body } = shownOf(REQUEST);
  expect(body).toMatchObject({
    json: {
      ticket: { jobId: "video-1", step: "hotel", nonce: "(hidden)" },
      job: { videoId: "video-1", paymentToken: "(hidden)" },
      results: { takePayment: { chargeId: "charge-7" } },
      completion: { url: "https://app.example/api/completions/(hidden)", within: "P1D" },
    },
  });
  expect(JSON.stringify(body)).not.toMatch(/canary|eyJ/);
});

test("what is nested 20,000 deep is not read, and stops nothing", () => {
  const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown;
  expect(shownOf(deep)).toMatchObject({ body: { kind: "text" } });
});

test("what an agent says in a reply that nobody took is not shown: it was not compared with its job's secrets", () => {
  const { ticket } = REQUEST;
  for (const words of [
    { kind: "rejected", message: TOKEN },
    { kind: "done", result: { chargeId: TOKEN } },
    { kind: "accepted", reference: TOKEN },
    { kind: "progress", progress: TOKEN },
    { kind: "started", failure: { tries: 1, endpoint: null, message: TOKEN } },
    { kind: "done", endpoint: TOKEN, because: TOKEN },
  ]) {
    const { body } = shownOf({ ticket, ...words, outcomeUnknown: "yes" });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    expect(body).toMatchObject({ json: { kind: words.kind, ticket: { step: "hotel" } } });
  }
});

test("a number that is the secret is hidden in the properties too", () => {
  const shown = shownOf(
    { ...VIDEO, paymentToken: 4111111111111111 },
    { applicationProperties: { submissionId: 4111111111111111 } },
  );
  expect(JSON.stringify(shown)).not.toContain("4111");
});

test("where more is hidden than a message of the standard tier has, nothing of it is shown", () => {
  const reason = `video: has no "note", pays with ${TOKEN}`;
  const shown = shownOf({ ...VIDEO, note: "x".repeat(262_145), paymentToken: TOKEN }, { reason });
  expect(shown).toMatchObject({ reason: "(hidden)", body: { kind: "text" } });
  expect(shownOf({ ...VIDEO, note: "x".repeat(262_140) })).toMatchObject({ body: { json: { currency: "euro" } } });
});

const received = (body: object, applicationProperties: object = {}) =>
  ({ sequenceNumber: 7, body, applicationProperties, messageId: "m-1", correlationId: "c-1" }) as never;

test("a list shows what was noted beside a message, and nothing of its body", () => {
  const properties = {
    fault1: "no tok",
    shownFault: "no (hidden)",
    aboutJobId: "video-1",
    hidesIds: true,
    faultCount: 1,
  };
  const shown = { reason: "no (hidden)", jobId: "video-1", messageId: "(hidden)", correlationId: "(hidden)" };
  expect(deadLetterSummary(received({ videoId: "other" }, properties))).toMatchObject(shown);
  const bare = { reason: null, jobId: null, messageId: "m-1", correlationId: "c-1" };
  expect(deadLetterSummary(received({ videoId: "other" }))).toMatchObject(bare);
});

test("the job of a message that nobody has read is shown without its secrets", () => {
  expect(deadLetterOf(received({ ...VIDEO, paymentToken: TOKEN }), contracts).jobId).toBe("video-1");
  expect(deadLetterOf(received({ ...VIDEO, videoId: TOKEN, paymentToken: TOKEN }), contracts).jobId).toBe("(hidden)");
});
