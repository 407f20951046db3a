// A table that becomes a list of cards where there is no room for its columns; its rows may be chosen.
import type { ReactNode } from "react";
import { TEXT } from "../words/frame.ts";

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

export interface Selection {
  /** The keys of the rows. */
  readonly chosen: ReadonlySet<string>;
  readonly choose: (keys: readonly string[], isChosen: boolean) => void;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly selection?: Selection;
}

export function Table<Row>({ caption, columns, rows, keyOf, selection }: TableProps<Row>) {
  const keys = rows.map(keyOf);
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className="choice">
              <input
                type="checkbox"
                aria-label={TEXT.chooseAll}
                checked={keys.length > 0 && keys.every((key) => selection.chosen.has(key))}
                onChange={({ target }) => selection.choose(keys, target.checked)}
              />
            </th>
          )}
          {columns.map(({ name, isNumber }) => (
            <th key={name} scope="col" className={isNumber ? "number" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {selection && (
              <td className="choice" data-name={TEXT.choose}>
                <div>
                  <input
                    type="checkbox"
                    aria-label={TEXT.chooseOne(keyOf(row))}
                    checked={selection.chosen.has(keyOf(row))}
                    onChange={({ target }) => selection.choose([keyOf(row)], target.checked)}
                  />
                </div>
              </td>
            )}
            {columns.map(({ name, isNumber, cell }) => (
              <td key={name} data-name={name} className={isNumber ? "number" : undefined}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
