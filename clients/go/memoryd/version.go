package memoryd

// version is that of this module, which every call names to the daemon.
const version = "0.1.0"
