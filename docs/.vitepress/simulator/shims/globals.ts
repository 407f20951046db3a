// The names that Node has everywhere, and a worker has not.
import { Buffer } from "./buffer.ts";

Object.assign(globalThis, { Buffer, process: { env: {}, nextTick: queueMicrotask, emitWarning: () => undefined } });
