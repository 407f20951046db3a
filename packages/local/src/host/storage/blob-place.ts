// Where a blob binding's path leads: the account's client, made when the first function needs it, and the names in it.
import type { BlobServiceClient, ContainerClient } from "@azure/storage-blob";
import type { Binding } from "../contract.ts";

const services = new Map<string, BlobServiceClient>();

export interface BlobPlace {
  readonly container: ContainerClient;
  readonly name: string;
}

/** `path` is `container/name/of/blob`, with its expressions filled in. */
export async function blobPlaceOf({ connection, path }: Binding): Promise<BlobPlace> {
  const [, container, name] = /^\/?([^/]+)\/(.+)$/.exec(String(path)) ?? [];
  if (!container || !name) throw new Error(`"${String(path)}" is no path of a blob: container/name is wanted`);
  const service = await blobService(String(connection));
  return { container: service.getContainerClient(container), name };
}

/** The SDK is not loaded for an app without blobs. */
export async function blobService(connectionString: string): Promise<BlobServiceClient> {
  let service = services.get(connectionString);
  if (!service) {
    const { BlobServiceClient: Service } = await import("@azure/storage-blob");
    service = Service.fromConnectionString(connectionString);
    services.set(connectionString, service);
  }
  return service;
}
