// `npm start` with a process for each group of functions: some minutes, because each start has as many hosts.
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn, livePids, portOptions } from "../support/command.ts";

const { folder, run } = commandsIn("commands-flex-");

test("npm start -- --topology flex names each group's process; Ctrl-C ends them all, and so does kill -9", async () => {
  const data = join(folder, "flex");
  const options = ["--topology", "flex", "--instances", "submission=2", "--data", data];
  const first = run("start", ...options, ...(await portOptions()));
  await expect.poll(() => first.output(), { timeout: 180_000, interval: 50 }).toContain("Sending 14 sample orders");
  for (const group of ["durable", "http", "submission", "submission.2", "agentReplies", "supervisor"]) {
    const [, pid] = new RegExp(`^ +${group} +process (\\d+)$`, "m").exec(first.output()) ?? [];
    expect(livePids(data), group).toContain(Number(pid));
  }
  first.child.kill("SIGINT");
  await first.ended;
  expect(livePids(data)).toEqual([]);

  const second = run("start", "--samples", ...options, ...(await portOptions()));
  await expect.poll(() => second.output(), { timeout: 180_000, interval: 50 }).toContain("Taking up");
  await expect.poll(() => second.output(), { interval: 50 }).toContain("Sending 14 sample orders");
  expect(livePids(data).length).toBeGreaterThan(12);
  second.child.kill("SIGKILL");
  await second.ended;
  await expect.poll(() => livePids(data)).toEqual([]);
}, 400_000);
