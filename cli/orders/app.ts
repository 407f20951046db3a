// The operator's API of a running app, for the command line: a rejection is an error that says why.
import type { Changes } from "@scheduler-agent-supervisor/operator/contract";
import { ANSWERED_MS, FRESH_MS, isOfNow } from "@scheduler-agent-supervisor/operator/domain";
import { plainText, withTimes } from "./text.ts";

export interface App {
  /**
   * @param withinMs how old what it says may be
   * @throws also if it is older: something between may keep an answer, and give it again
   */
  get<T>(path: string, withinMs?: number): Promise<T>;
  /** Whether the app itself answers, and now. @throws if not, or if its clock and this machine's differ: then nobody knows which one is wrong */
  answersNow(): Promise<void>;
  /** @param etag of what was looked at */
  post<T>(path: string, body: unknown, etag?: string): Promise<T>;
}

export interface AppAddress {
  readonly url: string;
  /** A function key; an app on this machine asks for none. */
  readonly key?: string | undefined;
  /** Of Entra ID, where people sign in. */
  readonly token?: string | undefined;
}

/** Whoever looks at what is wrong has an answer, or that there is none, within a minute. An action may take longer. */
const READ_WITHIN_MS = 30_000;
const ACT_WITHIN_MS = 60_000;
const NOT_NOW = "it is an old one, given again, or a clock is wrong: this machine's or the app's.";

export function openApp({ url, key, token }: AppAddress): App {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { "x-functions-key": key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };

  async function ask<T>(path: string, options: RequestInit, freshMs = FRESH_MS): Promise<T> {
    const address = new URL(`api/${path}`, url.endsWith("/") ? url : `${url}/`);
    const withinMs = options.method === "POST" ? ACT_WITHIN_MS : READ_WITHIN_MS;
    const signal = AbortSignal.timeout(withinMs);
    const [response, text] = await answerOf(address, { ...options, redirect: "manual", signal }).catch(
      (cause: unknown) => {
        const late = `The app at ${url} did not answer within ${withinMs / 1000} s. An action may have been done. Check before you repeat it: npm run orders -- supervision`;
        const none = `No app answers at ${url}: start it with npm start, or name another with --app URL.`;
        throw new Error(signal.aborted ? late : none, { cause });
      },
    );
    if (response.ok) {
      const answer = answerIn<T>(text, url);
      if (options.method !== "POST") checkAge(answer, response.headers.get("date"), freshMs);
      return answer;
    }
    const advice = ADVICE[response.status] ?? (response.status > 500 ? AGAIN : USAGE);
    throw new Error(`${response.status}: ${faultOf(text) || response.statusText || "the app gave no reason"}${advice}`);
  }

  return {
    get: (path, withinMs) => ask(path, { headers }, withinMs),
    async answersNow() {
      const { asOf } = await ask<Changes>("changes", { headers });
      const apartMs = Math.abs(Date.now() - Date.parse(asOf));
      if (apartMs > ANSWERED_MS) throw new Error(`The answer says that it is ${withTimes(asOf)}: ${NOT_NOW}`);
    },
    post: (path, body, etag) =>
      ask(path, {
        method: "POST",
        headers: { ...headers, ...(etag !== undefined && { "if-match": etag }) },
        body: JSON.stringify(body),
      }),
  };
}

async function answerOf(address: URL, options: RequestInit): Promise<[Response, string]> {
  const response = await fetch(address, options);
  return [response, await response.text()];
}

/** @param date the app's time */
function checkAge(answer: unknown, date: string | null, withinMs: number): void {
  if (isOfNow(answer, date === null ? Date.now() : Date.parse(date), withinMs)) return;
  const { asOf } = answer as { readonly asOf: string };
  throw new Error(`The answer says what was so at ${withTimes(asOf)}: it is too old.`);
}

/** Something between may answer in the app's place: a page to sign in, or a proxy's error page. */
function answerIn<T>(text: string, url: string): T {
  try {
    const answer: unknown = JSON.parse(text);
    if (answer !== null && typeof answer === "object") return answer as T;
  } catch {
    // As for what is JSON, and no answer of the app's.
  }
  throw new Error(`What answers at ${url} is not the app: its answer is no JSON. Name the app with --app URL.`);
}

const LOOK = "npm run orders -- show ORDER, run RUN or dead-letters";
const AGAIN = `\nTry again in some seconds. What was done: ${LOOK}`;
const USAGE = "\nWhat each command takes: npm run orders -- --help";

/** What to do, where the app can't know it. */
const ADVICE: { readonly [status: number]: string } = {
  401: "\nGive a function key with --key, or a token with --token.",
  404: "\nTo see what there is: npm run orders -- find, runs, held or dead-letters",
  409: `\nLook at it again: ${LOOK}`,
  412: `\nLook at it again: ${LOOK}`,
  429: AGAIN,
  500: "\nThe app's log has the cause. What is wrong with the app: npm run orders -- overview",
  403: "\nYou need the role Jobs.Read to see this, and Jobs.Operate to act.",
};

function faultOf(text: string): string {
  try {
    const { reason, error, faults = [] } = JSON.parse(text) as { reason?: string; error?: string; faults?: string[] };
    return [reason ?? error ?? "", ...faults].filter(Boolean).map(plainText).map(withTimes).join("\n  ");
  } catch {
    return "";
  }
}

/** Members that are not given are left out. */
export function queryOf(given: { readonly [name: string]: string | number | undefined }): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) set.set(name, String(value));
  return set.size === 0 ? "" : `?${set}`;
}

/** A path of the API, whose parts may contain any character. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join("/");
}
