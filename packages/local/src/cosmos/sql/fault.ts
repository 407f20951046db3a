// A query that cannot be run: wrong syntax, or something this server does not support; answered as a 400 that names it.

export class QueryFault extends Error {
  override readonly name = "QueryFault";
}
