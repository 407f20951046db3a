// A word that an operator types: with what follows it, what it means, and what it runs.
import type { Values } from "../every-app/arguments.ts";
import type { App } from "./app.ts";

export interface Call {
  readonly app: App;
  readonly values: Values;
  readonly given: readonly string[];
  readonly asJson: boolean;
}

export interface Verb {
  /** What follows the word. */
  readonly call: string;
  readonly about: string;
  /** What it returns is the exit code, if it is a number. */
  readonly run: (call: Call) => Promise<unknown>;
}
