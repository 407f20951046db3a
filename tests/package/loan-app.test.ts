// A loan in fourteen steps, as an app that `npm run new` made: its files take the place of the template's, as an adopter's would, and its own
// commands write the rest. It compiles, also against planted mistakes, its states are explored to the last one, and its host is killed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { compilesWithoutWarning } from "../infra/compiled-app.ts";
import { outsideNpm } from "../support/outside-npm.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), "loan-app-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);
const app = join(folder, "loans");
const LOAN = join(import.meta.dirname, "loan");

const npm = (args: readonly string[], cwd = app) => {
  const ran = spawnSync("npm", args, { cwd, encoding: "utf8", env: outsideNpm(), stdio: ["ignore", "pipe", "pipe"] });
  const { status, stdout, stderr } = ran;
  return { status, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) };
};

/** Beside a stack whose output is read meanwhile. */
async function npmBeside(args: readonly string[]) {
  const ran = spawn("npm", args, { cwd: app, env: outsideNpm(), stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [status]] = await Promise.all([text(ran.stdout), text(ran.stderr), once(ran, "close")]);
  return { status: status as number, stdout, stderr };
}

/** docs/how-to/agents-elsewhere.md: what the bureau's requests wait in. */
const BUREAU = {
  name: "agent-requests-bureau",
  senders: ["app"],
  listeners: ["app"],
  properties: {
    ...{ lockDuration: "PT1M", maxDeliveryCount: 10, deadLetteringOnMessageExpiration: false },
    ...{ requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: "PT10M" },
  },
};

beforeAll(() => {
  const { status, stderr } = npm(["run", "new", "--", app], ROOT);
  expect(status, stderr).toBe(0);
  for (const part of ["shared/agents", "shared/workflows", "samples", "tests"])
    rmSync(join(app, part), { recursive: true });
  cpSync(LOAN, app, { recursive: true });
});

test("its commands say what is missing, and write what follows from its agents and contract", () => {
  const missing = npm(["run", "agents", "--", "--check"]);
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain("agent bureau: a step reaches it over a queue, and infra/entities/service-bus.json");
  expect(missing.stderr).toContain("infra/main.parameters.json is stale");
  const file = join(app, "infra/entities/service-bus.json");
  const { queues, ...rest } = JSON.parse(readFileSync(file, "utf8")) as { readonly queues: readonly object[] };
  writeFileSync(file, JSON.stringify({ ...rest, queues: [...queues, BUREAU] }, null, 2));
  const written = npm(["run", "agents", "--", "--write"]);
  expect(written.status, written.stderr).toBe(0);
  expect(npm(["run", "agents", "--", "--check"]).stdout).toContain("6 agents have what they need.");
  expect(npm(["run", "workflows"]).stdout).toContain("bank.pay");
});

test("nothing of the template's business is left", () => {
  const files = globSync(["{functions,shared,samples,tests,tools,infra}/**/*.*", "*.{json,yaml}"], { cwd: app });
  const others = files.filter((file) => file !== "package-lock.json");
  expect(others).toContain("tools/stack.ts");
  // Azure has accounts and app registrations of its own.
  const own = /\bregistrations\b|"registration"|Accounts(Endpoints|Team)|accountId|MailEndpoints|\bmail\b(?!: \\')/;
  const named = others.filter((file) => own.test(readFileSync(join(app, file), "utf8")));
  expect(named).toEqual([]);
});

test("P20 npm test passes: types and planted mistakes, worlds, every state, and a kill with one effect each", () => {
  const { status, stdout, stderr } = npm(["test"]);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Test Files +5 passed/);
  console.log(/Explored: .*/.exec(stdout)?.[0]);
});

test("P34 while it runs, a worker is asked over its queue, and its faults are switched on and off", async () => {
  const running = spawn("npm", ["start", "--", "--free-ports"], { cwd: app, env: outsideNpm(), detached: true });
  try {
    let output = "";
    for (const stream of [running.stdout, running.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
    await expect.poll(() => output).toContain("Console ");
    const checked = await npmBeside(["run", "services:check", "--", "--agent", "bureau", "--late", "0"]);
    expect(checked, JSON.stringify(checked)).toMatchObject({ status: 0 });
    for (const check of ["repeated", "concurrent", "late"])
      expect(checked.stdout).toMatch(new RegExp(`^score\\t${check}\\tholds`, "m"));
    const on = await npmBeside(["run", "services:fault", "--", "bureau", "hang", "--path", "agent-requests-bureau"]);
    expect(on.stdout, on.stderr).toContain("bureau: hang is on");
    expect((await npmBeside(["run", "services:fault"])).stdout).toMatch(/^bureau\thang\t/m);
    expect((await npmBeside(["run", "services:fault", "--", "off"])).stdout).toContain("bureau: 1 switched off");
  } finally {
    const ended = once(running, "close");
    process.kill(-(running.pid ?? 0), "SIGINT");
    await ended;
  }
});

test("a mistake that compiles fails npm test", () => {
  const file = join(app, "tests/mistakes.test.ts");
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.replace('agent: "registri"', 'agent: "registry"'));
  const { status, stdout } = npm(["test"]);
  writeFileSync(file, whole);
  expect(status).not.toBe(0);
  expect(stdout).toMatch(/mistakes\.test\.ts.*Unused '@ts-expect-error' directive/);
});

test("its Bicep compiles without a warning", ({ skip }) => compilesWithoutWarning(app, skip));
