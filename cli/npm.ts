// npm without a shell: on Windows its command is a script, which only a shell runs.

/** The file of the npm that started this command. */
export function npmFile(): string {
  const file = process.env["npm_execpath"];
  if (!file) throw new Error("Start this by npm: npm run …");
  return file;
}
