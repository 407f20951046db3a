// The members by which the owner of a declaration notes something for deployments or for people: the file names them, and no server reads them.

/** Of a file of entities. */
export interface WithNotes {
  /** Names of members of entities that have no effect here, such as `["owner"]`. */
  readonly notes?: readonly string[] | undefined;
}

export function readNotes(notes: unknown): readonly string[] | string {
  if (notes === undefined) return [];
  const isList = Array.isArray(notes) && notes.every((name) => typeof name === "string" && name !== "");
  return isList ? (notes as string[]) : "notes: a list of the names of members is expected";
}

/** The same without its notes; what is no object is left as it is. */
export function withoutNotes(entity: unknown, notes: readonly string[]): unknown {
  if (typeof entity !== "object" || entity === null || Array.isArray(entity)) return entity;
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !notes.includes(name)));
}

export function eachWithoutNotes(entities: unknown, notes: readonly string[]): unknown {
  return Array.isArray(entities) ? entities.map((entity) => withoutNotes(entity, notes)) : entities;
}

/** A note may not hide a member that has a meaning. */
export function hidden(notes: readonly string[], known: readonly string[]): string | undefined {
  const name = notes.find((note) => known.includes(note));
  return name === undefined ? undefined : `notes: "${name}" is a member with an effect`;
}
