// The command lines of the stack's processes.
import { expect, test } from "vitest";
import { hostArguments } from "./processes.ts";

const HOST = {
  name: "host",
  appDir: "/app",
  port: 7071,
  data: "/data",
  durability: "normal",
  ports: {} as never,
  engine: "fast",
  topology: "single",
  instanceCounts: {},
  graceMs: 1,
  longestPauseMs: undefined,
} as const;

test.each([true, false])("a host like Azure (%s) wants keys, and replays orchestrations in each turn", (likeAzure) => {
  const args = hostArguments({ ...HOST, likeAzure });
  expect(args.includes("--keys")).toBe(likeAzure);
  expect(args.includes("--replay")).toBe(likeAzure);
});
