import { describe, expect, test } from "vitest";
import { blobPattern } from "./blob-pattern.ts";

describe("the path of a blob trigger", () => {
  test.each([
    ["in/{name}", "a/b.txt", { name: "a/b.txt" }],
    ["in/{base}.{extension}", "report.old.txt", { base: "report.old", extension: "txt" }],
    ["in/original-{name}", "copy-1", undefined],
    ["in/original-{name}", "original-1", { name: "1" }],
    ["in/{{day}}-{name}", "{day}-1", { name: "1" }],
    ["in/a+b.txt", "aab.txt", undefined],
    ["in/a+b.txt", "a+b.txt", {}],
    ["in", "anything", {}],
  ])("%s and a blob %s", (path, name, parts) => {
    expect(blobPattern(path).match(name)).toEqual(parts);
  });

  test("has the container, and the start of all names", () => {
    expect(blobPattern("in/orders/{id}/{name}")).toMatchObject({ container: "in", prefix: "orders/" });
  });

  test("without a container is refused", () => {
    expect(() => blobPattern("{container}/{name}")).toThrow("container/{name} is wanted");
  });
});
