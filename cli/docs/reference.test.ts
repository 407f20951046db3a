// The reference is what the code says.
import { expect, test } from "vitest";
import { staleReference } from "./reference.ts";

test("the routes, the defaults of settings and the API reference are current: npm run docs -- --write", () => {
  expect(staleReference()).toEqual([]);
});
