// Loaded before Azurite: its queues in memory are not swept of deleted messages. A sweep comes once a minute, rebuilds an index for
// each message that is gone, and answers nothing meanwhile: 24 s after a burst of 400 orders (Azurite 3.37). Azure Storage does
// nothing of the kind. What was deleted stays in memory until Azurite ends.
import { createRequire } from "node:module";

const DAY_MS = 24 * 60 * 60 * 1000;
const require = createRequire(import.meta.url);
const constants: { DEFAULT_GC_INTERVAL_MS?: number } = require("azurite/dist/src/queue/utils/constants.js");
if (constants.DEFAULT_GC_INTERVAL_MS === undefined) throw new Error("this Azurite has no interval between its sweeps");
constants.DEFAULT_GC_INTERVAL_MS = DAY_MS;
