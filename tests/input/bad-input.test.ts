// Ten thousand order messages, most of them wrong: each is accepted or quarantined with its faults named, and none is lost.

import { parseSubmission } from "@scheduler-agent-supervisor/core/scheduling";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contracts } from "../../shared/contracts/order.ts";
import { noteRun } from "../support/last-run.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";
import { type Case, orderMessages } from "./order-messages.ts";

const COUNT = 10_000;
const SEED = Number(process.env["INPUT_SEED"] ?? Date.now() % 1_000_000);
const cases = orderMessages(SEED, COUNT);
const TIMEOUT_MS = 600_000;
const published = `INPUT_SEED=${SEED} makes the same messages`;

const rules = {
  workflows: ["order-fulfilment", "returns", "smoke"],
  contracts,
};

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** Text goes as its bytes: the SDK would make JSON of it. */
function onTheWire(one: Case | undefined): unknown {
  return typeof one?.body === "string" ? Buffer.from(one.body) : one?.body;
}

/** The form in which the Functions host hands a body on: text that is JSON is parsed. */
function received({ body }: Case): unknown {
  const text = Buffer.isBuffer(body) ? body.toString("utf8") : body;
  if (typeof text !== "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** However slow the machine is: it fails when nothing more has come for half a minute. */
async function reaches(count: () => Promise<number>, wanted: number): Promise<void> {
  for (let seen = -1; seen !== wanted; ) {
    const before = seen;
    await expect.poll(count, { interval: 500, message: `${published}, ${wanted}` }).not.toBe(before);
    seen = await count();
  }
}

test("the contract: nothing throws, what is wrong is named, and nobody's prototype is touched", () => {
  const kinds = { valid: 0, "nearly valid": 0, hostile: 0 };
  for (const one of cases) {
    kinds[one.kind] += 1;
    const parsed = parseSubmission(received(one), {}, rules);
    const wanted = one.kind === "valid" ? "valid" : "invalid";
    const shown = JSON.stringify(one.body)?.slice(0, 300);
    expect(parsed.kind, `${published}: ${shown}`).toBe(wanted);
    if (parsed.kind === "invalid") {
      expect(parsed.faults.length).toBeGreaterThan(0);
      if (one.fault) expect(parsed.faults.join("\n"), `${published}: ${shown}`).toContain(one.fault);
    }
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  for (const count of Object.values(kinds)) expect(count).toBeGreaterThan(COUNT / 20);
});

test(
  "over the bus: each is recorded or quarantined, and no queue keeps one",
  async () => {
    const sender = app.bus.createSender("jobs");
    const mark = (index: number) => `case-${index}`;
    for (let first = 0; first < cases.length; ) {
      const batch = await sender.createMessageBatch();
      while (first < cases.length && batch.tryAddMessage({ body: onTheWire(cases[first]), messageId: mark(first) }))
        first += 1;
      await sender.sendMessages(batch);
    }
    await sender.close();

    const valid = cases.flatMap(({ kind }, index) => (kind === "valid" ? [`generated-${index}`] : []));
    const invalid = cases.length - valid.length;
    const quarantined = async () => (await app.records.quarantined()).length;
    await reaches(quarantined, invalid);
    const ended = async () => {
      const records = await app.records.of(valid);
      return records.filter(({ processState }) => processState === "Processed").length;
    };
    await reaches(ended, valid.length);

    for (const { messageId, faults } of await app.records.quarantined())
      expect(faults.length, messageId).toBeGreaterThan(0);
    for (const [queue, options] of [
      ["jobs", {}],
      ["jobs", { subQueueType: "deadLetter" }],
      ["quarantine", { subQueueType: "deadLetter" }],
    ] as const) {
      const left = await messagesIn(app.bus, queue, options);
      expect(left, `${published}: ${JSON.stringify({ queue, ...options })}`).toEqual([]);
    }
    const { length } = cases;
    noteRun(
      "input",
      `seed ${SEED}: of ${length.toLocaleString("en")} messages ${valid.length} were accepted and ${invalid} quarantined with their faults`,
    );
  },
  TIMEOUT_MS,
);
