/** Middleware of Vercel's AI SDK, whose types are those of the package `@ai-sdk/provider`. */
export { memoryMiddleware, type MemoryMiddlewareOptions } from "./middleware.js";
