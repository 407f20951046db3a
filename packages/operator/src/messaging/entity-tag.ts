// A job's version over HTTP (RFC 9110, 8.8.3 and 13.1.1): the ETag in answers, and the optional If-Match in requests.

import type { Checked } from "@scheduler-agent-supervisor/core/messaging";
import type { WantedVersion } from "@scheduler-agent-supervisor/core/store";

const TAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
const LIST = new RegExp(`^${TAG}(?:\\s*,\\s*${TAG})*$`);

/** @param header null if the request has none: then any version matches */
export function parseIfMatch(header: string | null): Checked<WantedVersion> {
  const text = header?.trim() ?? "*";
  if (text === "*") return { kind: "valid", value: "any" };
  if (LIST.test(text)) return { kind: "valid", value: text.match(new RegExp(TAG, "g")) ?? [] };
  return { kind: "invalid", faults: ['If-Match: must be * or ETags in quotes, as in "0b00-4d"'] };
}
