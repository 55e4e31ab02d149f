import type { Message } from "../node/notice.ts";
import type { Law } from "../outline.ts";
import { noticesOf } from "../scripts.ts";
import { violated } from "../violation.ts";

const CODE = "WOML_INVALID_NOTIFICATION_GROUP";

/** A notice of a hook has a message; one of an approval has none, because the approval is it. No two texts stand side by side. */
export const noticeMessages: Law = function* (whole) {
  for (const { part, path, owner, hook } of noticesOf(whole)) {
    if (hook && !part.message) yield violated(CODE, path, `a notice of ${owner} has no message`);
    if (!hook && part.message) yield violated(CODE, `${path}/message`, `a notice of the approval ${owner} has a message of its own`);
    const at = twoTexts(part.message ?? []);
    if (at > 0) yield violated(CODE, `${path}/message/${at}`, "two texts side by side are one");
  }
};

const twoTexts = (message: Message): number => message.findIndex((piece, at) => piece.kind === "text" && message[at - 1]?.kind === "text");
