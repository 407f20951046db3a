// The clients of bus, store and storage: by connection string locally, by identity in Azure, under the names of the Functions host's own
// connections (`ServiceBus`, or `ServiceBus__fullyQualifiedNamespace` and similar names).

import { ConsistencyLevel, CosmosClient } from "@azure/cosmos";
import type { TokenCredential } from "@azure/identity";
import { ServiceBusClient, type ServiceBusClientOptions } from "@azure/service-bus";
import { BlobServiceClient, type StoragePipelineOptions } from "@azure/storage-blob";
import { accountOf, createCosmosHttpClient } from "../store/cosmos-http-client.ts";
import type { Config } from "./config.ts";

/** How a connection signs in; without `managedidentity`, as the user who is signed in on this machine. */
interface Identity {
  readonly credential: "managedidentity" | undefined;
  readonly clientId: string | undefined;
}

export function serviceBusOf(config: Config, options: ServiceBusClientOptions): ServiceBusClient {
  if (config.ServiceBus) return new ServiceBusClient(config.ServiceBus, options);
  const { ServiceBus__credential: credential, ServiceBus__clientId: clientId } = config;
  return new ServiceBusClient(
    given(config.ServiceBus__fullyQualifiedNamespace),
    credentialOf({ credential, clientId }),
    options,
  );
}

/** The SDK's own minute is longer than a step's time: a connection time-out would cost the whole attempt. */
const STORE_POLICY = { requestTimeout: 5000 } as const;

type CosmosSettings = "Cosmos" | "Cosmos__accountEndpoint" | "Cosmos__credential" | "Cosmos__clientId";

export function cosmosOf(config: Pick<Config, CosmosSettings>): CosmosClient {
  // The SDK sends its session tokens only if it is told this, whatever the account's own level is.
  const consistencyLevel = ConsistencyLevel.Session;
  const options = { connectionPolicy: STORE_POLICY, httpClient: createCosmosHttpClient(), consistencyLevel };
  if (config.Cosmos) {
    return new CosmosClient({ ...(accountOf(config.Cosmos) ?? { connectionString: config.Cosmos }), ...options });
  }
  const { Cosmos__credential: credential, Cosmos__clientId: clientId } = config;
  return new CosmosClient({
    endpoint: given(config.Cosmos__accountEndpoint),
    aadCredentials: credentialOf({ credential, clientId }),
    ...options,
  });
}

export function blobsOf(config: Config, options: StoragePipelineOptions): BlobServiceClient {
  if (config.AzureWebJobsStorage) return BlobServiceClient.fromConnectionString(config.AzureWebJobsStorage, options);
  const { AzureWebJobsStorage__credential: credential, AzureWebJobsStorage__clientId: clientId } = config;
  const { AzureWebJobsStorage__blobServiceUri: uri, AzureWebJobsStorage__accountName: account } = config;
  const url = uri ?? `https://${given(account)}.blob.core.windows.net`;
  return new BlobServiceClient(url, credentialOf({ credential, clientId }), options);
}

/** The app's identity for calls to its agents' services: the same as for the bus. */
export function agentIdentityOf(config: Config): TokenCredential {
  const { ServiceBus__credential: credential, ServiceBus__clientId: clientId } = config;
  return credentialOf({ credential, clientId });
}

/** The credential library is large: it is loaded with the first token, and never if there are connection strings. */
export function credentialOf({ credential, clientId }: Identity): TokenCredential {
  let made: Promise<TokenCredential> | undefined;
  async function make(): Promise<TokenCredential> {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import("@azure/identity");
    if (credential === undefined) return new DefaultAzureCredential();
    return new ManagedIdentityCredential(clientId === undefined ? {} : { clientId });
  }
  return {
    async getToken(scopes, options) {
      made ??= make();
      return (await made).getToken(scopes, options);
    },
  };
}

/** The settings' check guarantees it. */
function given(value: string | undefined): string {
  if (value === undefined) throw new Error("a connection has neither a connection string nor an address");
  return value;
}

/** `SharedAccessKey=`, `AccountKey=` and `SharedAccessSignature=` of Azure's connection strings. */
const KEY = /(?:SharedAccessKey|AccountKey|SharedAccessSignature)=([^;]+)/gi;

/** The app's own keys: those in its connection strings, and those that it sends to its agents' services. */
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
