import { XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { drawRecording } from "./recording.ts";

const ESCAPE = String.fromCharCode(27);
const OPTIONS = { columns: 40, rows: 10, title: "A <title> & more" };
const WRITTEN = [
  { atMs: 0, text: "$ npm start\n" },
  { atMs: 1000, text: "waits\n" },
  { atMs: 60_000, text: `${ESCAPE}[1A${ESCAPE}[0Jdone & <well>\n` },
];

test("the same output gives the same file, and it is XML", () => {
  const drawing = drawRecording(WRITTEN, OPTIONS);
  expect(drawRecording(WRITTEN, OPTIONS)).toBe(drawing);
  expect(XMLValidator.validate(drawing)).toBe(true);
  expect(drawing).toContain("done &amp; &lt;well&gt;");
});

test("without motion the last frame shows, and nothing that went before it", () => {
  const drawing = drawRecording(WRITTEN, OPTIONS);
  const last = drawing.split("\n").filter((line) => line.startsWith("<g ") && / last"/.test(line));
  expect(last.map((line) => line.replaceAll(/<[^>]*>/g, ""))).toEqual(["$ npm start", "done &amp; &lt;well&gt;"]);
  expect(drawing).toContain("\ng{opacity:0}.last{opacity:1}\n");
  expect(drawing).toMatch(/@media \(prefers-reduced-motion:no-preference\)\{g\{animation:[^}]*\}\}/);
});

test("a pause is shortened: a minute of waiting is not shown", () => {
  const [, seconds] = /animation:([\d.]+)s/.exec(drawRecording(WRITTEN, OPTIONS)) ?? [];
  expect(Number(seconds)).toBeLessThan(12);
});
