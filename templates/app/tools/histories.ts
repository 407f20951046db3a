// `npm run histories`: keeps what the local stack, which runs by `npm start` in another terminal, has stored of each attempt in tests/histories, where a
// test replays it.
import { join } from "node:path";
import { exportHistories } from "@scheduler-agent-supervisor/local";
import { ROOT } from "./build.ts";
import { readArguments, runCommand } from "./every-app/arguments.ts";

const USUAL_HOST = "http://127.0.0.1:7071";
const USAGE = `npm run histories [-- ID] [-- OPTIONS]
  ID          only the attempts of the jobs whose ids begin so
  --host URL  the host (${USUAL_HOST})`;

await runCommand(async () => {
  const { values, positionals } = readArguments({ host: { type: "string" } }, USAGE, "words");
  const [idPrefix] = positionals;
  const files = await exportHistories({
    host: String(values["host"] ?? USUAL_HOST),
    folder: join(ROOT, "tests/histories"),
    orchestrator: "scheduler",
    ...(idPrefix !== undefined && { idPrefix }),
  });
  for (const file of files) console.log(file);
  console.log(`${files.length} histories`);
  return 0;
});
