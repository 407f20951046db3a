// Where this host knowingly does not do what the real one does, and why; by the name of the observation.

export const DIFFERENCES: Readonly<Record<string, string>> = {
  "history of an entity's operation":
    "messages of entities are JSON of .NET classes there, and of this engine's own here",
};
