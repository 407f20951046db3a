// The host's own paths where an app runs in several processes: as strict with keys as where it runs in one.
import { afterEach, expect, test } from "vitest";
import { MASTER_KEY } from "../http/function-keys.ts";
import { openServer } from "../http/server.ts";
import { Router } from "./router.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function start(checksKeys: boolean) {
  const router = new Router();
  const server = await openServer(0, (request, response) => router.answer(request, response));
  close = () => server.close(0);
  const instances = { statuses: [], ports: [], has: () => false, portOf: () => Promise.resolve(undefined) };
  router.serve({ functions: [], instances, checksKeys, state: { isStarted: true, isStopping: false } });
  return async (path: string, key = "none") => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "x-functions-key": key } });
    return response.status;
  };
}

test("with keys the functions are listed for the master key alone, and the state for everybody", async () => {
  const get = await start(true);
  expect([await get("/admin/functions"), await get("/Admin/functions/A"), await get("/admin/other")]).toEqual([
    401, 401, 401,
  ]);
  expect([await get("/admin/functions", MASTER_KEY), await get("/admin/functions/%ZZ", MASTER_KEY)]).toEqual([
    200, 404,
  ]);
  for (const path of ["/admin/host/status", "/admin/host/ping", "/admin/counts"]) expect(await get(path)).toBe(200);
});

test("without keys the functions are listed for everybody", async () => {
  const get = await start(false);
  expect(await get("/admin/functions")).toBe(200);
});
