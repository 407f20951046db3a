// A job's id where it comes from outside: the contract says which member of the content it is; the app's own messages call it `jobId`.
import type { Contracts } from "./contract.ts";

/** The member of the content that is its id, the same in all contracts of an app. */
export const idNameOf = ({ usual }: Contracts): string => usual.idName;

/** What people call a job of this app, from the name of its id: `video` of `videoId`. */
export const nounOf = (contracts: Contracts): string =>
  idNameOf(contracts)
    .replace(/Id$/, "")
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The id of content; empty if it has none. */
export function idOf(content: object, idName: string): string {
  const { [idName]: id } = content as Members;
  return typeof id === "string" ? id : "";
}

/** The job of a message's body: content names it as its contract says, start messages and cancellations as `jobId`, agents' messages in their ticket. */
export function jobIdIn(body: unknown, contracts: Contracts): string | undefined {
  const { [idNameOf(contracts)]: own, jobId, ticket } = Object(body) as Members;
  const found = own ?? jobId ?? (Object(ticket) as Members)["jobId"];
  return typeof found === "string" ? found : undefined;
}

type Members = { readonly [name: string]: unknown };
