// What a terminal is given: no wider and no taller than it is, and nothing that moves its cursor.
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { linesFor, type Row } from "../start/board.ts";
import { framed } from "./table.ts";
import { plainText, withTimes } from "./text.ts";

const HEAD = ["cause", "orders", "message"];
const ID = "0123456789abcdef";
const LONG = `${"the carrier does not answer ".repeat(12)}https://example.com/${"a".repeat(120)}`;

const linesOf = (text: string): string[] => stripVTControlCharacters(text).split("\n");

describe("a table", () => {
  test.each([40, 80, 134, 360])("of long texts is %i columns wide at most, and loses nothing", (columns) => {
    const lines = linesOf(framed(HEAD, [[ID, "601", LONG]], columns));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
    const shown = lines.map((line) => line.split("│").slice(1, -1));
    const column = (at: number) => shown.map((cells) => (cells[at] ?? "").trim()).join("");
    expect(column(2)).toContain(LONG.slice(-120).trim());
    expect(column(2).replaceAll(" ", "")).toContain(LONG.replaceAll(" ", ""));
    expect(column(0)).toContain(ID);
  });

  test.each([30, 40, 60])("of eight columns is a list in a terminal of %i columns", (columns) => {
    const eight = Array.from({ length: 8 }, (_, at) => `column ${at}`);
    const text = framed(eight, [eight.map(() => LONG), eight.map(() => "")], columns);
    const lines = linesOf(text);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(lines[0]).toMatch(/^column 0: the carrier/);
    expect(text.replaceAll(/\s/g, "").split(LONG.replaceAll(" ", ""))).toHaveLength(9);
  });

  test("is a list where its words would be broken into short pieces", () => {
    const rows = [["2026-01-31", "arrangeShipping: Completed", "plain-1@JobScheduler"]];
    expect(linesOf(framed(["at", "what", "by"], rows, 40))).toEqual([
      "at: 2026-01-31",
      "what: arrangeShipping: Completed",
      "by: plain-1@JobScheduler",
    ]);
    expect(linesOf(framed(["at", "what", "by"], rows, 60))[0]).toMatch(/^┌─/);
  });

  test("counts a character of East Asia and an emoji as two, and cuts none in two", () => {
    const words = "東京都の倉庫は在庫を確認できません👍👍👍".repeat(4);
    const lines = linesOf(framed(["message"], [[words]], 40));
    const columns = (line: string) => [...line].reduce((sum, one) => sum + (one > "\u2fff" ? 2 : 1), 0);
    expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(40);
    expect(new Set(lines.map(columns)).size).toBe(1);
    const shown = lines.map((line) => line.split("│")[1]?.trim() ?? "").join("");
    expect(shown).toContain(words);
  });

  test("of short texts is as wide as they are", () => {
    expect(linesOf(framed(["a", "b"], [["1", "2"]], 80))[0]).toHaveLength(9);
  });

  test("shows what a service says without its control characters", () => {
    const said = "\u001b[2J\u001b]0;owned\u0007HTTP 500\r\nFAKE\u202e\u009b1A\tline";
    const text = framed(["message"], [[said]], 80);
    expect(stripVTControlCharacters(text)).toContain("HTTP 500 FAKE line");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there.
    expect(stripVTControlCharacters(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

test("a text keeps all that is no control character", () => {
  expect(plainText("Größe 5 € · 日本 — ok")).toBe("Größe 5 € · 日本 — ok");
  // In a pipe, as here, an instant stays as it is.
  expect(withTimes("again at 2026-01-31T12:00:00.000Z")).toBe("again at 2026-01-31T12:00:00.000Z");
});

describe("the board", () => {
  const row = (number: number, state: string): Row => ({
    ...{ orderId: `order-${number}`, about: "", state, seconds: 1 },
    detail: "takePayment, HTTP 503\n\u001b[1A",
  });
  const rows = Array.from({ length: 100 }, (_, at) => row(at, at < 90 ? "Processed" : "Processing"));

  test("is no taller than the screen: what is in progress comes first, and the rest is counted", () => {
    const lines = linesFor(rows, 80, 24).map(stripVTControlCharacters);
    expect(lines).toHaveLength(23);
    expect(lines.slice(0, 10).every((line) => line.includes("Processing"))).toBe(true);
    expect(lines.at(-1)).toBe("  and 78 Processed");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  test("shows each order while there is room, each on one line", () => {
    const lines = linesFor(rows.slice(0, 5), 80, 24);
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  });

  test("what an order is about is shown as a whole or not at all, and a detail that is cut ends in an ellipsis", () => {
    const row = { orderId: "a-1", about: "a plain order", state: "Error", detail: "2/5 steps, the card has expired" };
    const lineAt = (columns: number) =>
      linesFor([{ ...row, seconds: 1 }], columns, 24)
        .map(stripVTControlCharacters)[0]
        ?.replace(/^.*Error +/, "");
    expect(lineAt(120)).toBe("2/5 steps, the card has expired  (a plain order)");
    expect(lineAt(96)).toBe("2/5 steps, the card has expired");
    expect(lineAt(80)).toMatch(/^2\/5 steps, the card.*…$/);
  });
});
