// Blob outputs: what a function returns or sets becomes the content of the blob that the binding's path names.
import type { Binding, TypedData } from "../contract.ts";
import { blobPlaceOf } from "./blob-place.ts";

/** Makes the container where it is not there. */
export async function writeBlob(binding: Binding, data: TypedData): Promise<void> {
  const { container, name } = await blobPlaceOf(binding);
  const content = contentOf(data);
  const upload = () => container.getBlockBlobClient(name).upload(content, content.length);
  try {
    await upload();
  } catch (cause) {
    if ((cause as { statusCode?: unknown }).statusCode !== 404) throw cause;
    await container.createIfNotExists();
    await upload();
  }
}

function contentOf(data: TypedData): Buffer {
  if ("bytes" in data) return Buffer.from(data.bytes);
  if ("string" in data) return Buffer.from(data.string);
  if ("json" in data) return Buffer.from(data.json);
  if ("int" in data) return Buffer.from(String(data.int));
  if ("double" in data) return Buffer.from(String(data.double));
  throw new Error(`A function's ${Object.keys(data)[0]} cannot be the content of a blob.`);
}
