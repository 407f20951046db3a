// The compiled app with other workflows, as an adopter's would be: times and policies that a test can wait for.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tuning } from "@scheduler-agent-supervisor/core/create-app";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { ROOT } from "../../cli/settings.ts";

export interface AdaptedApp extends Disposable {
  readonly dir: string;
  /** Puts other workflows in the place of these, as a deployment does: whatever starts from now on has them. */
  deploy(workflows: readonly Workflow[]): void;
}

/**
 * A copy whose file of order fulfilment exports these versions in the place of its own; it has the agent `sorter` where a step of theirs asks for it.
 * @param tuning times that a test can wait for, in the place of those that no setting changes
 */
export function adaptApp(workflows: readonly Workflow[], tuning: Tuning = {}): AdaptedApp {
  const dir = temporaryFolder("adapted-");
  for (const part of ["functions", "shared"])
    cpSync(join(ROOT, "dist", part), join(dir, "dist", part), { recursive: true });
  for (const file of ["package.json", "host.json"]) cpSync(join(ROOT, file), join(dir, file));
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const file = join(dir, "dist/shared/workflows/order-fulfilment.js");
  if (!readFileSync(file, "utf8").includes("export const orderFulfilment"))
    throw new Error(`${file} is not what it was`);
  const deploy = (next: readonly Workflow[]) =>
    writeFileSync(file, `export const orderFulfilment = ${JSON.stringify(next)};\n`);
  deploy(workflows);
  tune(dir, tuning);
  if (workflows.some(({ steps }) => steps.some(({ agent }) => agent === "sorter"))) addSorter(dir);
  return { dir, deploy, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

function tune(dir: string, { timing, ...others }: Tuning): void {
  const file = join(dir, "dist/shared/app.js");
  const created = "createApp(business, process.env)";
  // All processes have the clock of one machine.
  const tuning = JSON.stringify({ ...others, timing: { clockSkewMs: 1000, ...timing } });
  const code = readFileSync(file, "utf8");
  if (!code.includes(created)) throw new Error(`${file} is not what it was`);
  writeFileSync(file, code.replace(created, `createApp(business, process.env, ${tuning})`));
}

/** Has the flight service, which knows no keys, asked to book at most once, where it was asked for what it had booked. */
export function bookAtMostOnce({ dir }: AdaptedApp): void {
  const file = join(dir, "dist/shared/agents/flight.js");
  const code = readFileSync(file, "utf8");
  const changed = code.replace(/find: \{[^}]*settlesWithinMs[^}]*\}/, "atMostOnce: true");
  if (changed === code) throw new Error(`${file} has no policy with find`);
  writeFileSync(file, changed);
  // Without find, and so checked, the other workflows with a flight would have to leave it to a person.
  const checks = join(dir, "dist/shared/checked-services.js");
  writeFileSync(
    checks,
    readFileSync(checks, "utf8").replaceAll(/compensatedFirst: "fails"/g, 'compensatedFirst: "notSeen"'),
  );
}

/** Adds the agent `sorter`, whose result has the order's lines as a list: `sort.lines`. */
function addSorter(dir: string): void {
  const sorter = `import { rule } from "@scheduler-agent-supervisor/core/agents";
import { z as schemas } from "zod";
const sorter = rule({
  name: "sorter",
  sees: ({ orderId, lines }) => ({ orderId, lines }),
  result: schemas.object({ lines: schemas.array(schemas.object({ sku: schemas.string(), quantity: schemas.number() })) }),
  run: ({ job }) => ({ lines: job.lines.map(({ sku, quantity }) => ({ sku, quantity })) }),
});
`;
  const file = join(dir, "dist/shared/agents.js");
  const list = "export const agents = [";
  const code = readFileSync(file, "utf8");
  if (!code.includes(list)) throw new Error(`${file} is not what it was`);
  writeFileSync(file, `${sorter}${code.replace(list, `${list}sorter, `)}`);
}

/** Gives a copy of the app copies of core and desk, whose compiled modules a test may change. Returns the folder of both. */
export function copyPackages({ dir }: AdaptedApp): string {
  const modules = join(dir, "node_modules");
  const scope = join(modules, "@scheduler-agent-supervisor");
  rmSync(modules);
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((each) => !scope.endsWith(each)))
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  const copied = ["core", "operator"];
  for (const name of readdirSync(join(ROOT, "packages")).filter((each) => !copied.includes(each)))
    symlinkSync(join(ROOT, "packages", name), join(scope, name));
  for (const name of copied) {
    const [from, to] = [join(ROOT, "packages", name), join(scope, name)];
    cpSync(join(from, "dist"), join(to, "dist"), { recursive: true });
    // The copy has no sources, and the test runner would ask for them.
    const text = readFileSync(join(from, "package.json"), "utf8");
    writeFileSync(join(to, "package.json"), text.replaceAll('"sources":', '"sources-elsewhere":'));
  }
  return scope;
}
