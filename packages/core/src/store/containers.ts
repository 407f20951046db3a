// The app's database and its containers, called the same in every app: infra/entities/cosmos.json declares them.

export const DATABASE = "jobs";

export const CONTAINERS = {
  /** Jobs and their records. */
  jobs: "jobs",
  /** The supervisors' audit log, and documents that expire. */
  supervision: "supervision",
  /** The operators' audit log: the app's identity may add to it, but not change or delete. */
  audit: "audit",
} as const;
