// The commands that a command prints for its reader ask the same stack or app that it has asked itself: another one may run in the usual folder.
import { DEFAULT_DATA } from "./stack-file.ts";

/** One that has the option already stays as it is. */
const TO_A_STACK = /\b(?:npm start|npm run orders|npm run send|npm run services:fault) -- (?!--data )/g;
const TO_AN_APP = /\bnpm run orders -- (?!--app )/g;

let address = "";
let commands = TO_A_STACK;

/** From here on. @param given what the caller has named; nothing where it is the usual stack */
export function printFor({
  data,
  app,
}: {
  readonly data?: string | undefined;
  readonly app?: string | undefined;
}): void {
  const isUsual = data === undefined || data === DEFAULT_DATA;
  commands = app === undefined ? TO_A_STACK : TO_AN_APP;
  address = app !== undefined ? `--app ${asWord(app)} ` : isUsual ? "" : `--data ${asWord(data)} `;
}

/** The text with each of its commands as it has to be typed; a function key is not among it. */
export const withAddress = (text: string): string => text.replace(commands, (command) => command + address);

/** As a shell takes it. */
const asWord = (text: string): string => (/^[\w./:=%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
