// The strict reader of the containers that a file or a program declares: a member that nobody reads is a fault, not a silent loss.
import { z } from "zod";
import { eachWithoutNotes, hidden, readNotes, type WithNotes, withoutNotes } from "../../notes.ts";

/** Values are checked by what answers a request for a container; here only the names of members are. */
const any = z.unknown().optional();
/** Older definitions also say how a path is indexed, which has no effect any more. */
const paths = z.array(z.strictObject({ path: any, indexes: any })).optional();

const indexingPolicy = z.strictObject({
  automatic: any,
  indexingMode: any,
  includedPaths: paths,
  excludedPaths: paths,
  compositeIndexes: z.array(z.array(z.strictObject({ path: any, order: any }))).optional(),
  spatialIndexes: z.array(z.strictObject({ path: any, types: any, boundingBox: any })).optional(),
  fullTextIndexes: any,
  vectorIndexes: any,
});

/** Source: the REST API's body of a container, and ARM's `resource`. */
const container = z.strictObject({
  id: z.string(),
  partitionKey: z.strictObject({ paths: any, kind: any, version: any }),
  defaultTtl: any,
  indexingPolicy: indexingPolicy.optional(),
  uniqueKeyPolicy: z.strictObject({ uniqueKeys: z.array(z.strictObject({ paths: any })).optional() }).optional(),
  conflictResolutionPolicy: z
    .strictObject({ mode: any, conflictResolutionPath: any, conflictResolutionProcedure: any })
    .optional(),
  geospatialConfig: z.strictObject({ type: any }).optional(),
  // What this server lacks is rejected with a reason of its own.
  changeFeedPolicy: any,
  fullTextPolicy: any,
  vectorEmbeddingPolicy: any,
  computedProperties: any,
  clientEncryptionPolicy: any,
  materializedViewDefinition: any,
  analyticalStorageTtl: any,
});

const resources = z.strictObject({ database: z.string().min(1), containers: z.array(container) });
const KNOWN = ["database", "containers", ...Object.keys(container.shape)];

/** What is wrong with the members, each with its place; undefined where nothing is. */
export function declaredFault(given: WithNotes & { readonly containers?: unknown }): string | undefined {
  const notes = readNotes(given.notes);
  const fault = typeof notes === "string" ? notes : (hidden(notes, KNOWN) ?? membersFault(given, notes));
  return fault && `The declared containers are not valid:\n${fault}`;
}

function membersFault(
  { notes: _, containers, ...others }: WithNotes & { readonly containers?: unknown },
  notes: readonly string[],
) {
  const noteless = { ...(withoutNotes(others, notes) as object), containers: eachWithoutNotes(containers, notes) };
  const { error } = resources.safeParse(noteless);
  return error && z.prettifyError(error);
}
