// One table of a storage account, by the REST operations that inputs and outputs need. (Azure Storage documentation, "Table service REST API".)
import type { StorageAccount } from "./storage-account.ts";

export type TableEntity = Readonly<Record<string, unknown>>;

export interface EntityQuery {
  readonly filter: string | undefined;
  readonly take: number | undefined;
}

export class Table {
  readonly #account: StorageAccount;
  readonly #name: string;

  constructor(account: StorageAccount, name: string) {
    this.#account = account;
    this.#name = name;
  }

  /** Makes the table where it is not there. Rejects where the entity is. */
  async insert(entity: TableEntity): Promise<void> {
    const body = JSON.stringify(entity);
    const post = () => this.#account.askTables({ method: "POST", path: `/${this.#name}`, body });
    let response = await post();
    if (response.status === 404) {
      await this.#create();
      response = await post();
    }
    if (!response.ok) throw await this.#fault("insert into", response);
  }

  /** Undefined where it is not there. */
  async read(partitionKey: string, rowKey: string): Promise<TableEntity | undefined> {
    const path = `/${this.#name}(PartitionKey='${quoted(partitionKey)}',RowKey='${quoted(rowKey)}')`;
    const response = await this.#account.askTables({ method: "GET", path });
    if (response.status === 404) return undefined;
    if (!response.ok) throw await this.#fault("read", response);
    return plain((await response.json()) as TableEntity);
  }

  /** A table that is not there has none. */
  async list({ filter, take }: EntityQuery): Promise<TableEntity[]> {
    const entities: TableEntity[] = [];
    let from: Record<string, string> = {};
    do {
      const bounds = { ...(filter ? { $filter: filter } : {}), ...(take ? { $top: String(take) } : {}) };
      const query = { ...bounds, ...from };
      const response = await this.#account.askTables({ method: "GET", path: `/${this.#name}()`, query });
      if (response.status === 404) return [];
      if (!response.ok) throw await this.#fault("list", response);
      const { value } = (await response.json()) as { value: TableEntity[] };
      entities.push(...value.map(plain));
      from = continuation(response.headers);
    } while (Object.keys(from).length > 0 && entities.length < (take ?? Number.POSITIVE_INFINITY));
    return entities.slice(0, take);
  }

  async #create(): Promise<void> {
    const body = JSON.stringify({ TableName: this.#name });
    const response = await this.#account.askTables({ method: "POST", path: "/Tables", body });
    if (!response.ok && response.status !== 409) throw await this.#fault("create", response);
  }

  async #fault(what: string, response: Response): Promise<Error> {
    const text = await response.text();
    return new Error(`cannot ${what} table ${this.#name}: ${response.status} ${text}`);
  }
}

/** In a key within quotation marks, which is in a URL. */
const quoted = (key: string) => encodeURIComponent(key.replaceAll("'", "''"));

/** Without what the service says of types and versions; large whole numbers stay the texts that they come as. */
function plain(entity: TableEntity): TableEntity {
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !name.includes("odata.")));
}

function continuation(headers: Headers): Record<string, string> {
  const names = ["NextPartitionKey", "NextRowKey"];
  const found = names.map((name) => [name, headers.get(`x-ms-continuation-${name.toLowerCase()}`)] as const);
  return Object.fromEntries(found.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
