// `npm run new` copies this folder's `every-app` into an app as it is: it imports nothing else of this repository, or the app would not compile. Each
// change of these files is held to it at once, where the app itself is made only in the long suites.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./every-app/root.ts";

const FOLDER = join(ROOT, "cli/every-app");
const copied = globSync("*.ts", { cwd: FOLDER }).filter((name) => !name.endsWith(".test.ts"));

test("each import of a copied file is copied", () => {
  expect(copied.length).toBeGreaterThan(5);
  const missing = copied.flatMap((name) =>
    [...readFileSync(join(FOLDER, name), "utf8").matchAll(/from "(\.[^"]*)"/g)].flatMap(([, path = ""]) =>
      path === `./${basename(path)}` && copied.includes(basename(path)) ? [] : [`${name}: ${path}`],
    ),
  );
  expect(missing).toEqual([]);
});
