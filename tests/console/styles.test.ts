// The console's built style sheet: each property is one that a browser knows, and each variable is defined.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { openBrowser, openPage } from "./browser.ts";

/** By its name alone: its types declare parts of a browser, which the tests' own types do not have. */
const FLUENT: string = "@fluentui/react-theme";
const { webDarkTheme, webLightTheme } = (await import(FLUENT)) as { readonly [theme: string]: object };
const THEME = Object.keys(webLightTheme ?? {});

const built = join(ROOT, "packages/operator/dist/console/assets");
const css = globSync("*.css", { cwd: built })
  .map((file) => readFileSync(join(built, file), "utf8"))
  .join("\n");

interface Declaration {
  readonly name: string;
  readonly value: string;
}

interface Page {
  readonly CSS: { supports(name: string, value: string): boolean };
}

/** What stands between braces, without comments, selectors and conditions. */
function declarationsOf(text: string): Declaration[] {
  const bare = text.replaceAll(/\/\*.*?\*\//gs, "");
  return [...bare.matchAll(/(?<=[{;])\s*(-{0,2}[a-zA-Z][\w-]*)\s*:([^;{}]+)(?=[;}])/g)].map(
    ([, name = "", value = ""]) => ({ name, value }),
  );
}

function undefinedVariables(text: string): string[] {
  const own = declarationsOf(text).map(({ name }) => name);
  const defined = new Set([...own, ...THEME.map((name) => `--${name}`)]);
  return [...text.matchAll(/var\((--[\w-]+)/g)].map(([, name = ""]) => name).filter((name) => !defined.has(name));
}

async function unknownDeclarations(text: string): Promise<string[]> {
  const browser = await openBrowser();
  try {
    const { page } = await openPage(browser);
    return await page.evaluate(
      (all) =>
        all.flatMap(({ name, value }) =>
          (globalThis as unknown as Page).CSS.supports(name, value.replace(/!important/, "").trim())
            ? []
            : [`${name}:${value}`],
        ),
      declarationsOf(text),
    );
  } finally {
    await browser.close();
  }
}

test("each variable is one of the theme's or the style sheet's own", () => {
  expect(declarationsOf(css).length).toBeGreaterThan(300);
  expect(undefinedVariables(css)).toEqual([]);
  expect(THEME.length).toBeGreaterThan(300);
  expect(Object.keys(webDarkTheme ?? {}).sort()).toEqual(THEME.sort());
});

test("a browser takes each declaration", async () => {
  expect(await unknownDeclarations(css)).toEqual([]);
});

test("planted: a misspelt variable, property or value is found", async () => {
  const planted = "a{border-left:1px solid var(--colorStatusDangerBjobActive);bjob-left:1px;color:bleu}";
  expect(undefinedVariables(planted)).toEqual(["--colorStatusDangerBjobActive"]);
  expect(await unknownDeclarations(planted)).toEqual(["bjob-left:1px", "color:bleu"]);
});
