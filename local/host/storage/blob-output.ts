// Blob outputs: what a function returns or sets becomes the content of the blob that the binding's path names.
import type { BlobServiceClient } from "@azure/storage-blob";
import type { Binding, TypedData } from "../contract.ts";

const services = new Map<string, BlobServiceClient>();

/** `path` is `container/name/of/blob`, with its expressions filled in. Makes the container where it is not there. */
export async function writeBlob({ connection, path }: Binding, data: TypedData): Promise<void> {
  const [, container, name] = /^\/?([^/]+)\/(.+)$/.exec(String(path)) ?? [];
  if (!container || !name) throw new Error(`"${String(path)}" is no path of a blob: container/name is wanted`);
  const content = contentOf(data);
  const service = await serviceOf(String(connection));
  const blobs = service.getContainerClient(container);
  const upload = () => blobs.getBlockBlobClient(name).upload(content, content.length);
  try {
    await upload();
  } catch (cause) {
    if ((cause as { statusCode?: unknown }).statusCode !== 404) throw cause;
    await blobs.createIfNotExists();
    await upload();
  }
}

/** The SDK is not loaded for an app without blobs. */
async function serviceOf(connectionString: string): Promise<BlobServiceClient> {
  let service = services.get(connectionString);
  if (!service) {
    const { BlobServiceClient: Service } = await import("@azure/storage-blob");
    service = Service.fromConnectionString(connectionString);
    services.set(connectionString, service);
  }
  return service;
}

function contentOf(data: TypedData): Buffer {
  if ("bytes" in data) return Buffer.from(data.bytes);
  if ("string" in data) return Buffer.from(data.string);
  if ("json" in data) return Buffer.from(data.json);
  if ("int" in data) return Buffer.from(String(data.int));
  if ("double" in data) return Buffer.from(String(data.double));
  throw new Error(`A function's ${Object.keys(data)[0]} cannot be the content of a blob.`);
}
