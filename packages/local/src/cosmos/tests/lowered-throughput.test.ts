// A throughput that was once high cannot be set as low as one that never was.
import { afterAll, beforeAll, expect, test } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

type Asked = { readonly throughput: number } | { readonly maxThroughput: number };
const contentOf = (asked: Asked) =>
  "throughput" in asked ? { offerThroughput: asked.throughput } : { offerAutopilotSettings: asked };

/** The statuses with which one container is set to these, one after the other. */
async function setTo(id: string, first: Asked, ...others: readonly Asked[]): Promise<number[]> {
  const { container } = await at.client.database("test").containers.create({ id, partitionKey: "/pk", ...first });
  const statuses: number[] = [];
  for (const asked of others) {
    const { resource } = await container.readOffer();
    const replaced = at.client.offer(String(resource?.id)).replace({ ...resource, content: contentOf(asked) } as never);
    statuses.push(
      await replaced.then(
        () => 200,
        ({ code }: { readonly code: number }) => code,
      ),
    );
  }
  return statuses;
}

test(LIMITS.highestThroughput.what, async () => {
  const most = 400 * LIMITS.highestThroughput.value;
  const manual = [400, most, 400, most + 100, 400, 500].map((throughput) => ({ throughput }));
  expect(await setTo("manual", { throughput: 400 }, ...manual)).toEqual([200, 200, 200, 200, 400, 200]);
});

test(LIMITS.highestAutoscale.what, async () => {
  const most = 1000 * LIMITS.highestAutoscale.value;
  const automatic = [most, 1000, most + 1000, 1000, 2000].map((maxThroughput) => ({ maxThroughput }));
  expect(await setTo("automatic", { maxThroughput: 1000 }, ...automatic)).toEqual([200, 200, 200, 400, 200]);
});
