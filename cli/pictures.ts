// Makes the pictures of README and docs anew, in docs/pictures. Those of the pattern are drawn by hand.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/internal/faults/temporary-folder";
import { takePictures } from "../tests/console/pictures.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { drawRecording, ROWS, type Written } from "./pictures/recording.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run node -- cli/pictures.ts
  makes docs/pictures anew: a recording of npm start, and the console and the
  simulator, light and dark`;

const COLUMNS = 104;
/** What a start says when all its samples have ended. */
const LAST = "The stack stays up";
const WITHIN_MS = 180_000;
/** No terminal is needed: the command takes its output for one of this width. */
const AS_TERMINAL = `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${COLUMNS},rows:${ROWS}})`;

const pictureOf = (name: string) => join(ROOT, "docs/pictures", name);

await runCommand(async () => {
  readArguments({}, USAGE);
  const written = [{ atMs: 0, text: "$ npm start\n" }, ...(await record())];
  const title = "npm start: the local stack comes up, and each sample order comes to its end";
  writeFileSync(pictureOf("start.svg"), drawRecording(written, title));
  // For who wants no motion: browsers don't ask for it inside a picture.
  const still = written.map(({ text }) => ({ atMs: 0, text }));
  writeFileSync(pictureOf("start-still.svg"), drawRecording(still, title));
  await takePictures(pictureOf);
  return 0;
});

/** What a start on a new stack writes until its samples have ended. @throws where they do not, or not in time */
async function record(): Promise<Written[]> {
  const folder = temporaryFolder("recording-");
  const args = ["-C", "sources", "--import", AS_TERMINAL, join(ROOT, "cli/start.ts"), "--data", ".local"];
  const start = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, FORCE_COLOR: "1" } });
  const timer = setTimeout(() => start.kill("SIGINT"), WITHIN_MS);
  const ended = once(start, "close");
  start.stderr.pipe(process.stderr);
  const written: Written[] = [];
  const begun = performance.now();
  let seen = "";
  for await (const chunk of start.stdout.setEncoding("utf8")) {
    if (seen.includes(LAST)) continue;
    written.push({ atMs: performance.now() - begun, text: chunk });
    seen += chunk;
    if (seen.includes(LAST)) start.kill("SIGINT");
  }
  const [code] = await ended;
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  if (code === 0 && seen.includes(LAST)) return written;
  throw new Error(`npm start ended with exit code ${code} before its samples did:\n${seen}`);
}
