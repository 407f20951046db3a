// What an operation of an agent asks of its service (P6): a description of one request. The agent's declaration says how its answer is read.
import { z } from "zod";
import type { StepResult } from "../domain/record/state-record.ts";
import type { AgentCall, AgentReply, Find, Finding, JobView, Operation, OperationPolicy, Poll } from "./agent.ts";
import type { AnswerBody } from "./http-exchange.ts";
import { callService, idIn, lookUp, notYet, serviceId, statusIn } from "./http-service.ts";
import type { AnswerRule } from "./service-answers.ts";

/**
 * What an operation records: a schema alone (the members of the answer itself), or with the way to read it from the answer.
 * @template Adds the members that the operation itself adds to those of the answer
 */
export type Recorded<Adds = never> = z.ZodType<StepResult> | Kept<z.ZodType<StepResult>, Adds>;

/** A result with the way to read it: see `idAs` and `statusAs`. */
export interface Kept<Schema extends z.ZodType, Adds> {
  readonly schema: Schema;
  /** Undefined if the answer is not valid. */
  readonly keep: (answer: AnswerBody, adds: Adds) => StepResult | undefined;
}

/** One POST with the idempotency key of its step. */
export type ServiceRequest<Adds = object> = {
  /** Below the endpoint, without a slash at its start. */
  readonly path: string;
  readonly body: unknown;
  /** The service may answer 202 with an `id` and do it later: it reports, or is polled where the operation's policy has a `poll`. */
  readonly mayBeDoneLater?: boolean;
} & Added<Adds>;

/** One GET, which has no effect. */
export type ServiceQuery<Adds = object> = {
  readonly path: string;
  /** Absent: those of the agent. */
  readonly answers?: readonly AnswerRule<"rejected" | "later" | "absent">[];
} & (
  | {
      /** Absent: as the operation's result is read. Null if the service has no such thing; undefined if the answer is not valid. */
      readonly keep: (answer: AnswerBody) => StepResult | null | undefined;
      readonly adds?: never;
    }
  | ({ readonly keep?: never } & Added<Adds>)
);

/** The members that are added to those of the answer, where the operation's result has such. */
type Added<Adds> = [keyof Adds] extends [never] ? { readonly adds?: never } : { readonly adds: Adds };

type Soon<T> = T | Promise<T>;

/** The request of an operation; or its reply, if it makes its calls itself (`callService`, `lookUp`) or needs none. */
export type Asks<Seen extends JobView, Read, Adds, Item = StepResult> = (
  call: AgentCall<Seen, Read, Item>,
) => Soon<ServiceRequest<Adds> | AgentReply>;

/** How an operation is tried, with its queries described: see `OperationPolicy`. */
export type AskPolicy<Seen extends JobView, Read, Adds = object> = Pick<
  OperationPolicy,
  "tryTimeoutMs" | "tries" | "backoff"
> & {
  readonly poll?: (
    call: AgentCall<Seen, Read>,
    reference: string | undefined,
  ) => Soon<ServiceQuery<Adds> | Awaited<ReturnType<Poll>>>;
} & (
    | { readonly atMostOnce?: boolean; readonly settlesWithinMs?: number; readonly find?: never }
    | {
        readonly atMostOnce?: never;
        readonly settlesWithinMs?: never;
        readonly find: Pick<Find, "settlesWithinMs"> & {
          readonly ask: (call: AgentCall<Seen, Read>) => Soon<ServiceQuery<Adds> | Finding>;
        };
      }
  );

/** A member of the answer under a name of its own, alone or with members that the operation adds. */
interface MemberAs<Member extends z.ZodType> {
  <const Name extends string>(name: Name): Kept<z.ZodObject<Record<Name, Member>>, Record<never, never>>;
  <const Name extends string, Shape extends z.ZodRawShape>(
    name: Name,
    adds: Shape,
  ): Kept<z.ZodObject<Record<Name, Member> & Shape>, z.output<z.ZodObject<Shape>>>;
}

const memberAs =
  (member: z.ZodType, read: (answer: AnswerBody) => StepResult[string] | undefined) =>
  (name: string, adds: z.ZodRawShape = {}): Kept<never, object> => ({
    schema: z.object({ [name]: member, ...adds }) as never,
    keep: (answer, added) => {
      const value = read(answer);
      return value === undefined ? undefined : { [name]: value, ...(added as StepResult) };
    },
  });

/** The `id` of the answer under a name, and what the operation adds: `idAs("chargeId", { amount: z.int() })`. */
export const idAs: MemberAs<typeof serviceId> = memberAs(serviceId, idIn);

/** The `status` of the answer (null if it has none) under a name, and what the operation adds. */
export const statusAs: MemberAs<z.ZodNullable<z.ZodString>> = memberAs(z.string().nullable(), statusIn);

/** The schema of a result, without the way to read it. */
export function schemaOf(recorded: Recorded): z.ZodType<StepResult> {
  return "schema" in recorded ? recorded.schema : recorded;
}

/** How the answers to an operation are read. */
export interface Reading {
  readonly recorded: Recorded;
  readonly answers: readonly AnswerRule[];
}

const keepOf = ({ recorded }: Reading, adds: object | undefined) => {
  // A schema alone: the result is checked against it wherever it comes from.
  if (!("schema" in recorded)) return (answer: AnswerBody) => ({ ...answer, ...adds }) as StepResult;
  return (answer: AnswerBody) => recorded.keep(answer, (adds ?? {}) as never);
};

/** The operation that sends what is asked. A reply is returned as it is. */
export function operationOf(
  asks: Asks<never, never, object, never>,
  reading: Reading,
  isPolled: boolean,
): Operation<never> {
  return async (call) => {
    const asked = await asks(call as never);
    if (!isDescribed(asked)) return asked;
    const { path, body, mayBeDoneLater, adds } = asked as ServiceRequest & { readonly adds?: object };
    if (call.wire) call.wire.isSent = false;
    const later = mayBeDoneLater && { reference: idIn, isPolled };
    return callService({ path, body, keep: keepOf(reading, adds), answers: reading.answers, ...later }, call);
  };
}

/** The policy whose queries are sent as they are described. */
export function policyOf(policy: AskPolicy<never, never>, reading: Reading): OperationPolicy<never> {
  const { poll, find, atMostOnce, settlesWithinMs, ...rest } = policy;
  const send = (query: ServiceQuery, call: AgentCall<never>, isPolled: boolean) => {
    const { path, keep, adds, answers = reading.answers } = query as ServiceQuery & { readonly adds?: object };
    return lookUp({ path, keep: keep ?? keepOf(reading, adds), answers, isPolled }, call);
  };
  return {
    ...rest,
    ...(poll && {
      poll: async (call, reference) => {
        const asked = await poll(call as never, reference);
        return isDescribed(asked) ? notYet(await send(asked, call, true)) : asked;
      },
    }),
    ...(atMostOnce !== undefined && { atMostOnce }),
    ...(settlesWithinMs !== undefined && { settlesWithinMs }),
    ...(find && {
      find: {
        ...find,
        ask: async (call: AgentCall<never>) => {
          const asked = await find.ask(call as never);
          return isDescribed(asked) ? send(asked, call, false) : asked;
        },
      },
    }),
  } as OperationPolicy<never>;
}

/** Code may return anything: what describes no request is taken as its reply, and checked as one. */
function isDescribed<Described extends { readonly path: string }>(asked: Described | object): asked is Described {
  return typeof asked === "object" && asked !== null && "path" in asked && typeof asked.path === "string";
}
