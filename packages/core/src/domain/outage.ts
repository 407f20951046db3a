// Temporary outages: the work can't be done now, and the same work may be done later.

import { inWords } from "./thrown.ts";

/** The request has no fault. The function that processes the message holds it, or sends it back to wait. */
export class Outage extends Error {
  override readonly name: string = "Outage";
}

/** It may last long: a message about it is sent back to wait at once. */
export class SentBack extends Outage {
  override readonly name: string = "SentBack";
  /** When the message is delivered again: if it were held under its lock, it would block others. */
  readonly afterMs: number = 30_000;
  /** Whether each postponed message is an event. */
  readonly isSaid: boolean = true;
}

/** It ends when another version of the app is deployed, which may take days. */
export class OtherVersionNeeded extends SentBack {
  override readonly name: string = "OtherVersionNeeded";
}

/** The app's own code throws: it ends when a version of the app is deployed whose code does not. */
export class CodeThrew extends OtherVersionNeeded {
  override readonly name = "CodeThrew";
  /** It is an event of its own (CodeFailed). */
  override readonly isSaid = false;
  /** Such as `condition isHigh`. */
  readonly place: string;
  /** What was thrown. */
  readonly words: string;

  constructor(place: string, words: string) {
    super(`The app's code throws in ${place}: ${words}: deploy a version that does not, and what waits for it goes on`);
    this.place = place;
    this.words = words;
  }
}

/** Runs code of the app. @throws CodeThrew for whatever the code throws */
export function appCode<T>(place: string, code: () => T): T {
  try {
    return code();
  } catch (cause) {
    throw new CodeThrew(place, inWords(cause));
  }
}

/** The name of the outage that kept the work from being done; null for a fault of the work, or where the work waits for another version of the app. */
export function outageIn(cause: unknown): string | null {
  return cause instanceof Outage && !(cause instanceof OtherVersionNeeded) ? cause.name : null;
}

/**
 * A record that a newer version of the app wrote: this version does not change it. A message about it is sent back to wait, until a newer instance
 * receives it.
 */
export class NewerSchema extends OtherVersionNeeded {
  override readonly name = "NewerSchema";
  constructor(what: string, version: number, known: number) {
    super(
      `${what} was written by a newer version of the app (schema version ${version}; this one knows ${known}) and is left alone: deploy that version again`,
    );
  }
}
