// Atom XML, as the administration protocol of Service Bus writes it.
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { messageOf } from "../../thrown.ts";

const ATOM = "http://www.w3.org/2005/Atom";
const CONNECT = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

/** An element's children by name, its attributes by `@name`, its text by `#text`. A text alone stands for itself. */
export type XmlElement = string | { readonly [name: string]: XmlElement | readonly XmlElement[] };

const parser = new XMLParser({
  parseTagValue: false,
  removeNSPrefix: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
});

/** What a client sends that is no well-formed XML. */
export class XmlFault extends Error {
  override readonly name = "XmlFault";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;
/** What XML 1.0 has no place for, and what the service does not read: entities other than its own five. */
const NOT_XML: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a character that XML does not have", NO_CHARACTER],
  ["a document type, which is not read", /<!DOCTYPE/i],
  ["a reference to an entity that is not there", /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i],
];

/** The parser takes the prefixes away and with them what they stand for. */
const NAMESPACES = [ATOM, CONNECT].map((uri) => ({
  uri,
  isDeclared: new RegExp(`xmlns(?::[\\w.-]+)?\\s*=\\s*["']${uri}["']`),
}));

function isCharacter(reference: string): boolean {
  const code = /^x/i.test(reference) ? Number.parseInt(reference.slice(1), 16) : Number(reference);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code <= 0x10ffff && !isSurrogate && !NO_CHARACTER.test(String.fromCodePoint(code));
}

/** Throws an XmlFault: the parser itself makes something of anything. */
export function checkXml(xml: string): void {
  const [what] = NOT_XML.find(([, pattern]) => pattern.test(xml)) ?? [];
  if (what !== undefined) throw new XmlFault(`The body is no well-formed XML: it has ${what}`);
  const reference = [...xml.matchAll(/&#(x?[\da-f]+);/gi)].find(([, given = ""]) => !isCharacter(given))?.[0];
  if (reference !== undefined) throw new XmlFault(`The body is no well-formed XML: ${reference} is no character`);
  const result = XMLValidator.validate(xml);
  if (result !== true) {
    const { msg, line, col } = result.err;
    throw new XmlFault(`The body is no well-formed XML: ${msg} (line ${line}, column ${col})`);
  }
  const missing = NAMESPACES.find(({ isDeclared }) => !isDeclared.test(xml));
  if (missing) throw new XmlFault(`The body has no element of the namespace ${missing.uri}`);
}

/** The description in an entry's content, such as a QueueDescription; `undefined` if there is none of this name. Throws an XmlFault. */
export function readContent(xml: string, name: string): XmlElement | undefined {
  const { entry } = parse(xml) as { entry?: { content?: Record<string, XmlElement> } };
  return entry?.content?.[name];
}

/** What nests too deeply, or declares entities of its own, the parser refuses. */
function parse(xml: string): unknown {
  try {
    return parser.parse(xml);
  } catch (cause) {
    throw new XmlFault(`The body cannot be read: ${messageOf(cause)}`, { cause });
  }
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return children(element, name)[0];
}

export function children(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  if (element === undefined || typeof element === "string" || !Object.hasOwn(element, name)) return [];
  const found = element[name];
  return Array.isArray(found) ? found : [found as XmlElement];
}

/** `undefined` for an element that is absent or empty. */
export function textOf(element: XmlElement | undefined): string | undefined {
  const text = typeof element === "string" ? element : child(element, "#text");
  return typeof text === "string" && text !== "" ? text : undefined;
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

/** @param next where the list goes on, if it does. */
export function writeFeed(title: string, id: string, entries: readonly string[], next: string | undefined): string {
  // The client looks for the next page only where there are several links.
  const links = [["self", id], ...(next ? [["next", next]] : [])]
    .map(([rel, href = ""]) => `<link rel="${rel}" href="${escapeXml(href)}"/>`)
    .join("");
  return `<feed xmlns="${ATOM}"><title type="text">${title}</title>${tag("id", id)}${links}${entries.join("")}</feed>`;
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
