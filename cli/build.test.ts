// The compiled app and packages stay where they are while others run from them.
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileAll } from "./build.ts";

test("where nothing has changed, what runs from a dist/ keeps its files", () => {
  const places = [
    "dist",
    "packages/core/dist",
    "packages/operator/dist",
    "packages/testing/dist",
    "packages/local/dist",
    "packages/client/dist",
  ];
  const files = () => places.map((dist) => statSync(join(import.meta.dirname, "..", dist)).ino);
  const before = files();
  compileAll();
  expect(files()).toEqual(before);
  // It compiles everything, beside other suites.
}, 180_000);
