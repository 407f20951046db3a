// The ids that the gateway of most accounts cannot pass on in a path, although documents with them were created.
import { fault, type Reply } from "./request.ts";

const DOCUMENT_AT = 5;
const CONTROL = /[\t\r\n]/;
/** The gateway decodes them once more than the client encodes them, and so reads another id than was signed. */
const CHANGED_ON_THE_WAY = /\s$|%[\da-f]{2}/i;

const NOT_SIGNED_SO = fault(
  401,
  "The gateway reads another id of the document than was signed, since it ends with a space or has an escape such as %20.",
  [],
  0,
);
/** As in Azure no JSON: it is not the service that answers. */
const INVALID_URL: Reply = {
  status: 400,
  charge: 0,
  body: "The id of the document has a tab or a line break, which the gateway does not take in a path.",
};

/** What the gateway answers itself; undefined where it passes the request on. */
export function documentPathFault(segments: readonly string[]): Reply | undefined {
  const id = segments.length === DOCUMENT_AT + 1 && segments[DOCUMENT_AT - 1] === "docs" ? segments[DOCUMENT_AT] : "";
  if (!id) return undefined;
  if (CONTROL.test(id)) return INVALID_URL;
  return CHANGED_ON_THE_WAY.test(id) ? NOT_SIGNED_SO : undefined;
}
