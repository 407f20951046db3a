// `npm run recording`: runs `npm start` on a new stack, as on a terminal, and draws what it showed as docs/pictures/start.svg.
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/internal/faults/temporary-folder";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { drawRecording, type Written } from "./pictures/recording.ts";
import { ROOT } from "./settings.ts";

const FILE = "docs/pictures/start.svg";
/** For who wants no motion: browsers don't ask for it inside a picture. */
const STILL = "docs/pictures/start-still.svg";
const COLUMNS = 104;
const ROWS = 30;
/** What a start says when all its samples have ended. */
const LAST = "The stack stays up";
const WITHIN_MS = 180_000;

/** No terminal is needed: the command takes its output for one of this width. */
const AS_TERMINAL = `data:text/javascript,Object.assign(process.stdout,{isTTY:true,columns:${COLUMNS},rows:${ROWS}})`;

const USAGE = `npm run recording
  runs npm start on a new stack, and draws docs/pictures/start.svg and start-still.svg anew`;

await runCommand(async () => {
  readArguments({}, USAGE);
  const folder = temporaryFolder("recording-");
  try {
    const written = [{ atMs: 0, text: "$ npm start\n" }, ...(await record(folder))];
    const title = "npm start: the local stack comes up, and each sample order comes to its end";
    const options = { columns: COLUMNS, rows: ROWS, title };
    const still = written.map(({ text }) => ({ atMs: 0, text }));
    for (const [file, drawing] of [
      [FILE, drawRecording(written, options)],
      [STILL, drawRecording(still, options)],
    ] as const) {
      writeFileSync(join(ROOT, file), drawing);
      console.log(`${file}: ${Math.ceil(Buffer.byteLength(drawing) / 1024)} KB`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

/** What a start in `folder` writes until its samples have ended. @throws where they do not, or not in time */
function record(folder: string): Promise<Written[]> {
  const start = spawn(
    process.execPath,
    ["-C", "sources", "--import", AS_TERMINAL, join(ROOT, "cli/start.ts"), "--data", ".local"],
    {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: "1" },
    },
  );
  start.stdout.setEncoding("utf8");
  const begun = performance.now();
  const written: Written[] = [];
  let seen = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => start.kill("SIGINT"), WITHIN_MS);
    start.stdout.on("data", (chunk: string) => {
      if (seen.includes(LAST)) return;
      written.push({ atMs: performance.now() - begun, text: chunk });
      seen += chunk;
      if (seen.includes(LAST)) start.kill("SIGINT");
    });
    start.stderr.pipe(process.stderr);
    start.once("close", (code) => {
      clearTimeout(timer);
      if (code === 0 && seen.includes(LAST)) resolve(written);
      else reject(new Error(`npm start ended with exit code ${code} before its samples did:\n${seen}`));
    });
  });
}
