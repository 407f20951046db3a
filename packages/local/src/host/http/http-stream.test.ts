// Streamed HTTP is refused, in a file of its own: the library streams for a whole process or not at all.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startHost } from "../start.ts";

const data = mkdtempSync(join(tmpdir(), "stream-"));
afterAll(() => rmSync(data, { recursive: true }));

test("an app that asks for streams does not start", async () => {
  const appDir = join(import.meta.dirname, "../fixtures/stream-app");
  await expect(startHost({ appDir, port: 0, data })).rejects.toThrow("Streamed HTTP, which the app asks for");
});
