// The fraud agent as somebody else's process: the definition's own worker, in the place of the app's function.
import { join } from "node:path";
import { ROOT } from "../../cli/settings.ts";
import { settingsForWorkers } from "../../cli/start/workers.ts";

const remotesFile = join(ROOT, "samples/fraud-worker.ts");

/** Options of a stack on which the worker takes the requests. */
export const FRAUD_WORKER = { remotesFile, appSettings: await settingsForWorkers(remotesFile) };

/** What it takes from. As the `path` of a fault: what befalls the worker, and not the service behind it. */
export const FRAUD_QUEUE = "agent-requests-fraud";
