// The text of a `durableClient` binding: the addresses that the app's client library fills in and calls.

export const ROUTE_PREFIX = "/runtime/webhooks/durabletask/";

const ID_PLACEHOLDER = "INSTANCEID";

export function bindingText(hubName: string, baseUrl: string): string {
  const root = `${baseUrl}${ROUTE_PREFIX}`;
  const query = `taskHub=${hubName}&connection=Storage&code=local`;
  return JSON.stringify({
    taskHubName: hubName,
    creationUrls: {
      createNewInstancePostUri: `${root}orchestrators/{functionName}[/{instanceId}]?${query}`,
      createAndWaitOnNewInstancePostUri: `${root}orchestrators/{functionName}[/{instanceId}]?${query}`,
    },
    managementUrls: { id: ID_PLACEHOLDER, ...managementUrls(hubName, baseUrl, ID_PLACEHOLDER) },
    baseUrl: root.slice(0, -1),
    requiredQueryStringParameters: "code=local",
    rpcBaseUrl: root,
  });
}

export function managementUrls(hubName: string, baseUrl: string, id: string): Record<string, string> {
  const instance = `${baseUrl}${ROUTE_PREFIX}instances/${id}`;
  const query = `taskHub=${hubName}&connection=Storage&code=local`;
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
