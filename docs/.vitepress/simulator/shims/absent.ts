// What the simulator's code names and never calls: Azure's identity and Functions; and of Node's `util` the one check that durable-functions makes.
const absent = {};

export const types = { isDate: (value: unknown): boolean => value instanceof Date };

// biome-ignore lint/style/noDefaultExport: as the packages have it.
export default absent;
