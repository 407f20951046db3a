// The versions of workflows that have run on this store, with their content; and the number of jobs that still need each.
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { WorkflowRef } from "../domain/definition/workflow.ts";
import type { WorkflowContent } from "../domain/definition/workflow-content.ts";
import { OPEN_ERRORS } from "../domain/record/retention.ts";
import type { ProcessState } from "../domain/record/state-record.ts";
import { CONFLICT, newestSession } from "./cosmos-answers.ts";
import { StoreUnavailable } from "./job-store.ts";

/** Jobs that need the version. */
export interface JobsOfVersion {
  readonly pending: number;
  readonly processing: number;
  /** In Error, where a person may still resubmit or compensate them. */
  readonly inError: number;
}

/** Every method throws if the store does not answer. */
export interface WorkflowRegister {
  /** Enters the version, unless it is there. @returns the stored entry: if several processes enter it at once, the first one's */
  enter(content: WorkflowContent): Promise<WorkflowContent>;
  /** Every version that was ever entered. */
  entered(): Promise<readonly WorkflowContent[]>;
  /** How many jobs need each version: counted once for all of them. */
  jobs(): Promise<(ref: WorkflowRef) => JobsOfVersion>;
  /**
   * Whether a workflow of this name was entered after every one of `known`: by a newer version of the app, which is not running now. Never stale:
   * a job is rejected for good if there is none.
   */
  isNewer(name: string, known: readonly WorkflowRef[]): Promise<boolean>;
}

/** The partition of the entries: no day has this name. */
const PARTITION = "workflows";
/** Permanent, even if the container's documents have a time to live. */
const FOR_EVER = -1;

interface Row extends WorkflowRef {
  readonly processState: ProcessState;
  readonly jobs: number;
}

const keyOf = (state: ProcessState, ref: WorkflowRef): string => `${state} ${idOf(ref)}`;
const idOf = ({ name, version }: WorkflowRef): string => `workflow:${name}:${version}`;

/**
 * @param container its partition key is `/day`
 * @param jobs the container of the state records
 */
export function createCosmosWorkflowRegister(container: Container, jobs: Container): WorkflowRegister {
  /** Each job is read once, however many versions there are: no index has its workflow. */
  async function countByVersion(condition: string): Promise<Row[]> {
    const keys = "c.workflow.name, c.workflow.version, c.processState";
    const query = `SELECT ${keys}, COUNT(1) AS jobs FROM c WHERE ${condition} GROUP BY ${keys}`;
    return (await jobs.items.query<Row>(query).fetchAll()).resources;
  }

  return {
    async enter(content) {
      const id = idOf(content);
      const known = await container.item(id, PARTITION).read<WorkflowContent>();
      if (known.resource) return known.resource;
      try {
        await container.items.create({ ...content, id, day: PARTITION, ttl: FOR_EVER });
        return content;
      } catch (cause) {
        if (!(cause instanceof ErrorResponse) || cause.code !== CONFLICT) throw cause;
        // The rejection has told the client how new the state is: this read is not older.
        const first = (await container.item(id, PARTITION).read<WorkflowContent>()).resource;
        if (!first) throw cause;
        return first;
      }
    },
    async entered() {
      const query = { query: "SELECT c.name, c.version, c.parts FROM c WHERE IS_DEFINED(c.parts)" };
      return (await container.items.query<WorkflowContent>(query, { partitionKey: PARTITION }).fetchAll()).resources;
    },
    async isNewer(name, known) {
      const query = "SELECT c.name, c.version, c._ts FROM c WHERE IS_DEFINED(c.parts)";
      const { resources } = await newestSession(container.item("none", PARTITION))
        .then((session) =>
          container.items
            .query<WorkflowRef & { readonly _ts: number }>(query, { partitionKey: PARTITION, ...session })
            .fetchAll(),
        )
        .catch((cause: unknown) => {
          throw new StoreUnavailable("say which workflows there were", cause);
        });
      const own = resources.filter((entry) => known.some((ref) => idOf(ref) === idOf(entry))).map(({ _ts }) => _ts);
      return resources.some((entry) => entry.name === name && entry._ts > Math.max(...own));
    },
    async jobs() {
      // By equality, which the index answers for open errors alone: a list of kinds reads also what has long been compensated.
      const rows = await Promise.all([
        countByVersion("c.processState IN ('Pending', 'Processing')"),
        ...OPEN_ERRORS.map((kind) => countByVersion(`c.error.kind = '${kind}' AND c.processState = 'Error'`)),
      ]);
      const counted = new Map<string, number>();
      for (const row of rows.flat()) {
        const key = keyOf(row.processState, row);
        counted.set(key, (counted.get(key) ?? 0) + row.jobs);
      }
      return (ref) => ({
        pending: counted.get(keyOf("Pending", ref)) ?? 0,
        processing: counted.get(keyOf("Processing", ref)) ?? 0,
        inError: counted.get(keyOf("Error", ref)) ?? 0,
      });
    },
  };
}
