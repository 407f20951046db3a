// The pattern without the operators' desk: an app that has not installed it, and does not bind its functions, carries an order through.
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adaptApp, copyPackages } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { GRAPH, hasty } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const adapted = adaptApp([hasty(GRAPH)]);
let app: TestStack;
beforeAll(async () => {
  rmSync(join(copyPackages(adapted), "operator"), { recursive: true });
  for (const file of globSync("dist/functions/*.js", { cwd: adapted.dir }))
    if (readFileSync(join(adapted.dir, file), "utf8").includes("scheduler-agent-supervisor/operator/"))
      rmSync(join(adapted.dir, file));
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted[Symbol.dispose]();
});

test("P1 P4 an order is processed, and the API is not there", async () => {
  await app.shop.send({ ...madeOrder("alone"), workflow: GRAPH.name });
  const ended = await app.eventually("alone", ({ processState }) => processState === "Processed", 30_000);
  expect(ended.processState).toBe("Processed");
  expect((await app.call("api/jobs")).status).toBe(404);
});
