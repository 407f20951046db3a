// What clients see while a commit is on its way to the disk.
import { expect, onTestFinished, test } from "vitest";
import { holdFlushes, isSettled } from "../../database/held-flushes.ts";
import { codeOf, temporaryServer } from "./temporary-server.ts";

test("no answer depends on what is not yet on the disk", async () => {
  const at = await temporaryServer({ durability: "full" });
  onTestFinished(() => at.stop());
  await at.orders.items.create({ id: "before", orderId: "a" });
  const held = holdFlushes();
  const created = at.orders.items.create({ id: "new", orderId: "a" });
  await held.next();
  const query = at.orders.items.query("SELECT VALUE c.id FROM c").fetchAll();
  const read = at.orders.item("new", "a").read();
  const feed = at.orders.items.readAll().fetchAll();
  const refused = codeOf(at.orders.items.create({ id: "new", orderId: "a" }));
  for (const answer of [created, query, read, feed, refused]) expect(await isSettled(answer)).toBe(false);
  held.end();
  await created;
  expect((await query).resources).toEqual(["before", "new"]);
  expect((await read).statusCode).toBe(200);
  expect((await feed).resources).toHaveLength(2);
  held.release();
  expect(await refused).toBe(409);
});
