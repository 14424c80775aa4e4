import { isDeepStrictEqual } from "node:util";

type Comparison = (actual: unknown, operand: unknown) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: isDeepStrictEqual,
  $ne: (actual, operand) => !isDeepStrictEqual(actual, operand),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
  $in: (actual, operand) => listOf("$in", operand).some((each) => isDeepStrictEqual(actual, each)),
  $nin: (actual, operand) => !listOf("$nin", operand).some((each) => isDeepStrictEqual(actual, each)),
};

/**
 * Returns true if an item's value meets all conditions.
 *
 * @throws TypeError for an unknown operator.
 */
export function passes(
  value: Readonly<Record<string, unknown>>,
  conditions: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(conditions).every(([field, expected]) => matches(value[field], expected));
}

function matches(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((each, index) => matches(actual[index], each))
    );
  }
  if (!isObject(expected)) {
    return isDeepStrictEqual(actual, expected);
  }
  if (Object.keys(expected).some((name) => name.startsWith("$"))) {
    return Object.entries(expected).every(([name, operand]) => comparison(name)(actual, operand));
  }
  return isObject(actual) && passes(actual, expected);
}

function comparison(name: string): Comparison {
  const found = Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : undefined;
  if (!found) {
    throw new TypeError(`unknown filter operator ${name}: use ${Object.keys(COMPARISONS).join(", ")}`);
  }
  return found;
}

/** Returns a comparison of two numbers or two texts. Other values are in no order. */
function ordered(holds: (order: number) => boolean): Comparison {
  return (actual, operand) => {
    if ((isNumber(actual) && isNumber(operand)) || (typeof actual === "string" && typeof operand === "string")) {
      return holds(actual < operand ? -1 : Number(actual > operand));
    }
    return false;
  };
}

function listOf(name: string, operand: unknown): readonly unknown[] {
  if (!Array.isArray(operand)) {
    throw new TypeError(`the operand of ${name} must be a list`);
  }
  return operand;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
