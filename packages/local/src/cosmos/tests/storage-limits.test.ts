// What Azure limits by the size of the stored documents, on a server for which a GB is some bytes.
import type { OperationInput } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const GIGABYTE = 1000;
let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer({ gigabyte: GIGABYTE });
});
afterAll(() => at.stop());

test(LIMITS.keyGigabytes.what, async () => {
  const most = LIMITS.keyGigabytes.value * GIGABYTE;
  const document = (id: string, bytes: number) => ({ id, pk: "p", text: "x".repeat(bytes) });
  await at.plain.items.create(document("half", most / 2));
  await at.plain.items.create(document("rest", most / 2 - 1000));
  const refused = { code: 403, substatus: 1014 };
  await expect(at.plain.items.create(document("more", 1000))).rejects.toMatchObject(refused);
  await expect(at.plain.item("half", "p").replace(document("half", most / 2 + 1000))).rejects.toMatchObject(refused);
  const operations = [{ operationType: "Create", resourceBody: document("more", 1000) }] satisfies OperationInput[];
  expect((await at.plain.items.batch(operations, "p")).result).toMatchObject([
    { statusCode: 403, subStatusCode: 1014 },
  ]);
  // Another key has room, and what is smaller than before has it too.
  await at.plain.items.create({ ...document("more", 1000), pk: "q" });
  await at.plain.item("half", "p").replace(document("half", 1));
  await at.plain.items.create(document("more", 1000));
  expect(await codeOf(at.plain.items.create(document("more", 1)))).toBe(409);
});
