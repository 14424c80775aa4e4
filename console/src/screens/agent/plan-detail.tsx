import type { EventJson } from "#protos/event_pb";
import type { ListEventsResponseJson } from "#protos/event_service_pb";
import type { PlanJson, PlanStepJson } from "#protos/plan_pb";
import type { GetPlanResponseJson } from "#protos/plan_service_pb";

import { call } from "../../daemon/call";
import { useChanges } from "../../daemon/changes";
import { useFetched } from "../../daemon/fetched";
import { authorOf } from "../../view/event";
import { Fields } from "../../view/fields";
import { Inert, Line } from "../../view/inert";
import { Notice, Problem } from "../../view/notice";
import { Meter } from "../../view/plot";
import { Age } from "../../view/time";
import { wordOf } from "../../view/word";
import { filterOf, timelineOf } from "./past/changes-of";

const EVENTS_MAX = 100;

/** A plan: its steps with their state, its notes, and what happened to it. It follows the changes. */
export function PlanDetail({ agentId, planId }: { agentId: string; planId: string }) {
  const filter = filterOf(agentId, ["plan", planId]);
  const version = useChanges([filter]);
  const plan = useFetched(
    (signal) => call<GetPlanResponseJson>("PlanService/GetPlan", { agentId, planId }, signal),
    `${agentId}/${planId}`,
    version,
  );
  const events = useFetched(
    (signal) => {
      const request = { filters: [filter], order: "LIST_ORDER_CREATE_TIME_DESCENDING", pageSize: EVENTS_MAX };
      return call<ListEventsResponseJson>("EventService/ListEvents", request, signal);
    },
    `${agentId}/${planId}`,
    version,
  );
  if (plan.error !== undefined) return <Problem error={plan.error} />;
  if (!plan.value?.plan) return <Notice>Reading…</Notice>;
  const { steps, notes, goal, ...rest } = plan.value.plan;
  return (
    <>
      <p>
        <Inert text={goal ?? ""} />
      </p>
      <Steps steps={steps ?? []} />
      {notes && (
        <>
          <h3>Notes</h3>
          <ul class="plain">
            {notes.map((note, index) => (
              <li key={index}>
                <Inert text={note.text ?? ""} />
                <span class="dim">
                  <Age time={note.createTime} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>History</h3>
      {events.error !== undefined && <Problem error={events.error} />}
      <ol class="plain" aria-label="History">
        {events.value?.events?.map((event) => (
          <li key={`${event.revision} ${event.index}`}>
            <Happening event={event} plan={plan.value?.plan ?? {}} />
          </li>
        ))}
      </ol>
      <p>
        <a href={timelineOf(agentId, "plan", planId)}>Who wrote this?</a>
      </p>
      <h3>Plan</h3>
      <Fields record={rest} />
    </>
  );
}

function Steps({ steps }: { steps: readonly PlanStepJson[] }) {
  const done = steps.filter(({ status }) => status === "PLAN_STEP_STATUS_COMPLETED").length;
  const summary = `${done} of ${steps.length} steps are completed`;
  return (
    <>
      <p class="dim">{summary}</p>
      <Meter value={done} max={steps.length} label={summary} />
      <ol class="plain steps" aria-label="Steps">
        {steps.map((step) => (
          <li key={step.stepId}>
            <span class={`state ${wordOf(step.status).replaceAll(" ", "-")}`}>{wordOf(step.status)}</span>
            <span class="text">
              <Inert text={step.description ?? ""} />
              {step.notes && (
                <span class="dim">
                  {" "}
                  <Inert text={step.notes} />
                </span>
              )}
            </span>
            <span class="dim">
              <Age time={step.updateTime} />
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** What happened to a plan or a step of it, on two lines. */
function Happening({ event, plan }: { event: EventJson; plan: PlanJson }) {
  const { planStep, planNote } = event;
  const step = plan.steps?.find(({ stepId }) => stepId === planStep?.stepId);
  const text = planStep?.planStep?.description || step?.description || planNote?.planNote?.text;
  const state = planStep?.planStep?.status ?? event.plan?.plan?.status;
  return (
    <>
      <span class="happening">
        <span class="verb changed">{wordOf(event.type, "EVENT_TYPE_")}</span>
        {state && <span class="dim">{wordOf(state)}</span>}
        {text && <Line text={text} />}
      </span>
      <span class="dim">
        <Age time={event.eventTime} />, <bdi>{authorOf(event)}</bdi>
      </span>
    </>
  );
}
