// Receipts: blobs that say which version of which blob a function was told of, so that no host tells it twice.
// (Functions documentation, "Azure Blob storage trigger": blob receipts. The lease on a receipt is as in the WebJobs SDK.)
import type { BlobServiceClient } from "@azure/storage-blob";

const CONTAINER = "azure-webjobs-hosts";
const LEASE_S = 30;
const DONE = { webjobscompleted: "true" };

export interface BlobVersion {
  readonly container: string;
  readonly name: string;
  readonly etag: string;
}

export class BlobReceipts {
  readonly #folder: string;
  /** What this process need not ask for again. */
  readonly #done = new Set<string>();

  constructor(functionName: string) {
    this.#folder = `blobreceipts/local/${functionName}`;
  }

  /** Runs `tell` unless it has been run for this version; of two hosts at once one has the lease. */
  async once(service: BlobServiceClient, version: BlobVersion, tell: () => Promise<void>): Promise<void> {
    const { container, name, etag } = version;
    const path = `${this.#folder}/"${etag.replaceAll('"', "")}"/${container}/${name}`;
    if (this.#done.has(path)) return;
    const hosts = service.getContainerClient(CONTAINER);
    const receipt = hosts.getBlockBlobClient(path);
    const create = () => receipt.upload("", 0, { conditions: { ifNoneMatch: "*" } });
    const isNew = await unless([404, 409, 412], create);
    if (isNew === 404) {
      await hosts.createIfNotExists();
      await unless([409, 412], create);
    }
    const lease = receipt.getBlobLeaseClient();
    if ((await unless([409], () => lease.acquireLease(LEASE_S))) === 409) return;
    const conditions = { leaseId: lease.leaseId };
    try {
      const { metadata } = await receipt.getProperties();
      if (metadata?.["webjobscompleted"] !== DONE.webjobscompleted) {
        await tell();
        await receipt.setMetadata(DONE, { conditions });
      }
      this.#done.add(path);
    } finally {
      await lease.releaseLease();
    }
  }
}

/** The status where it is one of these; any other failure is thrown. */
async function unless(statuses: readonly number[], ask: () => Promise<unknown>): Promise<number | undefined> {
  try {
    await ask();
    return undefined;
  } catch (cause) {
    const { statusCode } = cause as { statusCode?: number };
    if (statusCode === undefined || !statuses.includes(statusCode)) throw cause;
    return statusCode;
  }
}
