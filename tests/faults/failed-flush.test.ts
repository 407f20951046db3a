// P16, P20: the disk under the local stack fails while a commit is flushed. What was acknowledged before is there after the next start.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { FREE_PORTS, startServices } from "@scheduler-agent-supervisor/local";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";

/** Loaded into the process before its own modules: from when the file `broken` exists, every flush fails. */
function brokenDisk(broken: string): string {
  return `
    import fs, { existsSync } from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { fdatasync } = fs;
    fs.fdatasync = (descriptor, done) =>
      existsSync(${JSON.stringify(broken)})
        ? setImmediate(done, new Error("EIO: i/o error, fdatasync"))
        : fdatasync(descriptor, done);
    syncBuiltinESMExports();
  `;
}

test("[local store | documents written | a flush fails] it ends with a clear error and does not acknowledge the write; started again, all that was acknowledged is there", async () => {
  const data = mkdtempSync(join(tmpdir(), "failed-flush-"));
  const broken = join(data, "broken");
  const preload = join(data, "broken-disk.mjs");
  writeFileSync(preload, brokenDisk(broken));
  const options = { name: "services", parts: ["cosmos"], data, durability: "full", ports: FREE_PORTS } as const;
  const resources = join(ROOT, "infra/entities/cosmos.json");
  const files = { queues: undefined, "cosmos-resources": resources, remotes: undefined };
  const start = () => startServices({ ...options, files });
  const itemsOf = ({ parts: [cosmos] }: Awaited<ReturnType<typeof start>>) => {
    if (cosmos?.name !== "cosmos") throw new Error("the store did not start");
    return new CosmosClient(cosmos.connectionString).database("jobs").container("jobs");
  };
  const nodeOptions = process.env["NODE_OPTIONS"];
  process.env["NODE_OPTIONS"] = `--import=${preload}`;
  const first = await start().finally(() => {
    if (nodeOptions === undefined) delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = nodeOptions;
  });
  const items = itemsOf(first);
  await items.items.create({ id: "kept", orderId: "kept" });

  writeFileSync(broken, "");
  const stopped = new AbortController();
  const answer = items.items
    .create({ id: "lost", orderId: "lost" }, { abortSignal: stopped.signal })
    .then(() => "acknowledged")
    .catch(() => "not acknowledged");
  await first.child.exited;
  stopped.abort();
  expect(await answer).toBe("not acknowledged");
  expect(readFileSync(join(data, "logs/services.log"), "utf8")).toMatch(
    /The services end at a fault: What is committed in .* may not be on the disk: Error: EIO/,
  );

  const second = await start();
  expect((await itemsOf(second).item("kept", "kept").read()).statusCode).toBe(200);
  await second.child.stop(2000);
  rmSync(data, { recursive: true });
});
