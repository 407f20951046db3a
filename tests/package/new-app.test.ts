// `npm run new`: an app made in an empty folder from packed packages, whose own commands pass, and whose fault run finds a fault.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { compilesWithoutWarning } from "../infra/compiled-app.ts";
import { outsideNpm } from "../support/outside-npm.ts";

vi.setConfig({ testTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), "new-app-"));
// All its libraries, beside other suites.
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);
const app = join(folder, "my-app");

const run = (args: readonly string[], cwd: string) =>
  spawnSync("npm", args, { cwd, encoding: "utf8", env: outsideNpm(), stdio: ["ignore", "pipe", "pipe"] });

test("the app is made, and depends on the packages as they were packed", () => {
  const { status, stdout, stderr } = run(["run", "new", "--", app], ROOT);
  expect(status, stderr).toBe(0);
  expect(stdout).toContain("npm start");
  const { name, dependencies } = JSON.parse(readFileSync(join(app, "package.json"), "utf8"));
  expect(name).toBe("my-app");
  expect(dependencies["@scheduler-agent-supervisor/core"]).toMatch(/^file:packages\/.*\.tgz$/);
  const console = "node_modules/@scheduler-agent-supervisor/operator/dist/console";
  const { files } = JSON.parse(readFileSync(join(app, console, "manifest.json"), "utf8"));
  expect(Object.keys(files)).toEqual(expect.arrayContaining(["index.html", "simulator/index.html"]));
  for (const file of Object.keys(files)) expect(existsSync(join(app, console, file)), file).toBe(true);
});

test("each of its commands says how it is used, and does nothing else", () => {
  const { scripts } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as { scripts: object };
  // `npm test` is the compiler's and vitest's; npm runs the others itself.
  const own = Object.keys(scripts).filter((name) => !["test", "install", "prestart", "pretest"].includes(name));
  expect(own.length).toBeGreaterThan(8);
  for (const name of own) {
    const { status, stdout, stderr } = run(["run", "-s", name, "--", "--help"], app);
    expect(`${stderr}${status}`, name).toBe("0");
    expect(stdout, name).toMatch(new RegExp(`^npm (run )?${name}`));
    expect(stdout.split("\n").filter((line) => [...line].length > 80)).toEqual([]);
  }
  for (const made of ["dist", ".local", ".package"]) expect(existsSync(join(app, made)), made).toBe(false);
  const wrong = run(["start", "--", "--exti"], app);
  expect(wrong.stderr).toContain("npm start [-- OPTIONS]");
  expect(wrong.status).toBe(2);
});

test("nothing in it is the sample's", () => {
  const files = ["{functions,shared,samples,tests,tools,infra,docs}/**/*.*", "*.{json,yaml,md}"];
  const sources = globSync(files, { cwd: app }).filter((file) => file !== "package-lock.json");
  expect(sources).toContain("infra/main.parameters.json");
  const named = sources.flatMap(
    (file) =>
      /.*(payment|inventory|shipping|fraud|hotel|order-fulfilment|orderId).*/i.exec(
        readFileSync(join(app, file), "utf8"),
      )?.[0] ?? [],
  );
  expect(named).toEqual([]);
  // The command that lists jobs is called orders in every app; Kusto orders by columns, regions and steps have an order.
  const others = /npm run orders|pattern-orders|"orders":|order by|in (this )?order\b|their order,/g;
  const nouns = sources.flatMap((file) => {
    const text = readFileSync(join(app, file), "utf8").replaceAll(others, "");
    return /.*\b(orders?|shop)\b.*/i.exec(text)?.[0].slice(0, 200) ?? [];
  });
  expect(nouns).toEqual([]);
});

test("its own agents are in what is deployed, and its commands say so", async () => {
  const parameters = JSON.parse(readFileSync(join(app, "infra/main.parameters.json"), "utf8")).parameters;
  const choice = (name: string) => `\${${name}_ENDPOINTS}`;
  const endpoints = { accounts: choice("ACCOUNTS"), mail: choice("MAIL") };
  expect(parameters.agentEndpoints.value).toEqual(endpoints);
  expect(readFileSync(join(app, "azure.yaml"), "utf8")).toContain("    - MAIL_ENDPOINTS\n");
  const check = run(["run", "agents", "--", "--check"], app);
  expect(check.stdout, check.stderr).toContain("2 agents have what they need.");
  const file = join(app, "infra/main.parameters.json");
  const whole = readFileSync(file, "utf8");
  writeFileSync(file, whole.replace("MAIL_ENDPOINTS", "POST_ENDPOINTS"));
  expect(run(["run", "agents", "--", "--check"], app).stderr).toContain("infra/main.parameters.json is stale");
  expect(run(["run", "agents", "--", "--write"], app).stdout).toContain("Written: infra/main.parameters.json");
  expect(readFileSync(file, "utf8")).toBe(whole);
  expect(run(["run", "workflows"], app).stdout).toContain("mail.welcome, within 10 s");
  expect(run(["run", "orders", "--", "--data", folder], app).stderr).toContain(`No stack runs in ${folder}`);
  expect(run(["run", "send", "--", "--data", folder, "--count", "1"], app).stderr).toContain("No stack runs in");
});

test("its Bicep compiles without a warning", ({ skip }) => compilesWithoutWarning(app, skip));

test("npm test passes", () => {
  const { status, stdout, stderr } = run(["test"], app);
  expect(status, stdout + stderr).toBe(0);
});

test("npm start brings it up, and its sample is carried through", () => {
  const { status, stdout, stderr } = run(["start", "--", "--exit", "--free-ports"], app);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain("It is completed");
});

test("npm run faults passes: the host is killed, and every registration ends as it has to", () => {
  const { status, stdout, stderr } = run(["run", "faults", "--", "--most", "4"], app);
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^registration, all goes well, killed at \S+: right/m);
  expect(stdout).toMatch(/^PASSED: 13 jobs, [1-9]\d* kills of the host, 0 jobs wrong/m);
});

test("npm run faults fails where an agent asks its service under another key each time", () => {
  const file = join(app, "shared/agents/accounts.ts");
  const whole = readFileSync(file, "utf8");
  const open = '({ job }) => ({ path: "accounts", body: job }),';
  expect(whole).toContain(open);
  const asked = '{ path: "accounts", body: call.job, keep: ({ id }) => ({ accountId: String(id) }), answers: [] }';
  const anew = `(call) => callService(${asked}, { ...call, idempotencyKey: crypto.randomUUID() }),`;
  writeFileSync(file, whole.replace(open, anew).replace("import {", "import { callService,"));
  const { status, stdout, stderr } = run(["run", "faults", "--", "--most", "1"], app);
  writeFileSync(file, whole);
  expect(status, stdout + stderr).toBe(1);
  expect(stdout).toMatch(
    /accounts \/accounts create loses its answer, not killed: WRONG: .*accounts \/accounts create, accounts \/accounts create/,
  );
  expect(stdout).toContain("FAILED");
});

test("npm run package makes what is deployed", () => {
  const { status, stdout, stderr } = run(["run", "package"], app);
  expect(status, stdout + stderr).toBe(0);
  expect(existsSync(join(app, ".package/app/dist/functions/scheduler.js"))).toBe(true);
  for (const page of ["index.html", "simulator/index.html"])
    expect(existsSync(join(app, ".package/app/dist/console", page)), page).toBe(true);
});

test("a folder that is not empty, or in this repository, is left as it is", () => {
  const other = join(folder, "other");
  mkdirSync(other);
  writeFileSync(join(other, "mine.txt"), "mine");
  for (const [target, fault] of [
    [other, "is not empty"],
    [join(ROOT, "nested-app"), "is in this repository"],
    [join(folder, "My App"), "is no name of a package"],
  ] as const) {
    const { status, stderr } = run(["run", "new", "--", target], ROOT);
    expect(status).not.toBe(0);
    expect(stderr).toContain(fault);
  }
  expect(existsSync(join(ROOT, "nested-app"))).toBe(false);
});
