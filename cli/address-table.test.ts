// What runs where, where the output is no terminal.
import { expect, test } from "vitest";
import { addressTable } from "./address-table.ts";

test("a space stands between the columns, however long an address is", () => {
  const hosts = [{ name: "host-1", url: "http://127.0.0.1:54321/with/a/long/path", pid: 1 }];
  const addresses = { hosts, remotes: { inventory: "http://127.0.0.1:7080" } };
  const lines = addressTable(addresses as never, "/tmp/logs", []).split("\n");
  expect(lines.find((line) => line.includes("/console"))).toMatch(/\/console {2}for operators$/);
  expect(lines.find((line) => line.includes("inventory"))).toMatch(/:7080 {2,}simulated remote service$/);
});
