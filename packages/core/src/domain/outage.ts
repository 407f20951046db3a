// What passes by itself: the work can't be done now, and the same work may be done later.

/** Nothing is wrong with what was asked. Whoever works on a message holds it, or sends it back to wait. */
export class Outage extends Error {
  override readonly name: string = "Outage";
}

/** It may take long: a message about it is sent back to wait at once. */
export class SentBack extends Outage {
  override readonly name: string = "SentBack";
}

/** It passes when another version of the app is deployed, which may take days. */
export class OtherVersionNeeded extends SentBack {
  override readonly name: string = "OtherVersionNeeded";
}
