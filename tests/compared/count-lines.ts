// Counts code the same way everywhere: lines that are neither blank nor a comment alone.

/** Of sources that the formatter has formatted alike. */
export function linesOfCode(source: string): number {
  const withoutComments = source.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, "").replaceAll(/^\s*\/\/.*$/gm, "");
  return withoutComments.split("\n").filter((line) => line.trim() !== "").length;
}
