// The app's own keys: those in its connection strings, and those that it sends to its agents' services.
import type { Config } from "./config.ts";

/** `SharedAccessKey=`, `AccountKey=` and `SharedAccessSignature=` of Azure's connection strings. */
const KEY = /(?:SharedAccessKey|AccountKey|SharedAccessSignature)=([^;]+)/gi;

export function ownKeysOf(config: Config): readonly string[] {
  const connections = [config.ServiceBus, config.Cosmos, config.AzureWebJobsStorage];
  const inConnections = connections.flatMap((text = "") => [...text.matchAll(KEY)].map(([, key = ""]) => key));
  const inHeaders = Object.values(config.endpoints).flatMap((endpoints = []) =>
    endpoints.flatMap(({ authentication }) => {
      if (authentication?.kind !== "header") return [];
      // "Bearer xyz": only the second word is the secret.
      const [scheme = "", ...words] = config.settingOf(authentication.setting)?.trim().split(/\s+/) ?? [];
      const key = words.at(-1) ?? scheme;
      return [...(key ? [key] : []), ...(/^basic$/i.test(scheme) ? passwordsIn(key) : [])];
    }),
  );
  return [...new Set([...inConnections, ...inHeaders])];
}

/** RFC 7617: base64 of the user's name, a colon and the password. */
function passwordsIn(credentials: string): string[] {
  const text = Buffer.from(credentials, "base64").toString("utf8");
  const password = text.slice(text.indexOf(":") + 1);
  return password === "" ? [] : [password];
}
