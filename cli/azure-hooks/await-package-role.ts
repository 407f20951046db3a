// Before the first deployment: waits until the role for writing the package has propagated. Until then the upload is
// answered 403, InaccessibleStorageException (Azure/azure-dev#8026). Nobody but the identity itself can try its role, so it is time
// that is waited for; what takes longer is deployed again.
import { z } from "zod";
import type { ResourceManager } from "./resource-manager.ts";

/** The report of that fault says that a minute was enough; this is twice that. Microsoft promises ten minutes. */
const SPREADS_WITHIN_MS = 120_000;

const assignment = z.object({ properties: z.object({ createdOn: z.iso.datetime() }) });

/** @returns how long is still to be waited. @throws what to do where there is no such role. */
export async function waitForPackageRole(
  manager: ResourceManager,
  assignmentId: string,
  now: number,
  spreadsWithinMs = SPREADS_WITHIN_MS,
): Promise<number> {
  const { status, body } = await manager.get(`${assignmentId}?api-version=2022-04-01`);
  if (status === 404)
    throw new Error("The role for writing the package does not exist any more: azd provision creates it again.");
  const read = assignment.safeParse(body);
  // Who may deploy but not read roles waits for the whole time, as if it were new.
  if (status !== 200 || !read.success) return spreadsWithinMs;
  return Math.max(0, Date.parse(read.data.properties.createdOn) + spreadsWithinMs - now);
}
