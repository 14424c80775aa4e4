import type { RecordKindJson } from "#protos/record_pb";

import { wordOf } from "./word";

/** The kinds of records that no event is about. */
type Unchanged =
  | "RECORD_KIND_UNSPECIFIED"
  | "RECORD_KIND_ENTITY"
  | "RECORD_KIND_DOCUMENT_CHUNK"
  | "RECORD_KIND_SUMMARY"
  | "RECORD_KIND_TEXT"
  | "RECORD_KIND_SNAPSHOT";

// A record, so that the compiler finds the kind that is missing here.
const KINDS: Readonly<Record<Exclude<RecordKindJson, Unchanged>, true>> = {
  RECORD_KIND_AGENT: true,
  RECORD_KIND_ENTRY: true,
  RECORD_KIND_SCOPE: true,
  RECORD_KIND_FRAGMENT: true,
  RECORD_KIND_MEMORY: true,
  RECORD_KIND_MEMORY_LINK: true,
  RECORD_KIND_MEMORY_PROPOSAL: true,
  RECORD_KIND_NOTE: true,
  RECORD_KIND_PLAN: true,
  RECORD_KIND_PLAN_STEP: true,
  RECORD_KIND_ENTITY_WINDOW: true,
  RECORD_KIND_DOCUMENT: true,
  RECORD_KIND_CONVERSATION: true,
  RECORD_KIND_MESSAGE: true,
};

interface Props {
  /** Empty for all. */
  kind: RecordKindJson | "";
  onChoose: (kind: RecordKindJson | "") => void;
}

/** A choice of the kind of records that events are about. */
export function ChooseKind({ kind, onChoose }: Props) {
  return (
    <select
      value={kind}
      onChange={(event) => {
        onChoose(event.currentTarget.value as RecordKindJson | "");
      }}
    >
      <option value="">all</option>
      {Object.keys(KINDS).map((each) => (
        <option key={each} value={each}>
          {wordOf(each, "RECORD_KIND_")}
        </option>
      ))}
    </select>
  );
}
