// The reference is what the code says.
import { expect, test } from "vitest";
import { staleReference } from "./reference.ts";

test("the routes and the defaults of settings are current: npm run docs -- --write", () => {
  expect(staleReference()).toEqual([]);
});
