// Parses KQL with Microsoft's own language service and binds it to the tables that the queries use.
import "@kusto/language-service-next/bridge.min.js";
import "@kusto/language-service-next/Kusto.Language.Bridge.min.js";

/** The columns in use here, as the reference of Azure Monitor's tables has them. */
const TABLES = {
  AppEvents: `TimeGenerated: datetime, Name: string, Properties: dynamic, Measurements: dynamic, ItemCount: int,
    OperationId: string, OperationName: string, AppRoleName: string, AppRoleInstance: string`,
  AppMetrics: `TimeGenerated: datetime, Name: string, Properties: dynamic, ItemCount: int, Sum: real, Min: real, Max: real,
    AppRoleName: string, AppRoleInstance: string`,
  AppRequests: `TimeGenerated: datetime, Id: string, Name: string, Success: bool, ResultCode: string, DurationMs: real,
    Properties: dynamic, ItemCount: int, OperationId: string, OperationName: string, AppRoleName: string`,
  AppTraces: `TimeGenerated: datetime, Message: string, SeverityLevel: int, Properties: dynamic, OperationId: string`,
  AppExceptions: `TimeGenerated: datetime, ExceptionType: string, OuterMessage: string, InnermostMessage: string, ProblemId: string,
    Properties: dynamic, ItemCount: int, OperationId: string, OperationName: string`,
  AppDependencies: `TimeGenerated: datetime, Name: string, Target: string, DependencyType: string, Success: bool,
    ResultCode: string, DurationMs: real, OperationId: string, Properties: dynamic`,
  AzureMetrics: `TimeGenerated: datetime, ResourceId: string, MetricName: string, Total: real, Average: real, Minimum: real,
    Maximum: real, Count: real, UnitName: string`,
  Usage: "TimeGenerated: datetime, DataType: string, Quantity: real, QuantityUnit: string, IsBillable: bool",
} as const;

interface List<T> {
  readonly Count: number;
  getItem(index: number): T;
}

interface Diagnostic {
  readonly Severity: string;
  readonly Code: string;
  readonly Message: string;
}

/** A part of a query's syntax tree; of a list of names or expressions each is wrapped once. */
export interface KustoNode {
  readonly constructor: { readonly $$name: string };
  readonly ChildCount: number;
  GetChild(index: number): KustoNode | null;
  toString(): string;
}

/** The little of the language service that is used; its own types are those of translated C#. */
interface KustoLanguage {
  readonly GlobalState: { readonly Default: { WithDatabase(database: object): object } };
  readonly KustoCode: {
    Parse(query: string): { readonly Syntax: KustoNode };
    ParseAndAnalyze(
      query: string,
      globals: object,
    ): {
      GetDiagnostics(): List<Diagnostic>;
      readonly ResultType: { readonly Columns: List<{ readonly Name: string }> } | null;
    };
  };
  readonly Symbols: {
    readonly TableSymbol: { From(schema: string): { WithName(name: string): object } };
    readonly DatabaseSymbol: { readonly ctor: new (name: string, members: object[]) => object };
  };
}

const { GlobalState, KustoCode, Symbols } = (globalThis as unknown as { Kusto: { Language: KustoLanguage } }).Kusto
  .Language;

const workspace = GlobalState.Default.WithDatabase(
  new Symbols.DatabaseSymbol.ctor(
    "workspace",
    Object.entries(TABLES).map(([name, columns]) => Symbols.TableSymbol.From(`(${columns})`).WithName(name)),
  ),
);

export interface Bound {
  /** What keeps the query from running, in words. */
  readonly faults: readonly string[];
  /** The columns of the answer. */
  readonly columns: readonly string[];
}

export function bind(query: string): Bound {
  const code = KustoCode.ParseAndAnalyze(query, workspace);
  const faults = items(code.GetDiagnostics()).map(({ Code, Message }) => `${Code}: ${Message}`);
  return { faults, columns: items(code.ResultType?.Columns).map(({ Name }) => Name) };
}

/** Without its comments. */
export function syntaxOf(query: string): KustoNode {
  return KustoCode.Parse(query.replaceAll(/^\s*\/\/.*$/gm, "")).Syntax;
}

function items<T>(list: List<T> | undefined): T[] {
  return Array.from({ length: list?.Count ?? 0 }, (_, index) => (list as List<T>).getItem(index));
}

/** The names of events, metrics and meters that a query asks for, with the table that it asks. */
export function namesIn(query: string): { table: string; name: string }[] {
  const found: { table: string; name: string }[] = [];
  let table = "";
  for (const [, named, one, many] of query.matchAll(
    /\b(App\w+|AzureMetrics)\b|\b(?:Metric)?Name\s*==\s*"([^"]+)"|\b(?:Metric)?Name\s+in\s*\(([^()]*)\)/g,
  )) {
    if (named) table = named;
    if (one) found.push({ table, name: one });
    for (const [, name = ""] of (many ?? "").matchAll(/"([^"]+)"/g)) found.push({ table, name });
  }
  return found;
}

/** The tables that a query reads. */
export function tablesIn(query: string): string[] {
  const known = Object.keys(TABLES).join("|");
  return [...new Set([...query.matchAll(new RegExp(`\\b(${known})\\b`, "g"))].map(([table]) => table))];
}

/** The attributes of events, metrics and spans that a query looks at. */
export function attributesIn(query: string): string[] {
  return [...query.matchAll(/\bProperties(?:\.(\w+)|\["([^"]+)"\])/g)].map(
    ([, member, quoted]) => member ?? quoted ?? "",
  );
}
