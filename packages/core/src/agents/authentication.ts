// How the app authenticates at an endpoint: with a header from a setting, or a token of the app's identity.
import type { TokenCredential } from "@azure/identity";
import type { Authentication, Credential, Endpoint } from "./agent.ts";

/** Returns the credential for one try, and stops with the try's signal. Rejects if there is no credential. */
export type Authenticate = (signal: AbortSignal) => Promise<Credential>;

export interface Authenticators {
  readonly settingOf: (name: string) => string | undefined;
  /** The identity of the app. */
  readonly identity: TokenCredential;
}

/** By URL; an endpoint without a credential is not included. */
export function authenticateAll(
  endpoints: readonly Endpoint[],
  using: Authenticators | undefined,
): ReadonlyMap<string, Authenticate> {
  return new Map(
    endpoints.flatMap(({ url, authentication }) => {
      if (!authentication) return [];
      if (!using) throw new Error(`${url} wants a credential, and there is nothing to take it from`);
      return [[url, authenticate(authentication, using)] as const];
    }),
  );
}

function authenticate(authentication: Authentication, using: Authenticators): Authenticate {
  switch (authentication.kind) {
    case "header":
      return fromSetting(authentication, using.settingOf);
    case "token":
      return fromIdentity(authentication.scope, using.identity);
    default:
      return authentication satisfies never;
  }
}

function fromSetting(
  { header, setting }: Extract<Authentication, { kind: "header" }>,
  settingOf: Authenticators["settingOf"],
): Authenticate {
  return async () => {
    const value = settingOf(setting);
    if (!value) throw new Error(`the setting ${setting} is missing`);
    // A changed setting restarts the app: there is no other value here.
    return { header, value, renew: async () => undefined };
  };
}

/**
 * The library keeps a token until shortly before it expires. `renew` requests a new one from the identity. Azure may return the same token: it
 * keeps those of managed identities for about a day (Microsoft, "Managed identity best practice recommendations").
 */
function fromIdentity(scope: string, identity: TokenCredential): Authenticate {
  let tokens: Promise<() => Promise<string>> | undefined;
  const bearer = async () => {
    tokens ??= tokensOf(identity, scope);
    return `Bearer ${await (await tokens)()}`;
  };
  const askAnew = () => {
    tokens = undefined;
  };
  return async (signal) => {
    // In the library, every call waits for a request that hangs: the next try makes its own request.
    signal.addEventListener("abort", askAnew, { once: true });
    const value = await bearer();
    signal.removeEventListener("abort", askAnew);
    const renew = async () => {
      // If several calls were rejected at once, the first one renews for all.
      if ((await bearer()) === value) askAnew();
      const next = await bearer();
      return next === value ? undefined : next;
    };
    return { header: "authorization", value, renew };
  };
}

/** The credential library is large: it is loaded with the first token. */
async function tokensOf(identity: TokenCredential, scope: string): Promise<() => Promise<string>> {
  const { getBearerTokenProvider } = await import("@azure/identity");
  return getBearerTokenProvider(identity, scope);
}
