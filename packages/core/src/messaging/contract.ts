// The content that an app accepts for its jobs (P1): a contract for each of its workflows, or one for several.

import { z } from "zod";
import type { BusinessKeys, Job } from "../domain/content/job.ts";
import { MOST_SECRETS } from "../domain/record/guarded-write.ts";

/** The core's knowledge of an app's content: it carries the rest and never reads it. */
interface ContentFacts<Content extends Job = Job> {
  /** The member of the content that is its id. */
  readonly idName: string;
  /** Text members that are removed when the job is closed. */
  readonly secrets: readonly string[];
  /** The names of its business keys, by which the console finds jobs. Each has an index. */
  readonly keys: readonly string[];
  /** The business keys of the content. */
  readonly keysOf: (content: Content) => BusinessKeys;
  /**
   * The member by which jobs of a shared queue are divided fairly, such as `customer.id`: a text or a number. Absent: they are one another's
   * neighbours, and together one owner's. On an owner's own queue the owner is the key.
   */
  readonly fairnessKey?: string | undefined;
}

const NAME_LIMIT = 200;

/** The schema of a job's id: 1 to 80 letters, digits, - or _. It is used as a partition key, and in ids of orchestrations and idempotency keys. */
export const jobId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/,
    "must be 1 to 80 letters, digits, - or _, and begin with a letter or digit",
  );

/** The members that every content has in addition to its id. @param usual the workflow of content that names none */
export const jobMembers = (usual: string) => ({
  workflow: z.string().trim().min(1).max(NAME_LIMIT).default(usual),
  priority: z.enum(["normal", "high"]).default("normal"),
});

/** Names of members, with a dot between them. */
const PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;

/** Documents have the id under this name too: it must be none of a record's own members. */
const ID_NAME = /^[A-Za-z]\w*Id$/;
const OF_THE_RECORD = ["correlationId", "replyToSessionId"];

/** The schema of the content of one workflow's jobs, and the facts about it that the core needs. */
export interface Contract<Content extends Job = Job> extends ContentFacts<Content> {
  readonly schema: z.ZodType<Content>;
  /** Faults that the schema cannot express, as text. */
  readonly faults: (content: Content) => readonly string[];
}

declare const content: unique symbol;

/** A contract that says of which content it is: for the types of workflows alone. */
export interface TypedContract<Content extends Job> extends Contract {
  readonly [content]?: Content;
}

/** The content of a workflow's jobs; never where its contract's type has none. */
export type ContentOf<App extends Contracts, Workflow extends string> = ContentIn<
  Workflow extends keyof App["of"] ? App["of"][Workflow] : App["usual"]
>;
type ContentIn<One> = One extends { readonly [content]?: infer Content } ? Exclude<Content, undefined> : never;

/** The contracts of an app, by the workflow's name. All have the same `idName`. */
export interface Contracts {
  /** For content that names no workflow, or an unknown one. */
  readonly usual: Contract;
  /** The workflow of content that names none: the argument of `jobMembers`. */
  readonly usualWorkflow: string;
  readonly of: { readonly [workflow: string]: Contract };
}

/**
 * Declares the contract of one workflow's content. The schema types the functions. The returned contract has no content type, because
 * the core works with checked content of any type; its type remembers it, for `workflowsOf`. Without `idName` the content's id is its member `jobId`.
 * @throws if it names more secrets than one write can remove, a fairness key that is no path of members, or an id whose name can't be used
 */
export function defineContract<Content extends Job>(
  contract: Omit<Contract<Content>, "faults" | "idName"> &
    Partial<Pick<Contract<Content>, "faults">> & { readonly idName?: keyof Content & string },
): TypedContract<Content> {
  const { length } = contract.secrets;
  if (length > MOST_SECRETS) {
    throw new Error(
      `The contract names ${length} secrets, and one write can remove ${MOST_SECRETS}: put them into one member.`,
    );
  }
  const { fairnessKey, idName = "jobId" } = contract;
  if (!ID_NAME.test(idName) || OF_THE_RECORD.includes(idName)) {
    throw new Error(
      `The contract's idName is "${idName}": it must end in Id, such as videoId, and not be ${OF_THE_RECORD.join(" or ")}.`,
    );
  }
  if (contract.secrets.includes(idName))
    throw new Error(`The contract's idName "${idName}" is a secret: every document has the id.`);
  if (fairnessKey !== undefined && !PATH.test(fairnessKey)) {
    throw new Error(
      `The contract's fairnessKey is "${fairnessKey}": it must be a member of the content, such as customer.id.`,
    );
  }
  if (fairnessKey !== undefined && contract.secrets.includes(fairnessKey.split(".")[0] ?? "")) {
    throw new Error(`The contract's fairnessKey "${fairnessKey}" is a secret: it is kept in the state record.`);
  }
  return { faults: () => [], ...contract, idName } as unknown as TypedContract<Content>;
}

/** The contract for the check of a given content. */
export function contractOf(content: unknown, contracts: Contracts): Contract {
  const workflow = content !== null && typeof content === "object" && "workflow" in content ? content.workflow : null;
  return contractFor(String(workflow), contracts);
}

/** Whether the contracts name a member by which jobs are divided fairly. */
export function haveFairnessKeys(contracts: Contracts): boolean {
  return all(contracts).some(({ fairnessKey }) => fairnessKey !== undefined);
}

export function contractFor(workflow: string, { usual, of }: Contracts): Contract {
  return (Object.hasOwn(of, workflow) && of[workflow]) || usual;
}

const all = ({ usual, of }: Contracts) => [usual, ...Object.values(of)];

/** The secrets of all contracts: for bodies with an unknown workflow. */
export function allSecrets(contracts: Contracts): readonly string[] {
  return [...new Set(all(contracts).flatMap(({ secrets }) => secrets))];
}

/** The names of the business keys of all contracts. */
export function allKeys(contracts: Contracts): readonly string[] {
  return [...new Set(all(contracts).flatMap(({ keys }) => keys))];
}

/** As JSON Schema (draft 2020-12), for forms. The id is `readOnly`: with another one it would be another job. */
export function contentSchemaOf({ schema, idName }: Contract): unknown {
  const { properties = {}, ...rest } = z.toJSONSchema(schema, { io: "input" });
  const { [idName]: id } = properties;
  return {
    ...rest,
    properties: { ...properties, ...(typeof id === "object" && { [idName]: { ...id, readOnly: true } }) },
  };
}

/** What an agent declares as the result of an operation, as JSON Schema. */
export function resultSchemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** The contract of the named workflow; the usual workflow's if none is named. */
export const contractQuery = z.object({ workflow: z.string().max(NAME_LIMIT).optional() });

/** The member of the content that is its id, the same in all contracts of an app. */
export const idNameOf = ({ usual }: Contracts): string => usual.idName;

/** What people call a job of this app, from the name of its id: `video` of `videoId`. */
export const nounOf = (contracts: Contracts): string =>
  idNameOf(contracts)
    .replace(/Id$/, "")
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The id of content; empty if it has none. */
export function idOf(content: object, idName: string): string {
  const { [idName]: id } = content as Members;
  return typeof id === "string" ? id : "";
}

/** The job of a message's body: content names it as its contract says, start messages and cancellations as `jobId`, agents' messages in their ticket. */
export function jobIdIn(body: unknown, contracts: Contracts): string | undefined {
  const { [idNameOf(contracts)]: own, jobId, ticket } = Object(body) as Members;
  const found = own ?? jobId ?? (Object(ticket) as Members)["jobId"];
  return typeof found === "string" ? found : undefined;
}

type Members = { readonly [name: string]: unknown };
