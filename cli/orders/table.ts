// Tables for people: framed on a terminal, otherwise a line a row with tabs between the cells.
import Table from "cli-table3";

export function printTable(head: string[], rows: readonly string[][]): void {
  if (process.stdout.isTTY) {
    const table = new Table({ head, style: { head: ["cyan"] }, wordWrap: true });
    table.push(...rows);
    console.log(table.toString());
    return;
  }
  for (const row of rows) console.log(row.join("\t"));
}
