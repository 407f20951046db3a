// Two hosts with reply queues of their own: what waits in the one's is known to the other, also once its owner has stopped.
import type {
  DeadLetterCounts,
  WaitingMessages,
} from "@scheduler-agent-supervisor/operator/internal/messaging/console-contract";
import { createCosmosReplyQueueRegister } from "@scheduler-agent-supervisor/operator/internal/store/reply-queue-register";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const OTHERS = "agent-replies-host2";
/** The register is read once in a minute. */
const PATIENCE = { timeout: 120_000, interval: 500 } as const;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ hosts: 2 });
});
afterAll(() => app?.[Symbol.asyncDispose]());

async function api<T>(path: string): Promise<T> {
  const response = await app.call(`api/${path}`);
  return (await response.json()) as T;
}

const waitsIn = async (queue: string) =>
  (await api<WaitingMessages>("waiting-messages")).queues.find((one) => one.queue === queue);
const lettersIn = async (queue: string) =>
  (await api<DeadLetterCounts>("dead-letters")).queues.find((one) => one.queue === queue);

test("the first host counts what waits for the second one after that has stopped, and its dead letters", async () => {
  await expect.poll(() => waitsIn(OTHERS), PATIENCE).toEqual({ queue: OTHERS, waits: [] });
  expect(await lettersIn(OTHERS)).toMatchObject({ count: 0 });
  await app.stack.kill("host2", "SIGKILL");
  const sender = app.bus.createSender(OTHERS);
  await sender.sendMessages([
    { body: {}, messageId: "one" },
    { body: {}, messageId: "two" },
  ]);
  await sender.close();
  await expect.poll(() => waitsIn(OTHERS), PATIENCE).toMatchObject({ waits: [{ cause: "notTaken" }] });
  const receiver = app.bus.createReceiver(OTHERS);
  const [message] = await receiver.receiveMessages(1);
  if (!message) throw new Error("the reply is gone");
  await receiver.deadLetterMessage(message);
  await receiver.close();
  await expect.poll(() => lettersIn(OTHERS), PATIENCE).toMatchObject({ count: 1 });
});

test("a queue that is gone is named while its owner may be there, and not once that is gone too", async () => {
  const supervision = databaseOf(app.settings).container("supervision");
  const register = createCosmosReplyQueueRegister(supervision);
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  await register.write({ at: ago(0), queues: ["agent-replies-lost"] });
  await register.write({ at: ago(86_400_000), queues: ["agent-replies-removed"] });
  await register.write({ at: ago(31 * 86_400_000), queues: ["agent-replies-forgotten"] });
  await expect.poll(() => waitsIn("agent-replies-lost"), PATIENCE).toMatchObject({ error: expect.any(String) });
  expect(await waitsIn("agent-replies-removed")).toEqual({ queue: "agent-replies-removed", waits: [] });
  expect(await waitsIn("agent-replies-forgotten")).toBeUndefined();
  expect(await lettersIn("agent-replies-lost")).toMatchObject({ error: expect.any(String) });
  expect(await lettersIn("agent-replies-removed")).toMatchObject({ count: 0 });
});
