/** A module of nothing: what it takes to import one is no door's doing. */
export {}
