// The commands as a newcomer types them, in processes of their own.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { commandsIn, livePids, portOptions } from "../support/command.ts";

const { folder, run } = commandsIn("commands-");

test("npm start -- --exit --json: every sample ends as it should, and one line of JSON is last", async () => {
  const start = run("start", "--exit", "--json", "--data", join(folder, "exit"), ...(await portOptions()));
  expect(await start.ended, start.output()).toBe(0);
  const last = start.output().trimEnd().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toEqual({
    sent: 15,
    processed: 10,
    compensated: 2,
    cancelled: 0,
    error: 1,
    quarantined: 1,
    seconds: expect.any(Number),
  });
  expect(start.output()).toContain("inventory service");
});

test("npm start -- --hosts 2 --cut-off: all orders end while one region is cut off and after, each step with one effect", async () => {
  const more = ["--hosts", "2", "--cut-off", "store", "--cut-off-for", "10"];
  // Of a port that is named, the second host takes the next: that may be another's.
  const ports = await portOptions({ host: 0 });
  const start = run("start", "--exit", ...more, "--data", join(folder, "regions"), ...ports);
  expect(await start.ended, start.output()).toBe(0);
  expect(start.output()).toMatch(/host2 +Cut off +\(from the store, for 10 s\)/);
  expect(start.output()).toMatch(/host2 +Connected/);
  expect(start.output()).toContain("Each step of each order had one effect.");
}, 150_000);

test("npm start -- --cut-off without a second host is a wrong call", async () => {
  const start = run("start", "--cut-off", "store", "--data", join(folder, "one-region"));
  expect(await start.ended).toBe(2);
  expect(start.output()).toContain("--hosts 2");
});

test("npm start stays, serves the other commands, stops on Ctrl-C within 5 s; a start after kill -9 takes up what was unfinished", async () => {
  const data = join(folder, "stays");
  // Services report to where the app was.
  const ports = await portOptions();
  const first = run("start", "--data", data, ...ports);
  await expect.poll(() => first.output(), { timeout: 90_000, interval: 50 }).toMatch(/\d\/\d+ steps, arrangeShipping/);
  // The quick ones have to be at their end, however slow the machine is: others are to be left.
  const quick = ["plain", "priority", "payment-rejected", "address-rejected", "malformed", "sent-twice", "return"];
  for (const name of [...quick, "trip", "trip-sold-out", "trip-without-car"]) {
    const ended = new RegExp(` ${name}\\S*( order\\S*)? +(Processed|Compensated|Error|Quarantined) `);
    await expect.poll(() => first.output(), { timeout: 90_000, interval: 50 }).toMatch(ended);
  }
  // Killed while samples wait for their services: nothing of the stack may outlive it.
  first.child.kill("SIGKILL");
  await first.ended;
  await expect.poll(() => livePids(data)).toEqual([]);

  const second = run("start", "--data", data, ...ports);
  await expect.poll(() => second.output(), { timeout: 90_000 }).toMatch(/Taking up [123] unfinished orders/);
  await expect.poll(() => second.output(), { timeout: 90_000 }).toContain("The stack stays up");
  expect(second.output()).toContain("the samples are not sent again");
  expect(second.output()).not.toContain("sample orders over");

  writeFileSync(join(folder, "mine.json"), readFileSync(join(ROOT, "samples", "plain.json")));
  const sent = run("send", join(folder, "mine.json"), "--data", data);
  expect(await sent.ended, sent.output()).toBe(0);
  const made = run("send", "--count", "5", "--data", data);
  expect(await made.ended, made.output()).toBe(0);
  expect(made.output()).toContain("5 orders sent");
  await expect
    .poll(async () => {
      const orders = run("orders", "plain", "--data", data);
      await orders.ended;
      return orders.output();
    })
    .toContain("plain: Processed");
  const trace = run("start", "--trace", "plain", "--data", data);
  expect(await trace.ended, trace.output()).toBe(0);
  expect(trace.output()).toMatch(/claim attempt 1[\s\S]*publish StepCompleted, Completed/);
  const list = run("orders", "--data", data, "--json");
  await list.ended;
  expect(list.output().trim().split("\n").length).toBeGreaterThanOrEqual(11);
  expect(list.output()).not.toMatch(/"nonce"|"contentDigest"/);
  const reset = run("reset", "--data", data);
  expect(await reset.ended).toBe(1);
  expect(reset.output()).toContain("stop it first");

  const asked = Date.now();
  second.child.kill("SIGINT");
  expect(await second.ended, second.output()).toBe(0);
  expect(Date.now() - asked).toBeLessThan(10_000);
  expect(livePids(data)).toEqual([]);
  expect(await run("reset", "--data", data).ended).toBe(0);
  expect(existsSync(data)).toBe(false);
}, 360_000);

test("npm start -- --no-samples sends none, and has nothing to wait for", async () => {
  const start = run("start", "--no-samples", "--data", join(folder, "none"), ...(await portOptions()));
  await expect.poll(() => start.output(), { timeout: 90_000 }).toContain("The stack stays up");
  expect(start.output()).toContain("No sample orders are sent.");
  expect(start.output()).not.toMatch(/Sending|ended as they should/);
  start.child.kill("SIGINT");
  expect(await start.ended, start.output()).toBe(0);
});

test("npm start: Ctrl-C while the stack comes up ends all at once, with a sentence and 130", async () => {
  const data = join(folder, "early");
  const start = run("start", "--data", data, ...(await portOptions()));
  await expect.poll(() => start.output(), { timeout: 90_000, interval: 20 }).toContain("ready after");
  start.child.kill("SIGINT");
  expect(await start.ended, start.output()).toBe(130);
  expect(start.output()).toContain("Stopped before the stack was up.");
  expect(start.output()).not.toMatch(/host +ready/);
  await expect.poll(() => livePids(data)).toEqual([]);
});

test("npm start -- --data: a folder that cannot be made is named at once", async () => {
  const start = run("start", "--data", join(ROOT, "package.json", "state"));
  expect(await start.ended).toBe(1);
  expect(start.output()).toContain("package.json is a file, and a folder is needed.");
});

test("a busy port is named with its option, and nothing is left running", async () => {
  const ports = await portOptions();
  const host = Number(ports[0]?.split("=")[1]);
  const holder = createServer().listen(host, "127.0.0.1");
  const data = join(folder, "busy");
  const start = run("start", "--exit", "--data", data, ...ports);
  expect(await start.ended).toBe(1);
  expect(start.output()).toContain(`port ${host} is busy`);
  expect(start.output()).toContain("--host-port");
  expect(livePids(data)).toEqual([]);
  holder.close();
});

test.each([
  ["start", ["--no-such"], "--no-such"],
  ["start", ["--within", "soon"], "--within must be a number"],
  ["start", ["--no-samples", "--exit"], "it cannot be used with --no-samples"],
  ["start", ["--no-samples", "--samples"], "contradict each other"],
  ["start", ["--engine", "slow"], "--engine must be fast or azure-storage, and is slow"],
  ["start", ["--topology", "star"], "--topology must be single or flex, and is star"],
  ["start", ["--instances", "http=2"], "--instances needs --topology flex"],
  ["start", ["--topology", "flex", "--instances", "http"], "--instances http: group=number"],
  ["send", [], "Name files, or a --count"],
  ["send", ["--count", "0"], "--count must be a number from 1"],
  ["orders", ["--limit", "x"], "--limit must be a number"],
] as const)("a wrong call says what is wrong and how to call: %s %j", async (name, args, named) => {
  const command = run(name, ...args);
  expect(await command.ended, command.output()).toBe(2);
  expect(command.output()).toContain(named);
});

test("npm run reset clears no folder that is not a stack's", async () => {
  writeFileSync(join(folder, "precious.txt"), "mine");
  const reset = run("reset", "--data", folder);
  expect(await reset.ended).toBe(1);
  expect(reset.output()).toContain("precious.txt");
  expect(existsSync(join(folder, "precious.txt"))).toBe(true);
});
