/** A command of the driver's input. Times are in seconds. */
export type Command =
  | ConnectCommand
  | (Entry & { do: "get" | "get_native" })
  | (Entry & { do: "set" | "set_native"; value_json: string })
  | (Entry & { do: "update"; count: number; transaction?: boolean })
  | GetOrSetCommand
  | WatchCommand
  | { do: "watched"; name: string; count: number; timeout_s: number }
  | { do: "unwatch"; name: string }
  | MeasureCommand;

export interface Entry {
  agent: string;
  key: string;
}

export interface ConnectCommand {
  do: "connect";
  target: string;
  token?: string;
  origin?: string;
  timeout_s?: number;
  connect_timeout_s?: number;
  ca_file?: string;
}

export interface GetOrSetCommand extends Entry {
  do: "get_or_set";
  value_json: string;
  factory_s?: number;
  fail?: boolean;
  lease_s?: number;
  wait_s?: number;
}

export interface MeasureCommand {
  do: "measure";
  agent: string;
  call: "set" | "get" | "recall" | "compose" | "near_get";
  calls: number;
  callers?: number;
  batching?: boolean;
}

export interface WatchCommand {
  do: "watch";
  name: string;
  agent: string;
  key_prefix?: string;
  initial_state?: boolean;
  outage_max_s?: number;
  resume_token?: string;
}
