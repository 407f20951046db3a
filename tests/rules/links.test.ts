// Each link in a Markdown file leads to a file that is there and, with an anchor, to a heading in it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { anchorOf } from "../../cli/docs/pages.ts";
import { ROOT } from "../../cli/settings.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(ROOT, file)));
const pages = new Map(files.filter((file) => file.endsWith(".md")).map((file) => [file, textOf(file)]));

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Without what is shown as it stands. */
function prose(page: string): string {
  return page.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "").replaceAll(/`[^`\n]*`/g, "`");
}

function linksIn(page: string): string[] {
  const text = prose(page);
  const inline = [...text.matchAll(/\]\(<?([^()\s<>]+)>?(?: "[^"]*")?\)/g)].map(([, link = ""]) => link);
  const html = [...text.matchAll(/\b(?:href|src|srcset)="([^"\s]+)/g)].map(([, link = ""]) => link);
  return [...inline, ...html].filter((link) => !/^(\w+:|\/\/)/.test(link));
}

/** As GitHub makes them: the second of two equal headings gets a number. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  const text = page.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2/gm, "");
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
    const anchor = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return [...headings, ...[...page.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = ""]) => id)];
}

/** What is wrong with a file's links. */
function faultsOf(file: string, page: string): string[] {
  return linksIn(page).flatMap((link) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : posix.normalize(posix.join(posix.dirname(file), decodeURI(path)));
    if (!existsSync(join(ROOT, target))) return [`${file}: ${link} leads to no file`];
    if (anchor === undefined) return [];
    if (statSync(join(ROOT, target)).isDirectory()) return [`${file}: ${link} has an anchor in a folder`];
    const text = target === file ? page : (pages.get(target) ?? textOf(target));
    return anchorsOf(text).includes(anchor) ? [] : [`${file}: ${link} leads to no heading`];
  });
}

test("each relative link leads to a file and a heading that are there", () => {
  expect(pages.size).toBeGreaterThan(40);
  expect([...pages].flatMap(([file, page]) => faultsOf(file, page))).toEqual([]);
});

test("each page of the docs is linked from another", () => {
  const targets = new Set(
    [...pages].flatMap(([file, page]) =>
      linksIn(page).flatMap((link) => {
        const target = posix.normalize(posix.join(posix.dirname(file), link.split("#")[0] ?? ""));
        return target === file ? [] : [target];
      }),
    ),
  );
  const unlinked = [...pages.keys()].filter((file) => file.startsWith("docs/") && !targets.has(file));
  expect(unlinked.filter((file) => file !== "docs/index.md")).toEqual([]);
});

/** A page as sources name it, with an anchor or without. What is put together at run time is left out. */
const NAMED = /\bdocs\/((?:[\w-]+\/)*[\w-]+\.md)(#[\w-]+)?(?!\$)/g;

test("each page that sources and settings name is there", () => {
  const sources = files.filter((file) => /\.(ts|tsx|bicep|json|ya?ml|py|env|kql)$/.test(file));
  const missing = sources.flatMap((file) =>
    [...textOf(file).matchAll(NAMED)].flatMap(([named, path = "", anchor]) => {
      const page = `docs/${path}`;
      if (!existsSync(join(ROOT, page))) return [`${file} names ${named}`];
      const isThere = anchor === undefined || anchorsOf(textOf(page)).includes(anchor.slice(1));
      return isThere ? [] : [`${file} names ${named}`];
    }),
  );
  expect(missing).toEqual([]);
});

test("planted: a link to no file, to no heading and to a heading of another page are found", () => {
  const file = "docs/index.md";
  expect(faultsOf(file, "[a](nowhere.md)")).toHaveLength(1);
  expect(faultsOf(file, "# A page\n[a](#a-pag)")).toHaveLength(1);
  expect(faultsOf(file, "[a](explanation/architecture.md#no-such-heading)")).toHaveLength(1);
  expect(faultsOf(file, '<img src="pictures/nowhere.svg">')).toHaveLength(1);
  expect(faultsOf(file, "# A page\n[a](#a-page) `[b](nowhere.md)` [c](https://example.com/#x)")).toEqual([]);
});
