import { XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { drawRecording } from "./recording.ts";

const ESCAPE = String.fromCharCode(27);
const WRITTEN = [
  { atMs: 0, text: "$ npm start\nstays\n" },
  { atMs: 1000, text: "waits\n" },
  { atMs: 60_000, text: `${ESCAPE}[1A${ESCAPE}[0J${ESCAPE}[32mdone${ESCAPE}[39m & <well>\n` },
];

test("the same output gives the same file, which is XML; without motion its last frame shows, and a pause is shortened", () => {
  const drawing = drawRecording(WRITTEN, "A <title> & more");
  expect(drawRecording(WRITTEN, "A <title> & more")).toBe(drawing);
  expect(XMLValidator.validate(drawing)).toBe(true);
  const last = drawing.split("\n").filter((line) => / last"/.test(line));
  expect(last.map((line) => line.replaceAll(/<[^>]*>/g, ""))).toEqual([
    "$ npm start",
    "stays",
    "done &amp; &lt;well&gt;",
  ]);
  expect(last[2]).toContain('<tspan fill="#3fb950">done</tspan>');
  expect(drawing).toContain("\ntext{opacity:0}.last{opacity:1}\n");
  expect(Number(/animation:([\d.]+)s/.exec(drawing)?.[1])).toBeLessThan(12);
});
