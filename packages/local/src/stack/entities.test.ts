// The files of entities: what is read of them, their notes too, and what nobody reads.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readEntities } from "./entities.ts";
import { type PartOptions, startPart } from "./running-part.ts";
import { parseServicesArguments } from "./services-arguments.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "entities-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The first to start a part loads it. */
const LOADED_MS = 120_000;

const QUEUES = { queues: [{ name: "orders", owner: "shop" }], notes: ["owner", "team"], team: "shop" };
const CONTAINERS = {
  database: "shop",
  containers: [{ id: "orders", partitionKey: { paths: ["/orderId"] }, owner: "shop" }],
  notes: ["owner", "team"],
  team: "shop",
};

/** What `services bus` or `services cosmos` reads of a file with this content. */
async function read(part: "bus" | "cosmos", content: object) {
  const path = join(folder, "entities.json");
  writeFileSync(path, JSON.stringify(content));
  const option = part === "bus" ? "--queues" : "--cosmos-resources";
  const parsed = parseServicesArguments([part, option, path, "--data", folder]);
  if (parsed.kind !== "arguments") throw new Error(JSON.stringify(parsed));
  return { wanted: parsed.value, ...(await readEntities(parsed.value)) };
}

describe.each([
  ["bus", QUEUES],
  ["cosmos", CONTAINERS],
] as const)("notes of the file for %s", (part, content) => {
  test(
    "reach the part, which reads none of the members that they name",
    async () => {
      const { wanted, entities, faults } = await read(part, content);
      expect(faults).toEqual([]);
      const ports = { ...wanted.ports, bus: 0, busAdmin: 0, cosmos: 0 };
      const options: PartOptions = { ...wanted, ports, entities, log: () => undefined, onExit: () => undefined };
      const running = await startPart(part, options);
      await running.close();
    },
    LOADED_MS,
  );

  test("without them each member is a fault", async () => {
    const { notes: _, ...bare } = content;
    const { wanted, entities, faults } = await read(part, bare);
    expect(faults).toEqual([expect.stringContaining('a member "team", which nobody reads')]);
    const ports = { ...wanted.ports, bus: 0, busAdmin: 0, cosmos: 0 };
    await expect(
      startPart(part, { ...wanted, ports, entities, log: () => undefined, onExit: () => undefined }),
    ).rejects.toThrow("owner");
  });

  test("that are no list of names hide nothing", async () => {
    const { faults } = await read(part, { ...content, notes: "team" });
    expect(faults).toEqual([expect.stringContaining('a member "team", which nobody reads')]);
  });
});
