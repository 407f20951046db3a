// Writes down what a real host does: `node packages/local/src/host/conformance/record.ts URL CODE [FILE]`, on the conformance app, new in its task hub.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { observe } from "./observe.ts";

const [url, code, file = join(import.meta.dirname, "real-host.json")] = process.argv.slice(2);
if (!url || code === undefined) throw new Error("usage: record.ts URL CODE [FILE]");
writeFileSync(file, `${JSON.stringify(await observe({ url, code }), null, 2)}\n`);
