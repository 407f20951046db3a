// Requests for metadata beyond an account's rates get a 429, as with `--like-azure`.
import { expect, test } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { MetadataRates } from "../resources/metadata-rates.ts";
import { sendSigned } from "./signed-request.ts";
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
  expect(rates.refusal("databaseDelete")?.headers).toEqual(["x-ms-retry-after-ms", "1000"]);
  expect(rates.refusal("read")).toBeUndefined();
  now = 1000;
  expect(rates.refusal("databaseDelete")).toBeUndefined();
});

test.each([true, false])(
  "a server that limits them (%s) answers one read of a database too many",
  async (isLimited) => {
    const at = await temporaryServer({ limitsMetadata: isLimited });
    await at.plain.items.create({ id: "one", pk: "p" });
    const read = async () => (await sendSigned(at.server, "GET", "dbs/test")).status;
    const statuses = await Promise.all(Array.from({ length: LIMITS.metadataReads.value + 1 }, read));
    expect(statuses.includes(429)).toBe(isLimited);
    // Documents are something else.
    await at.plain.items.create({ id: "another", pk: "p" });
    await at.stop();
  },
);
