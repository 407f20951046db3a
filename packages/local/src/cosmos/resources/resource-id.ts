// Resource ids (`_rid`) in the form that clients take apart: the bytes of a database, of a container in it, of a document in
// that, in base64 with `-` for `/`. Source: the SDKs' own reading of them (ResourceId in the .NET and Java SDKs).

/** Marks the second four bytes as a container's. */
const CONTAINER = 0x80000000;
const DATABASE_BYTES = 4;
const CONTAINER_BYTES = 8;
const DOCUMENT_BYTES = 16;

export function databaseRid(number: number): string {
  const bytes = Buffer.alloc(DATABASE_BYTES);
  bytes.writeUInt32BE(number);
  return encode(bytes);
}

export function containerRid(parent: string, number: number): string {
  const bytes = Buffer.alloc(CONTAINER_BYTES);
  decode(parent).copy(bytes);
  bytes.writeUInt32BE((CONTAINER | number) >>> 0, DATABASE_BYTES);
  return encode(bytes);
}

/** Makes the ids of the documents of one container. */
export function documentRids(container: string): (seq: number) => string {
  const bytes = Buffer.alloc(DOCUMENT_BYTES);
  decode(container).copy(bytes);
  return (seq) => {
    // Little-endian: the last half byte says what kind of resource it is, and 0 is a document.
    bytes.writeUInt32LE(seq >>> 0, CONTAINER_BYTES);
    bytes.writeUInt32LE(Math.floor(seq / 2 ** 32), CONTAINER_BYTES + 4);
    return encode(bytes);
  };
}

/** The number of a document by its id; undefined where the text is no document's id of that container. */
export function documentSeq(container: string, rid: string): number | undefined {
  const bytes = decode(rid);
  if (bytes.length !== DOCUMENT_BYTES || encode(bytes) !== rid) return undefined;
  if (!bytes.subarray(0, CONTAINER_BYTES).equals(decode(container))) return undefined;
  return Number(bytes.readBigUInt64LE(CONTAINER_BYTES));
}

const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("/", "-");
const decode = (rid: string) => Buffer.from(rid.replaceAll("-", "/"), "base64");
