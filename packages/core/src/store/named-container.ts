// A database whose documents have the app's names, for stores that read and write the core's names. In a document its own members are renamed; in
// a query and a patch the first name after `c.` or the first slash.
import type { Container, Database, OperationInput, PatchOperation, SqlQuerySpec } from "@azure/cosmos";
import { inAppsNames, inCoresNames, JOB, type Noun, nameInAppsNames, textInAppsNames } from "../domain/noun.ts";

/** The part of the library's own types that the stores use. */
type Items = Container["items"];
type Item = ReturnType<Container["item"]>;
type Answer = { readonly resource?: unknown };
type Patch = { readonly operations: readonly PatchOperation[]; readonly condition?: string };

/** The database itself if the app uses the core's noun. */
export function namedDatabase(database: Database, noun: Noun): Pick<Database, "container"> {
  if (noun.one === JOB.one && noun.many === JOB.many) return database;
  return { container: (id) => namedContainer(database.container(id), noun) };
}

export function namedContainer(container: Container, noun: Noun): Container {
  const out = <T>(document: T): T => inAppsNames(document, noun);
  const back = <T>(document: T): T => inCoresNames(document, noun);
  const read = <T extends Answer>(answer: T): T =>
    // The library's answers have getters on their prototype: those stay.
    answer.resource === undefined
      ? answer
      : Object.defineProperty(answer, "resource", { value: back(answer.resource) });

  const item = (id: string, key?: string): Item => {
    const own = container.item(id, key);
    const named: Pick<Item, "read" | "replace" | "patch" | "delete"> = {
      read: async (...options: Parameters<Item["read"]>) => read(await own.read(...options)),
      replace: async (document: object, ...options: never[]) => read(await own.replace(out(document), ...options)),
      patch: async (patch: unknown, ...options: never[]) =>
        read(await own.patch(patched(patch as Patch, noun) as never, ...options)),
      delete: (...options: Parameters<Item["delete"]>) => own.delete(...options),
    } as never;
    return named as Item;
  };

  const items: Pick<Items, "create" | "upsert" | "batch" | "query"> = {
    create: async (document: object, ...options: never[]) =>
      read(await container.items.create(out(document), ...options)),
    upsert: async (document: object, ...options: never[]) =>
      read(await container.items.upsert(out(document), ...options)),
    async batch(operations: OperationInput[], ...options: never[]) {
      const answer = await container.items.batch(
        operations.map((one) => operation(one, noun)),
        ...options,
      );
      const result = answer.result?.map((one) =>
        one.resourceBody === undefined ? one : { ...one, resourceBody: back(one.resourceBody) },
      );
      return Object.defineProperty(answer, "result", { value: result });
    },
    query(query: SqlQuerySpec | string, ...options: never[]) {
      const pages = container.items.query(named(query, noun), ...options);
      const page = <T extends { readonly resources?: unknown[] }>(found: T): T =>
        Object.defineProperty(found, "resources", { value: found.resources?.map(back) });
      return {
        hasMoreResults: () => pages.hasMoreResults(),
        fetchNext: async () => page(await pages.fetchNext()),
        fetchAll: async () => page(await pages.fetchAll()),
      };
    },
  } as never;

  return { id: container.id, items, item } as unknown as Container;
}

function named(query: SqlQuerySpec | string, noun: Noun): SqlQuerySpec {
  const { query: text, ...rest } = typeof query === "string" ? { query } : query;
  return { query: text.replace(/\bc\.[A-Za-z]+/g, (path) => textInAppsNames(path, noun)), ...rest };
}

function patched<Changes extends { readonly operations: readonly PatchOperation[] }>(
  { operations, ...rest }: Changes,
  noun: Noun,
) {
  return { ...rest, operations: operations.map((one) => withAppsPath(one, noun)) };
}

/** Every change of every write passes through here, and most paths stay. */
function withAppsPath(one: PatchOperation, noun: Noun): PatchOperation {
  const end = one.path.indexOf("/", 1);
  const name = one.path.slice(1, end === -1 ? undefined : end);
  const own = nameInAppsNames(name, noun);
  return own === name ? one : { ...one, path: `/${own}${one.path.slice(1 + name.length)}` };
}

function operation(one: OperationInput, noun: Noun): OperationInput {
  switch (one.operationType) {
    case "Create":
    case "Upsert":
    case "Replace":
      return { ...one, resourceBody: inAppsNames(one.resourceBody, noun) };
    case "Patch":
      return { ...one, resourceBody: patched(one.resourceBody as Patch, noun) } as OperationInput;
    default:
      return one;
  }
}
