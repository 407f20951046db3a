// What people read in place of job.
export const words = { one: "loan", many: "loans" };
