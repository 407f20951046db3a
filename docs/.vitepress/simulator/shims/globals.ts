// The names that Node has everywhere, and a worker has not.
import { config } from "zod";
import { Buffer } from "./buffer.ts";

// The console's policy lets no code be made from text; zod would try.
config({ jitless: true });

Object.assign(globalThis, { Buffer, process: { env: {}, nextTick: queueMicrotask, emitWarning: () => undefined } });
