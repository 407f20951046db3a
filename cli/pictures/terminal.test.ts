import { expect, test } from "vitest";
import { Terminal } from "./terminal.ts";

const ESCAPE = String.fromCharCode(27);
const texts = (terminal: Terminal) =>
  terminal.screen().map((pieces) => pieces.map(({ column, text }) => `${column}:${text}`));

test("rows are redrawn in place: the cursor goes up, and the rest is cleared", () => {
  const terminal = new Terminal(40, 10);
  terminal.write("first\none\ntwo\nthree\n");
  terminal.write(`${ESCAPE}[3A${ESCAPE}[0Jone more\ntwo more\n`);
  expect(texts(terminal)).toEqual([["0:first"], ["0:one more"], ["0:two more"]]);
});

test("colours part a line in pieces; spaces belong to the piece before", () => {
  const terminal = new Terminal(40, 10);
  terminal.write(`a ${ESCAPE}[32mgreen  ${ESCAPE}[39mend\n`);
  expect(terminal.screen()).toEqual([
    [
      { colour: "plain", column: 0, text: "a" },
      { colour: "green", column: 2, text: "green" },
      { colour: "plain", column: 9, text: "end" },
    ],
  ]);
});

test("a line that is too long goes on in the next; the screen shows the last lines", () => {
  const terminal = new Terminal(4, 2);
  terminal.write("abcdef\nghi\n");
  expect(texts(terminal)).toEqual([["0:ef"], ["0:ghi"]]);
});

test("a control sequence that it does not know is an error", () => {
  expect(() => new Terminal(4, 2).write(`${ESCAPE}[5C`)).toThrow("ESC[5C");
});
