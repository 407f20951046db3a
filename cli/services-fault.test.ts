// `npm run services:fault` on simulated services that run: what it switches on is on, with every limit; what it lists; and how it switches off.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAULT_HEADERS, type RunningRemotes, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { services } from "../samples/remotes.ts";
import { writeStackFile } from "./every-app/stack-file.ts";
import { ROOT } from "./settings.ts";

// Each call is a process of its own.

const data = mkdtempSync(join(tmpdir(), "services-fault-"));
let remotes: RunningRemotes;
let addresses: Record<string, string>;

beforeAll(async () => {
  const onFreePorts = services.map((service) => ({ ...service, port: 0 }));
  remotes = await startRemotes({ services: onFreePorts, data: join(data, "effects") });
  addresses = Object.fromEntries(remotes.services.map(({ name, url }) => [name, url]));
  writeStackFile(data, {}, { services: addresses });
});
afterAll(async () => {
  await remotes.close();
  rmSync(data, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const fault = (...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    const command = ["-C", "sources", "cli/services-fault.ts", ...args, "--data", data];
    execFile(process.execPath, command, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

async function on(service: string): Promise<object[]> {
  const { faults } = (await (await fetch(`${addresses[service]}/$faults`)).json()) as { faults: object[] };
  return faults;
}

test("a fault is switched on with its limits, listed, and switched off", async () => {
  expect((await fault()).stdout).toBe("No fault is on.\n");
  const limits = ["--calls", "3", "--for-ms", "60000", "--path", "/charges", "--match", 'orderId="17",amount=5'];
  const answer = ["--status", "503", "--code", "closed", "--message", "for lunch", "--retry-after-s", "2"];
  expect(await fault("payment", "down", ...limits, ...answer)).toMatchObject({ code: 0, stderr: "" });
  expect(await on("payment")).toMatchObject([
    {
      ...{ kind: "down", calls: 3, callsLeft: 3, forMs: 60_000, path: "/charges", match: { orderId: "17", amount: 5 } },
      ...{ status: 503, code: "closed", message: "for lunch", retryAfterS: 2 },
    },
  ]);
  const { stdout } = await fault("inventory", "slow", "--delay-ms", "50");
  const id = /off (\S+)/.exec(stdout)?.[1] ?? "";
  await fault("inventory", "hang");
  const listed = (await fault()).stdout;
  expect(listed).toMatch(
    /^payment\tdown\t\S+\t3 more calls, until .*path "\/charges".*retryAfterS 2, match \{"orderId":"17","amount":5\}$/m,
  );
  expect(listed).toMatch(/^inventory\thang\t\S+\t$/m);
  await fault("inventory", "off", id);
  expect(await on("inventory")).toMatchObject([{ kind: "hang" }]);
  await fault("off");
  expect([...(await on("inventory")), ...(await on("payment"))]).toEqual([]);
});

test("it has an option for each member of a fault", async () => {
  const wrong = { method: "POST", headers: FAULT_HEADERS, body: JSON.stringify({ kind: "down", no: 1 }) };
  const { message } = (await (await fetch(`${addresses["payment"]}/$faults`, wrong)).json()) as { message: string };
  const members = /there are (.*)/.exec(message)?.[1]?.split(", ") ?? [];
  expect(members).toContain("forMs");
  const { stdout } = await fault("--help");
  for (const member of members.filter((name) => name !== "kind"))
    expect(stdout, member).toContain(`--${member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} `);
});

test("a wrong call says what there is", async () => {
  expect(await fault("payments", "down")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there are inventory, payment"),
  });
  expect(await fault("payment", "dwn", "--calls", "0")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/kind has to be one of down, slow.*; calls has to be a whole number above 0/),
  });
  for (const args of [["payment"], ["--calls", "3"], ["payment", "down", "twice"], ["payment", "off", "--calls", "1"]])
    expect(await fault(...args), args.join(" ")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Name a service"),
    });
});
