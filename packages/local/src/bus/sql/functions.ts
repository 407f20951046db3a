// The functions of the filter language: one line each.
import { randomUUID } from "node:crypto";
import { FilterFault, type Known, UNKNOWN, Uuid } from "./values.ts";

/** What a filter sees of a message. */
export interface Properties {
  /** Names are not case-sensitive. Unknown: there is none. */
  user(name: string): Known;
  /** Throws a FilterFault for a name that no system property has. */
  system(name: string): Known;
}

interface Definition {
  readonly arity: number;
  readonly call: (properties: Properties, args: readonly Known[]) => Known;
}

const property: Definition = { arity: 1, call: (properties, [name]) => properties.user(nameOf(name)) };

export const FUNCTIONS: Readonly<Record<string, Definition>> = {
  newid: { arity: 0, call: () => new Uuid(randomUUID()) },
  property,
  p: property,
};

function nameOf(value: Known): string {
  if (typeof value === "string") return value;
  throw new FilterFault(`The name of a property has to be a text${value === UNKNOWN ? ", and is unknown" : ""}`);
}
