// Requests for metadata beyond an account's rates get a 429, as with `--like-azure`.
import { CosmosClient } from "@azure/cosmos";
import { expect, test } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { MetadataRates } from "../resources/metadata-rates.ts";
import { temporaryServer } from "./temporary-server.ts";

const MINUTE = 60_000;
let now = 0;

/** How many of these are let in within the first minute, and how long the next one has to wait. */
function mostOf(rates: MetadataRates, kinds: readonly string[]): { readonly taken: number; readonly waitMs: number } {
  for (let taken = 0; ; taken += 1) {
    now = (taken * MINUTE) / 1000;
    const refused = rates.refusal(kinds[taken % kinds.length] ?? "");
    if (!refused) continue;
    expect(refused.status).toBe(429);
    const [, waitMs] = refused.headers ?? [];
    return { taken, waitMs: Number(waitMs) };
  }
}

test.each([
  [LIMITS.creations.what, LIMITS.creations.value, ["databaseCreate", "containerCreate"]],
  [
    LIMITS.metadataReads.what,
    LIMITS.metadataReads.value,
    ["databaseRead", "databaseList", "containerRead", "containerList"],
  ],
  [LIMITS.throughputChanges.what, LIMITS.throughputChanges.value, ["offerReplace"]],
])("%s", (_, value, kinds) => {
  const rates = new MetadataRates(() => now);
  const { taken, waitMs } = mostOf(rates, kinds);
  expect(taken).toBe(value);
  // A client waits as long as it is told.
  expect(waitMs).toBe(1000);
  now = 5 * MINUTE - 1;
  expect(rates.refusal(kinds[0] ?? "")).toBeDefined();
  now += 1;
  expect(rates.refusal(kinds[0] ?? "")).toBeUndefined();
  expect(rates.refusal("query")).toBeUndefined();
});

test(LIMITS.metadata.what, () => {
  now = 0;
  const rates = new MetadataRates(() => now);
  for (let n = 0; n < LIMITS.metadata.value; n += 1) expect(rates.refusal("keyRanges")).toBeUndefined();
  expect(rates.refusal("offers")?.headers).toEqual(["x-ms-retry-after-ms", "1000"]);
  expect(rates.refusal("read")).toBeUndefined();
  now = 1000;
  expect(rates.refusal("offers")).toBeUndefined();
});

test.each([true, false])(
  "a server that limits them (%s) answers the change of throughput after the last one",
  async (limitsMetadata) => {
    const at = await temporaryServer({ limitsMetadata });
    const retryOptions = { maxRetryAttemptCount: 0, fixedRetryIntervalInMilliseconds: 0, maxWaitTimeInSeconds: 0 };
    const { connectionString } = at.server;
    const client = new CosmosClient({ connectionString, connectionPolicy: { retryOptions } });
    const { resource } = await at.plain.readOffer();
    const change = () => client.offer(String(resource?.id)).replace(resource as never);
    for (let n = 0; n < LIMITS.throughputChanges.value; n += 1) await change();
    if (limitsMetadata) await expect(change()).rejects.toMatchObject({ code: 429, retryAfterInMs: expect.any(Number) });
    else await change();
    // Documents are something else.
    await at.plain.items.create({ id: "one", pk: "p" });
    client.dispose();
    await at.stop();
  },
);
