// The reference is what the code says.
import { expect, test } from "vitest";
import { routesPage, staleReference } from "./reference.ts";

test("the defaults of settings and the limits are current: npm run docs -- --write", () => {
  expect(staleReference()).toEqual([]);
});

test("the site's page of routes has what each takes: of its query, of its body, and If-Match", () => {
  const rowOf = (request: string) =>
    routesPage()
      .split("\n")
      .find((line) => line.startsWith(`| \`${request}\` |`));
  expect(rowOf("GET /api/session")).toBe("| `GET /api/session` | | The signed-in operator and the environment |");
  expect(rowOf("GET /api/held-up/jobs")).toContain("| `group`, `from`, `limit` |");
  expect(rowOf("POST /api/jobs/{jobId}/extend")).toContain("| `reason`, `by`, `only`?, If-Match |");
});
