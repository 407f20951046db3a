// Has the local Cosmos DB server refuse data requests: the switch takes the account's key.
import type { TestStack } from "./test-stack.ts";

export async function rejectData(
  { stack, settings }: Pick<TestStack, "stack" | "settings">,
  body: object,
): Promise<void> {
  const [, key = ""] = /AccountKey=([^;]+)/.exec(settings["Cosmos"] ?? "") ?? [];
  const url = new URL("/$refuse", stack.addresses.cosmos?.endpoint);
  const response = await fetch(url, { method: "POST", headers: { authorization: key }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}
