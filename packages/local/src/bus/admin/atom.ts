// Atom XML, as the administration protocol of Service Bus writes it.
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { messageOf } from "../../thrown.ts";

const ATOM = "http://www.w3.org/2005/Atom";
const CONNECT = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

const parser = new XMLParser({ parseTagValue: false, removeNSPrefix: true });

/** What a client sends that cannot be read. */
export class XmlFault extends Error {
  override readonly name = "XmlFault";
}

/**
 * The elements of the description in an entry's content, such as a QueueDescription, by their names: each a text, or an object if it has
 * elements itself. `undefined` if there is no description of this name. Throws an XmlFault.
 */
export function readContent(xml: string, name: string): Readonly<Record<string, unknown>> | undefined {
  // The parser itself makes something of anything.
  const result = XMLValidator.validate(xml);
  if (result !== true) {
    const { msg, line, col } = result.err;
    throw new XmlFault(`The body is no well-formed XML: ${msg} (line ${line}, column ${col})`);
  }
  const { entry } = parse(xml) as { entry?: { content?: Record<string, string | Record<string, unknown>> } };
  const description = entry?.content?.[name];
  return typeof description === "string" ? {} : description;
}

/** What nests too deeply, or declares entities of its own, the parser refuses. */
function parse(xml: string): unknown {
  try {
    return parser.parse(xml);
  } catch (cause) {
    throw new XmlFault(`The body cannot be read: ${messageOf(cause)}`, { cause });
  }
}

interface EntryFrame {
  /** The client takes the entity's name from it. */
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** @param content elements, written already. */
export function writeEntry(frame: EntryFrame, description: string, content: readonly string[]): string {
  const [created, updated] = [frame.createdAt, frame.updatedAt].map((at) => new Date(at).toISOString());
  return [
    `<entry xmlns="${ATOM}">${tag("id", frame.id)}<title type="text">${escapeXml(frame.title)}</title>`,
    `${tag("published", created ?? "")}${tag("updated", updated ?? "")}<content type="application/xml">`,
    `<${description} xmlns="${CONNECT}" xmlns:i="${INSTANCE}">`,
    ...content,
    `</${description}></content></entry>`,
  ].join("");
}

export function writeFault(status: number, detail: string): string {
  return `<Error>${tag("Code", String(status))}${tag("Detail", detail)}</Error>`;
}

export function tag(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
