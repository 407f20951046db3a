// The services of a random business: what each does with what it is asked under a key is drawn once, and is then the same. It keeps what stands under
// each key as the model's service does.
import { durationMs, stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { act, type ServiceState, stepOf } from "../../src/model/service.ts";
import type { ServiceAnswer, ServiceRequest } from "../../src/services/scripted-service.ts";
import type { Dice } from "./dice.ts";
import { AGENTS, type AgentName } from "./random-business.ts";

/** What a service makes of a key. */
interface Work {
  readonly kind: "done" | "rejected";
  readonly takesMs: number;
  /** The first answers, which its agent does not declare. */
  oddAnswers: number;
  readonly body: { readonly id: string; readonly parts: readonly object[] };
  /** Of what it does later: by its own clock. Infinite: never. */
  doneAt: number;
  isReported: boolean;
}

interface Surroundings {
  readonly now: () => number;
  readonly report: (url: string, afterMs: number, body: object) => void;
}

export class RandomServices {
  /** What stands under each key. */
  state: ServiceState = {};
  /** When the service is done, by key, where it does it later and does not reject. */
  readonly doneAt = new Map<string, number>();
  readonly #works = new Map<string, Work>();
  readonly #workflow: Workflow;
  readonly #dice: Dice;
  /** From now on it answers at once and as declared. */
  isHealed = false;

  constructor(workflow: Workflow, dice: Dice) {
    this.#workflow = workflow;
    this.#dice = dice;
  }

  /** @param onCall sees each request before it is served */
  handlers(surroundings: Surroundings, onCall: (agent: string, key: string, undoes: string | null) => void) {
    const handlerOf = (agent: AgentName) => (request: ServiceRequest) => {
      if (request.method === "GET") return this.#poll(request, surroundings);
      const { undoes } = request.body as { readonly undoes: string | null };
      onCall(agent, request.idempotencyKey ?? "", undoes);
      return this.#serve(agent, request, surroundings);
    };
    return Object.fromEntries(AGENTS.map((agent) => [agent, handlerOf(agent)]));
  }

  #serve(agent: AgentName, request: ServiceRequest, { now, report }: Surroundings): ServiceAnswer {
    const { idempotencyKey: key = "", body } = request;
    const { reportTo, undoes } = body as { readonly reportTo: string | null; readonly undoes: string | null };
    let work = this.#works.get(key);
    if (!work) {
      work = this.#workOf(agent, key, undoes, reportTo !== null, now());
      this.#works.set(key, work);
    }
    if (work.oddAnswers > 0 && !this.isHealed) {
      work.oddAnswers -= 1;
      return { status: 418, body: { code: "odd", message: "no agent declares this" } };
    }
    const isRejected = work.kind === "rejected" || (undoes === null && this.state[key] === "compensated");
    if (isRejected && work.doneAt <= now()) return { status: 422, body: { code: "no", message: "it is rejected" } };
    if (!isRejected) this.state = act(this.state, { key, compensates: undoes }).serviceState;
    const takes = { takes: `PT${(this.isHealed ? 0.2 : work.takesMs / 1000).toFixed(3)}S` };
    if (work.doneAt <= now()) return { body: work.body, ...takes };
    if (agent === "told" && !work.isReported && work.doneAt !== Number.POSITIVE_INFINITY && reportTo !== null) {
      work.isReported = true;
      const end = isRejected
        ? { kind: "rejected", message: "it is rejected" }
        : { kind: "done", result: resultOf(request.operation, work.body) };
      report(reportTo, work.doneAt - now(), end);
    }
    return { status: 202, body: work.body, ...takes, ...(agent === "asked" && RETRY_AFTER) };
  }

  #poll({ path }: ServiceRequest, { now }: Surroundings): ServiceAnswer {
    const key = decodeURIComponent(path.split("/").at(-1) ?? "");
    const work = this.#works.get(key);
    if (!work) throw new Error(`a service is polled for ${key}, which it never saw`);
    if (work.doneAt > now()) return { status: 202, body: {}, headers: RETRY_AFTER.headers };
    return work.kind === "rejected" ? { status: 422, body: { message: "it is rejected" } } : { body: work.body };
  }

  #workOf(agent: AgentName, key: string, undoes: string | null, mayBeLater: boolean, now: number): Work {
    const dice = this.#dice;
    const isUndo = undoes !== null;
    const kind = dice.isBelow(isUndo ? 0.03 : 0.08) ? "rejected" : "done";
    const takesMs = dice.isBelow(0.06) ? dice.between(4000, 14_000) : dice.between(100, 1500);
    const oddAnswers = dice.isBelow(0.04) ? 1 + dice.upTo(2) : 0;
    const parts = Array.from({ length: dice.upTo(3) }, (_, index) => ({ part: `${index}` }));
    const waitMs = mayBeLater && agent !== "now" && dice.isBelow(0.85) ? this.#waitMs(key, isUndo) : undefined;
    const share = dice.weighted({ early: 6, late: 1, never: 1 });
    const inMs =
      share === "early" ? dice.between(0.02, 0.5) : share === "late" ? dice.between(1.05, 2) : Number.POSITIVE_INFINITY;
    const doneAt = waitMs === undefined ? now : now + Math.round(waitMs * inMs);
    if (waitMs !== undefined && kind === "done") this.doneAt.set(key, doneAt);
    return { kind, takesMs, oddAnswers, body: { id: key, parts }, doneAt, isReported: false };
  }

  #waitMs(key: string, isUndo: boolean): number {
    const { awaitWithin, compensation } =
      this.#workflow.steps.find(({ name }) => name === stepOfRun(stepOf(key))) ?? {};
    const own = isUndo ? typeof compensation === "object" && compensation.awaitWithin : awaitWithin;
    return durationMs(own || "PT1M") ?? 0;
  }
}

const RETRY_AFTER = { headers: { "retry-after": "60" } };

/** As its agent records it. */
function resultOf(operation: string, body: { readonly id: string; readonly parts: readonly object[] }): object {
  if (operation === "list") return body;
  return operation === "make" ? { madeId: body.id } : { undoneId: body.id };
}
