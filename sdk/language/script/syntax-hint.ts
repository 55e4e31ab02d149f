import { printable, quoted } from "../source.ts";

const BODY = "A script is the body of an async JavaScript function.";
const IMPORT = `${BODY} What it shares with others stands in a file that <module> imports: services.<name>.<function>(…).`;
const TYPES = "If it is a type: a script is JavaScript, and TypeScript stands in a .ts file that <module> imports.";

const BRACES = "If it is a reference: a script names what it reads without braces, context.steps.<id> and secrets.<NAME>.";

/** What of the body is looked at on each side of the place. */
const NEAR = 32;
const TOKEN = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|<\/[^\s<>]*>?|\S)/u;
const BEFORE_TYPE = /\b(?:interface|type|declare|abstract|private|public|protected|readonly)\s+$/;
const TYPE = /^(?::|(?:as|satisfies|implements|enum)\b)/;

interface Said {
  readonly message: string;
  readonly hint: string;
}

/** The parser's word for what is wrong at `offset` of a script, with what stands there, and the way out. */
export function syntaxRemark(body: string, offset: number, message: string): Said {
  const [before, after] = [body.slice(Math.max(0, offset - NEAR), offset), body.slice(offset, offset + NEAR)];
  if (message.startsWith("'import'")) return { message: "A script has neither import nor export.", hint: IMPORT };
  const token = TOKEN.exec(after)?.[0];
  const isUnexpected = message === "Unexpected token.";
  if (isUnexpected && body.slice(offset).trim() === "") return { message: "The script ends before it is complete.", hint: BODY };
  const said = isUnexpected && token !== undefined ? `${quoted(token)} is unexpected here.` : message;
  if (token?.startsWith("</")) return { message: said, hint: `A script ends at </script> alone: is ${printable(token)} meant to be that?` };
  if (/(?<!\$)\{$/.test(before) && after.startsWith("{")) return { message: said, hint: BRACES };
  if (after.startsWith("<![CDATA[")) return { message: said, hint: "A script needs no CDATA: its body is taken as it is." };
  return { message: said, hint: TYPE.test(after) || BEFORE_TYPE.test(before) ? TYPES : BODY };
}
