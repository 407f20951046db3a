export declare function nodeFault(
  present: string,
  least: string,
  packaged: readonly string[],
  platform: string,
  arch: string,
): string | undefined;
