// Texts in lines of a terminal's width: no character is cut in two, and what is aligned stays aligned.
import { stripVTControlCharacters } from "node:util";

const USUAL_COLUMNS = 80;
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });
const charactersOf = (text: string): string[] => [...CHARACTERS.segment(text)].map(({ segment }) => segment);
/** Those of East Asia, and emoji, take two columns. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : 1);
/** Most texts have no other characters, each of one column. */
const USUAL = /^[ -~]*$/;

/** Colours take no column. */
export const widthOf = (text: string): number =>
  USUAL.test(text)
    ? text.length
    : charactersOf(stripVTControlCharacters(text)).reduce((sum, character) => sum + columnsOf(character), 0);

export const columnsFor = (output: NodeJS.WriteStream): number => output.columns || USUAL_COLUMNS;

/** In lines of that width; a longer word, such as an id, is broken and not cut. @param isWhole a word that is not broken */
export function wrapped(text: string, width: number, isWhole: (word: string) => boolean = () => false): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    const line = last === "" ? word : `${last} ${word}`;
    if (widthOf(line) <= width) {
      lines[lines.length - 1] = line;
      continue;
    }
    if (last === "") lines.pop();
    lines.push(...(isWhole(word) ? [word] : pieces(word, width)));
  }
  return lines;
}

function pieces(word: string, width: number): string[] {
  const cut = [""];
  for (const character of charactersOf(word)) {
    const longer = `${cut.at(-1)}${character}`;
    if (widthOf(longer) <= width || cut.at(-1) === "") cut[cut.length - 1] = longer;
    else cut.push(character);
  }
  return cut;
}

/** A command as it is typed, with what is given to it; the sentence goes on after a comma, a semicolon or its end. */
const COMMAND = /\bnpm (?:start|run [\w:-]+) --(?: (?:'(?:[^']|'\\'')*'|[^\s',;[][^\s',;]*))+/g;
/** Stands for a blank of a command. */
const HELD = "\u0001";

/** The same in which no command is broken: whoever copies it gets it whole, and the terminal itself breaks what is longer than its lines. */
function wrappedSentence(text: string, width: number): string[] {
  const held = text.replace(COMMAND, (command) => command.replaceAll(" ", HELD));
  return wrapped(held, width, (word) => word.includes(HELD)).map((line) => line.replaceAll(HELD, " "));
}

/** The name of an option or of an argument, and the blanks before what is said of it. */
const NAMED = /^( *\S+(?: \S+)* {2,})(\S.*)$/;

/** The usage of a command: what is said of an option continues under its beginning. */
export function fitted(usage: string, columns: number): string {
  return usage
    .split("\n")
    .flatMap((line) => fittedLine(line, columns))
    .join("\n");
}

function fittedLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const [, name = "", about = ""] = NAMED.exec(line) ?? [];
  const indent = line.length - line.trimStart().length;
  // Too long a name leaves no room beside it.
  if (name !== "" && name.length <= columns / 2) return hanging(name, " ".repeat(name.length), about, columns);
  return hanging(" ".repeat(indent), " ".repeat(indent + 2), line.trim(), columns);
}

/** Sentences that a command prints: on a terminal in lines of its width; in a pipe as they are, because whole lines are looked for. */
export function forOutput(text: string, output: NodeJS.WriteStream = process.stdout): string {
  return output.isTTY ? fitted(text, columnsFor(output)) : text;
}

const BELOW = 4;

/** A text beside what it is about: each of its lines goes on under its beginning, or below a name that leaves it no room. */
export function beside(name: string, text: string, columns: number): string {
  const isBeside = widthOf(name) <= columns / 2;
  const margin = " ".repeat(isBeside ? widthOf(name) : BELOW);
  const lines = text.split("\n").flatMap((line) => {
    const indent = margin + " ".repeat(line.length - line.trimStart().length);
    return hanging(indent, indent, line.trimStart(), columns);
  });
  const [first = "", ...others] = lines;
  const head = isBeside ? [name + first.slice(margin.length)] : [...wrapped(name.trimEnd(), columns), first];
  return [...head, ...others].join("\n");
}
/** The first line begins with one text, and all others with another one of the same width or more. */
export function hanging(first: string, other: string, text: string, columns: number): string[] {
  return wrappedSentence(text, Math.max(1, columns - other.length)).map(
    (line, at) => `${at === 0 ? first : other}${line}`,
  );
}
