// This host against what was recorded of the real one (4.1037, Durable 2.13.7), by the same questions to the same app.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WEBHOOK_KEY } from "../durable/client-binding.ts";
import { type RunningHost, startHost } from "../start.ts";
import { type Observations, observe } from "./observe.ts";

const APP = join(import.meta.dirname, "../fixtures/conformance-app");
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, "real-host.json"), "utf8")) as Observations;
const data = mkdtempSync(join(tmpdir(), "conformance-"));
let host: RunningHost;
let seen: Observations;

beforeAll(async () => {
  host = await startHost({ appDir: APP, port: 0, data, settings: {} });
  seen = await observe({ url: host.baseUrl, code: WEBHOOK_KEY });
});
afterAll(async () => {
  await host.close();
  rmSync(data, { recursive: true });
});

test("the same is observed", () => expect(Object.keys(seen).sort()).toEqual(Object.keys(recorded).sort()));

test.each(Object.keys(recorded))("%s: as on the real host", (name) => expect(seen[name]).toEqual(recorded[name]));
