// Activities of one task hub run in several processes: the one that has the engine hands them out, to itself and to the others.
import { Agent, request as openRequest } from "node:http";
import { deserialize, serialize } from "node:v8";
import { isError, messageOf, stackOf } from "../../thrown.ts";
import type { FunctionApp, Invocation, InvocationResult, RegisteredFunction } from "../contract.ts";

/** Where a process takes activities, on its own port. */
export const ACTIVITIES_PATH = "/instance/activities";

interface Call {
  readonly name: string;
  readonly invocation: Invocation;
}

type Answer =
  | { readonly kind: "done"; readonly result: InvocationResult }
  | { readonly kind: "failed"; readonly message: string; readonly stack: string | undefined };

/** A process that runs activities; this one has no port. */
interface Place {
  readonly port: number | undefined;
  running: number;
}

/** Stands between the engine and the app. An activity whose process dies is run again in another: at least once, as in Azure. */
export class SharedActivities implements FunctionApp {
  /** How many activities each process runs at one time. */
  readonly placesEach: number;
  readonly functions: ReadonlyMap<string, RegisteredFunction>;
  readonly #app: FunctionApp;
  readonly #agent = new Agent({ keepAlive: true });
  #places: Place[] = [{ port: undefined, running: 0 }];
  #held = false;
  readonly #waiting: ((place: Place) => void)[] = [];

  constructor(app: FunctionApp, functions: ReadonlyMap<string, RegisteredFunction>, placesEach: number) {
    this.#app = app;
    this.functions = functions;
    this.placesEach = placesEach;
  }

  /** Other processes that are ready now. */
  shareWith(ports: readonly number[]): void {
    const known = new Map(this.#places.map((place) => [place.port, place]));
    this.#places = [undefined, ...ports].map((port) => known.get(port) ?? { port, running: 0 });
    this.#handOut();
  }

  /** What has no place yet never gets one: it is done after the next start. */
  hold(): void {
    this.#held = true;
  }

  async invoke(name: string, invocation: Invocation): Promise<InvocationResult> {
    if (this.functions.get(name)?.trigger.type !== "activityTrigger") return this.#app.invoke(name, invocation);
    for (;;) {
      const place = await this.#place();
      try {
        const result = await this.#runAt(place, { name, invocation });
        if (result) return result;
        this.#places = this.#places.filter((one) => one !== place);
      } finally {
        place.running -= 1;
        this.#handOut();
      }
    }
  }

  #place(): Promise<Place> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#handOut();
    });
  }

  /** To the process with the fewest. */
  #handOut(): void {
    while (!this.#held && this.#waiting.length > 0) {
      const [least] = this.#places.toSorted((one, other) => one.running - other.running);
      if (!least || least.running >= this.placesEach) return;
      least.running += 1;
      this.#waiting.shift()?.(least);
    }
  }

  /** Undefined where the process is gone; whether it had run the activity is not known then. */
  async #runAt({ port }: Place, call: Call): Promise<InvocationResult | undefined> {
    if (port === undefined) return this.#app.invoke(call.name, call.invocation);
    const answer = await this.#ask(port, serialize(call));
    if (answer?.kind !== "failed") return answer?.result;
    throw Object.assign(new Error(answer.message), { stack: answer.stack ?? answer.message });
  }

  #ask(port: number, body: Buffer): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const lost = () => resolve(undefined);
      const request = openRequest(
        { agent: this.#agent, host: "127.0.0.1", port, path: ACTIVITIES_PATH, method: "POST" },
        async (response) => {
          try {
            const chunks: Buffer[] = [];
            for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
            resolve(response.statusCode === 200 ? (deserialize(Buffer.concat(chunks)) as Answer) : undefined);
          } catch {
            lost();
          }
        },
      );
      request.once("error", lost);
      request.end(body);
    });
  }
}

/** Runs an activity that another process asks for. Never rejects: a failure is an answer. */
export async function answerActivity(app: FunctionApp, body: Buffer): Promise<Buffer> {
  const { name, invocation } = deserialize(body) as Call;
  return serialize(await outcomeOf(() => app.invoke(name, invocation)));
}

async function outcomeOf(run: () => Promise<InvocationResult>): Promise<Answer> {
  try {
    return { kind: "done", result: await run() };
  } catch (cause) {
    return { kind: "failed", message: messageOf(cause), stack: isError(cause) ? stackOf(cause) : undefined };
  }
}
