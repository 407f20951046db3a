// What one order of three steps asks of the services, and nothing else: the requests that every engine has to make for it.
import type { Container, JSONObject, PatchOperation } from "@azure/cosmos";
import type { ServiceBusSender } from "@azure/service-bus";
import { request } from "undici";
import { sampleOrder, sampleRecord, THREE_STEPS } from "../tests/support/orders.ts";

/** How a floor's Cosmos DB SDK sends: as it does by itself, or as the app has it send, with undici and a key that is read once. */
export const FLOOR_CLIENTS = ["sdk", "app"] as const;
export type FloorClient = (typeof FLOOR_CLIENTS)[number];

/** The queue that this floor alone receives from: two at one queue would share the orders. */
export const floorQueue = (client: FloorClient): string => `bench-floor-${client}`;

export interface Services {
  readonly container: Container;
  readonly replies: ServiceBusSender;
  /** The URLs of the three services, in the order of the steps. */
  readonly remotes: readonly string[];
}

const CALLS = [
  { path: "reservations", body: (orderId: string) => ({ orderId, lines: sampleOrder(orderId).lines }) },
  {
    path: "charges",
    body: (orderId: string) => ({ orderId, amount: 2150, currency: "EUR", paymentToken: "tok_visa" }),
  },
  { path: "shipments", body: (orderId: string) => ({ orderId, shipTo: sampleOrder(orderId).shipTo }) },
] as const;
const LATER_MS = 3_600_000;

/** One transactional batch: the order and its state record, both or neither. */
export async function record({ container }: Services, orderId: string): Promise<void> {
  const dueAt = new Date(Date.now() + LATER_MS).toISOString();
  const documents: readonly object[] = [
    { id: "job", orderId, jobId: orderId, schemaVersion: 1, job: sampleOrder(orderId) },
    { id: "state", orderId, ...sampleRecord(orderId, THREE_STEPS), processState: "Processing", dueAt },
  ];
  const { code = 0 } = await container.items.batch(
    documents.map((document) => ({ operationType: "Create", resourceBody: document as JSONObject })),
    orderId,
    // As the app asks for it.
    { contentResponseOnWriteEnabled: false },
  );
  if (code !== 200) throw new Error(`the batch of ${orderId} came to ${code}`);
}

/** A patch and a call for each step, one more patch at the end, and the statuses in between. */
export async function workThrough(services: Services, orderId: string, statuses: "all" | "end"): Promise<void> {
  const names = THREE_STEPS.steps.map(({ name }) => name);
  const send = async (...subjects: string[]) => {
    const wanted = subjects.filter((subject) => statuses === "all" || subject === "Completed");
    const messages = wanted.map((subject) => ({ subject, body: { jobId: orderId, status: subject } }));
    const [only] = messages;
    if (only) await services.replies.sendMessages(messages.length === 1 ? only : messages);
  };
  await send("Received");
  for (const [at, name] of names.entries()) {
    await patch(services, orderId, name, "Scheduled");
    await send(at === 0 ? "Started" : "StepCompleted");
    await call(services, orderId, at);
  }
  await patch(services, orderId, names.at(-1) ?? "", "Completed");
  await send("StepCompleted", "Completed");
}

async function patch({ container }: Services, orderId: string, step: string, state: string): Promise<void> {
  const at = new Date();
  const isLast = state === "Completed";
  const operations: PatchOperation[] = [
    { op: "set", path: `/steps/${step}/state`, value: state },
    { op: "set", path: `/steps/${step}/startedAt`, value: at.toISOString() },
    { op: "set", path: `/steps/${step}/result`, value: { id: `${step}-${orderId}` } },
    { op: "set", path: "/updatedAt", value: at.toISOString() },
    { op: "add", path: "/history/-", value: { at: at.toISOString(), what: `${step}: ${state}`, by: "bench" } },
    ...(isLast
      ? ([
          { op: "set", path: "/processState", value: "Processed" },
          { op: "set", path: "/overAt", value: at.toISOString() },
          { op: "remove", path: "/dueAt" },
        ] as const)
      : ([{ op: "set", path: "/dueAt", value: new Date(at.getTime() + LATER_MS).toISOString() }] as const)),
  ];
  const condition = 'from c where c.processState = "Processing"';
  await container.item("state", orderId).patch({ condition, operations });
}

/** The call of one step, by its place; a service does it once for a key. */
async function call({ remotes }: Pick<Services, "remotes">, orderId: string, at: number): Promise<void> {
  const { path, body } = CALLS[at] ?? CALLS[0];
  const { statusCode, body: answer } = await request(new URL(path, remotes[at]), {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": `${orderId}-${path}` },
    body: JSON.stringify(body(orderId)),
  });
  await answer.json();
  if (statusCode >= 300) throw new Error(`${path} of ${orderId} came to ${statusCode}`);
}
