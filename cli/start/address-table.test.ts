// What runs where: in a pipe aligned by blanks, in a terminal framed and no wider than it is.
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { addressTable } from "./address-table.ts";

test("in a terminal of 80 columns the frame fits", () => {
  const { isTTY, columns } = process.stdout;
  Object.assign(process.stdout, { isTTY: true, columns: 80 });
  try {
    const hosts = [{ name: "host-1", url: "http://127.0.0.1:7071", pid: 1 }];
    const bus = { port: 5672, adminPort: 5300 };
    const table = addressTable({ hosts, bus, remotes: {} } as never, `/tmp/${"logs of a deep folder/".repeat(5)}`, []);
    const lines = stripVTControlCharacters(table).split("\n");
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([80]));
  } finally {
    Object.assign(process.stdout, { isTTY, columns });
  }
});

test("a space stands between the columns, however long an address is", () => {
  const hosts = [{ name: "host-1", url: "http://127.0.0.1:54321/with/a/long/path", pid: 1 }];
  const addresses = { hosts, remotes: { inventory: "http://127.0.0.1:7080" } };
  const lines = addressTable(addresses as never, "/tmp/logs", []).split("\n");
  expect(lines.find((line) => line.includes("/console"))).toMatch(/\/console {2}for operators$/);
  expect(lines.find((line) => line.includes("inventory"))).toMatch(/:7080 {2,}simulated remote service$/);
});
