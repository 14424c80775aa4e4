import { ScalarType, type DescField } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { WriteSchema, type Write } from "#protos/memoryd/v1/transaction_service_pb";

/** Returns the options of what is written with the bound user, unless they name another. */
export function about<O extends { readonly userId?: string }>(boundUser: string | undefined, options: O): O {
  return boundUser === undefined ? options : { ...options, userId: options.userId || boundUser };
}

/** Returns whether a value of the field "userId" names a user, or is meant to be none: only some fields can be empty. */
export function namesUser(field: DescField, userId: unknown): boolean {
  const canBeEmpty = field.presence === FeatureSet_FieldPresence.EXPLICIT;
  return userId !== undefined && (canBeEmpty || userId !== "");
}

/** Sets the user of what is written in a transaction, unless the request names another. */
export function bindWrite(write: Write, boundUser: string): void {
  const message = reflect(WriteSchema, write);
  const field = WriteSchema.fields.find((each) => message.isSet(each));
  if (field?.fieldKind === "message") {
    bind(message.get(field), boundUser);
  }
}

const DRAFTS = ["draft", "create", "set"];

function bind(message: ReflectMessage, boundUser: string): void {
  const { userId, updateMask, drafts } = message.desc.field;
  if (userId?.scalar === ScalarType.STRING && !message.isSet(userId)) {
    message.set(userId, boundUser);
  }
  // An update changes the user of a record only where the caller says so.
  for (const name of updateMask ? [] : DRAFTS) {
    const field = message.desc.field[name];
    if (field?.fieldKind === "message" && message.isSet(field)) {
      bind(message.get(field), boundUser);
    }
  }
  if (drafts?.fieldKind === "list") {
    // Parts of a record, such as the messages of a conversation, have no user of their own.
    for (const draft of message.get(drafts)) {
      bind(draft as ReflectMessage, boundUser);
    }
  }
}
