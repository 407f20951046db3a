// What is said of a port that another program has, for each part of the stack alike.

/** @param given what the option gives another port, as in "the host" */
export const busyPort = (port: number, part: string, given: string, option: string): string =>
  `port ${port} is busy, and ${part} wants it; free it or give ${given} another with ${option} N`;

/** For a command without an option for each port: what the parts say of a busy one, with the option that it has. */
export function withFreeOption(message: string): string {
  return message.replaceAll(/; free it or give .*$/gm, "; free it, or start with --free");
}
