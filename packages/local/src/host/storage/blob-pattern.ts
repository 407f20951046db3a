// The path of a blob trigger, such as `in/{name}.txt`: which blobs it means, and what of their names a function is told.
// (Functions documentation, "Azure Blob storage trigger": blob name patterns.)

export interface BlobPattern {
  readonly container: string;
  /** With which all of the blobs' names begin. */
  readonly prefix: string;
  /** The parts of a name by the expressions' names; undefined where the name does not fit. */
  match(name: string): Readonly<Record<string, string>> | undefined;
}

/** Two braces are one brace of the name. */
const PART = /\{\{|\}\}|\{([^{}]+)\}/g;

/** Throws where the path has no container, or one that is an expression. */
export function blobPattern(path: string): BlobPattern {
  const [, container = "", blobs = ""] = /^\/?([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  if (container === "" || container.includes("{")) {
    throw new Error(`its blob trigger's path "${path}" has no container: container/{name} is wanted`);
  }
  const names: string[] = [];
  let pattern = "";
  let prefix = "";
  let from = 0;
  const literal = (text: string) => {
    pattern += text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    if (names.length === 0) prefix += text;
  };
  for (const found of blobs.matchAll(PART)) {
    literal(blobs.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[1] === undefined) literal(found[0].slice(0, 1));
    else {
      names.push(found[1].trim());
      pattern += "(.+)";
    }
  }
  literal(blobs.slice(from));
  const whole = new RegExp(`^${blobs === "" ? ".+" : pattern}$`, "s");
  return {
    container,
    prefix,
    match(name) {
      const parts = whole.exec(name);
      return parts ? Object.fromEntries(names.map((key, index) => [key, parts[index + 1] ?? ""])) : undefined;
    },
  };
}
