// Checks the master key signature of a request, computed by the rules of Cosmos DB's REST API.
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** The key of every Cosmos DB emulator, known to the whole world. */
export const EMULATOR_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

const key: KeyObject = createSecretKey(Buffer.from(EMULATOR_KEY, "base64"));

/**
 * `authorization` is `type=master&ver=1.0&sig=...`, urlencoded; the signature covers verb, type and link of the resource
 * and the date. The link is that of the resource itself, or of its parent when the path names a whole feed.
 */
export function isSigned(method: string, path: readonly string[], date: string, authorization: string): boolean {
  // An operation on a container is signed as the container.
  const segments = path[4] === "operations" ? path.slice(0, 4) : path;
  const given = /sig(?:%3d|=)(.+)$/i.exec(authorization)?.[1];
  if (given === undefined) return false;
  const ofFeed = segments.length % 2 === 1;
  const type = segments[ofFeed ? segments.length - 1 : segments.length - 2] ?? "";
  const resource = ofFeed ? segments.slice(0, -1) : segments;
  const isRight = (link: string) => {
    const text = `${method.toLowerCase()}\n${type.toLowerCase()}\n${link}\n${date.toLowerCase()}\n\n`;
    const signature = createHmac("sha256", key).update(text).digest("base64");
    return given === signature || decode(given) === signature;
  };
  // A link of resource ids is signed by the last of them, in lower case.
  return isRight(resource.join("/")) || isRight((resource.at(-1) ?? "").toLowerCase());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
