// Signs requests to Cosmos DB with an account's key. The SDK decodes and imports the key again for each request; here this is done once.
import { createHmac, createSecretKey } from "node:crypto";
import type { CosmosClientOptions } from "@azure/cosmos";

type Account = Required<Pick<CosmosClientOptions, "endpoint" | "tokenProvider">>;

/** Undefined without an endpoint and a key: the SDK then reports what it needs. */
export function accountOf(connectionString: string): Account | undefined {
  const endpoint = /(?:^|;)AccountEndpoint=([^;]+)/.exec(connectionString)?.[1];
  const key = /(?:^|;)AccountKey=([^;]+)/.exec(connectionString)?.[1];
  // A token may stand in the key's place. The SDK sends it as it is.
  if (!endpoint || !key || key.startsWith("type=")) return undefined;
  return { endpoint, tokenProvider: signerWith(key) };
}

/** Gives the value of the authorization header, as in "Access control on Azure Cosmos DB resources". The SDK encodes it. */
function signerWith(accountKey: string): Account["tokenProvider"] {
  const key = createSecretKey(accountKey, "base64");
  return async ({ verb, resourceType, resourceId, headers }) => {
    const date = String(headers["x-ms-date"]).toLowerCase();
    // For the account itself the SDK gives no id, which its type does not say.
    const text = `${verb.toLowerCase()}\n${resourceType.toLowerCase()}\n${resourceId || ""}\n${date}\n\n`;
    return `type=master&ver=1.0&sig=${createHmac("sha256", key).update(text).digest("base64")}`;
  };
}
