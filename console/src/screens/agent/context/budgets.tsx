import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { ComposeContextResponseJson, ContextSectionUsageJson } from "#protos/context_service_pb";

import { Line } from "../../../view/inert";
import { Meter } from "../../../view/plot";
import { count } from "../../../view/word";

const STEPS = 100;

interface Props {
  response: ComposeContextResponseJson;
  /** The budgets that were moved, by section. */
  budgets: Readonly<Record<string, number>>;
  onMove: (section: string, maxTokens: number) => void;
}

/** What each section could use and used, and its budget, which can be moved. */
export function Budgets({ response, budgets, onMove }: Props) {
  const all = Number(response.maxTokens ?? 0);
  const whole = { section: "all", tokenCount: response.tokenCount ?? "0", maxTokens: response.maxTokens ?? "0" };
  return (
    <ul class="plain usages" aria-label="Budgets">
      <Usage usage={whole} />
      {response.usages?.map((usage) => {
        const section = usage.section ?? "";
        return (
          <Usage key={section} usage={usage}>
            {!usage.missingFeature && (
              <Budget
                section={section}
                max={all}
                budget={budgets[section] ?? Number(usage.maxTokens ?? 0)}
                onMove={onMove}
              />
            )}
          </Usage>
        );
      })}
    </ul>
  );
}

interface BudgetProps {
  section: string;
  max: number;
  budget: number;
  onMove: (section: string, maxTokens: number) => void;
}

/** The budget of a section, to be moved. It is where the pointer holds it, also while the context is composed again. */
function Budget({ section, max, budget, onMove }: BudgetProps) {
  const [held, setHeld] = useState<number>();
  return (
    <input
      type="range"
      aria-label={`Budget of ${section} in tokens`}
      min={0}
      max={max}
      step={Math.max(1, Math.round(max / STEPS))}
      value={held ?? budget}
      onInput={(event) => {
        setHeld(Number(event.currentTarget.value));
      }}
      onChange={(event) => {
        setHeld(undefined);
        onMove(section, Number(event.currentTarget.value));
      }}
    />
  );
}

function Usage({ usage, children }: { usage: ContextSectionUsageJson; children?: ComponentChildren }) {
  const { section = "", tokenCount, maxTokens } = usage;
  return (
    <li class="used">
      <Line text={section} />
      <span class="dim">{spent(usage)}</span>
      <Meter value={Number(tokenCount ?? 0)} max={Number(maxTokens ?? 0)} label={section} />
      {children}
    </li>
  );
}

function spent({ tokenCount, maxTokens, leftOutCount, missingFeature }: ContextSectionUsageJson): string {
  if (missingFeature) return `left out: the tier lacks ${missingFeature}`;
  const out = leftOutCount ? `, ${count(leftOutCount)} left out` : "";
  return `${count(tokenCount)} of ${count(maxTokens)} tokens${out}`;
}
