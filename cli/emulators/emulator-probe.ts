// What the core rests on, asked of a Cosmos DB emulator: some versions take a stale ETag inside a batch, or keep documents of one that failed
// (azure-cosmos-db-emulator-docker #296, #302, #303, #319). On such a one two attempts could both claim an order.
import { randomUUID } from "node:crypto";
import type { Container, JSONObject, OperationInput } from "@azure/cosmos";

const STALE = `"00000000-0000-0000-0000-000000000000"`;
const PRECONDITION_FAILED = 412;
const CONFLICT = 409;

/** A sentence for each rule that does not hold; none where all do. What it writes is removed. @param keyPath the partition key's member */
export async function probeStore(container: Container, keyPath: string): Promise<string[]> {
  const key = `probe-${randomUUID()}`;
  const document = (id: string): JSONObject => ({ id, [keyPath]: key, probe: true });
  const faults: string[] = [];
  try {
    await container.items.create(document("first"));
    for (const operation of [
      { operationType: "Patch", id: "first", ifMatch: STALE, resourceBody: patch() },
      {
        operationType: "Replace",
        id: "first",
        ifMatch: STALE,
        resourceBody: { ...document("first"), probe: "changed" },
      },
    ] as const) {
      const codes = await codesOf(container, [operation as OperationInput], key);
      if (!codes.includes(PRECONDITION_FAILED))
        faults.push(`${operation.operationType} with a stale ETag inside a batch answers ${codes}, not 412.`);
    }
    const create = (id: string) => ({ operationType: "Create", resourceBody: document(id) }) as const;
    const codes = await codesOf(container, [create("second"), create("first")], key);
    if (!codes.includes(CONFLICT)) faults.push(`A batch that creates an existing document answers ${codes}, not 409.`);
    const kept = await container.item("second", key).read();
    if (kept.resource !== undefined) faults.push("A batch that failed has left one of its documents.");
  } finally {
    for (const id of ["first", "second"])
      await container
        .item(id, key)
        .delete()
        .catch(() => undefined);
  }
  return faults;
}

function patch() {
  return { operations: [{ op: "set", path: "/probe", value: "changed" }] };
}

/** Of the batch and its operations. */
async function codesOf(container: Container, operations: OperationInput[], key: string): Promise<number[]> {
  try {
    const { code, result } = await container.items.batch(operations, key);
    return [code ?? 0, ...(result ?? []).map(({ statusCode }) => statusCode)];
  } catch (cause) {
    // The SDK throws what some answers are; the code then stands on the error.
    const { code } = cause as { code?: number };
    if (typeof code === "number") return [code];
    throw cause;
  }
}
