/** The version of this package, which every call names to the daemon. */
export const VERSION = "0.1.0";
