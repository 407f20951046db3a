// The strict reader of the entities that a file or a program declares: a member that nobody reads is a fault, not a silent loss.
import { z } from "zod";
import { eachWithoutNotes, hidden, readNotes, type WithNotes } from "../../notes.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { NO_TOPICS } from "./entity-path.ts";

/** With the members of ARM. */
export interface QueueEntity {
  readonly name: string;
  /** Absent: the service's defaults. */
  readonly properties?: ArmProperties;
}

export interface DeclaredEntities extends WithNotes {
  readonly queues?: readonly QueueEntity[];
}

/** Source: the ARM templates of Microsoft.ServiceBus. Their values are checked where they are read. */
const PROPERTIES = [
  "autoDeleteOnIdle",
  "deadLetteringOnMessageExpiration",
  "defaultMessageTimeToLive",
  "duplicateDetectionHistoryTimeWindow",
  "enableBatchedOperations",
  "enableExpress",
  "enablePartitioning",
  "forwardDeadLetteredMessagesTo",
  "forwardTo",
  "lockDuration",
  "maxDeliveryCount",
  "maxMessageSizeInKilobytes",
  "maxSizeInMegabytes",
  "requiresDuplicateDetection",
  "requiresSession",
  "status",
  "userMetadata",
];
const properties = z.strictObject(Object.fromEntries(PROPERTIES.map((name) => [name, z.unknown().optional()])));
const queues = z.array(z.strictObject({ name: z.string(), properties: properties.default({}) }));
const declaredEntities = z.object({ queues: queues.optional(), topics: z.undefined({ error: NO_TOPICS }).optional() });

const KNOWN = ["name", "properties"];

/** What is declared, without its notes. Throws one error that names every unknown member by its place. */
export function readDeclared(declared: DeclaredEntities): z.output<typeof declaredEntities> {
  const notes = readNotes(declared.notes);
  const noted = typeof notes === "string" ? [] : notes;
  const { data, error } = declaredEntities.safeParse({ ...declared, queues: eachWithoutNotes(declared.queues, noted) });
  const fault = typeof notes === "string" ? notes : hidden(notes, KNOWN);
  if (data && fault === undefined) return data;
  throw new Error(`The declared queues are not valid:\n${fault ?? (error && z.prettifyError(error))}`);
}
