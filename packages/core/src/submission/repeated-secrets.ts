// A job's secret stands in its own member alone (P31): in another one it would be shown, logged, sent to services, and kept after the job is closed.
import { HIDDEN, type Job, REMOVED } from "../domain/content/job.ts";
import { redactorFor } from "../domain/content/redactor.ts";

/** A shorter text may be an ordinary word, or a part of one. */
const NOTABLE = 8;

/**
 * The places that repeat a secret, in whatever case or encoding, as faults: they do not repeat it. A secret that is an object or a list is not
 * looked for, because it may have names and places that stand elsewhere too.
 * @param properties of the message around the content, by name
 */
export function repeatedSecretFaults(
  content: Job,
  secrets: readonly string[],
  properties: { readonly [name: string]: unknown },
): readonly string[] {
  const members = content as unknown as { readonly [name: string]: unknown };
  return secrets.flatMap((secret) => {
    const value = String(members[secret]);
    if (typeof members[secret] === "object" || value.length < NOTABLE || value === HIDDEN || value === REMOVED)
      return [];
    const { value: shown } = redactorFor([value]);
    const { [secret]: _own, ...others } = members;
    const repeats = (part: unknown) => {
      const clean = shown(part);
      return clean !== part && JSON.stringify(clean) !== JSON.stringify(part);
    };
    if (!repeats([others, properties])) return [];
    const fault = (place: string) => `${place}: must not repeat ${secret}, which is a secret`;
    return [
      ...Object.keys(others).flatMap((name) => (repeats({ [name]: others[name] }) ? [fault(name)] : [])),
      ...Object.keys(properties).flatMap((name) =>
        repeats(properties[name]) ? [fault(`message property ${name}`)] : [],
      ),
    ];
  });
}
