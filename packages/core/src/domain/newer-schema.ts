// A record that a newer version of the app wrote: this version does not change it.
import { OtherVersionNeeded } from "./outage.ts";

/** A message about it is sent back to wait, until a newer instance receives it. */
export class NewerSchema extends OtherVersionNeeded {
  override readonly name = "NewerSchema";
  constructor(what: string, version: number, known: number) {
    super(
      `${what} was written by a newer version of the app (schema version ${version}; this one knows ${known}) and is left alone: deploy that version again`,
    );
  }
}
