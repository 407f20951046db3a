// The words of the overview.
export const OVERVIEW = {
  states: "Orders by state",
  overdue: "Overdue",
  overdueAbout: "due, and not yet seen to by the supervisor",
  needs: "Need a person",
  queues: "Messages that could not be processed",
} as const;
