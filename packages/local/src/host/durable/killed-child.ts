// For crash tests: runs the child on some lines, and kills it when it has acknowledged them all.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BenchOptions } from "./harness.ts";

const CHILD = join(import.meta.dirname, "fixtures/crash-child.ts");

/** @param afterMs how long it lives after the last acknowledgement. */
export async function runAndKill(
  data: string,
  lines: readonly string[],
  afterMs: number,
  options: BenchOptions = {},
): Promise<void> {
  const args = [CHILD, data, JSON.stringify(options)];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let acknowledged = 0;
  if (!child.stdin || !child.stdout) throw new Error("The child has no pipes.");
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "ready") child.stdin.write(`${lines.join("\n")}\n`);
    else acknowledged += 1;
    if (acknowledged === lines.length) break;
  }
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill("SIGKILL");
  await exited;
}
