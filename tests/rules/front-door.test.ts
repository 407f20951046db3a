// What a first-time visitor reads is true: links lead somewhere, the map's paths exist, excerpts and pictures are current.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { services } from "../../samples/remotes.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const FORMS = ["bug", "change", "azure-run"].map((name) => `.github/ISSUE_TEMPLATE/${name}.yml`);
const PAGES = [
  "README.md",
  "CHANGELOG.md",
  "CODE_OF_CONDUCT.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ".github/PULL_REQUEST_TEMPLATE.md",
  ...FORMS,
  "docs/explanation/performance.md",
  "docs/reference/commands.md",
  "docs/tutorial/samples.md",
];

function isThere(path: string): boolean {
  return globSync(path, { cwd: root }).length > 0;
}

/** What a page links to in the repository, from its root, with the anchor. */
function linksOf(page: string, text: string): { path: string; anchor: string }[] {
  const targets = [
    ...[...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target),
    ...[...text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, target = ""]) => target),
  ];
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = target.split("#");
      // A form is read at OWNER/NAME/issues/new.
      if (path.startsWith("../blob/main/")) return { path: path.slice("../blob/main/".length), anchor };
      return { path: path === "" ? page : normalize(join(dirname(page), path)), anchor };
    });
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function linkFaults(page: string, text: string): string[] {
  return linksOf(page, text).flatMap(({ path, anchor }) => {
    if (!isThere(path)) return [`${page}: ${path} does not exist`];
    if (anchor === "" || !existsSync(join(root, path))) return [];
    return anchorsOf(read(path)).includes(anchor) ? [] : [`${page}: ${path} has no heading #${anchor}`];
  });
}

/** Sentences alone: no code, tables, pictures or addresses of links. */
function proseWords(text: string): number {
  const prose = text
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/<picture>[\s\S]*?<\/picture>/g, "")
    .replaceAll(/^(?: {4}|\|).*$/gm, "")
    .replaceAll(/\]\([^)]*\)/g, "]");
  return prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

test("the README has 450 to 750 words of prose", () => {
  const words = proseWords(read("README.md"));
  expect(words).toBeGreaterThanOrEqual(450);
  expect(words).toBeLessThanOrEqual(750);
});

test("a decision has a page at most: 400 words, counted by blanks", () => {
  const words = (file: string) => read(file).split(/\s+/).filter(Boolean).length;
  const files = globSync("docs/explanation/adr/*.md", { cwd: root });
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => words(file) > 400)).toEqual([]);
});

test.each(PAGES)("%s links to what is there", (page) => {
  expect(linkFaults(page, read(page))).toEqual([]);
});

test("planted: a missing file, a missing picture and a missing heading are found", () => {
  expect(linkFaults("README.md", "[a](cli/no-such.ts)")).toHaveLength(1);
  expect(linkFaults("cli/x.md", '<img src="no-such.svg">')).toEqual(["cli/x.md: cli/no-such.svg does not exist"]);
  expect(linkFaults("README.md", "# Here\n[a](SECURITY.md#no-such) [b](SECURITY.md#security)")).toHaveLength(1);
});

test("each path of the map in CONTRIBUTING.md exists", () => {
  const [, map = ""] = /## I want to change …\n([\s\S]*?)\n## /.exec(read("CONTRIBUTING.md")) ?? [];
  const rows = map.split("\n").filter((line) => /^\| (?!what \||---)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const [, look = "", tests = "", ...more] = row.split(" | ");
    expect(more, row).toEqual([]);
    for (const cell of [look, tests]) expect(cell, row).toMatch(/`[^`]+`/);
  }
  const paths = [...map.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

test("the workflow in the README is the one that runs", () => {
  const [, excerpt = ""] = /```ts\n([\s\S]*?)```/.exec(read("README.md")) ?? [];
  const source = read("shared/workflows/order-fulfilment.ts");
  const lines = excerpt.split("\n").filter((line) => !/^\s*(\/\/ …)?$/.test(line));
  expect(lines.length).toBeGreaterThan(8);
  // Line by line, and the policy and the step as a whole.
  expect(lines.filter((line) => !source.includes(`${line}\n`))).toEqual([]);
  for (const part of excerpt.split(/\n\/\/ …\n/)) expect(source).toContain(part.trim());
});

test("docs/reference/commands.md has each npm script, and no other", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = [...read("docs/reference/commands.md").matchAll(/npm (?:run )?([a-z:-]+)/g)].map(
    ([, name = ""]) => name,
  );
  const commands = new Set(named.filter((name) => !["ci", "passes", "scripts", "itself", "warns"].includes(name)));
  // npm runs these itself.
  const typed = Object.keys(scripts).filter((name) => !["install", "prestart", "pretest"].includes(name));
  expect([...commands].sort()).toEqual(typed.sort());
});

test("docs/tutorial/samples.md has each sample, and no other", () => {
  const { samples } = JSON.parse(read("samples/samples.json")) as { samples: { file: string; ends: string }[] };
  const rows = [...read("docs/tutorial/samples.md").matchAll(/^\| `([a-z-]+)` \| (\w+) \|/gm)];
  const named = samples.map(({ file }) => file.replace(".json", ""));
  expect(rows.map(([, name]) => name).sort()).toEqual(named.sort());
});

test("the README's pictures are small, and fetch nothing; light and dark differ in their colours alone", () => {
  const [light, dark] = ["light", "dark"].map((scheme) =>
    read(`docs/pictures/pattern-${scheme}.svg`).replaceAll(/#[0-9a-f]{6}/g, "#"),
  );
  expect(dark).toBe(light);
  for (const file of globSync("docs/pictures/*.svg", { cwd: root })) {
    const drawing = read(file);
    expect(XMLValidator.validate(drawing), file).toBe(true);
    expect(Buffer.byteLength(drawing), file).toBeLessThan(200 * 1024);
    expect(drawing.replace("http://www.w3.org/2000/svg", ""), file).not.toMatch(
      /<image|<script|@import|url\((?!#)|href=/,
    );
  }
});

test("the paths in CODEOWNERS are there, and no owner is made up", () => {
  const lines = read(".github/CODEOWNERS").split("\n");
  const owned = lines.flatMap((line) => /^(?:# )?(\*|\/\S+) +(@\S+)$/.exec(line)?.slice(1) ?? []);
  const paths = owned.filter((word) => word.startsWith("/"));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !isThere(path.slice(1)))).toEqual([]);
  // As in SECURITY.md: a name that is not yours may be somebody else's.
  for (const line of lines) if (line.includes("@OWNER ")) expect(line).toMatch(/^# /);
});

test("the forms for issues are as GitHub wants them", () => {
  for (const file of FORMS) {
    const form = parse(read(file));
    expect(form, file).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    const ids = form.body.flatMap(({ type, id }: { type: string; id?: string }) => (type === "markdown" ? [] : [id]));
    expect(new Set(ids).size, file).toBe(ids.length);
    for (const { type, attributes } of form.body) {
      expect(["markdown", "textarea", "input", "dropdown", "checkboxes"], file).toContain(type);
      expect(type === "markdown" ? attributes.value : attributes.label, file).toEqual(expect.any(String));
    }
  }
});

test("the development container installs as the README says, and names the ports that the stack has", () => {
  const container = JSON.parse(read(".devcontainer/devcontainer.json"));
  expect(container).toMatchObject({ postCreateCommand: "npm ci", forwardPorts: [7071] });
  // The address at which a Codespace forwards the host: packages/local/src/foreign-request.ts takes the console's actions from there.
  expect(container.remoteEnv.LOCAL_PUBLIC_ORIGIN).toMatch(/^https:\/\/\$\{containerEnv:CODESPACE_NAME:\w+\}-7071\./);
  const named = Object.keys(container.portsAttributes).map((range) => range.split("-").map(Number));
  for (const port of [4318, 5300, 5672, 7071, 8081, 10_000, ...services.map(({ port = 0 }) => port)]) {
    expect(
      named.some(([from = 0, to = from]) => from <= port && port <= to),
      String(port),
    ).toBe(true);
  }
});
