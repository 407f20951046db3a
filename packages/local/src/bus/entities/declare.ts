// Makes the entities that a file declares: absent ones are created, present ones set anew.
import { type DeclaredEntities, readDeclared } from "./declared-entities.ts";
import type { EntityCatalog } from "./entity-catalog.ts";

/** Throws an error that names what is wrong. */
export async function declare(catalog: EntityCatalog, given: DeclaredEntities): Promise<void> {
  const changes = (readDeclared(given).queues ?? []).map(({ name, properties }) => ({ path: name, properties }));
  // One may forward to another that comes later.
  const paths = new Set(changes.map(({ path }) => path.toLowerCase()));
  for (const change of changes) await catalog.put(change, paths);
}
