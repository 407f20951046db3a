// The compiled app stays where it is while others run from it.
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { build } from "./build.ts";

test("where nothing has changed, what runs from dist/ keeps its files", () => {
  const dist = join(import.meta.dirname, "../dist");
  const before = statSync(dist).ino;
  build();
  expect(statSync(dist).ino).toBe(before);
});
