// What of the installed packages the app in Azure runs on, by the lock file.

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Where they are installed, as the lock file names it: what the app's own `dependencies` lead to. npm's `dev` does not say it: to npm every
 * workspace is for production, so that the libraries of the local stack are too. What is optional in the repository itself is the Node of its scripts.
 */
export function productionPlaces({ packages }: Lock): ReadonlySet<string> {
  const found = new Set([""]);
  for (const place of found) {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place] ?? {};
    const optional = place === "" ? {} : optionalDependencies;
    for (const name of Object.keys({ ...dependencies, ...optional, ...peerDependencies })) {
      const installed = nearest(packages, place, name);
      const { link, resolved } = packages[installed ?? ""] ?? {};
      if (installed !== undefined) found.add(link && resolved ? resolved : installed);
    }
  }
  found.delete("");
  return found;
}

/** As Node looks for it: in the package's own node_modules, then in each above. */
function nearest(packages: Lock["packages"], from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const place = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (at === "") return undefined;
  }
}
