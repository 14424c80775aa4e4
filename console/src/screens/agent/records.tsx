import { useState } from "preact/hooks";

import { call } from "../../daemon/call";
import { useListing, type Page } from "../../daemon/listing";
import { Detail } from "../../view/detail";
import { Line } from "../../view/inert";
import { Notice, Problem } from "../../view/notice";
import { Rows } from "../../view/rows";
import { Age, Deadline } from "../../view/time";
import { wordOf } from "../../view/word";
import { Actions } from "./change/actions";
import { recordTarget } from "./change/target";
import type { AnyRecord, Kind } from "./kinds";
import { RecordDetail } from "./record-detail";

/** Number of records that are read first, and then at a time. */
const FIRST_PAGE_SIZE = 200;
const PAGE_SIZE = 1_000;
const ROW_PX = 56;

interface Props {
  agentId: string;
  kind: Kind;
  /** Further fields of the request, which select some records of now. */
  selection?: object;
  /** Reads a page of records as they were; by default, they are read as they are now. */
  read?: (pageToken: string, signal: AbortSignal) => Promise<Page<AnyRecord>>;
  /** Names what `read` reads. */
  version?: string;
}

const ALL_USERS = { filter: { allUsers: true } };

/** All records of one kind, or those of a selection. */
export function Records({ agentId, kind, selection = ALL_USERS, read, version = "" }: Props) {
  const [chosen, setChosen] = useState<AnyRecord>();
  const [undone, setUndone] = useState(0);
  const listing = useListing<AnyRecord>(
    (pageToken, signal) => read?.(pageToken, signal) ?? readNow(agentId, kind, selection, pageToken, signal),
    `${agentId}/${kind.path}/${version}/${undone}/${JSON.stringify(selection)}`,
  );
  return (
    <div class="split">
      <div class="list">
        {listing.error !== undefined && <Problem error={listing.error} />}
        {listing.isComplete && listing.total === 0 && listing.error === undefined && (
          <Notice>
            There are no {kind.title.toLowerCase()}
            {selection === ALL_USERS ? "" : " like that"}.
          </Notice>
        )}
        <Rows
          label={kind.title}
          count={listing.total}
          height={ROW_PX}
          need={listing.need}
          row={(index) => {
            const record = listing.items[index];
            return record ? (
              <RecordRow kind={kind} record={record} isChosen={record === chosen} onChoose={setChosen} />
            ) : (
              "…"
            );
          }}
        />
      </div>
      {chosen && (
        <Detail
          title={kind.noun}
          onClose={() => {
            setChosen(undefined);
          }}
        >
          {!read && (
            <Actions
              target={recordTarget(agentId, kind, chosen)}
              onChanged={(record) => {
                listing.replace(chosen, record);
                setChosen(record);
              }}
              onUndone={() => {
                setUndone((before) => before + 1);
              }}
            />
          )}
          <RecordDetail agentId={agentId} kind={kind} record={chosen} />
        </Detail>
      )}
    </div>
  );
}

async function readNow(
  agentId: string,
  kind: Kind,
  selection: object,
  pageToken: string,
  signal: AbortSignal,
): Promise<Page<AnyRecord>> {
  const request = { agentId, pageSize: pageToken ? PAGE_SIZE : FIRST_PAGE_SIZE, pageToken, ...selection };
  const response = await call<AnyRecord>(kind.method, request, signal);
  return {
    items: (response[kind.field] ?? []) as readonly AnyRecord[],
    next: (response.nextPageToken ?? "") as string,
    total: Number(response.totalCount ?? 0),
  };
}

interface RowProps {
  kind: Kind;
  record: AnyRecord;
  isChosen: boolean;
  onChoose: (record: AnyRecord) => void;
}

function RecordRow({ kind, record, isChosen, onChoose }: RowProps) {
  const heading = kind.headings.find((name) => record[name]);
  const line = kind.lines.find((name) => record[name] && name !== heading);
  const expires = record.expireTime as string | undefined;
  return (
    <button
      type="button"
      class="row"
      aria-pressed={isChosen}
      onClick={() => {
        onChoose(record);
      }}
    >
      <span class="title">
        <Line text={heading ? textOf(record[heading]) : `the agent's own ${kind.noun}`} />
      </span>
      <span class="side dim">
        {expires ? <Deadline time={expires} /> : <Age time={(record.updateTime ?? record.createTime) as string} />}
      </span>
      <span class="sub dim">{line && <Line text={textOf(record[line])} />}</span>
    </button>
  );
}

function textOf(value: unknown): string {
  if (typeof value === "string") return /^[A-Z]+(_[A-Z]+)+$/.test(value) ? wordOf(value) : value;
  if (Array.isArray(value)) return value.map((each: AnyRecord) => each.name ?? each.entityId).join(", ");
  return String(value);
}
