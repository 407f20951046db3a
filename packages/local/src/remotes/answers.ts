// What a simulated service answers, by its definition alone: the same over HTTP and in memory.
import type { ParsedResource, SimulatedRequest } from "./definition.ts";

/** Before the key of the request that made, or would make, what is meant. */
export const OPEN_END = "key:";

/** The members of a request or an answer. */
export type Values = Readonly<Record<string, unknown>>;

interface Making {
  readonly status: 201 | 202;
  readonly answer: Values;
  /** Of what is done later, if the request names an address. */
  readonly report: { readonly url: string; readonly afterMs: number; readonly body: object } | undefined;
  readonly askAgainAfterS: number | undefined;
}

/** The answer to a creating request, and what it owes. @param returned what the resource returns for that request */
export function makingOf({ echo, later }: ParsedResource, id: string, body: Values, returned: Values): Making {
  const url = later?.reportTo === undefined ? undefined : body[later.reportTo];
  const report =
    later && typeof url === "string" && URL.canParse(url)
      ? { url, afterMs: later.afterMs, body: { kind: "done", result: { ...returned, [later.result]: id } } }
      : undefined;
  const askAgainAfterS = later?.askAgainAfterS;
  const isLater = report !== undefined || askAgainAfterS !== undefined;
  const echoed = Object.fromEntries(echo.filter((member) => member in body).map((member) => [member, body[member]]));
  const answer = { ...echoed, ...(!isLater && returned), id, status: isLater ? "accepted" : "created" };
  return { status: isLater ? 202 : 201, answer, report, askAgainAfterS };
}

export function returnedBy({ returns }: ParsedResource, request: SimulatedRequest): Values {
  return typeof returns === "function" ? returns(request) : returns;
}

/** In how many seconds to ask again; undefined if it is done. @param madeAt milliseconds since 1970, as `now` */
export function askAgainIn({ later }: ParsedResource, madeAt: number, now: number): number | undefined {
  return later && now < madeAt + later.afterMs ? later.askAgainAfterS : undefined;
}
