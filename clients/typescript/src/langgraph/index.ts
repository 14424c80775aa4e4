/** Adapters to LangGraph, which need the package `@langchain/langgraph-checkpoint`. */
export { MemorydSaver, type MemorydSaverOptions } from "./saver.js";
export { MemorydStore, type MemorydStoreOptions } from "./store.js";
