// Can be loaded, as Azurite loads it at its start. Whatever uses it is told what is absent.
module.exports = new Proxy(
  {},
  {
    get(_, name) {
      if (typeof name === "symbol" || name === "__esModule" || name === "then") return undefined;
      throw new Error(`"${name}" is of a package that this repository leaves out: see instead/README.md`);
    },
  },
);
