// What `npm run new` copies of this folder into an app imports only what it copies too: the app would not compile. Each change of these files is
// held to it at once, where the app itself is made only in the long suites.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./root.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const copied = [...read("cli/new.ts").matchAll(/\["(cli\/[^"]+)", "tools\//g)].map(([, file = ""]) => file);

test("each import of a copied file is copied", () => {
  expect(copied.length).toBeGreaterThan(5);
  const names = copied.map((file) => basename(file));
  const missing = copied.flatMap((file) =>
    [...read(file).matchAll(/from "(\.[^"]*)"/g)].flatMap(([, path = ""]) =>
      names.some((name) => path === `./${name}`) ? [] : [`${file}: ${path}`],
    ),
  );
  expect(missing).toEqual([]);
});
