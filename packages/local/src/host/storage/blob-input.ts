// Blob inputs: the content of the blob that the binding's path names, as text, or with `dataType: "binary"` as bytes.
import { resolveExpressions } from "../bindings/binding-expressions.ts";
import { textData } from "../bindings/typed-data.ts";
import type { Binding, Invocation, TypedData } from "../contract.ts";
import { blobPlaceOf } from "./blob-place.ts";

/** A blob that is not there is undefined to the function. */
export async function readBlobInput(filled: Binding, invocation: Invocation): Promise<TypedData> {
  const binding = resolveExpressions(filled, invocation);
  const { container, name } = await blobPlaceOf(binding);
  try {
    const bytes = await container.getBlockBlobClient(name).downloadToBuffer();
    return String(binding["dataType"]).toLowerCase() === "binary" ? { bytes } : textData(bytes.toString());
  } catch (cause) {
    if ((cause as { statusCode?: unknown }).statusCode === 404) return { empty: true };
    throw cause;
  }
}
