// Azure Resource Manager, as far as the hooks of azd need it: read a resource, or have an action done.
import type { TokenCredential } from "@azure/identity";

export interface ResourceManager {
  get(path: string): Promise<Answer>;
  post(path: string): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ADDRESS = "https://management.azure.com";
const TRIES = 4;
const PAUSE_MS = 2000;

/** Repeats what was not answered, or answered 429 or 5xx, a few times. @throws the last fault. */
export function openResourceManager(
  credential: TokenCredential,
  address = ADDRESS,
  pauseMs = PAUSE_MS,
): ResourceManager {
  async function ask(method: string, path: string): Promise<Answer> {
    const token = await tokenOf(credential);
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await fetch(`${address}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
        });
        const passing = response.status === 429 || response.status >= 500;
        if (!passing || tries === TRIES) return { status: response.status, body: await bodyOf(response) };
      } catch (cause) {
        if (tries === TRIES) throw new Error(`Azure Resource Manager can't be reached: ${String(cause)}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs * tries));
    }
  }
  return { get: (path) => ask("GET", path), post: (path) => ask("POST", path) };
}

async function tokenOf(credential: TokenCredential): Promise<string> {
  try {
    const found = await credential.getToken(`${ADDRESS}/.default`);
    if (found) return found.token;
  } catch (cause) {
    throw new Error(`azd has no sign-in to Azure (azd auth login): ${String(cause).trim()}`, { cause });
  }
  throw new Error("azd has no sign-in to Azure: azd auth login");
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
