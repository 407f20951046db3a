// The folder of the app that a command works on. In the commands of another app it is the one that npm runs them in (build-commands.ts).
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");
