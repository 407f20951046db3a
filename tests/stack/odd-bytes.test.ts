// P1 P15: messages in any bytes, over the real bus, each a row: what its sender gets, and where the message ends.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ServiceBusMessage, ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const PATIENCE = { timeout: 30_000 };

const jsonOf = (orderId: string) => JSON.stringify({ ...madeOrder(orderId), workflow: "smoke" });
/** The text with a member that its contract does not know. */
const withMember = (orderId: string, member: string) => `${jsonOf(orderId).slice(0, -1)},${member}}`;
const named = (text: string) => text.replace("Made Up", "Mädchen");

interface Row {
  readonly what: string;
  readonly message: (orderId: string) => ServiceBusMessage;
  /** What one of the faults says; absent: the order is processed. */
  readonly fault?: RegExp;
}

const utf16 = (text: string) => Buffer.from(text, "utf16le");
const ROWS: readonly Row[] = [
  { what: "UTF-8", message: (id) => ({ body: Buffer.from(named(jsonOf(id))) }) },
  { what: "UTF-8 with a byte order mark", message: (id) => ({ body: Buffer.from(`\uFEFF${named(jsonOf(id))}`) }) },
  { what: "UTF-16LE by its mark", message: (id) => ({ body: utf16(`\uFEFF${named(jsonOf(id))}`) }) },
  {
    what: "UTF-16BE by its mark",
    message: (id) => ({ body: utf16(`\uFEFF${named(jsonOf(id))}`).swap16() }),
  },
  {
    what: "UTF-16 by its charset",
    message: (id) => ({ body: utf16(named(jsonOf(id))), contentType: "application/json; charset=utf-16" }),
  },
  {
    what: "ISO-8859-1 by its charset",
    message: (id) => ({
      body: Buffer.from(named(jsonOf(id)), "latin1"),
      contentType: "application/json; charset=iso-8859-1",
    }),
  },
  {
    what: "ISO-8859-1 that nobody declares",
    message: (id) => ({ body: Buffer.from(named(jsonOf(id)), "latin1"), contentType: "application/json" }),
    fault: /the body: is not valid UTF-8/,
  },
  {
    what: "an unknown charset",
    message: (id) => ({ body: Buffer.from(jsonOf(id)), contentType: "application/json; charset=klingon" }),
    fault: /charset klingon/,
  },
  { what: "gzip", message: (id) => ({ body: gzipSync(jsonOf(id)) }), fault: /the body: is compressed with gzip/ },
  {
    what: "150 KB of gzip",
    message: () => ({ body: Buffer.concat([gzipSync("{}"), Buffer.alloc(150_000, 0xe9)]) }),
    fault: /the body: is compressed with gzip/,
  },
  {
    what: "250 KB of gzip",
    message: () => ({ body: Buffer.concat([gzipSync("{}"), Buffer.alloc(261_000, 0xff)]) }),
    fault: /the body: is compressed with gzip/,
  },
  { what: "no body", message: () => ({ body: Buffer.alloc(0) }), fault: /the body must be a JSON object/ },
  {
    what: "a deeply nested body",
    message: (id) => ({ body: Buffer.from(withMember(id, `"deep":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`)) }),
    fault: /nested/,
  },
  {
    what: "a number beyond 2^53",
    message: (id) => ({ body: Buffer.from(jsonOf(id).replace('"unitPrice":450', '"unitPrice":9007199254740993')) }),
    fault: /lines\[0\]\.unitPrice: is a number that is beyond 2\^53/,
  },
  {
    what: "1e21",
    message: (id) => ({ body: Buffer.from(jsonOf(id).replace('"unitPrice":450', '"unitPrice":1e21')) }),
    fault: /lines\[0\]\.unitPrice: is a number that is beyond 2\^53/,
  },
  {
    what: "a member that is there twice",
    message: (id) => ({ body: Buffer.from(withMember(id, '"currency":"USD"')) }),
    fault: /currency: is there twice/,
  },
  {
    what: "250 KB",
    message: (id) => ({ body: Buffer.from(withMember(id, `"note":"${"x".repeat(250_000)}"`)) }),
    fault: /note/,
  },
  {
    what: "properties of 60 KB",
    message: (id) => ({
      body: Buffer.from(jsonOf(id)),
      applicationProperties: { one: "ä".repeat(15_000), two: "x".repeat(30_000) },
    }),
  },
  {
    what: "properties of 64 KB, and faults of 3 bytes a character",
    message: (id) => ({
      body: Buffer.from(
        jsonOf(id)
          .replace(/"customer".*$/, [...Array(60).keys()].map((n) => `"${"語".repeat(60)}${n}":1`).join(","))
          .concat("}"),
      ),
      applicationProperties: { one: "ä".repeat(15_000), two: "x".repeat(32_000) },
    }),
    fault: /customer/,
  },
  ...["1002", "true", "null", "1.0", "1e3", "9007199254740993", "12345678901234567890", "1e21", '{"a":1}', "-0"].map(
    (id): Row => ({
      what: `the ids ${id}`,
      message: (orderId) => ({ body: Buffer.from(jsonOf(orderId)), messageId: `${id}`, correlationId: id }),
    }),
  ),
];

const idOf = (index: number) => `bytes-${index}`;

/** With the reply queue, and a correlation id by which the answers are found. */
function messageOf({ message }: Row, index: number): ServiceBusMessage {
  return {
    correlationId: `row-${index}`,
    messageId: `message-${index}`,
    replyTo: REPLY_QUEUE,
    ...message(idOf(index)),
  };
}

async function send(message: ServiceBusMessage, queue = "jobs"): Promise<void> {
  const sender = app.bus.createSender(queue);
  await sender.sendMessages(message);
  await sender.close();
}

const inQuarantine = async (correlationId: unknown) =>
  (await messagesIn(app.bus, "quarantine", RAW)).filter((one) => one.correlationId === correlationId);
const RAW = { skipParsingBodyAsJson: true, skipConvertingDate: true } as const;

const answersTo = (index: number, correlationId: unknown) =>
  [...app.statuses(idOf(index)), ...app.statuses(undefined as unknown as string)].filter(
    (one) => one.correlationId === correlationId,
  );

const PAGE = join(ROOT, "docs/how-to/submitting.md");

test("the page on submissions has each row, with its end", () => {
  const page = readFileSync(PAGE, "utf8");
  const listed = (end: string) => new RegExp(`^- ${end}: (.+)\\.$`, "m").exec(page)?.[1]?.split("; ");
  const wanted = (isRejected: boolean) =>
    ROWS.flatMap(({ what, fault }) => ((fault !== undefined) === isRejected ? [what] : []));
  expect(listed("Processed")?.sort()).toEqual(wanted(false).sort());
  expect(listed("Rejected")?.sort()).toEqual(wanted(true).sort());
});

test("[submission | an order received | another charset, compressed, nested too deep, numbers beyond 2^53, ids that read as numbers] it is processed, or kept in the quarantine with its faults, and its sender is told so under its own ids", async () => {
  for (const [index, row] of ROWS.entries()) await send(messageOf(row, index));
  for (const [index, row] of ROWS.entries()) {
    const { correlationId, body, applicationProperties = {}, messageId } = messageOf(row, index);
    const last = () => answersTo(index, correlationId).at(-1);
    await expect
      .poll(() => last()?.subject, { ...PATIENCE, message: row.what })
      .toBe(row.fault ? "Rejected" : "Completed");
    const kept = await inQuarantine(correlationId);
    if (!row.fault) {
      expect(kept, row.what).toEqual([]);
      continue;
    }
    expect(String(last()?.body.faults), row.what).toMatch(row.fault);
    expect(kept, row.what).toHaveLength(1);
    const [one] = kept;
    expect(one, row.what).toMatchObject({ subject: "InvalidSubmission", messageId, replyTo: REPLY_QUEUE });
    expect(one?.applicationProperties?.["fault1"], row.what).toBeTypeOf("string");
    const digest = one?.applicationProperties?.["bodyBytes"];
    if (/250 KB of gzip/.test(row.what)) {
      expect(one?.applicationProperties).toMatchObject({ bodyBytes: (body as Buffer).length });
    } else expect(Buffer.compare(one?.body as Buffer, body as Buffer), row.what).toBe(0);
    if (/gzip/.test(row.what)) expect(digest).toBe((body as Buffer).length);
    for (const [name, value] of Object.entries(applicationProperties)) {
      if (!/64 KB/.test(row.what)) expect(one?.applicationProperties?.[name], row.what).toBe(value);
    }
  }
  for (const queue of ["jobs", "quarantine"]) {
    expect(await messagesIn(app.bus, queue, { subQueueType: "deadLetter" })).toEqual([]);
  }
});

async function ask(path: string, body?: unknown) {
  const headers = { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" };
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await app.call(`api/${path}`, { headers, ...options });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as { readonly [name: string]: never };
}

const pauses = (change: "pause" | "resume") =>
  ask("pauses", { kind: "workflow", name: "smoke", change, reason: "of the test" });

const WHOLE: ServiceBusMessage = {
  body: Buffer.from(jsonOf("whole-1")),
  messageId: "1002",
  correlationId: "12345678901234567890",
  subject: "Order placed",
  to: "the shop",
  partitionKey: "east",
  contentType: "application/json; charset=utf-8",
  replyTo: REPLY_QUEUE,
  timeToLive: 600_000,
  applicationProperties: {
    Tenant: "1002",
    count: 7,
    share: 0.5,
    isTest: true,
    at: new Date(86_400_000),
    none: null as never,
  },
};

const KEPT = ["correlationId", "to", "partitionKey", "contentType", "replyTo"] as const;

function expectCopy(copy: ServiceBusReceivedMessage | undefined, message = WHOLE): void {
  for (const name of KEPT) expect(copy?.[name], name).toBe(message[name]);
  expect(copy?.applicationProperties).toMatchObject(message.applicationProperties ?? {});
  expect(Buffer.compare(copy?.body as Buffer, message.body as Buffer)).toBe(0);
}

test("[submission | an order that waits | its workflow is paused, and its ids read as numbers] the copy that waits is the message that was sent, with what is left of its time to live", async () => {
  await pauses("pause");
  await send(WHOLE);
  const waiting = async () =>
    (await messagesIn(app.bus, "jobs", RAW)).find(
      ({ applicationProperties = {} }) => "postponeCause" in applicationProperties,
    );
  await expect.poll(waiting, PATIENCE).toBeDefined();
  const copy = await waiting();
  expectCopy(copy);
  expect(copy).toMatchObject({ subject: "Order placed", applicationProperties: { firstMessageId: "1002" } });
  expect(copy?.timeToLive).toBeLessThan(600_000);
  expect(copy?.timeToLive).toBeGreaterThan(500_000);
  await pauses("resume");
  await app.eventually("whole-1", ({ processState }) => processState === "Processed", 60_000);
  expect(app.statuses("whole-1").map(({ correlationId }) => correlationId)).toEqual(
    app.statuses("whole-1").map(() => WHOLE.correlationId),
  );
});

test("[submission | an order that waits | its time to live passes while it waits] it is dead-lettered as expired, and no copy of it is left", async () => {
  await pauses("pause");
  await send({ ...WHOLE, body: Buffer.from(jsonOf("expired-1")), correlationId: "expired", timeToLive: 3000 });
  const dead = async () =>
    (await messagesIn(app.bus, "jobs", { subQueueType: "deadLetter" })).filter(
      ({ correlationId }) => correlationId === "expired",
    );
  await expect.poll(dead, PATIENCE).toMatchObject([{ deadLetterReason: "TTLExpiredException" }]);
  expect((await messagesIn(app.bus, "jobs")).filter(({ correlationId }) => correlationId === "expired")).toEqual([]);
  await pauses("resume");
});

test("[operator | an order resent from the quarantine | a body at fault, and ids that read as booleans] corrected, it is processed with its own properties, and answered under its own ids", async () => {
  const message = { ...WHOLE, body: Buffer.from(withMember("again-1", '"surprise":1')), correlationId: "true" };
  await send(message);
  await expect.poll(() => inQuarantine("true"), PATIENCE).toHaveLength(1);
  const [kept] = await inQuarantine("true");
  expectCopy(kept, message);
  expect(kept?.applicationProperties).toMatchObject({ sentSubject: "Order placed", queue: "jobs" });
  const order = { ...madeOrder("again-1"), workflow: "smoke" };
  await ask(`dead-letters/quarantine/${kept?.sequenceNumber}/resend`, { reason: "without the surprise", body: order });
  await app.eventually("again-1", ({ processState }) => processState === "Processed");
  await expect.poll(() => app.statuses("again-1").at(-1)?.correlationId, PATIENCE).toBe("true");
});
