// docs/tutorial/trip.md, followed word for word in a copy of the sources: what it leads to is linted, compiled, tested and run.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePorts } from "@scheduler-agent-supervisor/local/stack/free-ports";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), "adapting-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Block {
  readonly file: string;
  /** Where it goes: after, before or in the place of the one line that has this text; absent: it is the whole file. */
  readonly place?: "after" | "before" | "instead" | undefined;
  readonly line: string;
  readonly text: string;
}

/** The blocks that say in which file they belong. */
function blocksOf(page: string): Block[] {
  const fences = page.matchAll(/^```\w+ file=(\S+)(?: (after|before|instead)=(.*))?\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, file = "", place, line = "", text = ""]) => {
    return { file, place: place as Block["place"], line, text };
  });
}

function follow({ file, place, line, text }: Block): void {
  const path = join(folder, file);
  if (!place) {
    writeFileSync(path, text);
    return;
  }
  const lines = readFileSync(path, "utf8").split("\n");
  const at = lines.flatMap((one, index) => (one.includes(line) ? [index] : []));
  if (at.length !== 1) throw new Error(`${file} has ${at.length} lines with ${line}, and the page means one`);
  const [index = 0] = at;
  const indent = /^ */.exec(lines[index] ?? "")?.[0] ?? "";
  const deeper = (lines[index] ?? "").endsWith("[") ? `${indent}  ` : indent;
  const own = text.replace(/\n$/, "").split("\n");
  const indented = own.map((one) => (one === "" ? one : `${place === "after" ? deeper : indent}${one}`));
  lines.splice(place === "after" ? index + 1 : index, place === "instead" ? 1 : 0, ...indented);
  writeFileSync(path, lines.join("\n"));
}

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const node = (...args: string[]) => run(process.execPath, ...args);

/** The libraries are those that are here; the packages are the copy's own. */
function linkModules(): void {
  const own = join(folder, "node_modules/@scheduler-agent-supervisor");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((each) => each !== "@scheduler-agent-supervisor"))
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(own, name));
  }
}

const page = readFileSync(join(ROOT, "docs/tutorial/trip.md"), "utf8");
/** What the page has one write itself: everything else follows from it. */
const written = [...new Set(blocksOf(page).map(({ file }) => file))];
const tsc = () => node(join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit");
const agents = (...options: string[]) => node("-C", "sources", "cli/agents.ts", ...options);

/** What a command that fails has printed. */
function failing(command: () => string): string {
  try {
    command();
  } catch (cause) {
    const { stdout, stderr } = cause as { readonly stdout: string; readonly stderr: string };
    return stdout + stderr;
  }
  throw new Error("it did not fail");
}

beforeAll(() => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of files.split("\n").filter((name) => name !== "")) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  linkModules();
  for (const block of blocksOf(page)) follow(block);
});

test("it takes five files, and the commands that the page names write the others", () => {
  expect(written).toHaveLength(5);
  for (const file of written) expect(page).toContain(`| \`${file}\` |`);
  expect(failing(() => agents("--check"))).toContain("infra/entities/agents.json is stale: npm run agents -- --write");
  for (const command of ["agents", "workflows"]) {
    expect(page).toContain(`    npm run ${command} -- --write\n`);
    node("-C", "sources", `cli/${command}.ts`, "--write");
  }
  expect(agents("--check")).toContain("agents have what they need");
});

/** Runs with one file as it was before the page. */
function without(file: string, run: () => string): string {
  const path = join(folder, file);
  const now = readFileSync(path);
  cpSync(join(ROOT, file), path);
  try {
    return failing(run);
  } finally {
    writeFileSync(path, now);
  }
}

test.each([
  ["samples/remotes.json", "samples/remotes.json has no service transfer", () => agents("--check")],
  ["samples/remotes.json", "samples/remotes.json has no service transfer", () => node("-C", "sources", "cli/start.ts")],
  ["shared/agents.ts", "no agent transfer; there are", () => node("-C", "sources", "cli/start.ts")],
  ["tests/support/agent-cases.ts", "Property 'transfer' is missing", tsc],
])("without its part of %s an error says so: %s", (file, words, run) => {
  expect(without(file, run)).toContain(words);
});

test("the new step's sources pass lint and types, and the workflows can run", () => {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  const linted = ["shared", "cli", "tests/support", "infra", "local.settings.sample.json"];
  node(biome, "check", "--vcs-enabled=false", ...linted);
  tsc();
  expect(node("-C", "sources", "cli/workflows.ts", "trip")).toContain("bookTransfer");
});

test("its agent passes the tests of all agents, and nothing that follows from it is missing", () => {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const files = [
    ...["agents", "service-answers", "order-for"].map((name) => `shared/agents/${name}.test.ts`),
    ...["agents", "workflows"].map((name) => `cli/${name}.test.ts`),
    ...["settings", "choices", "deployments", "bicep"].map((name) => `tests/infra/${name}.test.ts`),
  ];
  expect(node(vitest, "run", "--project", "usual", ...files)).toMatch(/Test Files.*9 passed/);
});

test("npm start runs the samples with it", async () => {
  const [host, bus, admin, cosmos] = await freePorts(4);
  const named = { host, bus, "bus-admin": admin, cosmos, azurite: 0, remotes: 0, traces: 0 };
  const ports = Object.entries(named).map(([name, port]) => `--${name}-port=${port}`);
  const out = node("-C", "sources", "cli/start.ts", "--exit", ...ports);
  expect(out).toMatch(/trip-\w+ +Processed +6\/6 steps, 1 skipped/);
  expect(out).toContain("All 13 ended as they should.");
});
