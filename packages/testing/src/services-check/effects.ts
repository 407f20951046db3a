// How many effects a job has had at a service: asked of the service itself, where it has a list of them.

import { type Authenticators, authenticateAll, type Endpoint } from "@scheduler-agent-supervisor/core/agents";

/** Counts the effects that name the job, or its key; undefined if the service has no list. */
export type CountEffects = (jobId: string, key: string) => Promise<number | undefined>;

const WITHIN_MS = 15_000;
/** The simulated services have it. */
const LIST = "$effects";

/**
 * @param query below the endpoint, with `{key}` and `{id}` in the place of the idempotency key and the job's id: its answer is a JSON array, or an object
 * with one. Absent: the list that simulated services have, if the endpoint has it.
 * @throws where the query was given and its answer is no list
 */
export function effectsAt(
  endpoint: Endpoint,
  authenticators: Authenticators | undefined,
  query: string | undefined,
): CountEffects {
  const authenticate = authenticateAll([endpoint], authenticators).get(endpoint.url);
  const read = async (path: string) => {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const credential = await authenticate?.(signal);
    const headers = credential ? { [credential.header]: credential.value } : {};
    const response = await fetch(endpoint.url + path, { headers, signal, redirect: "manual" });
    return { status: response.status, list: listIn(await response.json().catch(() => undefined)) };
  };
  if (query !== undefined) {
    return async (jobId, key) => {
      const path = query.replaceAll("{key}", encodeURIComponent(key)).replaceAll("{id}", encodeURIComponent(jobId));
      const { status, list } = await read(path);
      if (status === 404) return 0;
      if (status >= 300 || !list) {
        throw new Error(
          `GET ${endpoint.url}${path} answered HTTP ${status} and no list: --effects needs a path whose answer is a JSON array, or an object with one`,
        );
      }
      return list.length;
    };
  }
  let hasList: boolean | undefined;
  return async (jobId) => {
    if (hasList === false) return undefined;
    const { status, list } = await read(LIST).catch(() => ({ status: 0, list: undefined }));
    hasList = status === 200 && list !== undefined;
    return hasList ? list?.filter((effect) => JSON.stringify(effect).includes(jobId)).length : undefined;
  };
}

function listIn(answer: unknown): readonly unknown[] | undefined {
  if (Array.isArray(answer)) return answer;
  if (answer === null || typeof answer !== "object") return undefined;
  const lists = Object.values(answer).filter((value) => Array.isArray(value));
  return lists.length === 1 ? lists[0] : undefined;
}
