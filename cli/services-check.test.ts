// `npm run services:check` on the sample's simulated services: what it says of one that knows keys, of one that does not, and of wrong calls.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningRemotes, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { services } from "../samples/remotes.ts";
import { business } from "../shared/business.ts";
import { checkedText, withVerdicts } from "./services-check/record.ts";
import { ROOT } from "./settings.ts";

const folder = mkdtempSync(join(tmpdir(), "services-check-"));
let remotes: RunningRemotes;

beforeAll(async () => {
  const onFreePorts = services.map((service) => ({ ...service, port: 0 }));
  remotes = await startRemotes({ services: onFreePorts, data: join(folder, "effects") });
});

afterAll(async () => {
  await remotes.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** With the addresses of the services that run here. */
function check(...args: string[]): Promise<Ran> {
  const own = business.serviceAgents.flatMap(({ name, service }) => {
    const url = remotes.services.find((one) => one.name === name)?.url;
    return url === undefined ? [] : [[service.setting, url]];
  });
  const env = { ...process.env, ...Object.fromEntries(own) };
  const command = ["-C", "sources", "cli/services-check.ts", "--late", "0", ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: ROOT, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test("P34 a service that knows its keys holds all, with the results that its agent reads", async () => {
  const { code, stdout, stderr } = await check("--agent", "payment");
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const lines = stdout.split("\n").filter((line) => /^(authorize|capture|refundReturn)\t/.test(line));
  expect(lines.map((line) => line.split("\t").slice(0, 3).join(" "))).toEqual(
    ["authorize", "capture", "refundReturn"].flatMap((operation) =>
      ["repeated", "concurrent", "late", "afterCompensation", "compensatedFirst"]
        .filter((_, at) => operation !== "refundReturn" || at < 3)
        .map((name) => `${operation} ${name} holds`),
    ),
  );
});

test("P34 one that knows none fails, and its find is what the app needs", async () => {
  const { code, stdout, stderr } = await check("--agent", "flight", "--operation", "book");
  expect(stdout).toMatch(/^book\trepeated\tfails/m);
  expect(stdout).toMatch(/^book\tfound\tholds/m);
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

test("a wrong call names every fault and the way out", async () => {
  const none = await check();
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("--agent inventory|payment");
  const file = join(folder, "content.json");
  writeFileSync(file, JSON.stringify({ lines: "none" }));
  const wrong = await check("--agent", "payments", "--content", file);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toMatch(/no agent is called payments: there are inventory, payment/);
  expect(wrong.stderr).toMatch(/no content that a contract accepts: .*lines/);
  const away = await check("--agent", "hotel", "--operation", "book", "--endpoint", "http://127.0.0.1:1");
  expect(away.code).toBe(1);
  expect(away.stdout).toContain("ECONNREFUSED");
  expect(away.stderr).toContain("not checked: book");
});

test("the record is a typed file with the verdicts of what the app has", () => {
  const before = {
    checkedServices: { gone: { at: "2026-01-01", operations: {} } },
    agents: business.agents,
  };
  const checked = [{ operation: "book", verdicts: { repeated: "fails", found: "holds" } as const }];
  const text = checkedText(withVerdicts(before, "flight", checked, "2026-11-26"));
  expect(text).toContain('import type { agents } from "./agents.ts";');
  expect(text).toContain(`export const checkedServices: CheckedServices<typeof agents> = {
  flight: {
    at: "2026-11-26",
    operations: {
      book: {
        repeated: "fails",
        found: "holds",
      },
    },
  },
};`);
  expect(text).not.toContain("gone");
});
