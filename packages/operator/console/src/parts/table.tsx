// A table that becomes a list of cards where there is no room for its columns; its rows may be chosen.
import type { ReactNode } from "react";
import { TEXT } from "../words/frame.ts";

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** Of a column that stands there only if a row has something in it. */
  readonly has?: (row: Row) => boolean;
  /** What its rows are sorted by; absent: they can't be. */
  readonly sortedBy?: (row: Row) => string | number;
}

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
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
  readonly sort?: Sort | undefined;
  readonly sortBy?: (sort: Sort) => void;
}

/** The rows in that order; those alike stay as they are. */
export function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | undefined) {
  const by = columns.find(({ name }) => name === sort?.column)?.sortedBy;
  if (!sort || !by) return rows;
  const sign = sort.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    return a === b ? 0 : a < b ? -sign : sign;
  });
}

export function Table<Row>({ caption, columns: all, rows, keyOf, selection, sort, sortBy }: TableProps<Row>) {
  const keys = rows.map(keyOf);
  const columns = all.filter(({ has }) => has === undefined || rows.some(has));
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
          {columns.map(({ name, isNumber, sortedBy }) => {
            const isSorted = sort?.column === name;
            const direction = sort?.isDescending ? "descending" : "ascending";
            return (
              <th
                key={name}
                scope="col"
                className={isNumber ? "number" : undefined}
                aria-sort={isSorted ? direction : undefined}
              >
                {sortBy && sortedBy ? (
                  <button
                    type="button"
                    className="sort"
                    onClick={() => sortBy({ column: name, isDescending: isSorted && !sort.isDescending })}
                  >
                    {name} <span aria-hidden="true">{isSorted ? (sort.isDescending ? "▼" : "▲") : "↕"}</span>
                  </button>
                ) : (
                  name
                )}
              </th>
            );
          })}
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
