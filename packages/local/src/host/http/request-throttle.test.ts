// host.json's numbers of requests: what is beyond them waits, or is rejected, and the headers of every answer.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startHost } from "../start.ts";
import { RequestThrottle } from "./request-throttle.ts";

test("what is beyond the number at one time waits in its order, and what is beyond the number held is rejected", async () => {
  const throttle = new RequestThrottle({ mostAtOnce: 1, mostHeld: 3 });
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await throttle.enter();
    order.push(leave ? name : `${name} is rejected`);
    return leave;
  };
  const first = await enter("first");
  const [second, third] = [enter("second"), enter("third")];
  await enter("fourth");
  first?.();
  (await second)?.();
  (await third)?.();
  expect(order).toEqual(["first", "fourth is rejected", "second", "third"]);
  expect(await throttle.enter()).toBeDefined();
});

test("host.json says how many requests the functions take, and which headers their answers have", async () => {
  const data = mkdtempSync(join(tmpdir(), "throttle-"));
  const http = "AzureFunctionsJobHost__extensions__http";
  const settings = { [`${http}__maxOutstandingRequests`]: "2", [`${http}__customHeaders__x-own`]: "1" };
  const host = await startHost({ appDir: join(import.meta.dirname, "../fixtures/first-app"), port: 0, data, settings });
  const get = (path: string) => fetch(`${host.baseUrl}${path}`);
  const waiting = [get("/api/waits"), get("/api/waits")];
  await expect.poll(() => process.listenerCount("release")).toBe(2);
  expect((await get("/api/items/special")).status).toBe(429);
  process.emit("release" as never);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status, headers }) => [status, headers.get("x-own")])).toEqual([
    [200, "1"],
    [200, "1"],
  ]);
  expect((await get("/api/items/special")).status).toBe(200);
  await host.close();
  rmSync(data, { recursive: true });
});

test.each(["0", "-2", "1.5", "many"])("%s is no number of requests", async (maxConcurrentRequests) => {
  const settings = { AzureFunctionsJobHost__extensions__http__maxConcurrentRequests: maxConcurrentRequests };
  const appDir = join(import.meta.dirname, "../fixtures/first-app");
  await expect(startHost({ appDir, port: 0, data: tmpdir(), settings })).rejects.toThrow(/maxConcurrentRequests/);
});
