// What is said of a port that another program has, for each part of the stack alike.

/** @param given what the option gives another port, as in "the host" */
export const busyPort = (port: number, part: string, given: string, option: string): string =>
  `port ${port} is busy, and ${part} wants it; free it or give ${given} another with ${option} N`;
