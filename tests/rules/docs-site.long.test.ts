// The documentation's site is built with a page for each file, and loads nothing from elsewhere.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sections } from "../../cli/docs/pages.ts";
import { ROOT } from "../../cli/settings.ts";

test("npm run docs -- --build: a page for each file, a search index, and nothing from elsewhere", () => {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  try {
    const site = join(folder, "site");
    execFileSync(process.execPath, ["-C", "sources", "cli/docs.ts", "--build", "--out", site], {
      cwd: ROOT,
      stdio: "pipe",
    });
    for (const { pages } of sections())
      for (const { path } of pages) expect(existsSync(join(site, `${path}.html`)), path).toBe(true);
    expect(globSync("assets/chunks/@localSearchIndex*.js", { cwd: site })).toHaveLength(1);
    for (const page of globSync("**/*.html", { cwd: site })) {
      const text = readFileSync(join(site, page), "utf8");
      expect(text, page).not.toMatch(/<(script|img|iframe)[^>]*src="https?:/);
      expect(text, page).not.toMatch(/<link[^>]*href="https?:/);
      expect(text, page).not.toMatch(/@import url|class="language-mermaid/);
    }
    for (const style of globSync("assets/*.css", { cwd: site }))
      expect(readFileSync(join(site, style), "utf8"), style).not.toMatch(/url\(["']?https?:/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // The first run installs what builds the site.
}, 300_000);
