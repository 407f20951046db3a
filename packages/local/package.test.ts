// The package of the local stack runs on the versions that the app is tested with.
import { expect, test } from "vitest";
import app from "../../package.json" with { type: "json" };
import own from "./package.json" with { type: "json" };

test("each dependency has the version of the app's", () => {
  const tested: Record<string, string> = { ...app.devDependencies, ...app.dependencies };
  expect(tested).toMatchObject({ ...own.dependencies, ...own.peerDependencies });
  expect(own.version).toBe(app.version);
});
