// `npm run histories`: keeps what the local stack, which runs by `npm start` in another terminal, has stored of each attempt in tests/histories, where a
// test replays it. `-- ID` takes the attempts of the jobs whose ids begin so; `-- --host URL` asks a host at another address.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exportHistories } from "@scheduler-agent-supervisor/local/histories";
import { ROOT } from "./build.ts";

const options = { host: { type: "string", default: "http://127.0.0.1:7071" } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const [idPrefix] = positionals;
const files = await exportHistories({
  host: values.host,
  folder: join(ROOT, "tests/histories"),
  orchestrator: "scheduler",
  ...(idPrefix !== undefined && { idPrefix }),
});
for (const file of files) console.log(file);
console.log(`${files.length} histories`);
