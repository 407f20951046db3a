import { expect, test } from "vitest";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { checkNames } from "./function-names.ts";

test("the names that Azure takes", () => {
  expect(() => checkNames(["a", "submitOrder", "agent-replies", "a_1", "Hosts", "x".repeat(128)])).not.toThrow();
});

test(REJECTIONS.functionName.what, () => {
  const refused = ["1st", "_a", "a.b", "a b", "größe", "host", "HOST", "", "x".repeat(129)];
  for (const name of refused) expect(() => checkNames([name]), name).toThrow(JSON.stringify(name).slice(1, -1));
  expect(() => checkNames(["submit", "Submit", "1st"])).toThrow(/"Submit" differs .* only in case.*"1st"/s);
});
