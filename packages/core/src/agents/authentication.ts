// How an endpoint's service knows the app: a header from a setting, or a token of the app's identity.
import type { TokenCredential } from "@azure/identity";
import type { Authentication, Credential, Endpoint } from "./agent.ts";

/** Gives the credential for one try, by whose signal it is given up. Rejects where none can be had. */
export type Authenticate = (signal: AbortSignal) => Promise<Credential>;

export interface Authenticators {
  readonly settingOf: (name: string) => string | undefined;
  /** Who the app is. */
  readonly identity: TokenCredential;
}

/** By URL; an endpoint that wants no credential is not there. */
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
    // A changed setting restarts the app: there is no other value to be had here.
    return { header, value, renew: async () => undefined };
  };
}

/**
 * The library keeps a token until shortly before it expires. `renew` asks the identity again. Azure may give the same token: it
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
    // The library has every call wait for a request that hangs: the next try makes one of its own.
    signal.addEventListener("abort", askAnew, { once: true });
    const value = await bearer();
    signal.removeEventListener("abort", askAnew);
    const renew = async () => {
      // Of several calls that were rejected at once the first renews for all.
      if ((await bearer()) === value) askAnew();
      const next = await bearer();
      return next === value ? undefined : next;
    };
    return { header: "authorization", value, renew };
  };
}

/** The library of credentials is big: it is loaded with the first token. */
async function tokensOf(identity: TokenCredential, scope: string): Promise<() => Promise<string>> {
  const { getBearerTokenProvider } = await import("@azure/identity");
  return getBearerTokenProvider(identity, scope);
}
