// Which control queue an instance has: FNV-1a of its id, as DurableTask.AzureStorage has it (Fnv1aHashHelper).

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

export function partitionOf(instanceId: string, partitionCount: number): number {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(instanceId)) hash = Math.imul(hash ^ byte, PRIME) >>> 0;
  return hash % partitionCount;
}
