// Before provisioning: whether who deploys may make the locks of LOCK_DATA. Else the deployment fails at its end, when store and bus are there.
import { z } from "zod";
import type { ResourceManager } from "./resource-manager.ts";

const RIGHT = "Microsoft.Authorization/locks/write";

const permissions = z.object({
  value: z.array(z.object({ actions: z.array(z.string()), notActions: z.array(z.string()).nullish() })),
});

/** What to do where the right is missing; undefined where it is there, is not needed, or Azure does not say. */
export async function lockFault(
  manager: ResourceManager,
  subscriptionId: string,
  chosen: (name: string) => string | undefined,
): Promise<string | undefined> {
  // Another environment's store and bus are its own to lock.
  if (chosen("LOCK_DATA") !== "true" || chosen("SHARED_ENVIRONMENT_NAME")) return undefined;
  const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Authorization/permissions`;
  const { status, body } = await manager.get(`${path}?api-version=2022-04-01`);
  const read = permissions.safeParse(body);
  if (status !== 200 || !read.success) return undefined;
  // Each row is one role's: what a role leaves out another may give.
  const may = read.data.value.some(({ actions, notActions }) => covers(actions) && !covers(notActions ?? []));
  if (may) return undefined;
  return "LOCK_DATA=true: who deploys may not make locks. Owner and User Access Administrator may, or a role with Microsoft.Authorization/locks/* (docs/how-to/pipelines.md). Or azd env set LOCK_DATA false.";
}

function covers(actions: readonly string[]): boolean {
  return actions.some((action) =>
    new RegExp(`^${action.replaceAll(".", "\\.").replaceAll("*", ".*")}$`, "i").test(RIGHT),
  );
}
