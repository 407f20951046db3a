// What an app accepts as the content of its jobs (P1): a contract for each of its workflows, or one for several.
import { z } from "zod";
import type { ContentFacts } from "../domain/contract.ts";
import type { Job } from "../domain/job.ts";
import type { Noun } from "../domain/noun.ts";

const NAME_LIMIT = 200;

/** The schema of a job's id: 1 to 80 letters, digits, - or _. Becomes a partition key, part of an orchestration's id and part of an idempotency key. */
export const jobId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/,
    "must be 1 to 80 letters, digits, - or _, and begin with a letter or digit",
  );

/** The members that every content has, beside its id. @param usual the workflow of one that names none */
export const jobMembers = (usual: string) => ({
  workflow: z.string().trim().min(1).max(NAME_LIMIT).default(usual),
  priority: z.enum(["normal", "high"]).default("normal"),
});

/** What the content of one workflow's jobs has to be, and what the core has to know of it. */
export interface Contract<Content extends Job = Job> extends ContentFacts<Content> {
  readonly schema: z.ZodType<Content>;
  /** What is wrong beyond the schema, in words. */
  readonly faults: (content: Content) => readonly string[];
}

/** The contracts of an app, by the workflow's name. */
export interface Contracts {
  /** What the app calls a job, in its content, documents and messages: of the noun `job` the content's id is its member `jobId`. */
  readonly noun: Noun;
  /** Of content that names no workflow, or none that is known. */
  readonly usual: Contract;
  /** Of content that names none: what `jobMembers` was given. */
  readonly usualWorkflow: string;
  readonly of: { readonly [workflow: string]: Contract };
}

/**
 * Declares the contract of one workflow's content. Types the functions by the schema, and forgets the type: from then on the content is one that the
 * schema has passed.
 */
export function defineContract<Content extends Job>(
  contract: Omit<Contract<Content>, "faults"> & Partial<Pick<Contract<Content>, "faults">>,
): Contract {
  return { faults: () => [], ...contract } as unknown as Contract;
}

/** The contract that content of whatever kind is to be held against. */
export function contractOf(content: unknown, contracts: Contracts): Contract {
  const workflow = content !== null && typeof content === "object" && "workflow" in content ? content.workflow : null;
  return contractFor(String(workflow), contracts);
}

export function contractFor(workflow: string, { usual, of }: Contracts): Contract {
  return (Object.hasOwn(of, workflow) && of[workflow]) || usual;
}

const all = ({ usual, of }: Contracts) => [usual, ...Object.values(of)];

/** Of all contracts: for bodies of which nobody knows the workflow. */
export function allSecrets(contracts: Contracts): readonly string[] {
  return [...new Set(all(contracts).flatMap(({ secrets }) => secrets))];
}

/** The names of the business keys of all contracts. */
export function allKeys(contracts: Contracts): readonly string[] {
  return [...new Set(all(contracts).flatMap(({ keys }) => keys))];
}

/** As JSON Schema (draft 2020-12), for forms. */
export function schemaOf({ schema }: Contract): unknown {
  return z.toJSONSchema(schema, { io: "input" });
}

/** Whose contract is asked for; the usual one's where none is named. */
export const contractQuery = z.object({ workflow: z.string().max(NAME_LIMIT).optional() });
