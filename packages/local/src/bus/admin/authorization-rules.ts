// Authorization rules of an entity, as the administration client writes and reads them. They are kept and shown; no right is checked.

import { BUS_LIMITS } from "../limits.ts";
import { child, children, tag, textOf, type XmlElement, XmlFault } from "./atom.ts";

interface AuthorizationRule {
  readonly texts: readonly (readonly [name: string, text: string])[];
  readonly rights: readonly string[];
}

const BEFORE_RIGHTS = ["ClaimType", "ClaimValue"];
const BEHIND_RIGHTS = ["KeyName", "PrimaryKey", "SecondaryKey"];

const MOST = BUS_LIMITS.accessRules.value;

/** `undefined` where an entry has none. Throws an XmlFault. */
export function readAuthorizationRules(description: XmlElement): readonly AuthorizationRule[] | undefined {
  const found = children(child(description, "AuthorizationRules"), "AuthorizationRule");
  if (found.length === 0) return undefined;
  if (found.length > MOST) throw new XmlFault(`An entity has ${MOST} authorization rules at most, not ${found.length}`);
  return found.map((rule) => ({
    texts: [...BEFORE_RIGHTS, ...BEHIND_RIGHTS].flatMap((name) => {
      const text = textOf(child(rule, name));
      return text === undefined ? [] : [[name, text] as const];
    }),
    rights: children(child(rule, "Rights"), "AccessRights").flatMap((right) => textOf(right) ?? []),
  }));
}

export function writeAuthorizationRules(rules: unknown): string {
  if (!Array.isArray(rules)) return "";
  const written = (rules as readonly AuthorizationRule[]).map(({ texts, rights }) => {
    const those = (names: readonly string[]) =>
      texts.flatMap(([name, text]) => (names.includes(name) ? tag(name, text) : [])).join("");
    const granted = rights.map((right) => tag("AccessRights", right)).join("");
    const inside = `${those(BEFORE_RIGHTS)}<Rights>${granted}</Rights>${those(BEHIND_RIGHTS)}`;
    return `<AuthorizationRule i:type="SharedAccessAuthorizationRule">${inside}</AuthorizationRule>`;
  });
  return `<AuthorizationRules>${written.join("")}</AuthorizationRules>`;
}
