// What is said of a port that another program has, for each part of the stack alike.

/** @param given what the option gives another port, as in "the host" */
export const busyPort = (port: number, part: string, given: string, option: string): string =>
  `port ${port} is busy, and ${part} wants it; free it or give ${given} another with ${option} N`;

/**
 * For a command without an option for each port: what the parts say of a busy one, with the one option that it has.
 * @param option what else can be done, as in "start with --free"
 */
export function withFreeOption(message: string, option: string): string {
  return message.replaceAll(/; free it or give .*$/gm, `; free it, or ${option}`);
}
