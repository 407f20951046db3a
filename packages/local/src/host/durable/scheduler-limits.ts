// What the Durable Task Scheduler takes, the backend of the type `azureManaged`: it stores less in one piece than Azure Storage, and shorter ids.
import type { DurableSettings } from "../host-json-durable.ts";
import { HOST_LIMITS } from "../limits.ts";

type Backend = Pick<DurableSettings, "storageType">;

const isScheduler = ({ storageType }: Backend): boolean => storageType?.toLowerCase() === "azuremanaged";

/** Why it does not take this JSON text; undefined for another backend. @param what begins the sentence */
export function payloadFault(backend: Backend, what: string, text: string): string | undefined {
  const most = HOST_LIMITS.payloadBytes.value;
  const bytes = isScheduler(backend) ? Buffer.byteLength(text) : 0;
  if (bytes <= most) return undefined;
  return `${what} has ${bytes} bytes as JSON, and may have ${most} in the Durable Task Scheduler (azureManaged).`;
}

/** Why no instance has this id there; undefined for another backend. */
export function schedulerIdFault(backend: Backend, id: string): string | undefined {
  const most = HOST_LIMITS.schedulerId.value;
  if (!isScheduler(backend) || (id.length <= most && /^[ -~]*$/.test(id))) return undefined;
  return `'${id}' is no instance id in the Durable Task Scheduler (azureManaged): it has ${most} characters at most, all of ASCII.`;
}
