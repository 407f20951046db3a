// A command that is printed reaches what its reader has asked.
import { afterEach, expect, test } from "vitest";
import { printFor, withAddress } from "./printed-commands.ts";
import { DEFAULT_DATA } from "./stack-file.ts";

afterEach(() => printFor({}));

test.each([
  ["the usual stack", {}, "Look: npm run orders -- needs"],
  ["the usual folder, by name", { data: DEFAULT_DATA }, "Look: npm run orders -- needs"],
  ["another folder", { data: "/tmp/other" }, "Look: npm run orders -- --data /tmp/other needs"],
  ["a folder with a space", { data: "my stack" }, "Look: npm run orders -- --data 'my stack' needs"],
  ["another app", { app: "https://a.example/" }, "Look: npm run orders -- --app https://a.example/ needs"],
])("of %s", (_, given, words) => {
  printFor(given);
  expect(withAddress("Look: npm run orders -- needs")).toBe(words);
});

test("each of a text, and no other command", () => {
  printFor({ data: "d" });
  expect(withAddress("No stack runs in d: npm start -- --data d")).toBe("No stack runs in d: npm start -- --data d");
  expect(withAddress("npm run send -- --count 2\nnpm start -- --trace ID; npm run agents -- --write")).toBe(
    "npm run send -- --data d --count 2\nnpm start -- --data d --trace ID; npm run agents -- --write",
  );
});
