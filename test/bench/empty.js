/** An empty module: its import time is the overhead that import-probe.js subtracts. */
export {}
