// docs/tutorial/trip.md, followed word for word in a copy of the sources: what it leads to is linted, compiled, tested and run.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { anyPorts, copyRepository } from "../support/repository-copy.ts";

vi.setConfig({ testTimeout: 240_000 });

const copy = copyRepository("adapting");
const { folder, run } = copy;
afterAll(() => copy[Symbol.dispose]());

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

const page = readFileSync(join(ROOT, "docs/tutorial/trip.md"), "utf8");
/** What the page has one write itself: everything else follows from it. */
const written = [...new Set(blocksOf(page).map(({ file }) => file))];
const tsc = () => run("node_modules/typescript/bin/tsc", "--noEmit");
const agents = (...options: string[]) => run("cli/agents.ts", ...options);

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
  for (const block of blocksOf(page)) follow(block);
});

test("it takes five files, and the commands that the page names write the others", () => {
  expect(written).toHaveLength(5);
  for (const file of written) expect(page).toContain(`| \`${file}\` |`);
  expect(failing(() => agents("--check"))).toContain("infra/entities/agents.json is stale: npm run agents -- --write");
  for (const command of ["agents", "workflows"]) {
    expect(page).toContain(`    npm run ${command} -- --write\n`);
    run(`cli/${command}.ts`, "--write");
  }
  expect(agents("--check")).toContain("agents have what they need");
});

/** Runs with one file as it was before the page. */
function without(file: string, command: () => string): string {
  const path = join(folder, file);
  const now = readFileSync(path);
  cpSync(join(ROOT, file), path);
  try {
    return failing(command);
  } finally {
    writeFileSync(path, now);
  }
}

test.each([
  ["samples/remotes.ts", "samples/remotes.ts has no service transfer", () => agents("--check")],
  ["samples/remotes.ts", "samples/remotes.ts has no service transfer", () => run("cli/start.ts")],
  ["shared/agents.ts", "no agent transfer; there are", () => run("cli/start.ts")],
  ["tests/support/agent-cases.ts", "Property 'transfer' is missing", tsc],
])("without its part of %s an error says so: %s", (file, words, command) => {
  expect(without(file, command)).toContain(words);
});

test("the new step's sources pass lint and types, and the workflows can run", () => {
  const linted = ["shared", "cli", "tests/support", "infra", "local.settings.sample.json"];
  run("node_modules/@biomejs/biome/bin/biome", "check", "--vcs-enabled=false", ...linted);
  tsc();
  expect(run("cli/workflows.ts", "trip")).toContain("bookTransfer");
});

test("its agent passes the tests of all agents, and nothing that follows from it is missing", () => {
  const files = [
    ...["agents", "service-answers", "order-for"].map((name) => `shared/agents/${name}.test.ts`),
    ...["agents", "workflows"].map((name) => `cli/${name}.test.ts`),
    ...["settings", "choices", "deployments", "bicep"].map((name) => `tests/infra/${name}.test.ts`),
  ];
  expect(run("node_modules/vitest/vitest.mjs", "run", "--project", "usual", ...files)).toMatch(/Test Files.*9 passed/);
});

test("npm start runs the samples with it", () => {
  const out = run("cli/start.ts", "--exit", ...anyPorts());
  expect(out).toMatch(/trip-\w+ +Processed +6\/6 steps, 1 skipped/);
  expect(out).toMatch(/Sending (\d+) sample orders.*All \1 ended as they should\./s);
}, 180_000);
