import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { describe, expect, onTestFinished, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { type ContainerResource, startCosmos } from "../start.ts";
import { declaredFault } from "./declared-containers.ts";

const ORDERS = { id: "orders", partitionKey: { paths: ["/id"] } };
const declared = (container: object) => ({ database: "shop", containers: [{ ...ORDERS, ...container }] });

describe(REJECTIONS.unknownMember.what, () => {
  test.each([
    ["the whole", { ...declared({}), container: [] }, "container"],
    ["a container", declared({ defaultTTL: 3 }), "defaultTTL"],
    ["a partition key", declared({ partitionKey: { paths: ["/id"], path: "/id" } }), "path"],
    ["an indexing policy", declared({ indexingPolicy: { includedPath: [] } }), "includedPath"],
    ["an included path", declared({ indexingPolicy: { includedPaths: [{ path: "/*", paths: "" }] } }), "paths"],
    ["a composite index", declared({ indexingPolicy: { compositeIndexes: [[{ path: "/a", oder: "" }]] } }), "oder"],
    ["unique keys", declared({ uniqueKeyPolicy: { uniqueKey: [] } }), "uniqueKey"],
    ["a unique key", declared({ uniqueKeyPolicy: { uniqueKeys: [{ path: "/a" }] } }), "path"],
    ["a conflict policy", declared({ conflictResolutionPolicy: { mod: "Custom" } }), "mod"],
  ])("%s", (_, resources, member) => {
    expect(declaredFault(declared({}))).toBeUndefined();
    expect(declaredFault(resources)).toContain(`Unrecognized key: "${member}"`);
  });
});

test("the notes that the file names are left alone, and not kept with the container", async () => {
  const noted = { ...declared({ owner: "shop" }), owners: ["a"], notes: ["owner", "owners"] };
  expect(declaredFault(noted)).toBeUndefined();
  expect(declaredFault({ ...noted, notes: ["owners"] })).toContain('Unrecognized key: "owner"');
  expect(declaredFault({ ...noted, notes: ["partitionKey"] })).toContain('"partitionKey" is a member with an effect');
  const data = mkdtempSync(join(tmpdir(), "noted-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const server = await startCosmos({ port: 0, data, resources: noted });
  onTestFinished(() => server.close());
  const { resource } = await new CosmosClient(server.connectionString).database("shop").container("orders").read();
  expect(resource).not.toHaveProperty("owner");
});

test("what a container keeps from its creation on cannot be declared otherwise later", async () => {
  const data = mkdtempSync(join(tmpdir(), "declared-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const start = async (container: ContainerResource) => {
    const resources = { database: "shop", containers: [container] };
    const cosmos = await startCosmos({ port: 0, data, resources });
    await cosmos.close();
  };
  await start(ORDERS);
  await start(ORDERS);
  await expect(start({ ...ORDERS, partitionKey: { paths: ["/other"] } })).rejects.toThrow(
    "The container 'orders' is there already. The partition key of a container is fixed.",
  );
  await start({ ...ORDERS, partitionKey: { paths: ["/id"], version: 2 } });
  await expect(start({ ...ORDERS, uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/a"] }] } })).rejects.toThrow(
    "The unique keys of a container are fixed.",
  );
});
