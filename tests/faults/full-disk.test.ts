// P16, P20: the disk under the local stack takes no more. A limit on the size of files stands for it: every further write fails.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { FREE_PORTS, type PartAddress, startServices } from "@scheduler-agent-supervisor/local";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { type FaultyStack, startFaultyStack } from "./faulty-stack.ts";
import { workflows } from "./workflows.ts";

const TIMEOUT_MS = 180_000;
/** Above what the logs take, below what a database has. */
const FULL_BYTES = 16_384;
const SENDERS = 8;

/** The process goes on, and what it wants to append to its databases is rejected. Only Linux has this. */
function fill(pid: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${FULL_BYTES}:unlimited`]);
}

function makeRoom(pid: number): void {
  execFileSync("prlimit", ["--pid", String(pid), "--fsize=unlimited:unlimited"]);
}

function pidOf({ stack }: FaultyStack, wanted: string): number {
  const found = stack.processes.find(({ name }) => name === wanted);
  if (!found) throw new Error(`there is no process ${wanted}`);
  return found.pid;
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux(
  "[local bus and store | orders sent and under way | disk full] they end with a clear error, and acknowledge nothing that they have not kept; started again, all that was acknowledged ends",
  async () => {
    await using app = await startFaultyStack(workflows);
    await app.submit(["filled-first"]);
    await app.allEnd(["filled-first"]);
    const acknowledged: string[] = [];
    let isOver = false;
    async function sendOn(sender: number): Promise<void> {
      for (let index = 0; !isOver; index += 1) {
        const orderId = `filled-${sender}-${index}`;
        await app.shop.send(madeOrder(orderId)).then(
          () => acknowledged.push(orderId),
          () => undefined,
        );
      }
    }
    for (let sender = 0; sender < SENDERS; sender += 1) void sendOn(sender);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(SENDERS);
    fill(pidOf(app, "services"));
    const lives = () => app.stack.processes.some(({ name }) => name === "services");
    await expect.poll(lives).toBe(false);
    isOver = true;
    expect(readFileSync(join(app.data, "logs/services.log"), "utf8")).toMatch(/disk.*What was acknowledged is kept/);
    await app.stack.restart("services");
    await app.allEnd([...acknowledged]);
  },
  TIMEOUT_MS,
);

onLinux(
  "[local store | documents written | disk full] each write is rejected with the reason, and reads are answered; with room again it goes on, and what was acknowledged is there",
  async () => {
    const data = mkdtempSync(join(tmpdir(), "full-"));
    const options = { name: "services", parts: ["cosmos"], data, durability: "normal", ports: FREE_PORTS } as const;
    const resources = join(ROOT, "infra/entities/cosmos.json");
    const files = { queues: undefined, "cosmos-resources": resources, remotes: undefined };
    const { child, parts } = await startServices({ ...options, files });
    try {
      const items = new CosmosClient(connectionOf(parts)).database("jobs").container("jobs").items;
      const create = (id: string) => items.create({ id, orderId: id, text: "x".repeat(5000) });
      for (let index = 0; index < 20; index += 1) await create(`kept-${index}`);
      fill(child.pid);
      await expect(create("rejected")).rejects.toThrow(/disk/);
      expect((await items.container.item("kept-3", "kept-3").read()).statusCode).toBe(200);
      makeRoom(child.pid);
      await create("kept-after");
      expect((await items.container.item("rejected", "rejected").read()).statusCode).toBe(404);
      expect((await items.container.item("kept-19", "kept-19").read()).statusCode).toBe(200);
    } finally {
      await child.stop(2000);
      rmSync(data, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);

onLinux(
  "[local host | orders under way | disk full under the durable engine] nothing is taken for done that it has not kept; with room again all orders end, one effect a step",
  async () => {
    await using app = await startFaultyStack(workflows, {
      tuning: { timing: { claimWithinMs: 3000, clockSkewMs: 500 } },
    });
    const orderIds = Array.from({ length: 10 }, (_, index) => `engine-${index}`);
    await app.submit(["engine-first"]);
    await app.allEnd(["engine-first"]);
    const worker = workerOf(pidOf(app, "host"));
    fill(worker);
    await app.submit(orderIds);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(readFileSync(join(app.data, "logs/host.log"), "utf8")).toMatch(/disk/);
    if (workerOf(pidOf(app, "host")) === worker) makeRoom(worker);
    await app.allEnd(orderIds);
  },
  TIMEOUT_MS,
);

function workerOf(watcher: number): number {
  return Number(readFileSync(`/proc/${watcher}/task/${watcher}/children`, "utf8").split(" ")[0]);
}

function connectionOf(parts: readonly PartAddress[]): string {
  const [cosmos] = parts;
  if (cosmos?.name !== "cosmos") throw new Error("the store did not start");
  return cosmos.connectionString;
}
