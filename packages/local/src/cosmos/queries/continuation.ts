// What a page hands to the next one: the place it ended at, so that documents that come and go do not shift the rest.

import { isObject, type Json } from "../../json.ts";
import { QueryFault } from "../sql/fault.ts";
import type { Value } from "../sql/values.ts";
import type { Position } from "./walk.ts";

export interface Continuation {
  /** The place in the candidates, where those come in the order of the results. */
  readonly at?: Position;
  /** The sort values of the last result, where the results are sorted afterwards. */
  readonly after?: { readonly values: readonly Json[]; readonly seq: number };
  /** Of the next document, how many of the results that joins make were given. */
  readonly within?: { readonly seq: number; readonly given: number };
  /** How many results were given, where all are computed anew for each page. */
  readonly given?: number;
  /** How many results TOP or LIMIT still allow. */
  readonly left?: number;
}

export function writeContinuation(continuation: Continuation): string {
  return Buffer.from(JSON.stringify(continuation)).toString("base64url");
}

export function readContinuation(text: string | undefined): Continuation {
  if (text === undefined) return {};
  try {
    const continuation: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (isObject(continuation)) return continuation as Continuation;
  } catch {
    // Not one of ours: the fault below says so.
  }
  // Clients look for these three words.
  throw new QueryFault("Invalid Continuation Token: it is not one of this server.");
}

/** JSON has no undefined. */
const UNDEFINED = { undefined: true };

export function writeValues(values: readonly Value[]): Json[] {
  return values.map((value) => (value === undefined ? UNDEFINED : value));
}

export function readValues(values: readonly Json[]): Value[] {
  return values.map((value) => (isObject(value) && value["undefined"] === true ? undefined : value));
}
