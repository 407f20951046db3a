// The versions of workflows that have run on this store, with their content; and the number of jobs that still need each.
import { type Container, ErrorResponse } from "@azure/cosmos";
import { OPEN_ERRORS } from "../domain/open-errors.ts";
import type { WorkflowRef } from "../domain/workflow.ts";
import type { WorkflowContent } from "../domain/workflow-content.ts";
import { CONFLICT } from "./cosmos-answers.ts";
import { StoreUnavailable } from "./job-store.ts";
import { newestSession } from "./newest-session.ts";

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
  jobs(ref: WorkflowRef): Promise<JobsOfVersion>;
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

const idOf = ({ name, version }: WorkflowRef): string => `workflow:${name}:${version}`;

/**
 * @param container its partition key is `/day`
 * @param jobs the container of the state records
 */
export function createCosmosWorkflowRegister(container: Container, jobs: Container): WorkflowRegister {
  async function count(condition: string, { name, version }: WorkflowRef): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition} AND c.workflow.name = @name AND c.workflow.version = @version`,
      parameters: [
        { name: "@name", value: name },
        { name: "@version", value: version },
      ],
    };
    const { resources } = await jobs.items.query<number>(query).fetchAll();
    return resources[0] ?? 0;
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
    async jobs(ref) {
      const [pending, processing, ...inError] = await Promise.all([
        count("c.processState = 'Pending'", ref),
        count("c.processState = 'Processing'", ref),
        ...OPEN_ERRORS.map((kind) => count(`c.error.kind = '${kind}' AND c.processState = 'Error'`, ref)),
      ]);
      return { pending, processing, inError: inError.reduce((sum, one) => sum + one, 0) };
    },
  };
}
