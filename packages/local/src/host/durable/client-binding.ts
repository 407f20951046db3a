// The text of a `durableClient` binding: the addresses that the app's client library fills in and calls.

/** For everybody who has the key, which the addresses carry as `code`. */
export const WEBHOOK_PREFIX = "/runtime/webhooks/durabletask/";
/** For the app's own library, without a key; the real host has a port of its own for it. */
export const RPC_PREFIX = "/runtime/rpc/durabletask/";
/** The key that the real host would make up. */
export const WEBHOOK_KEY = "local";

const ID_PLACEHOLDER = "INSTANCEID";

export function bindingText(hubName: string, baseUrl: string): string {
  const root = `${baseUrl}${WEBHOOK_PREFIX}`;
  const query = `taskHub=${hubName}&connection=Storage&code=${WEBHOOK_KEY}`;
  return JSON.stringify({
    taskHubName: hubName,
    creationUrls: {
      createNewInstancePostUri: `${root}orchestrators/{functionName}[/{instanceId}]?${query}`,
      createAndWaitOnNewInstancePostUri: `${root}orchestrators/{functionName}[/{instanceId}]?${query}`,
    },
    managementUrls: { id: ID_PLACEHOLDER, ...managementUrls(hubName, baseUrl, ID_PLACEHOLDER) },
    baseUrl: root.slice(0, -1),
    requiredQueryStringParameters: `code=${WEBHOOK_KEY}`,
    rpcBaseUrl: `${baseUrl}${RPC_PREFIX}`,
  });
}

/**
 * The same as an object for all invocations: few functions use their client, and each would parse its text. Frozen, for they share it.
 */
export function sharedBinding(hubName: string, baseUrl: string): object {
  return JSON.parse(bindingText(hubName, baseUrl), (_, value: unknown) => Object.freeze(value)) as object;
}

export function managementUrls(hubName: string, baseUrl: string, id: string): Record<string, string> {
  const instance = `${baseUrl}${WEBHOOK_PREFIX}instances/${id}`;
  const query = `taskHub=${hubName}&connection=Storage&code=${WEBHOOK_KEY}`;
  return {
    statusQueryGetUri: `${instance}?${query}`,
    sendEventPostUri: `${instance}/raiseEvent/{eventName}?${query}`,
    terminatePostUri: `${instance}/terminate?reason={text}&${query}`,
    rewindPostUri: `${instance}/rewind?reason={text}&${query}`,
    purgeHistoryDeleteUri: `${instance}?${query}`,
    restartPostUri: `${instance}/restart?${query}`,
    suspendPostUri: `${instance}/suspend?reason={text}&${query}`,
    resumePostUri: `${instance}/resume?reason={text}&${query}`,
  };
}
