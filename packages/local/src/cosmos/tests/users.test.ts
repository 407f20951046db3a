// Users, their permissions, and what a permission's token lets its holder do.
import { CosmosClient, type PermissionBody, type PermissionDefinition, PermissionMode } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
const clients: CosmosClient[] = [];
beforeAll(async () => {
  at = await temporaryServer();
  await at.plain.items.create({ id: "mine", pk: "p" });
  await at.plain.items.create({ id: "other", pk: "q" });
});
afterAll(async () => {
  for (const client of clients) client.dispose();
  await at.stop();
});

const users = () => at.client.database("test").users;

async function permit(definition: Omit<PermissionDefinition, "id">, seconds?: number): Promise<string> {
  const id = `p${Math.random()}`;
  const { user } = await users().upsert({ id: "reader" });
  const options = seconds === undefined ? {} : { resourceTokenExpirySeconds: seconds };
  const { resource } = await user.permissions.create({ id, ...definition }, options);
  return String((resource as PermissionDefinition & PermissionBody)._token);
}

function holder(token: string, container = "plain") {
  const resourceTokens = { [container]: token };
  const client = new CosmosClient({ endpoint: at.server.endpoint, resourceTokens });
  clients.push(client);
  return client.database("test").container(container);
}

test("a user is created once, renamed with its permissions, and deleted with them", async () => {
  const { user } = await users().create({ id: "ann" });
  expect(await codeOf(users().create({ id: "ann" }))).toBe(409);
  await user.permissions.create({ id: "all", permissionMode: PermissionMode.All, resource: at.plain.url });
  await user.replace({ id: "beth" });
  expect(await codeOf(user.read())).toBe(404);
  const beth = at.client.database("test").user("beth");
  expect((await beth.permissions.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(["all"]);
  await beth.delete();
  expect(await codeOf(beth.read())).toBe(404);
  const again = await users().create({ id: "beth" });
  expect((await again.user.permissions.readAll().fetchAll()).resources).toEqual([]);
});

test("a permission that names nothing, or no mode, is refused", async () => {
  const { user } = await users().upsert({ id: "strange" });
  const create = (definition: object) => codeOf(user.permissions.create({ id: "p", ...definition } as never));
  expect(await create({ permissionMode: "write", resource: at.plain.url })).toBe(400);
  expect(await create({ permissionMode: "Read", resource: "dbs/test/colls/none" })).toBe(404);
  expect(await create({ permissionMode: "Read", resource: "offers/one" })).toBe(404);
});

describe("the token of a permission", () => {
  test("to read a container reads it and its documents, and changes nothing", async () => {
    const container = holder(await permit({ permissionMode: PermissionMode.Read, resource: at.plain.url }));
    expect((await container.read()).statusCode).toBe(200);
    expect((await container.item("mine", "p").read()).resource).toMatchObject({ id: "mine" });
    expect((await container.items.query("SELECT c.id FROM c").fetchAll()).resources).toHaveLength(2);
    expect(await codeOf(container.items.create({ id: "new", pk: "p" }))).toBe(403);
    expect(await codeOf(container.delete())).toBe(403);
  });

  test("is for that resource alone, be it named by names or by resource ids", async () => {
    const self = (await at.plain.read()).resource?._self;
    const token = await permit({ permissionMode: PermissionMode.All, resource: String(self) });
    expect((await holder(token).items.upsert({ id: "mine", pk: "p", n: 1 })).statusCode).toBe(200);
    expect(await codeOf(holder(token, "orders").item("a", "a").read())).toBe(403);
    expect(await codeOf(holder(token).database.users.readAll().fetchAll())).toBe(401);
  });

  test("for one partition key reaches no other", async () => {
    const limited = { permissionMode: PermissionMode.All, resource: at.plain.url, resourcePartitionKey: ["p"] };
    const container = holder(await permit(limited));
    expect((await container.item("mine", "p").read()).statusCode).toBe(200);
    expect(await codeOf(container.item("other", "q").read())).toBe(403);
    expect(await codeOf(container.items.create({ id: "new", pk: "q" }))).toBe(403);
    expect(await codeOf(container.items.query("SELECT * FROM c").fetchAll())).toBe(403);
  });

  test("for one document reaches no other", async () => {
    const one = { permissionMode: PermissionMode.Read, resource: `${at.plain.url}/docs/mine` };
    const send = async (token: string, id: string, key: string) =>
      fetch(`${at.server.endpoint}dbs/test/colls/plain/docs/${id}`, {
        headers: { authorization: encodeURIComponent(token), "x-ms-documentdb-partitionkey": `["${key}"]` },
      });
    const token = await permit(one);
    expect((await send(token, "mine", "p")).status).toBe(200);
    expect((await send(token, "other", "q")).status).toBe(403);
    expect((await send(token.replace("sig=", "sig=AAAA"), "mine", "p")).status).toBe(401);
  });

  test("ends when it says", async () => {
    const token = await permit({ permissionMode: PermissionMode.Read, resource: at.plain.url }, 600);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 599_000 });
    try {
      expect((await holder(token).read()).statusCode).toBe(200);
      vi.setSystemTime(Date.now() + 1000);
      expect(await codeOf(holder(token).read())).toBe(403);
    } finally {
      vi.useRealTimers();
    }
  });

  test("does not reach a container that was deleted and created again", async () => {
    const database = at.client.database("test");
    const { container } = await database.containers.create({ id: "again" });
    const token = await permit({ permissionMode: PermissionMode.All, resource: container.url });
    await container.delete();
    await database.containers.create({ id: "again" });
    expect(await codeOf(holder(token, "again").read())).toBe(403);
  });
});
