// Evaluates the template for a set of choices: which resources there would be, each with its properties. Bicep's compiler checks types
// and leaves this to Azure, so what a choice comes to would otherwise be seen in Azure first.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Declaration, type Names, NESTED, type Nested, parseBicep } from "./bicep-expressions.ts";
import { answersOf, type Files, functionsFor, guid, idOf, type Value } from "./bicep-functions.ts";

type Fields = { [name: string]: Value };

export interface Deployed {
  /** As in `Microsoft.Web/sites`. */
  readonly type: string;
  readonly group: string;
  readonly name: string;
  readonly body: Readonly<Record<string, Value>>;
}

/**
 * @param files what is read in the place of files of these paths' ends
 * @throws what the template's `fail` says, and where something is read of a resource that this choice does not deploy.
 */
export function evaluate(file: string, given: Fields, files: Files = {}): { deployed: Deployed[]; outputs: Fields } {
  const template = new Template(file, given, "", files);
  const outputs = template.outputs();
  return { deployed: template.deployed, outputs };
}

class Template {
  readonly deployed: Deployed[] = [];
  readonly #file: string;
  readonly #given: Fields;
  readonly #group: string;
  readonly #files: Files;
  readonly #declared: readonly Declaration[];
  readonly #known = new Map<string, Value>();
  readonly #names: Names;

  constructor(file: string, given: Fields, group: string, files: Files) {
    this.#file = file;
    this.#given = given;
    this.#group = group;
    this.#files = files;
    this.#declared = parseBicep(readFileSync(file, "utf8"));
    this.#names = { named: (name) => this.#named(name), functions: functionsFor(file, group, files) };
  }

  /** Everything is deployed by then. */
  outputs(): Fields {
    for (const { kind, name } of this.#declared) if (kind === "resource" || kind === "module") this.#named(name);
    const outputs = this.#declared.filter(({ kind }) => kind === "output");
    return Object.fromEntries(outputs.map(({ name, body }) => [name, body?.(this.#names) ?? null]));
  }

  #named(name: string): Value {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const declaration = this.#declared.find((one) => one.name === name && one.kind !== "output");
    if (!declaration) throw new Error(`${this.#file}: there is no ${name}`);
    const value = this.#valueOf(declaration);
    this.#known.set(name, value);
    return value;
  }

  #valueOf(declaration: Declaration): Value {
    const { kind, name, body } = declaration;
    if (kind === "param" && Object.hasOwn(this.#given, name)) return this.#given[name] ?? null;
    if (!body) throw new Error(`${this.#file}: ${name} is not given`);
    const value = body(this.#names);
    if (kind === "module") return value === null ? null : this.#module(declaration, value as Fields);
    return kind === "resource" ? this.#resources(declaration, value) : value;
  }

  #module({ of }: Declaration, { scope, params }: Fields): Value {
    const group = (scope as Fields | undefined)?.["name"] ?? this.#group;
    const module = new Template(join(dirname(this.#file), of), params as Fields, String(group), this.#files);
    const outputs = module.outputs();
    this.deployed.push(...module.deployed);
    return { outputs };
  }

  /** Once, as often as its loop says, or, where its condition does not hold, not at all. */
  #resources(declaration: Declaration, value: Value, parent?: Fields): Value {
    if (Array.isArray(value)) return value.map((one) => this.#resources(declaration, one, parent));
    return value === null ? null : this.#resource(declaration, value as Fields, parent);
  }

  #resource({ of, isExisting }: Declaration, own: Fields, parent?: Fields): Value {
    const [type = ""] = `${parent ? `${parent["type"]}/` : ""}${of}`.split("@");
    const above = parent ?? (own["parent"] as Fields | undefined);
    const name = above ? `${above["name"]}/${own["name"]}` : String(own["name"]);
    const { [NESTED]: nested, ...body } = own;
    const value: Fields = {
      ...body,
      ...(type.startsWith("Microsoft.Graph/") && { appId: guid(type, own["uniqueName"] ?? name) }),
      properties: { ...(own["properties"] as Fields), ...answersOf(type, name) },
      id: idOf(this.#group, type, name),
      name,
      type,
    };
    if (!isExisting) this.deployed.push({ type, group: this.#group, name, body: value });
    for (const { declaration, names } of (nested as unknown as readonly Nested[]) ?? [])
      value[`::${declaration.name}`] = this.#resources(declaration, declaration.body?.(names) ?? null, value);
    return value;
  }
}
