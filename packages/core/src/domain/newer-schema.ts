// What a newer version of the app wrote: this one leaves it as it is.
import { OtherVersionNeeded } from "./outage.ts";

/** A message about it is sent back to wait, until a newer instance takes it. */
export class NewerSchema extends OtherVersionNeeded {
  override readonly name = "NewerSchema";
  constructor(what: string, version: number, known: number) {
    super(
      `${what} was written by a newer version of the app (schema version ${version}; this one knows ${known}) and is left alone: deploy that version again`,
    );
  }
}
